"""Two export engines on one machine: a volume is served by one of them at a time, and moves between them."""

import pytest

from backend.tests.agent.exports import (
    exports,
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
from backend.tests.providers.test_nvmet_converge import ExportRig
from lunette.agent import serving
from lunette.agent.bring_up import shut_down
from lunette.domain.arrays import EngineAbility, EngineCapability
from lunette.domain.errors import InUse
from lunette.domain.exports import ConvergeReport, ExportSet, Release, ReleaseKind, ServingState
from lunette.domain.mappings import Family
from lunette.domain.steps import ExportsGone
from lunette.providers.exports.lio.converge import exported_volumes
from lunette.providers.exports.nvmet.converge import served_devices
from lunette.providers.exports.turn import Turn

BOTH = {ServingState.OPEN}


class Floor(ExportRig):
    """The stage with both engines, driven through `serving` as the agent does."""

    def __init__(self) -> None:
        super().__init__()
        serving.prepare(self.machine)

    def desired(self, **changes: object) -> ExportSet:
        """Volume 11 over SCSI, volume 12 over NVMe, one portal for each."""
        whole: dict[str, object] = {
            "arrays": (self.array,),
            "volumes": tuple(self.volumes[:2]),
            "portals": (portal(21), nvme_portal(22)),
            "targets": (target(31, [initiator(41)], [lun(51, 1, 11)]),),
            "subsystems": (subsystem(31, [nvme_host(42)], [lun(52, 2, 12)]),),
        }
        return exports(**(whole | changes))

    def serve(self, desired: ExportSet, *, keep_stale: bool = False) -> ConvergeReport:
        return serving.serve(self.machine, desired, {}, {self.array.array_id}, turn=Turn(keep_stale=keep_stale))

    def over_nvme(self) -> set[str]:
        return {path.rpartition("/")[2] for path in served_devices(self.machine)}


@pytest.fixture
def floor() -> Floor:
    return Floor()


def test_each_engine_serves_its_part_and_one_report_covers_both(floor: Floor) -> None:
    report = floor.serve(floor.desired())
    assert {target.state for target in (*report.targets, *report.subsystems)} == BOTH
    assert {volume.reason for volume in report.volumes} | {portal.reason for portal in report.portals} == {None}
    assert (len(report.volumes), len(report.portals)) == (2, 2)
    assert exported_volumes(floor.machine) == {id_of(11)}
    assert len(floor.over_nvme()) == 1
    assert floor.serve(floor.desired()).changed == 0


def test_a_volume_moves_to_nvme_and_back_in_one_pass_each(floor: Floor) -> None:
    floor.serve(floor.desired())
    moved = floor.desired(targets=(), subsystems=(subsystem(31, [nvme_host(42)], [lun(52, 2, 12), lun(53, 1, 11)]),))
    assert floor.serve(moved).subsystems[0].reason is None
    assert exported_volumes(floor.machine) == frozenset()
    assert len(floor.over_nvme()) == 2
    both = target(31, [initiator(41)], [lun(51, 1, 11), lun(54, 2, 12)])
    back = floor.serve(floor.desired(targets=(both,), subsystems=()))
    assert back.targets[0].reason is None
    assert exported_volumes(floor.machine) == {id_of(11), id_of(12)}
    assert floor.over_nvme() == set()


def test_neither_engine_takes_a_volume_the_other_is_seen_to_hold(floor: Floor) -> None:
    floor.serve(floor.desired())
    twice = floor.desired(
        targets=(target(31, [initiator(41)], [lun(51, 1, 11), lun(55, 2, 12)]),),
        subsystems=(subsystem(31, [nvme_host(42)], [lun(52, 2, 12), lun(56, 1, 11)]),),
    )
    report = floor.serve(twice, keep_stale=True)
    assert "over NVMe by subsystem" in (report.targets[0].reason or "")
    assert "served over SCSI" in (report.subsystems[0].reason or "")
    assert exported_volumes(floor.machine) == {id_of(11)}
    assert len(floor.over_nvme()) == 1


def test_a_foreign_namespace_prevents_scsi_on_the_volume(floor: Floor) -> None:
    theirs = "/sys/kernel/config/nvmet/subsystems/nqn.2020-01.com.example:theirs"
    for path in (theirs, f"{theirs}/namespaces/1"):
        floor.machine.mkdir(path)
    floor.machine.write(f"{theirs}/namespaces/1/device_path", floor.volumes[0].device)
    floor.machine.write(f"{theirs}/namespaces/1/enable", "1")
    report = floor.serve(floor.desired())
    assert "nqn.2020-01.com.example:theirs" in (report.targets[0].reason or "")
    assert report.subsystems[0].reason is None


def test_without_the_module_nvme_is_blocked_with_the_reason_and_scsi_is_served() -> None:
    floor = Floor()
    floor.machine.available_modules -= {"nvmet", "nvmet_tcp", "nvmet_rdma"}
    floor.machine.reboot()
    for module in ("md_mod", "raid5", "dm_mod"):
        floor.machine.run(["modprobe", "-q", module], ok=(0, 1))
    report = floor.serve(floor.desired())
    assert "module nvmet is not loaded" in (report.subsystems[0].reason or "")
    assert [p.state for p in report.portals] == [ServingState.OPEN, ServingState.BLOCKED]


def test_waiting_for_exports_ends_when_the_namespace_is_removed(floor: Floor) -> None:
    desired = floor.desired(targets=(), volumes=(floor.volumes[1],))
    floor.agent.converge(desired)
    wait = ExportsGone(volume_ids=(id_of(12),), deadline_s=5)
    with pytest.raises(InUse, match="still exported"):
        floor.agent.do_step("job", wait)
    gone = {ReleaseKind.SUBSYSTEM: 31, ReleaseKind.MAPPING: 52, ReleaseKind.VOLUME: 12, ReleaseKind.INITIATOR: 42}
    left = desired.model_copy(
        update={
            "generation": 2,
            "subsystems": (),
            "volumes": (),
            "released": tuple(Release(kind=kind, id=id_of(number), generation=2) for kind, number in gone.items()),
        }
    )
    assert floor.agent.converge(left).unexplained == ()
    assert floor.agent.do_step("job", wait).changed is False


def test_the_agent_retains_what_was_not_released(floor: Floor) -> None:
    desired = floor.desired()
    floor.agent.converge(desired)
    host = floor.machine.connect(nqn_of(42), desired.subsystems[0].nqn, "192.0.2.1:4420")
    report = floor.agent.converge(desired.model_copy(update={"generation": 2, "subsystems": ()}))
    assert any("subsystem" in line for line in report.unexplained)
    assert floor.sees(host)


def test_a_shutdown_closes_nvme_too(floor: Floor) -> None:
    floor.serve(floor.desired())
    assert shut_down(floor.machine) == []
    assert not serving.is_served(floor.machine)


def test_the_engine_says_what_it_can_and_what_it_lacks(floor: Floor) -> None:
    def record() -> EngineCapability:
        return next(e for e in floor.agent.observe().engines if e.engine == "nvmet")

    assert record().available
    assert (record().reservations, record().compare_and_write) == (False, False)
    assert record().protocols == ("nvme-tcp",)
    assert "no RDMA device" in (record().lacks(EngineAbility.NVME_RDMA) or "")
    floor.machine.plug_rdma()
    floor.machine.advance(5)
    floor.machine.changed()
    assert "nvmet_rdma is not loaded" in (record().lacks(EngineAbility.NVME_RDMA) or "")
    floor.serve(floor.desired())
    floor.machine.advance(5)
    assert record().protocols == ("nvme-tcp", "nvme-rdma")


def test_the_agent_reports_that_nvme_sessions_cannot_be_listed(floor: Floor) -> None:
    assert floor.agent.sessions().unseen == ()
    floor.serve(floor.desired())
    assert [one.family for one in floor.agent.sessions().unseen] == [Family.NVME]
