"""The health of a drive on a whole appliance: QEMU's NVMe controller has a SMART log, and its warning can be set."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.machines.qemu import Qemu

RELIABILITY = 0b100
pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(900)]
PATIENCE_S = 240.0
"""Drives are asked once a minute here, and an emulated machine is slow."""


@pytest.fixture(scope="module")
def made() -> Iterator[tuple[Appliance, Qemu]]:
    machine = Qemu("disk-health", nvme=2, disk_mib=128, cpus=1)
    with appliance(machine) as standing:
        standing.client.patch("/settings", {"disk_health_minutes": 1})
        yield standing, machine


def test_a_warning_of_a_drive_becomes_an_alert_and_ends_with_it(made: tuple[Appliance, Qemu]) -> None:
    standing, machine = made
    client = standing.client
    first, second = standing.disk_ids("nvme")
    wait_until("both are read", lambda: len(list(client.list("/disks", health="ok"))) == 2, deadline_s=PATIENCE_S)
    values = client.get(f"/disks/{first}")["health"]["values"]
    print(json.dumps(values))
    assert (values["used_percent"], values["media_errors"]) == (0, 0)
    assert 0 < values["temperature_c"] < values["temperature_warning_c"] < values["temperature_critical_c"]
    assert values["pending_sectors"] is None
    serial = client.get(f"/disks/{first}")["serial"]
    machine.set_property(serial, "smart_critical_warning", RELIABILITY)
    wait_until("it is told", lambda: list(client.list("/alerts", active="true", ref=first)), deadline_s=PATIENCE_S)
    (alert,) = client.list("/alerts", active="true", ref=first)
    assert alert["severity"] == "critical"
    assert alert["message"] == f"Disk {first} (serial {serial}) reports that it is no longer reliable"
    assert client.get(f"/disks/{first}")["health"]["state"] == "failing"
    assert client.get(f"/disks/{second}")["health"]["state"] == "ok"
    machine.set_property(serial, "smart_critical_warning", 0)
    wait_until("it is over", lambda: not list(client.list("/alerts", active="true", ref=first)), deadline_s=PATIENCE_S)
    assert client.get(f"/disks/{first}")["health"]["state"] == "ok"
    days = client.get(f"/disks/{first}/history")["days"]
    assert {day["serial"] for day in days} == {serial}
    assert days[0]["values"] == client.get(f"/disks/{first}")["health"]["values"]
    assert days[0]["hottest_c"] >= days[0]["values"]["temperature_c"]
