"""SPDK in the agent: it is started for its portals, takes over from the kernel and gives back, and may hang."""

import pytest

from backend.tests.agent.exports import (
    id_of,
    initiator,
    lun,
    nqn_of,
    nvme_host,
    nvme_portal,
    portal,
    subsystem,
    target,
)
from backend.tests.agent.test_serving import Floor
from backend.tests.providers.test_nvmet_converge import nqn
from backend.tests.providers.test_spdk_converge import SpdkRig, spdk_portal
from lunette.agent import serving
from lunette.agent.bring_up import shut_down
from lunette.agent.core import Agent
from lunette.domain.arrays import EngineCapability
from lunette.domain.counters import Counters
from lunette.domain.errors import InUse
from lunette.domain.exports import ExportSet, ServingState
from lunette.domain.steps import ExportsGone
from lunette.providers.exports.lio.converge import exported_volumes as over_scsi
from lunette.providers.exports.nvmet.converge import served_devices as over_nvmet
from lunette.providers.exports.spdk import process
from lunette.providers.exports.spdk.converge import exported_volumes as over_spdk
from lunette.system.system_port import RpcAnswer, RpcCall


class SpdkFloor(Floor, SpdkRig):
    """Volume 11 over SCSI, volume 12 over NVMe by SPDK."""

    def desired(self, **changes: object) -> ExportSet:
        return super().desired(**({"portals": (spdk_portal(22),)} | changes))


@pytest.fixture
def floor() -> SpdkFloor:
    floor = SpdkFloor()
    floor.machine.spdk.systemctl(["systemctl", "stop", "lunette-spdk.service"])
    return floor


def by_kernel(floor: SpdkFloor, **changes: object) -> ExportSet:
    return floor.desired(**({"portals": (nvme_portal(22),)} | changes))


def test_the_first_portal_starts_the_program_and_the_last_one_ends_it(floor: SpdkFloor) -> None:
    assert floor.machine.spdk.starts == 1
    floor.serve(by_kernel(floor))
    assert not floor.machine.spdk.is_running
    report = floor.serve(floor.desired())
    assert (report.subsystems[0].reason, report.portals[0].reason) == (None, None)
    assert floor.machine.spdk.starts == 2
    assert floor.serve(floor.desired()).changed == 0
    floor.serve(by_kernel(floor))
    assert not floor.machine.spdk.is_running


def test_volumes_move_between_the_engines_with_one_holder_at_a_time(floor: SpdkFloor) -> None:
    floor.serve(by_kernel(floor))
    assert len(over_nvmet(floor.machine)) == 1
    floor.serve(floor.desired())
    assert over_nvmet(floor.machine) == {}
    assert over_spdk(floor.machine) == {id_of(12)}
    floor.serve(by_kernel(floor))
    assert over_spdk(floor.machine) == frozenset()
    assert len(over_nvmet(floor.machine)) == 1


def test_a_volume_moves_from_spdk_to_scsi_in_one_pass(floor: SpdkFloor) -> None:
    floor.serve(floor.desired())
    both = target(31, [initiator(41)], [lun(51, 1, 11), lun(54, 2, 12)])
    assert floor.serve(floor.desired(targets=(both,), subsystems=())).targets[0].reason is None
    assert over_scsi(floor.machine) == {id_of(11), id_of(12)}
    assert over_spdk(floor.machine) == frozenset()


def test_while_it_hangs_no_other_engine_gets_its_volumes(floor: SpdkFloor) -> None:
    floor.serve(floor.desired())
    floor.machine.spdk.is_hanging = True
    both = target(31, [initiator(41)], [lun(51, 1, 11), lun(54, 2, 12)])
    report = floor.serve(floor.desired(targets=(both,), subsystems=()))
    assert "SPDK may have it open" in (report.targets[0].reason or "")
    assert over_scsi(floor.machine) == {id_of(11)}
    report = floor.serve(by_kernel(floor))
    assert "SPDK may have it open" in (report.subsystems[0].reason or "")


def test_while_it_hangs_everything_over_nvme_is_reported_as_blocked(floor: SpdkFloor) -> None:
    floor.serve(floor.desired())
    floor.machine.spdk.is_hanging = True
    report = floor.serve(floor.desired())
    assert "did not answer" in (report.subsystems[0].reason or "")
    assert report.targets[0].state is ServingState.OPEN
    assert "did not answer" in floor.agent.sessions().unseen[0].reason


def test_a_volume_is_not_destroyed_while_its_use_is_unknown(floor: SpdkFloor) -> None:
    floor.agent.converge(floor.desired())
    floor.machine.spdk.is_hanging = True
    with pytest.raises(InUse, match="still exported"):
        floor.agent.do_step("job", ExportsGone(volume_ids=(id_of(13),), deadline_s=1))


def test_a_killed_program_gets_all_back_from_the_ledger(floor: SpdkFloor) -> None:
    floor.agent.converge(floor.desired())
    floor.machine.spdk.die()
    floor.agent.bring_up()
    assert floor.sees(floor.machine.spdk.connect(nqn_of(42), nqn(31), "192.0.2.1:4420", None)) == {2: "v12"}


def test_a_restarted_agent_finds_what_it_left(floor: SpdkFloor) -> None:
    floor.agent.converge(floor.desired())
    host = floor.machine.spdk.connect(nqn_of(42), nqn(31), "192.0.2.1:4420", None)
    Agent(floor.machine).bring_up()
    assert floor.sees(host)


def test_a_shutdown_closes_it_too_even_if_it_hangs(floor: SpdkFloor) -> None:
    floor.serve(floor.desired())
    floor.machine.spdk.is_hanging = True
    assert shut_down(floor.machine) == []
    assert not serving.is_served(floor.machine)


@pytest.mark.parametrize("is_stuck", [True, False], ids=["waits for a disk", "not the unit's"])
def test_a_shutdown_says_what_was_refused_and_counts_all_as_open_if_it_can_not_be_ended(
    floor: SpdkFloor, is_stuck: bool
) -> None:
    floor.serve(floor.desired())
    floor.machine.spdk.is_stuck = is_stuck
    spdk_call = floor.machine.spdk.call

    def hang_after_one_refusal(socket: str, one: RpcCall) -> RpcAnswer:
        if one.method == "nvmf_subsystem_remove_listener":
            floor.machine.spdk.is_hanging = True
            return RpcAnswer(error="Internal error (-32603)")
        return spdk_call(socket, one)

    floor.machine.spdk.call = hang_after_one_refusal  # type: ignore[method-assign]
    if not is_stuck:
        floor.machine.faults.break_calls(lambda one: one.detail.startswith("systemctl kill"))
    refused = shut_down(floor.machine)
    assert [line for line in refused if "Internal error" in line]
    assert [line for line in refused if line.startswith("spdk: ") and "did not answer" in line]
    assert serving.open_devices(floor.machine) is None


def test_where_it_is_missing_the_portal_says_what_to_install(floor: SpdkFloor) -> None:
    floor.machine.tools.remove("nvmf_tgt")
    report = floor.serve(floor.desired())
    assert "build SPDK 26.09" in (report.portals[0].reason or "")
    assert "build SPDK 26.09" in (report.subsystems[0].reason or "")


def test_portals_of_both_engines_leave_the_volumes_with_the_kernel(floor: SpdkFloor) -> None:
    report = floor.serve(floor.desired(portals=(nvme_portal(22), spdk_portal(23))))
    assert {portal.portal_id: portal.state for portal in report.portals} == {
        id_of(22): ServingState.OPEN,
        id_of(23): ServingState.BLOCKED,
    }
    assert len(over_nvmet(floor.machine)) == 1


def test_the_engine_says_what_it_can_and_what_would_bring_it(floor: SpdkFloor) -> None:
    def record() -> EngineCapability:
        return next(one for one in floor.agent.observe().engines if one.engine == "spdk")

    assert (record().available, record().protocols) == (True, ("nvme-tcp",))
    floor.machine.tools.remove("nvmf_tgt")
    floor.machine.advance(5)
    assert "nvmf_tgt is not installed" in (record().reason or "")


def test_counters_say_that_it_counts_nothing_per_host(floor: SpdkFloor) -> None:
    floor.agent.converge(floor.desired())
    counted: Counters = floor.agent.counters()
    assert "SPDK" in counted.unseen[0].reason
    assert id_of(12) in counted.volumes


def test_one_host_may_be_let_in_by_the_subsystem_of_its_group_first(floor: SpdkFloor) -> None:
    other = subsystem(33, [nvme_host(42)], [lun(59, 1, 13)])
    gone = floor.volumes[2].model_copy(update={"device": floor.volumes[2].device + "x"})
    desired = floor.desired(volumes=(*floor.volumes[:2], gone), subsystems=(floor.desired().subsystems[0], other))
    assert [target.state for target in floor.serve(desired).subsystems] == [ServingState.OPEN, ServingState.BLOCKED]


SCSI_AFTER = ": it is served over SCSI after that has ended"
STILL_OVER_SCSI = "it is still served over SCSI: it is served over NVMe after that has ended"


def both_over_scsi(floor: SpdkFloor) -> ExportSet:
    """Volumes 11 and 12 over SCSI, while 12 is mapped over NVMe too."""
    return floor.desired(targets=(target(31, [initiator(41)], [lun(51, 1, 11), lun(54, 2, 12)]),))


def test_scsi_waits_for_what_spdk_has_open(floor: SpdkFloor) -> None:
    floor.serve(floor.desired())
    report = floor.serve(both_over_scsi(floor), keep_stale=True)
    assert report.targets[0].reason == f"SPDK has it open{SCSI_AFTER}"


def test_scsi_waits_for_what_nvmet_serves(floor: SpdkFloor) -> None:
    floor.serve(by_kernel(floor))
    report = floor.serve(both_over_scsi(floor), keep_stale=True)
    by = f"it is served over NVMe by subsystem {nqn(31)}"
    assert report.targets[0].reason == f"{by}{SCSI_AFTER}"
    assert report.subsystems[0].reason == by, "both serve NVMe, so the reason names no other family"


def test_a_program_that_hangs_bars_scsi_also_from_what_nvmet_serves(floor: SpdkFloor) -> None:
    floor.serve(by_kernel(floor))
    floor.serve(floor.desired(subsystems=()))
    theirs = "/sys/kernel/config/nvmet/subsystems/nqn.2020-01.com.example:theirs"
    for path in (theirs, f"{theirs}/namespaces/1"):
        floor.machine.mkdir(path)
    floor.machine.write(f"{theirs}/namespaces/1/device_path", floor.volumes[1].device)
    floor.machine.write(f"{theirs}/namespaces/1/enable", "1")
    floor.machine.spdk.is_hanging = True
    reason = floor.serve(both_over_scsi(floor)).targets[0].reason or ""
    assert reason.startswith("SPDK may have it open: ")
    assert reason.endswith(SCSI_AFTER)


@pytest.mark.parametrize("hangs", [False, True])
def test_nvmet_waits_for_scsi_first_and_then_for_a_program_that_hangs(floor: SpdkFloor, hangs: bool) -> None:
    over_scsi_too = target(31, [initiator(41)], [lun(51, 1, 11)])
    over_nvme_too = subsystem(31, [nvme_host(42)], [lun(52, 2, 12), lun(53, 1, 11)])
    floor.serve(floor.desired())
    floor.machine.spdk.is_hanging = hangs
    report = floor.serve(by_kernel(floor, targets=(over_scsi_too,), subsystems=(over_nvme_too,)), keep_stale=True)
    assert [one.reason for one in report.volumes if one.volume_id == id_of(11)] == [None, STILL_OVER_SCSI]
    (other,) = [one.reason for one in report.volumes if one.volume_id == id_of(12)]
    assert (other or "").startswith("SPDK may have it open: " if hangs else "SPDK has it open")
    assert SCSI_AFTER not in (other or "")


def test_a_volume_that_is_not_ours_says_so_before_anything_else(floor: SpdkFloor) -> None:
    floor.serve(floor.desired())
    floor.machine.spdk.is_hanging = True
    report = serving.serve(floor.machine, both_over_scsi(floor), {}, set())
    assert report.targets[0].reason == f"array {floor.array.name} has not been started yet"


def test_every_engine_clears_before_one_opens_a_device(floor: SpdkFloor) -> None:
    """nvmet gives volume 12 up, SPDK is ended, and only then LIO opens the volume."""
    floor.serve(by_kernel(floor))
    process.start(floor.machine)
    before = len(floor.machine.faults.calls)
    moved = floor.desired(targets=both_over_scsi(floor).targets, subsystems=(), portals=(portal(21), nvme_portal(22)))
    assert floor.serve(moved).targets[0].reason is None
    moves = [f"{call.name} {call.detail}" for call in floor.machine.faults.calls[before:] if call.changes]
    closed, ended, opened = (
        next(at for at, move in enumerate(moves) if all(word in move for word in words))
        for words in (("rmdir", "nvmet/subsystems"), ("systemctl stop lunette-spdk",), ("mkdir", id_of(12)))
    )
    assert closed < ended < opened
