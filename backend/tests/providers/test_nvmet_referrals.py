"""What a host is told that asks at a portal: its own subsystems, and the other portals it can reach."""

import pytest

from backend.tests.agent.exports import nqn_of, nvme_portal
from backend.tests.providers.test_nvmet_converge import WHERE, Stage, nqn
from lunette.providers.exports.nvmet.configfs import ROOT
from lunette.providers.exports.nvmet.converge import withdraw

PORTALS = (nvme_portal(21), nvme_portal(22, "2001:db8::1"), nvme_portal(23).model_copy(update={"port": 4421}))


@pytest.fixture
def stage() -> Stage:
    return Stage()


def told(stage: Stage, host: int, where: str = WHERE) -> set[str]:
    assert stage.machine.nvme
    return stage.machine.nvme.discover(nqn_of(host), where)


def test_a_host_is_told_of_its_own_subsystems_and_of_the_other_portals_it_can_reach(stage: Stage) -> None:
    stage.serve(stage.desired(portals=PORTALS))
    assert told(stage, 41) == {nqn(31), "tcp:192.0.2.1:4421"}
    assert told(stage, 43, "192.0.2.1:4421") == {nqn(32), "tcp:192.0.2.1:4420"}
    assert told(stage, 99, "2001:db8::1:4420") == set()
    assert stage.serve(stage.desired(portals=PORTALS)).changed == 0


def test_nobody_is_sent_to_every_address_or_to_a_portal_that_is_away_or_gone(stage: Stage) -> None:
    everywhere = nvme_portal(24, "0.0.0.0").model_copy(update={"port": 4422})
    away = nvme_portal(25, "192.0.2.99")
    stage.serve(stage.desired(portals=(*PORTALS, everywhere, away)))
    assert told(stage, 41) == {nqn(31), "tcp:192.0.2.1:4421"}
    assert told(stage, 41, "0.0.0.0:4422") == {nqn(31), "tcp:192.0.2.1:4420", "tcp:192.0.2.1:4421"}
    stage.machine.addresses.add("192.0.2.99")
    stage.serve(stage.desired(portals=(*PORTALS, everywhere, away)))
    assert "tcp:192.0.2.99:4420" in told(stage, 41)
    stage.serve(stage.desired(portals=PORTALS[:1]))
    assert told(stage, 41) == {nqn(31)}
    stage.serve(stage.desired(portals=()))
    assert stage.machine.listdir(f"{ROOT}/ports") == []


def test_a_referral_that_leads_elsewhere_is_made_anew_and_one_of_others_stays(stage: Stage) -> None:
    stage.serve(stage.desired(portals=PORTALS))
    (port,) = [
        name for name in stage.machine.listdir(f"{ROOT}/ports") if stage.read(f"ports/{name}/addr_trsvcid") == "4421"
    ]
    (ours,) = stage.machine.listdir(f"{ROOT}/ports/{port}/referrals")
    stage.machine.write(f"{ROOT}/ports/{port}/referrals/{ours}/enable", "0")
    stage.machine.write(f"{ROOT}/ports/{port}/referrals/{ours}/addr_trsvcid", "9")
    stage.machine.write(f"{ROOT}/ports/{port}/referrals/{ours}/enable", "1")
    stage.machine.mkdir(f"{ROOT}/ports/{port}/referrals/mine")
    stage.serve(stage.desired(portals=PORTALS))
    assert told(stage, 41, "192.0.2.1:4421") == {nqn(31), "tcp:192.0.2.1:4420"}
    assert "mine" in stage.machine.listdir(f"{ROOT}/ports/{port}/referrals")


def test_a_shutdown_takes_the_referrals_too(stage: Stage) -> None:
    stage.serve(stage.desired(portals=PORTALS))
    assert withdraw(stage.machine) == {}
    assert stage.machine.listdir(f"{ROOT}/ports") == []
