"""What a host discovers at a portal: its own subsystems, and the other portals it can reach."""

import pytest

from backend.tests.agent.exports import nqn_of, nvme_portal
from backend.tests.providers.test_nvmet_converge import WHERE, ExportRig, nqn
from lunette.providers.exports.nvmet.configfs import ROOT
from lunette.providers.exports.nvmet.converge import withdraw

PORTALS = (nvme_portal(21), nvme_portal(22, "2001:db8::1"), nvme_portal(23).model_copy(update={"port": 4421}))


@pytest.fixture
def rig() -> ExportRig:
    return ExportRig()


def reported(rig: ExportRig, host: int, where: str = WHERE) -> set[str]:
    assert rig.machine.nvme
    return rig.machine.nvme.discover(nqn_of(host), where)


def test_a_host_discovers_its_own_subsystems_and_the_other_portals_it_can_reach(rig: ExportRig) -> None:
    rig.serve(rig.desired(portals=PORTALS))
    assert reported(rig, 41) == {nqn(31), "tcp:192.0.2.1:4421"}
    assert reported(rig, 43, "192.0.2.1:4421") == {nqn(32), "tcp:192.0.2.1:4420"}
    assert reported(rig, 99, "2001:db8::1:4420") == set()
    assert rig.serve(rig.desired(portals=PORTALS)).changed == 0


def test_no_host_is_referred_to_a_wildcard_address_or_a_missing_portal(rig: ExportRig) -> None:
    everywhere = nvme_portal(24, "0.0.0.0").model_copy(update={"port": 4422})
    away = nvme_portal(25, "192.0.2.99")
    rig.serve(rig.desired(portals=(*PORTALS, everywhere, away)))
    assert reported(rig, 41) == {nqn(31), "tcp:192.0.2.1:4421"}
    assert reported(rig, 41, "0.0.0.0:4422") == {nqn(31), "tcp:192.0.2.1:4420", "tcp:192.0.2.1:4421"}
    rig.machine.addresses.add("192.0.2.99")
    rig.serve(rig.desired(portals=(*PORTALS, everywhere, away)))
    assert "tcp:192.0.2.99:4420" in reported(rig, 41)
    rig.serve(rig.desired(portals=PORTALS[:1]))
    assert reported(rig, 41) == {nqn(31)}
    rig.serve(rig.desired(portals=()))
    assert rig.machine.listdir(f"{ROOT}/ports") == []


def test_a_referral_that_leads_elsewhere_is_recreated_and_one_of_others_stays(rig: ExportRig) -> None:
    rig.serve(rig.desired(portals=PORTALS))
    (port,) = [
        name for name in rig.machine.listdir(f"{ROOT}/ports") if rig.read(f"ports/{name}/addr_trsvcid") == "4421"
    ]
    (ours,) = rig.machine.listdir(f"{ROOT}/ports/{port}/referrals")
    rig.machine.write(f"{ROOT}/ports/{port}/referrals/{ours}/enable", "0")
    rig.machine.write(f"{ROOT}/ports/{port}/referrals/{ours}/addr_trsvcid", "9")
    rig.machine.write(f"{ROOT}/ports/{port}/referrals/{ours}/enable", "1")
    rig.machine.mkdir(f"{ROOT}/ports/{port}/referrals/mine")
    rig.serve(rig.desired(portals=PORTALS))
    assert reported(rig, 41, "192.0.2.1:4421") == {nqn(31), "tcp:192.0.2.1:4420"}
    assert "mine" in rig.machine.listdir(f"{ROOT}/ports/{port}/referrals")


def test_a_shutdown_takes_the_referrals_too(rig: ExportRig) -> None:
    rig.serve(rig.desired(portals=PORTALS))
    assert withdraw(rig.machine) == {}
    assert rig.machine.listdir(f"{ROOT}/ports") == []
