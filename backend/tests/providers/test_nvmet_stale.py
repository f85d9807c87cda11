"""What nvmet no longer serves is removed completely, even if a read of configfs fails meanwhile."""

from backend.tests.agent.exports import lun, nqn_of, nvme_host, subsystem
from backend.tests.providers.test_nvmet_converge import ExportRig, nqn
from lunette.providers.exports.nvmet.configfs import ROOT

HOSTS = f"{ROOT}/hosts"


def test_a_host_is_not_left_behind_with_its_key_because_a_link_could_not_be_read() -> None:
    """Once no subsystem of ours allows it, nothing but the waiting key tells that its entry is ours to remove."""
    rig = ExportRig()
    rig.serve(rig.desired())
    assert nqn_of(43) in rig.machine.listdir(HOSTS)
    one = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    fewer = rig.desired(volumes=tuple(rig.volumes[:1]), subsystems=(one,), generation=2)
    rig.machine.faults.break_calls(
        lambda call: call.name == "readlink" and f"allowed_hosts/{nqn_of(43)}" in call.detail
    )
    rig.serve(fewer)
    assert nqn_of(43) in rig.machine.listdir(f"{ROOT}/subsystems/{nqn(32)}/allowed_hosts")
    rig.machine.faults.disarm()
    rig.serve(fewer)
    assert rig.machine.listdir(HOSTS) == [nqn_of(41)]
    assert rig.machine.listdir(f"{ROOT}/subsystems") == [nqn(31)]
