"""NVMe exports by SPDK, on a fake that keeps its rules: who gets in, when, and what is left after it was killed."""

import pytest

from backend.tests.agent.exports import (
    dhchap,
    dhchap_key,
    id_of,
    lun,
    nqn_of,
    nvme_host,
    nvme_portal,
    subsystem,
)
from backend.tests.fakemachine.nvme.nvmet import FakeController, Refuse
from backend.tests.providers.test_nvmet_converge import ExportRig, nqn
from lunette.domain.errors import ToolFailed, Unavailable
from lunette.domain.exports import ConvergeReport, ExportPortal, ExportSet, ServingState
from lunette.domain.mappings import ExportEngine
from lunette.domain.sizes import MIB
from lunette.providers.exports.spdk import process
from lunette.providers.exports.spdk.converge import (
    converge,
    exported_volumes,
    is_served,
    look,
    served_devices,
    withdraw,
)
from lunette.providers.exports.spdk.process import RUN_DIR, UNIT
from lunette.providers.exports.spdk.sessions import observe_sessions
from lunette.providers.exports.spdk.tree import DISCOVERY, bdev_name
from lunette.providers.exports.turn import Turn
from lunette.system.system_port import RpcCall

WHERE = "192.0.2.1:4420"
OPEN, BLOCKED = ServingState.OPEN, ServingState.BLOCKED


def spdk_portal(number: int, address: str = "192.0.2.1") -> ExportPortal:
    return nvme_portal(number, address).model_copy(update={"engine": ExportEngine.SPDK})


class SpdkRig(ExportRig):
    """The stage with nvmf_tgt installed and running, and drives without volatile caches."""

    def __init__(self) -> None:
        super().__init__()
        self.machine.install_spdk()
        process.start(self.machine)

    def serve(self, desired: ExportSet, *, keep_stale: bool = False) -> ConvergeReport:
        return converge(self.machine, desired, turn=Turn(keep_stale=keep_stale))

    def desired(self, **changes: object) -> ExportSet:
        return super().desired(**({"portals": (spdk_portal(21),)} | changes))

    def connect(self, host: int, number: int, keys: tuple[str, str | None] | None = None) -> FakeController:
        return self.machine.spdk.connect(nqn_of(host), nqn(number), WHERE, keys)

    def sees(self, controller: FakeController) -> dict[int, str]:
        return {nsid: path[-3:] for nsid, path in self.machine.spdk.devices(controller).items()}

    def ask(self, method: str, **params: object) -> None:
        assert self.machine.call(f"{RUN_DIR}/rpc.sock", [RpcCall(method=method, params=params)])[0].error is None


@pytest.fixture
def rig() -> SpdkRig:
    return SpdkRig()


KEYS = (dhchap_key(1), dhchap_key(2))


def test_everything_is_served_and_a_second_run_changes_nothing(rig: SpdkRig) -> None:
    report = rig.serve(rig.desired())
    assert {subsystem.state for subsystem in report.subsystems} == {OPEN}
    assert {subsystem.reason for subsystem in report.subsystems} == {None}
    assert {volume.reason for volume in report.volumes} | {portal.reason for portal in report.portals} == {None}
    assert rig.sees(rig.connect(41, 31)) == {1: "v11", 2: "v12"}
    assert rig.sees(rig.connect(42, 31, KEYS)) == {1: "v11", 2: "v12"}
    assert rig.sees(rig.connect(43, 32)) == {1: "v13"}
    assert rig.serve(rig.desired()).changed == 0
    assert exported_volumes(rig.machine) == {id_of(11), id_of(12), id_of(13)}


def test_what_hosts_know_a_volume_by_is_what_the_kernel_would_show(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    space = rig.machine.spdk.subsystems[nqn(31)].namespaces[1]
    identity = rig.volumes[0].identity
    assert (space["uuid"], space["nguid"].lower()) == (identity.uuid, identity.nguid.lower())
    asked = rig.machine.spdk.subsystems[nqn(31)].params
    assert (asked["serial_number"], asked["model_number"]) == (f"{31:020}", "Lunette volume")
    assert (asked["max_cntlid"], asked["max_namespaces"], asked["allow_any_host"]) == (32767, 256, False)


def test_no_host_is_admitted_until_all_volumes_are_present_and_hosts_keep_retrying(rig: SpdkRig) -> None:
    missing = rig.volumes[1].model_copy(update={"device": rig.volumes[1].device + "x"})
    desired = rig.desired(volumes=(rig.volumes[0], missing, rig.volumes[2]))
    report = rig.serve(desired)
    assert [subsystem.state for subsystem in report.subsystems] == [BLOCKED, OPEN]
    assert f"{missing.device} does not exist" in (report.subsystems[0].reason or "")
    with pytest.raises(Refuse) as refusal:
        rig.connect(41, 31)
    assert refusal.value.retries
    assert rig.serve(rig.desired()).subsystems[0].state is OPEN
    assert rig.sees(rig.connect(41, 31)) == {1: "v11", 2: "v12"}


def test_once_open_a_missing_volume_blocks_no_connected_host(rig: SpdkRig) -> None:
    one = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    rig.serve(rig.desired(subsystems=(one,)))
    host = rig.connect(41, 31)
    late = rig.volumes[1].model_copy(update={"device": rig.volumes[1].device + "x"})
    both = subsystem(31, [nvme_host(41)], [lun(51, 1, 11), lun(52, 2, 12)])
    report = rig.serve(rig.desired(subsystems=(both,), volumes=(rig.volumes[0], late)))
    assert report.subsystems[0].state is OPEN
    assert "does not exist" in (report.subsystems[0].reason or "")
    assert rig.sees(host) == {1: "v11"}


def test_a_volatile_cache_below_a_volume_is_refused_with_the_drive(rig: SpdkRig) -> None:
    drive = rig.machine.blocks.disks[0]
    drive.has_write_cache = True
    rig.machine.changed()
    report = rig.serve(rig.desired())
    assert f"{drive.kernel_name} (a write cache)" in (report.subsystems[0].reason or "")
    assert "engine nvmet" in (report.subsystems[0].reason or "")
    assert served_devices(rig.machine) == {}


def test_a_cache_that_appears_below_a_volume_in_use_is_reported_and_interrupts_no_host(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(41, 31)
    rig.machine.blocks.disks[0].has_write_cache = True
    rig.machine.changed()
    report = rig.serve(rig.desired())
    assert "volatile caches" in (report.volumes[0].reason or "")
    assert report.subsystems[0].state is OPEN
    assert rig.sees(host) == {1: "v11", 2: "v12"}


def test_after_a_kill_everything_is_restored(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    rig.machine.spdk.die()
    with pytest.raises(Unavailable):
        rig.serve(rig.desired())
    process.start(rig.machine)
    assert {subsystem.state for subsystem in rig.serve(rig.desired()).subsystems} == {OPEN}
    assert rig.sees(rig.connect(42, 31, KEYS)) == {1: "v11", 2: "v12"}


def test_an_unmapped_volume_is_withdrawn_and_the_others_stay(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(41, 31)
    left = subsystem(31, [nvme_host(41), nvme_host(42, dhchap(1, 2))], [lun(51, 1, 11)])
    rig.serve(rig.desired(subsystems=(left,), volumes=(rig.volumes[0],)))
    assert rig.sees(host) == {1: "v11"}
    assert exported_volumes(rig.machine) == {id_of(11)}
    with pytest.raises(Refuse):
        rig.connect(43, 32)


def test_a_host_that_leaves_is_cut_off_and_the_other_is_not(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    leaving, staying = rig.connect(41, 31), rig.connect(42, 31, KEYS)
    left = subsystem(31, [nvme_host(42, dhchap(1, 2))], [lun(51, 1, 11), lun(52, 2, 12)])
    rig.serve(rig.desired(subsystems=(left,)))
    assert rig.sees(staying)
    with pytest.raises(ConnectionError):
        rig.sees(leaving)


def test_a_new_key_counts_at_the_next_connection_and_the_old_one_is_forgotten(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(42, 31, KEYS)
    changed = subsystem(31, [nvme_host(41), nvme_host(42, dhchap(3))], [lun(51, 1, 11), lun(52, 2, 12)])
    rig.serve(rig.desired(subsystems=(changed,)))
    assert rig.sees(host)
    with pytest.raises(Refuse):
        rig.connect(42, 31, KEYS)
    assert rig.sees(rig.connect(42, 31, (dhchap_key(3), None)))
    assert len(look(rig.machine).keys) == 1
    files = [name for name in rig.machine.listdir(RUN_DIR) if name.endswith(".key")]
    assert len(files) == 1
    assert rig.machine.files.mode(f"{RUN_DIR}/{files[0]}") == 0o600
    assert dhchap_key(3) not in str(rig.machine.faults.calls)


def test_a_volume_that_grew_is_shown_at_its_new_size(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(41, 31)
    rig.machine.run(["lvextend", "--size", f"{128 * MIB}b", f"{rig.lvm.group}/v11"])
    bigger = rig.volumes[0].model_copy(update={"size_bytes": 128 * MIB})
    rig.serve(rig.desired(volumes=(bigger, *rig.volumes[1:])))
    assert look(rig.machine).bdevs[bdev_name(id_of(11))].size_bytes == 128 * MIB
    assert host.events[-1] == "namespace changed"


def test_a_device_that_has_grown_before_the_document_says_so_is_left_alone(rig: SpdkRig) -> None:
    """Hosts have its new size already."""
    smaller = rig.volumes[0].model_copy(update={"size_bytes": 32 * MIB})
    rig.serve(rig.desired(volumes=(smaller, *rig.volumes[1:])))
    assert look(rig.machine).bdevs[bdev_name(id_of(11))].size_bytes == 64 * MIB


def test_portals_come_and_go(rig: SpdkRig) -> None:
    rig.serve(rig.desired(portals=(spdk_portal(21), spdk_portal(22, "2001:db8::1"))))
    assert len(look(rig.machine).discovery) == 2
    report = rig.serve(rig.desired(portals=(spdk_portal(22, "2001:db8::1"), spdk_portal(23, "198.51.100.7"))))
    assert [portal.state for portal in report.portals] == [OPEN, BLOCKED]
    assert "listen on 198.51.100.7 port 4420" in (report.portals[1].reason or "")
    with pytest.raises(ConnectionError):
        rig.connect(43, 32)
    rig.machine.addresses.add("198.51.100.7")
    assert {portal.state for portal in rig.serve(rig.desired(portals=(spdk_portal(23, "198.51.100.7"),))).portals} == {
        OPEN
    }


def test_what_others_made_there_is_shown_and_never_touched(rig: SpdkRig) -> None:
    theirs = "nqn.2020-01.com.example:theirs"
    rig.serve(rig.desired())
    rig.ask("nvmf_create_subsystem", nqn=theirs, serial_number="1", model_number="x")
    assert rig.serve(rig.desired(subsystems=(), volumes=(), portals=())).foreign == (theirs,)
    refused: dict[str, str] = {}
    withdraw(rig.machine, refused)
    assert refused == {}
    assert set(rig.machine.spdk.subsystems) == {DISCOVERY, theirs}


def test_without_a_ledger_nothing_is_removed(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(41, 31)
    rig.serve(rig.desired(subsystems=(), volumes=()), keep_stale=True)
    assert rig.sees(host)


def test_a_changed_namespace_is_recreated(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    rig.ask("nvmf_subsystem_remove_ns", nqn=nqn(32), nsid=1)
    rig.ask("bdev_aio_delete", name=bdev_name(id_of(12)))
    rig.serve(rig.desired())
    assert rig.sees(rig.connect(41, 31)) == {1: "v11", 2: "v12"}
    assert rig.sees(rig.connect(43, 32)) == {1: "v13"}


def test_who_is_connected_is_reported_by_portal(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    assert observe_sessions(rig.machine) == ((), None)
    rig.connect(43, 32)
    sessions, unseen = observe_sessions(rig.machine)
    assert [(one.target, one.initiator, one.portal) for one in sessions] == [(nqn(32), nqn_of(43), WHERE)]
    assert unseen is None
    rig.machine.spdk.is_hanging = True
    sessions, unseen = observe_sessions(rig.machine)
    assert sessions == ()
    assert unseen is not None


def test_withdrawing_takes_everything_of_ours_out(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    assert is_served(rig.machine)
    refused: dict[str, str] = {}
    withdraw(rig.machine, refused)
    assert refused == {}
    assert not is_served(rig.machine)
    assert served_devices(rig.machine) == {}


def test_a_key_whose_file_cannot_be_removed_is_reported_and_ends_nothing_early(rig: SpdkRig) -> None:
    rig.serve(rig.desired())
    rig.machine.faults.break_calls(lambda one: one.name == "unlink" and one.detail.endswith(".key"))
    refused: dict[str, str] = {}
    withdraw(rig.machine, refused)
    assert len(refused) == 2
    assert all("cannot be removed" in why for why in refused.values())
    assert not is_served(rig.machine)


def test_without_the_program_the_reason_says_what_to_build(rig: SpdkRig) -> None:
    process.stop(rig.machine)
    rig.machine.tools.remove("nvmf_tgt")
    with pytest.raises(Unavailable, match="build SPDK"):
        process.start(rig.machine)


def test_a_program_that_does_not_start_is_reported(rig: SpdkRig) -> None:
    process.stop(rig.machine)
    rig.machine.tools.add("systemctl", lambda _argv: (0, "", ""))
    with pytest.raises(ToolFailed, match=f"journalctl -u {UNIT}"):
        process.start(rig.machine)
