"""iSER and NVMe/RDMA: served where an RDMA device has the address, lost with it, and back with it by themselves."""

from collections.abc import Iterable

import pytest

from backend.tests.agent.exports import id_of, initiator, lun, nqn_of, nvme_portal, portal, target
from backend.tests.agent.test_serving import Floor
from backend.tests.fakemachine.nvme.nvmet import Refuse
from lunette.domain.arrays import EngineAbility
from lunette.domain.exports import ConvergeReport, ExportSet, PortalReport, ServingState
from lunette.domain.mappings import Protocol

ADDRESS = "192.0.2.1"
ISER, NVME_RDMA = 23, 24
NP = "/sys/kernel/config/target/iscsi/{}/tpgt_1/np/192.0.2.1:3261"


class Track(Floor):
    """Two hosts over SCSI and one over NVMe, each family through TCP and RDMA."""

    def desired(self, **changes: object) -> ExportSet:
        iser = portal(ISER).model_copy(update={"protocol": Protocol.ISER, "port": 3261})
        over_rdma = nvme_portal(NVME_RDMA, protocol=Protocol.NVME_RDMA)
        whole: dict[str, object] = {
            "volumes": tuple(self.volumes[:3]),
            "portals": (portal(21), nvme_portal(22), iser, over_rdma),
            "targets": (
                target(31, [initiator(41)], [lun(51, 1, 11)]),
                target(32, [initiator(43)], [lun(53, 1, 13)]),
            ),
        }
        return super().desired(**(whole | changes))

    def report(self, number: int, whole: ConvergeReport) -> PortalReport:
        return next(one for one in whole.portals if one.portal_id == id_of(number))

    def states(self, whole: ConvergeReport) -> dict[int, ServingState]:
        return {number: self.report(number, whole).state for number in (21, 22, ISER, NVME_RDMA)}

    def reach(self) -> list[str]:
        """Through which protocols hosts get in now."""
        desired, found = self.desired(), []
        for iser, port in ((False, 3260), (True, 3261)):
            try:
                for target in desired.targets:
                    self.machine.login(target.initiators[0].iqn, target.iqn, f"{ADDRESS}:{port}", iser=iser)
            except ConnectionError:
                continue
            found.append("iser" if iser else "iscsi")
        for transport in ("tcp", "rdma"):
            try:
                self.machine.connect(nqn_of(42), desired.subsystems[0].nqn, f"{ADDRESS}:4420", None, transport)
            except (ConnectionError, Refuse):
                continue
            found.append(f"nvme-{transport}")
        return found

    def iser(self) -> Iterable[str]:
        return [self.machine.read(f"{NP.format(target.iqn)}/iser").strip() for target in self.desired().targets]


TCP, EVERYTHING = ["iscsi", "nvme-tcp"], ["iscsi", "iser", "nvme-tcp", "nvme-rdma"]


@pytest.fixture
def track() -> Track:
    return Track()


def test_every_host_connects_over_tcp_and_over_rdma_with_a_device(track: Track) -> None:
    track.machine.plug_rdma()
    report = track.serve(track.desired())
    assert set(track.states(report).values()) == {ServingState.OPEN}
    assert track.reach() == EVERYTHING
    assert track.serve(track.desired()).changed == 0


def test_without_a_device_rdma_is_blocked_with_what_to_do_and_the_rest_is_served(track: Track) -> None:
    report = track.serve(track.desired())
    for number in (ISER, NVME_RDMA):
        assert "install an RDMA network card" in (track.report(number, report).reason or "")
    assert track.report(21, report).state is track.report(22, report).state is ServingState.OPEN
    assert {target.state for target in (*report.targets, *report.subsystems)} == {ServingState.OPEN}
    assert track.reach() == TCP
    assert track.serve(track.desired()).changed == 0


def test_a_late_device_is_listened_on_automatically(track: Track) -> None:
    track.serve(track.desired())
    track.machine.plug_rdma("rxe0", "10.9.9.9")
    assert "has the address 192.0.2.1" in (track.report(ISER, track.serve(track.desired())).reason or "")
    track.machine.unplug_rdma()
    track.machine.plug_rdma()
    track.serve(track.desired())
    assert track.reach() == EVERYTHING


def test_rdma_disappears_and_returns_with_its_device(track: Track) -> None:
    track.machine.plug_rdma()
    track.serve(track.desired())
    track.machine.unplug_rdma()
    report = track.serve(track.desired())
    assert track.states(report)[ISER] is track.states(report)[NVME_RDMA] is ServingState.BLOCKED
    assert track.iser() == ["0", "0"]
    assert track.reach() == TCP
    track.machine.plug_rdma()
    track.serve(track.desired())
    assert track.reach() == EVERYTHING


def test_a_listener_that_was_lost_unseen_is_reopened(track: Track) -> None:
    """The device was gone for a moment between two checks: configfs shows a listener, but nothing listens."""
    track.machine.plug_rdma()
    track.serve(track.desired())
    track.machine.unplug_rdma()
    track.machine.plug_rdma()
    assert track.iser() == ["1", "1"]
    assert track.reach() == TCP
    report = track.serve(track.desired())
    assert set(track.states(report).values()) == {ServingState.OPEN}
    assert track.reach() == EVERYTHING
    assert track.serve(track.desired()).changed == 0


def test_what_is_unknown_is_left_alone(track: Track) -> None:
    """Without the rdma tool the kernel's word in configfs must do."""
    track.machine.tools.remove("rdma")
    track.machine.plug_rdma()
    track.serve(track.desired())
    assert track.reach() == EVERYTHING
    assert track.serve(track.desired()).changed == 0


def test_a_portal_everywhere_outlives_its_devices(track: Track) -> None:
    everywhere = portal(ISER, "0.0.0.0").model_copy(update={"protocol": Protocol.ISER, "port": 3262})
    desired = track.desired(portals=(everywhere,))
    track.machine.plug_rdma()
    track.serve(desired)
    track.machine.unplug_rdma()
    track.machine.plug_rdma("mlx5_0")
    assert track.serve(desired).changed == 0
    target = desired.targets[0]
    assert track.machine.login(target.initiators[0].iqn, target.iqn, "0.0.0.0:3262", iser=True).transport == "SCTP"


def test_without_the_modules_each_transport_names_its_own() -> None:
    track = Track()
    track.machine.available_modules -= {"ib_isert", "nvmet_rdma"}
    track.machine.plug_rdma()
    report = track.serve(track.desired())
    assert "module ib_isert is not loaded" in (track.report(ISER, report).reason or "")
    assert "module nvmet_rdma is not loaded" in (track.report(NVME_RDMA, report).reason or "")
    assert track.reach() == TCP


def test_engines_offer_rdma_only_where_it_can_be_had(track: Track) -> None:
    def offers() -> set[str]:
        return {protocol for engine in track.agent.observe().engines for protocol in engine.protocols}

    assert offers() == {"iscsi", "nvme-tcp"}
    lio = next(engine for engine in track.agent.observe().engines if engine.engine == "lio")
    assert lio.available
    assert (lio.lacks(EngineAbility.ISER) or "").startswith("no RDMA device found")
    track.machine.plug_rdma()
    track.serve(track.desired(portals=()))
    assert offers() == {"iscsi", "iser", "nvme-tcp", "nvme-rdma"}
    assert [device.id for device in track.agent.observe().rdma_devices] == ["rxe0/1"]


def test_a_portal_without_iser_any_more_retains_its_tcp(track: Track) -> None:
    """Another portal on the same address and port: the folder of the kernel is the same."""
    track.machine.plug_rdma()
    track.serve(track.desired())
    plain = portal(25).model_copy(update={"port": 3261})
    track.serve(track.desired(portals=(plain,)))
    assert track.iser() == ["0", "0"]
    target = track.desired().targets[0]
    assert track.machine.login(target.initiators[0].iqn, target.iqn, f"{ADDRESS}:3261").transport == "TCP"


def test_a_session_over_iser_is_reported_as_such(track: Track) -> None:
    track.machine.plug_rdma()
    track.serve(track.desired())
    target = track.desired().targets[0]
    track.machine.login(target.initiators[0].iqn, target.iqn, f"{ADDRESS}:3261", iser=True)
    assert [one.protocol for one in track.agent.sessions().sessions] == [Protocol.ISER]


def test_a_tool_that_fails_blocks_nothing(track: Track) -> None:
    track.machine.plug_rdma()
    track.machine.tools.add("rdma", lambda _argv: (1, "", "error: no such device\n"))
    track.serve(track.desired())
    assert track.reach() == EVERYTHING
