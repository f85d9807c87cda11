"""VLANs and bonds through the API, on the fake machine."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api
from lunette.domain.interfaces import TRIAL_S

VLAN = {"name": "eth1.100", "kind": "vlan", "parent": "eth1", "vlan_id": 100}
BOND = {"name": "bond0", "kind": "bond", "members": ["eth1", "eth2"], "mode": "802.3ad", "lacp_rate": "fast"}


@pytest.fixture
def two(appliance: Api, machine: FakeSystem) -> Api:
    """The appliance with a second interface that is not in use."""
    machine.network.add("eth2")
    appliance.until(lambda: "eth2" in names(appliance))
    return appliance


def names(appliance: Api) -> list[str]:
    return [one["name"] for one in appliance.items("/interfaces")]


def tried(appliance: Api, path: str, body: Any = None) -> None:
    response = appliance.post(path, body)
    assert response.status_code == 202, response.text
    assert appliance.done(response.json())["state"] == "succeeded"


def kept(appliance: Api, body: Any) -> None:
    tried(appliance, "/interfaces", body)
    confirmed = appliance.post(f"/interfaces/{body['name']}:confirm")
    assert confirmed.status_code == 200, confirmed.text


def refused(appliance: Api, body: Any) -> str:
    response = appliance.post("/interfaces", body)
    assert response.status_code in (409, 422), response.text
    return " | ".join(f"{one['field']}: {one['message']}" for one in response.json()["errors"])


def test_a_vlan_is_made_on_trial_and_its_parent_carries_it(two: Api, machine: FakeSystem) -> None:
    tried(two, "/interfaces", {**VLAN, "addresses": ["198.51.100.5/24"], "role": "storage"})
    two.until(lambda: "eth1.100" in names(two))
    shown = two.get("/interfaces/eth1.100")
    assert (shown["kind"], shown["parent"], shown["vlan_id"]) == ("vlan", "eth1", 100)
    assert 0 < shown["trial_left_s"] <= TRIAL_S
    machine.advance(TRIAL_S + 1)
    two.until(lambda: "eth1.100" not in names(two))
    two.until(lambda: two.get("/interfaces/eth1")["wanted"] is None)


def test_a_confirmed_vlan_survives_a_power_cut_and_disappears_when_removed(two: Api, machine: FakeSystem) -> None:
    kept(two, VLAN)
    machine.power_cut()
    two.until(lambda: "eth1.100" in names(two))
    tried(two, "/interfaces/eth1.100:remove")
    two.until(lambda: two.get("/interfaces/eth1.100")["state"] == "removed")
    assert two.post("/interfaces/eth1.100:confirm").status_code == 204
    two.until(lambda: "eth1.100" not in names(two))
    assert two.get("/interfaces/eth1")["wanted"] is None


def test_a_bond_takes_its_members_and_another_one_later(two: Api, machine: FakeSystem) -> None:
    machine.network.add("eth3")
    two.until(lambda: "eth3" in names(two))
    kept(two, {**BOND, "addresses": ["198.51.100.5/24"]})
    two.until(lambda: two.get("/interfaces/eth2")["master"] == "bond0")
    assert "belongs to bond0" in two.get("/interfaces/eth1")["reason"]
    made = two.get("/interfaces/bond0")["wanted"]["made"]
    assert (made["mode"], made["lacp_rate"], made["miimon_ms"]) == ("802.3ad", "fast", 100)
    tried(two, "/interfaces/bond0:change", {"members": ["eth1", "eth2", "eth3"]})
    two.until(lambda: two.get("/interfaces/eth3")["master"] == "bond0")
    assert two.post("/interfaces/bond0:revert").status_code == 200
    two.until(lambda: two.get("/interfaces/bond0")["wanted"]["made"]["members"] == ["eth1", "eth2"])


def test_a_vlan_is_refused_with_every_reason(two: Api, machine: FakeSystem) -> None:
    kept(two, VLAN)
    assert "VLAN 100 of eth1 already exists as interface eth1.100" in refused(two, {**VLAN, "name": "other"})
    assert "already exists" in refused(two, {**VLAN, "vlan_id": 7})
    assert "an MTU of 1500 bytes" in refused(two, {**VLAN, "name": "v7", "vlan_id": 7, "mtu_bytes": 9000})
    assert "is itself a VLAN" in refused(two, {**VLAN, "name": "v7", "parent": "eth1.100"})
    assert "change it first" in refused(two, {**VLAN, "name": "v7", "parent": "eth0"})
    assert "network interface eth9 was not found" in refused(two, {**VLAN, "name": "v7", "parent": "eth9"})
    assert "vlan_id" in refused(two, {**VLAN, "name": "v7", "vlan_id": 4095})
    assert "needs a parent interface" in refused(two, {"name": "v7", "kind": "vlan"})
    machine.network.interfaces["eth2"].file = "/etc/systemd/network/10-theirs.network"
    two.until(lambda: two.get("/interfaces/eth2")["reason"] is not None)
    assert "10-theirs.network" in refused(two, {**VLAN, "name": "v7", "parent": "eth2"})


def test_what_was_made_on_trial_is_reverted_at_once_where_a_person_says_so(two: Api) -> None:
    tried(two, "/interfaces", BOND)
    assert two.post("/interfaces/bond0:revert").status_code == 204
    two.until(lambda: "bond0" not in names(two) and two.get("/interfaces/eth1")["master"] is None)


def test_a_bond_is_refused_with_every_reason(two: Api) -> None:
    kept(two, VLAN)
    assert "VLAN 100 (interface eth1.100) runs on eth1" in refused(two, BOND)
    assert "is a vlan" in refused(two, {**BOND, "members": ["eth1.100"]})
    assert "listed twice" in refused(two, {**BOND, "members": ["eth2", "eth2"]})
    assert "needs members" in refused(two, {**BOND, "members": []})
    assert "uses LACP" in refused(two, {**BOND, "members": ["eth2"], "mode": "balance-xor"})
    two.made("/portals", {"name": "front", "address": ADDRESS})
    assert "portal front listens" in refused(two, {**BOND, "members": ["eth0", "eth2"]})
    kept(two, {**BOND, "members": ["eth2"]})
    assert "belongs to bond0" in refused(two, {**BOND, "name": "bond1", "members": ["eth2"]})
    not_a_bond = two.post("/interfaces/eth1.100:change", {"members": ["eth2"]})
    assert (not_a_bond.status_code, "is not a bond" in not_a_bond.text) == (422, True)


def test_what_is_in_use_is_not_removed(two: Api) -> None:
    kept(two, {**BOND, "addresses": ["198.51.100.5/24"]})
    two.made("/portals", {"name": "front", "address": "198.51.100.5"})
    assert "portal front listens" in two.post("/interfaces/bond0:remove").text
    assert "did not create it" in two.post("/interfaces/eth0:remove").text
    kept(two, {"name": "b7", "kind": "vlan", "parent": "bond0", "vlan_id": 7})
    assert "VLAN 7 (interface b7) runs on" in two.post("/interfaces/bond0:remove").text


def test_an_mtu_below_that_of_a_vlan_above_is_refused(two: Api) -> None:
    tried(two, "/interfaces/eth1:change", {"addresses": ["198.51.100.6/24"], "mtu_bytes": 9000})
    two.post("/interfaces/eth1:confirm")
    two.until(lambda: two.get("/interfaces/eth1")["mtu_bytes"] == 9000)
    kept(two, {**VLAN, "mtu_bytes": 9000})
    below = two.post("/interfaces/eth1:change", {"mtu_bytes": 1500})
    assert (below.status_code, "lower that first" in below.text) == (409, True)
    assert two.get("/interfaces/eth1")["wanted"]["addresses"] == ["198.51.100.6/24"]


def test_a_plan_names_all_that_changes_and_makes_nothing(two: Api) -> None:
    plan = two.post("/interfaces", BOND, dry_run=True).json()
    assert [(one["action"], one["name"]) for one in plan["changes"]] == [
        ("create", "bond0"),
        ("change", "eth1"),
        ("change", "eth2"),
    ]
    assert "eth1, eth2" in plan["steps"][0]["description"]
    assert "bond0" not in names(two)
