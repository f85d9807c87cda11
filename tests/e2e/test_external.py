"""An external array on a whole appliance: a disk stands for the device of a RAID controller, a script for its tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import Client, JsonObject, Refused
from tests.e2e.waiting import wait_until
from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(900), pytest.mark.slow]
IQN = "iqn.2026-01.com.example:external"
COMMAND = "/etc/lunette/health.d/probe"
SAID = "/var/lib/said"
PATTERN, MORE = 0x5A, 0xC3


@dataclass
class Scenario:
    """An array that is the first of three disks, and an initiator outside that may use its volume."""

    made: Appliance
    machine: Uml
    device: str
    target: str = ""

    @property
    def client(self) -> Client:
        return self.made.client

    @property
    def initiator(self) -> LibiscsiInitiator:
        return LibiscsiInitiator(IQN, "127.0.0.1", self.machine.forward(PORTAL_PORT))

    def array(self) -> JsonObject:
        found: JsonObject = self.client.get("/arrays/fast")
        return found

    def kernel_name(self) -> str:
        return self.machine.check(f"readlink -e /dev/disk/by-id/{self.device}").strip()

    def tells(self, **health: object) -> None:
        """From now on the health command prints this."""
        self.machine.check(f"echo '{json.dumps(health)}' >{SAID}")

    def alerts(self) -> list[JsonObject]:
        return [one for one in self.client.list("/alerts", active="true") if one["key"].startswith("array.")]

    def is_served(self) -> bool:
        return all(mapping["state"] == "open" for mapping in self.client.list("/mappings"))


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    machine = Uml("external", disks=3, disk_mib=256)
    with appliance(machine) as made:
        stands = Scenario(made, machine, made.disk_ids("ubd")[0])
        stands.machine.check(f"mkdir -p {COMMAND.rpartition('/')[0]} && chmod 755 {COMMAND.rpartition('/')[0]}")
        stands.machine.check(f"printf '#!/bin/sh\\n[ -b \"$1\" ] && cat {SAID}\\n' >{COMMAND} && chmod 755 {COMMAND}")
        stands.tells(state="healthy")
        client = made.client
        spec = {
            "name": "fast",
            "engine": "external",
            "level": "external",
            "disks": [stands.device],
            "health_command": "probe",
        }
        client.wait(client.post("/arrays", spec))
        client.wait(client.post("/volumes", {"name": "lun", "array": "fast", "size_bytes": 64 * MIB}))
        client.post("/hosts", {"name": "h", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "h", "lun": 1})
        wait_until("the mapping is served", stands.is_served)
        stands.target = str(client.get("/hosts/h")["target_iqn"])
        yield stands


def test_a_device_is_served_and_comes_back_under_another_kernel_name(scenario: Scenario) -> None:
    written = scenario.initiator.write(scenario.target, 1, PATTERN, 16 * MIB)
    assert written.ok, written.output
    before = scenario.kernel_name()
    scenario.machine.check("sync")
    scenario.machine.attach_in_reverse()
    scenario.machine.reset()
    scenario.made.wait_for_api()
    wait_until("the mapping is served", scenario.is_served, deadline_s=240)
    assert scenario.kernel_name() != before
    verified = scenario.initiator.verify(scenario.target, 1, PATTERN, 16 * MIB)
    assert verified.ok, verified.output
    assert scenario.initiator.write(scenario.target, 1, MORE, MIB, 32 * MIB).ok
    assert scenario.initiator.verify(scenario.target, 1, MORE, MIB, 32 * MIB).ok


def test_what_the_health_command_says_becomes_an_alert_and_goes(scenario: Scenario) -> None:
    (engine,) = [
        one for one in scenario.client.list("/engines") if (one["engine"], one["kind"]) == ("external", "array")
    ]
    assert set(engine["health_commands"]) == {"megaraid", "probe", "xiraid"}
    wait_until("the array is healthy", lambda: scenario.array()["health"] == "clean", deadline_s=60)
    scenario.tells(state="degraded", message="drive 3 is gone")
    (alert,) = wait_until("the alert comes", scenario.alerts, deadline_s=60)
    assert alert["message"] == "Array fast is degraded"
    assert alert["cause"] == "drive 3 is gone"
    assert scenario.array()["health"] == "degraded"
    scenario.tells(state="rebuilding", progress_percent=40)
    wait_until("the rebuild shows", lambda: scenario.array()["health"] == "rebuilding", deadline_s=60)
    assert scenario.array()["observed"]["progress"]["percent"] == 40
    scenario.tells(state="healthy")
    wait_until("the alert is over", lambda: not scenario.alerts(), deadline_s=60)


def test_a_command_that_others_may_write_is_not_run(scenario: Scenario) -> None:
    scenario.machine.check(f"chmod 777 {COMMAND}")
    try:
        wait_until("the health is unknown", lambda: scenario.array()["health"] == "unknown", deadline_s=60)
        (alert,) = wait_until("the alert comes", scenario.alerts, deadline_s=90)
        assert "is writable by users other than root" in alert["cause"]
        assert scenario.is_served()
    finally:
        scenario.machine.check(f"chmod 755 {COMMAND}")
    wait_until("the alert is over", lambda: not scenario.alerts(), deadline_s=60)


def test_what_the_vendor_does_is_refused_and_the_device_is_not_taken_twice(scenario: Scenario) -> None:
    with pytest.raises(Refused, match="controller or engine that presents it"):
        scenario.client.act("/arrays/fast", "scrub", {})
    again = {"name": "again", "level": "external", "engine": "external", "disks": [scenario.device]}
    with pytest.raises(Refused, match="belongs to array fast"):
        scenario.client.post("/arrays", again | {"wipe": [scenario.device]})


def test_a_command_that_comes_along_says_that_its_tool_is_not_there(scenario: Scenario) -> None:
    scenario.client.patch("/arrays/fast", {"health_command": "xiraid"})
    try:
        (alert,) = wait_until("the alert comes", scenario.alerts, deadline_s=90)
        assert "xicli is not installed" in alert["cause"]
        assert scenario.is_served()
    finally:
        scenario.client.patch("/arrays/fast", {"health_command": "probe"})
