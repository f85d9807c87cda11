"""Network interfaces through the API, on the fake machine: a change is on trial until it is confirmed."""

from typing import Any

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api
from lunette.domain.interfaces import TRIAL_S

CHANGE, SHOW = "/interfaces/eth1:change", "/interfaces/eth1"
FROM_TRIAL = ("mtu_bytes", "wanted", "trial_left_s")
SPEC = {"addresses": ["198.51.100.5/24"], "gateway": "198.51.100.1", "mtu_bytes": 9000, "role": "storage"}


def shown(appliance: Api) -> Any:
    return appliance.get(SHOW)


def try_(appliance: Api, spec: Any = SPEC) -> Any:
    response = appliance.post(CHANGE, spec)
    assert response.status_code == 202, response.text
    return appliance.done(response.json())


def seen(appliance: Api, *addresses: str) -> None:
    appliance.until(lambda: [one["address"] for one in shown(appliance)["addresses"]] == list(addresses))


def test_an_unconfirmed_change_reverts_when_its_time_is_over(appliance: Api, machine: FakeSystem) -> None:
    assert try_(appliance)["state"] == "succeeded"
    seen(appliance, "198.51.100.5/24")
    assert shown(appliance)["mtu_bytes"] == 9000
    assert 0 < shown(appliance)["trial_left_s"] <= TRIAL_S
    machine.advance(TRIAL_S + 1)
    seen(appliance)
    appliance.until(lambda: [shown(appliance)[key] for key in FROM_TRIAL] == [1500, None, None])
    assert appliance.post(f"{SHOW}:confirm").status_code == 409


def test_a_confirmed_change_stays_over_time_and_power_cut(appliance: Api, machine: FakeSystem) -> None:
    try_(appliance)
    confirmed = appliance.post(f"{SHOW}:confirm")
    assert confirmed.status_code == 200, confirmed.text
    machine.advance(TRIAL_S + 1)
    machine.power_cut()
    seen(appliance, "198.51.100.5/24")
    assert shown(appliance)["wanted"] == {**SPEC, "dhcp": False, "dns": [], "ntp": [], "made": None}
    assert next(event["kind"] for event in appliance.items("/events", noun="interface")) == "interface.confirmed"


def test_time_servers_are_those_that_networkd_passes_to_timesyncd(appliance: Api, machine: FakeSystem) -> None:
    spec = {**SPEC, "role": "management", "ntp": ["192.0.2.123", "time.example.com"]}
    plan = appliance.post(CHANGE, spec, dry_run=True).json()
    assert "NTP 192.0.2.123, time.example.com" in plan["changes"][0]["detail"]
    try_(appliance, spec)
    appliance.post(f"{SHOW}:confirm")
    machine.power_cut()
    seen(appliance, "198.51.100.5/24")
    assert shown(appliance)["wanted"]["ntp"] == spec["ntp"]
    read = machine.read("/run/systemd/network/05-lunette-eth1.network").splitlines()
    assert {"NTP=192.0.2.123", "NTP=time.example.com"} <= set(read[read.index("[Network]") :])
    try_(appliance, {"ntp": []})
    assert "NTP=" not in machine.read("/run/systemd/network/05-lunette-eth1.network")


def test_an_invalid_time_server_writes_nothing(appliance: Api, machine: FakeSystem) -> None:
    for server in ("", "a b", "192.0.2.1\nGateway=192.0.2.254", "-x", "é.example"):
        answer = appliance.post(CHANGE, {**SPEC, "ntp": [server]})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "ntp[0]"), server
    assert appliance.post(CHANGE, {**SPEC, "ntp": ["192.0.2.1"] * 5}).status_code == 422
    assert not machine.exists("/run/systemd/network/05-lunette-eth1.network")


def test_a_power_cut_ends_a_trial(appliance: Api, machine: FakeSystem) -> None:
    try_(appliance)
    appliance.post(f"{SHOW}:confirm")
    try_(appliance, {"addresses": ["198.51.100.6/24"], "gateway": None})
    seen(appliance, "198.51.100.6/24")
    machine.power_cut()
    seen(appliance, "198.51.100.5/24")
    appliance.until(lambda: shown(appliance)["trial_left_s"] is None)


def test_a_change_is_reverted_at_once_and_a_second_one_has_to_wait(appliance: Api) -> None:
    try_(appliance)
    seen(appliance, "198.51.100.5/24")
    second = appliance.post("/interfaces/eth0:change", {"dhcp": True})
    assert second.status_code == 409
    assert "is not confirmed yet" in second.text
    assert appliance.post(f"{SHOW}:revert").status_code == 200
    seen(appliance)


def test_a_portal_that_loses_its_address_must_be_named(appliance: Api) -> None:
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    spec = {"addresses": ["192.0.2.200/24"]}
    refused = appliance.post("/interfaces/eth0:change", spec)
    assert (refused.status_code, refused.json()["errors"][0]["value"]) == (409, "front")
    plan = appliance.post("/interfaces/eth0:change", {**spec, "portals": ["front"]}, dry_run=True).json()
    assert [(one["noun"], one["name"]) for one in plan["changes"]] == [("interface", "eth0"), ("portal", "front")]
    assert any("reverted automatically" in text for text in plan["warnings"])
    assert any("50-dhcp.network" in text for text in plan["warnings"])


def test_wrong_settings_are_refused_by_field(appliance: Api) -> None:
    def refused(**spec: Any) -> str:
        response = appliance.post(CHANGE, spec)
        assert response.status_code in (409, 422), response.text
        return str(response.json()["errors"][0]["message"])

    assert "where its addresses come from" in refused(mtu_bytes=9000)
    assert "is already an address of interface eth0" in refused(addresses=[f"{ADDRESS}/24"])
    assert "broadcast" in refused(addresses=["198.51.100.255/24"])
    assert "not in the network of any of its addresses" in refused(addresses=["198.51.100.5/24"], gateway="203.0.113.1")
    assert "supports an MTU of 1280 to 9216" in refused(dhcp=True, mtu_bytes=9999)
    assert "expected an address as text" in refused(addresses=[False])


def test_an_interface_of_others_is_shown_and_left_alone(appliance: Api, machine: FakeSystem) -> None:
    machine.network.interfaces["eth1"].file = "/etc/systemd/network/10-theirs.network"
    appliance.until(lambda: shown(appliance)["reason"] is not None)
    refused = appliance.post(CHANGE, SPEC)
    assert (refused.status_code, "10-theirs.network" in refused.text) == (409, True)
    machine.network.is_running = False
    appliance.until(lambda: "systemd-networkd" in str(shown(appliance)["reason"]))


def test_a_cable_that_is_out_under_a_portal_is_an_alert(appliance: Api, machine: FakeSystem) -> None:
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    machine.network.interfaces["eth0"].link = False
    appliance.until(lambda: any("eth0" in one["message"] for one in appliance.items("/alerts", active=True)))
    machine.network.interfaces["eth0"].link = True
    appliance.until(lambda: not any("eth0" in one["message"] for one in appliance.items("/alerts", active=True)))
