"""The firewall through the API, on the fake machine: chosen in the settings, reported with its portals, repaired."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api

SHOW, SETTINGS = "/firewall", "/settings"
MANAGED = {"firewall": "managed"}
FRONT = {"name": "front", "address": ADDRESS}


@pytest.fixture
def machine(machine: FakeSystem) -> FakeSystem:
    machine.network.firewall.install()
    return machine


def choose(appliance: Api, mode: str | None) -> None:
    response = appliance.patch(SETTINGS, {"firewall": mode})
    assert response.status_code == 200, response.text


def shown(appliance: Api, state: str) -> Any:
    appliance.until(lambda: appliance.call("GET", SHOW).status_code == 200)
    appliance.until(lambda: appliance.get(SHOW)["state"] == state)
    return appliance.get(SHOW)


def planned(appliance: Api, path: str, body: Any) -> Any:
    return appliance.post(path, body, dry_run=True).json()


def alerts(appliance: Api) -> list[str]:
    return [one["key"] for one in appliance.items("/alerts", active="true")]


def test_it_is_off_until_it_is_chosen_and_shows_what_it_lets_in(appliance: Api, machine: FakeSystem) -> None:
    assert shown(appliance, "off")["is_default"] is True
    appliance.made("/portals", FRONT)
    choose(appliance, "managed")
    found = shown(appliance, "in_force")
    assert (found["mode"], found["is_default"], found["closed_on"]) == ("managed", False, [])
    assert [
        (one["protocol"], one["port"], one["address"], one["management"], one["portals"]) for one in found["openings"]
    ] == [
        ("tcp", 8443, None, True, []),
        ("tcp", 3260, ADDRESS, False, ["front"]),
    ]
    choose(appliance, None)
    shown(appliance, "off")
    assert machine.network.firewall.tables == {}


def test_the_plan_of_a_portal_says_that_its_port_opens(appliance: Api) -> None:
    assert "firewall" not in str(planned(appliance, "/portals", FRONT))
    choose(appliance, "managed")
    shown(appliance, "in_force")
    assert "TCP 3260 is opened in the firewall" in str(planned(appliance, "/portals", FRONT)["changes"])


def test_a_role_for_storage_says_what_closes_and_undo_of_the_choice_opens_all(appliance: Api) -> None:
    choose(appliance, "managed")
    shown(appliance, "in_force")
    spec = {"role": "storage", "addresses": ["198.51.100.5/24"]}
    reported = planned(appliance, "/interfaces/eth1:change", spec)["warnings"]
    assert any("are no longer reachable on eth1, only on eth0" in one for one in reported)
    event = next(one for one in appliance.items("/events", noun="setting") if one["kind"] == "setting.changed")
    assert appliance.post(f"/events/{event['seq']}:undo").is_success
    shown(appliance, "off")


def test_foreign_removals_are_corrected_counted_and_an_alert(appliance: Api, machine: FakeSystem) -> None:
    choose(appliance, "managed")
    shown(appliance, "in_force")
    machine.network.firewall.flush()
    appliance.until(lambda: appliance.get(SHOW)["repaired"] is not None)
    assert set(machine.network.firewall.tables) == {"lunette"}
    appliance.until(lambda: "firewall.repaired" in alerts(appliance))


def test_where_it_cannot_be_it_is_refused_and_what_fails_later_is_drift(appliance: Api, machine: FakeSystem) -> None:
    choose(appliance, "managed")
    shown(appliance, "in_force")
    machine.network.firewall.refuses = "Error: Could not process rule: No space left on device"
    appliance.made("/portals", FRONT)
    assert "No space left" in shown(appliance, "failed")["reason"]
    (one,) = [one for one in appliance.get("/drift")["items"] if one["noun"] == "firewall"]
    assert (one["kind"], one["is_repaired"]) == ("missing", True)
    machine.network.firewall.refuses = None
    machine.advance(10)
    shown(appliance, "in_force")
    choose(appliance, "off")
    shown(appliance, "off")
    machine.tools.remove("nft")
    machine.advance(60)
    appliance.until(lambda: appliance.get(SHOW)["reason"] is not None)
    response = appliance.patch(SETTINGS, MANAGED)
    assert response.status_code == 422
    assert "nftables" in response.text
