"""NVMe/FC: served where a driver registered the port as an NVMe target, and automatically once a late port exists."""

import pytest

from backend.tests.agent.exports import id_of, nqn_of, nvme_portal
from backend.tests.agent.test_serving import Floor
from backend.tests.fakemachine.nvme.nvmet import Refuse
from lunette.domain.exports import ConvergeReport, ExportSet, PortalReport, ServingState
from lunette.domain.mappings import NO_PORT, Protocol
from lunette.providers.exports.nvmet.configfs import lacking
from lunette.providers.fabrics import nvme_fc

ADDRESS = "nn-0x20000000c9000001:pn-0x10000000c9000001"
OTHER = "nn-0x20000000c9000002:pn-0x10000000c9000002"
OPEN, BLOCKED = ServingState.OPEN, ServingState.BLOCKED
PORTAL = nvme_portal(24, ADDRESS, Protocol.NVME_FC).model_copy(update={"port": NO_PORT})


class Track(Floor):
    """One host over NVMe, through TCP and Fibre Channel."""

    def desired(self, **changes: object) -> ExportSet:
        return super().desired(**({"portals": (nvme_portal(22), PORTAL)} | changes))

    def plug(self, address: str = ADDRESS) -> None:
        self.machine.fc.plug_nvme(address)
        self.machine.changed()

    def over_fc(self, whole: ConvergeReport) -> PortalReport:
        return next(one for one in whole.portals if one.portal_id == id_of(24))

    def reach(self) -> list[str]:
        """Through which protocols the host gets in now."""
        subsystem, found = self.desired().subsystems[0].nqn, []
        for transport, where in (("tcp", "192.0.2.1:4420"), ("fc", ADDRESS)):
            try:
                self.machine.connect(nqn_of(42), subsystem, where, None, transport)
            except (ConnectionError, Refuse):
                continue
            found.append(transport)
        return found


@pytest.fixture
def track() -> Track:
    return Track()


def test_a_host_connects_over_both_and_an_unknown_host_over_neither(track: Track) -> None:
    track.plug()
    report = track.serve(track.desired())
    assert track.over_fc(report).state is OPEN
    assert track.reach() == ["tcp", "fc"]
    with pytest.raises(Refuse, match="not allowed"):
        track.machine.connect(nqn_of(99), track.desired().subsystems[0].nqn, ADDRESS, None, "fc")
    assert track.serve(track.desired()).changed == 0


def test_without_a_port_it_is_blocked_with_what_to_do_and_the_rest_is_served(track: Track) -> None:
    report = track.serve(track.desired())
    assert "lpfc_enable_nvmet" in (track.over_fc(report).reason or "")
    assert track.reach() == ["tcp"]
    assert {target.state for target in report.subsystems} == {OPEN}
    assert track.serve(track.desired()).changed == 0
    assert "fc-ports" in lacking(track.machine)[Protocol.NVME_FC]


def test_a_late_port_is_served_automatically(track: Track) -> None:
    track.plug(OTHER)
    report = track.serve(track.desired())
    assert f"NVMe target port {ADDRESS} does not exist" in (track.over_fc(report).reason or "")
    assert Protocol.NVME_FC not in lacking(track.machine)
    track.plug()
    assert track.over_fc(track.serve(track.desired())).state is OPEN
    assert track.reach() == ["tcp", "fc"]


def test_a_portal_that_is_taken_away_ends_its_connections_and_no_others(track: Track) -> None:
    track.plug()
    track.serve(track.desired())
    subsystem = track.desired().subsystems[0].nqn
    over_tcp = track.machine.connect(nqn_of(42), subsystem, "192.0.2.1:4420")
    over_fc = track.machine.connect(nqn_of(42), subsystem, ADDRESS, None, "fc")
    track.serve(track.desired(portals=(nvme_portal(22),)))
    assert track.machine.nvme
    assert over_tcp in track.machine.nvme.controllers
    assert over_fc not in track.machine.nvme.controllers
    assert track.reach() == ["tcp"]


def test_everything_returns_after_a_restart_once_the_port_does(track: Track) -> None:
    track.plug()
    track.serve(track.desired())
    track.machine.reboot()
    track.machine.run(["modprobe", "nvmet-tcp"])
    assert nvme_fc.lacking(track.machine) == nvme_fc.NO_PORT
    track.plug()
    assert nvme_fc.lacking(track.machine) is None


class TestEmulex:
    """A port that lpfc registered; the texts are those of lpfc_nvme_info_show (Linux 6.12)."""

    @pytest.fixture
    def emulex(self, track: Track) -> Track:
        track.machine.add_fc_port(
            "10:00:00:00:c9:00:00:01", driver="lpfc"
        ).nvme_info = "NVME Target Enabled  State REGISTERED\nNVME Target: lpfc0 WWPN x10000000c9000001 DID x010100\n"
        track.machine.changed()
        return track

    def test_is_reported_by_name_and_another_is_blocked(self, emulex: Track) -> None:
        (name,) = nvme_fc.targets(emulex.machine)
        assert name == "nn-0x10000000c9000001:pn-0x10000000c9000001"
        reason = emulex.over_fc(emulex.serve(emulex.desired())).reason or ""
        assert reason.endswith(f"; existing ports: {name}")

    def test_is_served(self, emulex: Track) -> None:
        (name,) = nvme_fc.targets(emulex.machine)
        emulex.machine.fc.nvme_targets.add(name)
        portal = PORTAL.model_copy(update={"address": name})
        assert emulex.over_fc(emulex.serve(emulex.desired(portals=(portal,)))).state is OPEN

    def test_an_initiator_is_not_a_target(self, track: Track) -> None:
        track.machine.add_fc_port("10:00:00:00:c9:00:00:01", driver="lpfc").nvme_info = "NVME Initiator Enabled\n"
        track.machine.changed()
        assert nvme_fc.targets(track.machine) == ()
        assert nvme_fc.lacking(track.machine) == nvme_fc.NO_PORT
