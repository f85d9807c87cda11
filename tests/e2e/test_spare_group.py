"""A spare of one md array goes to another of its spare group, while a host writes to that."""

from __future__ import annotations

from typing import Any

import pytest

from lunette.client import Client
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.model import Capability
from tests.machines.uml import Uml

IQN = "iqn.2026-01.com.example:writer"
SEED, BLOCKS = 11, 2048
pytestmark = [pytest.mark.uml, pytest.mark.slow, pytest.mark.timeout(1500)]


def whole(client: Client, name: str, disks: list[str]) -> bool:
    """It has these disks, all at work."""
    array = client.get(f"/arrays/{name}")
    states = {member["disk_id"]: member["state"] for member in array["members"] if member["state"] != "missing"}
    return array["health"] == "clean" and states == dict.fromkeys(disks, "in_sync")


def active(client: Client, key: str) -> list[Any]:
    return [alert for alert in client.list("/alerts", active="true") if alert["key"].startswith(key)]


def test_a_spare_goes_to_the_array_of_its_group_that_lost_a_disk() -> None:
    machine = Uml("spare-group", disks=0, hot=5, hot_mib=96)
    machine.require(Capability.PULL)
    with appliance(machine) as made, KernelInitiator("spare-group-host") as host:
        client, ids = made.client, made.disk_ids("scsi")
        serials = [disk.serial for disk in machine.disks if disk.bus == "scsi"]
        tank, pond, spare = ids[:2], ids[2:4], ids[4]
        client.wait(client.post("/arrays", {"name": "tank", "level": "raid1", "disks": tank, "spare_group": "shelf"}))
        spec = {"name": "pond", "level": "raid1", "disks": pond, "spares": [spare], "spare_group": "shelf"}
        client.wait(client.post("/arrays", spec))
        client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 48 * MIB}))
        client.post("/hosts", {"name": "writer", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "writer"})
        wait_until("the mapping is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
        wait_until("tank is whole", lambda: whole(client, "tank", tank), deadline_s=300)
        wait_until("pond is whole", lambda: client.get("/arrays/pond")["health"] == "clean", deadline_s=300)
        target, where = (
            str(client.get("/hosts/writer")["target_iqn"]),
            f"{machine.address}:{machine.forward(PORTAL_PORT)}",
        )
        host.login(target, where, IQN)
        device = host.devices(target, expected=1)[1]
        host.start_logged_writer(device, SEED, BLOCKS, 1200)
        wait_until("the host writes", lambda: host.acknowledged(device, SEED) > 50)

        machine.pull(serials[1])
        wait_until("the loss is told", lambda: active(client, "array.health"), deadline_s=120)
        wait_until("tank is whole with the spare", lambda: whole(client, "tank", [tank[0], spare]), deadline_s=300)
        assert whole(client, "pond", pond), "pond gave its spare and is as it was"
        wait_until("the alert is over", lambda: not active(client, "array.health"), deadline_s=60)
        lent = [job for job in client.list("/jobs") if "(spare group shelf)" in job["title"]]
        assert [job["state"] for job in lent] == ["succeeded"], "one spare moved, once"

        host.stop_logged_writer(device, SEED)
        host.logout(target)
        host.login(target, where, IQN)
        assert host.devices(target, expected=1)[1] == device
        assert host.verify_logged(device, SEED) > 0
