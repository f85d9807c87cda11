"""A raid5 grows by a disk while a host writes; the appliance is killed in the middle of the reshape and goes on.

On user-mode Linux, where md runs at native speed. A killed guest loses its memory only: its disks keep what was
written to them, flushed or not.
"""

from __future__ import annotations

import pytest

from lunette.client import Client, JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.uml import Uml

IQN = "iqn.2026-01.com.example:writer"
SEED = 9
BLOCKS = 2048
SLOW = "4MiB"
"""A pace at which a reshape lasts long enough to be cut short."""
pytestmark = [pytest.mark.uml, pytest.mark.timeout(900)]


def stand(made: Appliance, disks: list[str]) -> str:
    """An array with a volume that is mapped; the target's name."""
    client = made.client
    client.wait(client.post("/arrays", {"name": "tank", "level": "raid5", "disks": disks}))
    client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 48 * MIB}))
    client.post("/hosts", {"name": "writer", "iqns": [IQN]})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    client.post("/mappings", {"volume": "lun", "host": "writer"})
    wait_until("the mapping is served", lambda: serving(client))
    wait_until("the first resync is over", lambda: quiet(client), deadline_s=300)
    return str(client.get("/hosts/writer")["target_iqn"])


def serving(client: Client) -> bool:
    return all(mapping["state"] == "open" for mapping in client.list("/mappings"))


def tank(client: Client) -> JsonObject:
    found: JsonObject = client.get("/arrays/tank")
    return found


def quiet(client: Client) -> bool:
    array = tank(client)
    return bool(array["health"] == "clean" and not array["observed"]["progress"])


def percent(client: Client) -> float:
    progress = tank(client)["observed"]["progress"]
    return float(progress["percent"]) if progress else 100.0


def test_a_reshape_that_is_killed_goes_on_and_puts_back_what_it_had_dropped() -> None:
    machine = Uml("growth", disks=4, disk_mib=256)
    with appliance(machine) as made, KernelInitiator("growth-host") as host:
        client, disks = made.client, made.disk_ids("ubd")
        target = stand(made, disks[:3])
        address = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        host.login(target, address, IQN, replacement_timeout_s=600)
        device = host.devices(target, expected=1)[1]
        before = tank(client)
        assert before["observed"]["write_hole"] == "ppl"
        host.start_logged_writer(device, SEED, BLOCKS, 600)
        wait_until("the host writes", lambda: host.acknowledged(device, SEED) > 50)

        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": SLOW})
        client.wait(client.post("/arrays/tank:grow", {"disks": disks[3:]}))
        wait_until("the reshape runs", lambda: 2 < percent(client) < 90, deadline_s=60, pause_s=0.2)
        during = tank(client)
        assert (during["health"], during["growing"]) == ("reshaping", True)
        assert during["observed"]["write_hole"] == "none"
        assert during["observed"]["progress"]["action"] == "reshape"
        assert during["usable_bytes"] == before["usable_bytes"]
        written = host.acknowledged(device, SEED)
        wait_until("the host goes on writing", lambda: host.acknowledged(device, SEED) > written + 20)

        machine.kill()
        host.stop_logged_writer(device, SEED)
        machine.start()
        made.wait_for_api()
        wait_until("the reshape goes on by itself", lambda: tank(client)["health"] == "reshaping", deadline_s=120)
        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": None})
        wait_until("the host's path is back", lambda: serving(client) and host.is_connected(target), deadline_s=300)
        wait_until("nothing is left to do", lambda: not tank(client)["growing"], deadline_s=400)

        after = tank(client)
        assert after["observed"]["write_hole"] == "ppl"
        assert after["usable_bytes"] == before["usable_bytes"] * 3 // 2
        assert {member["state"] for member in after["members"]} == {"in_sync"}
        assert "ppl" in machine.check("cat /sys/block/md*/md/consistency_policy")
        seen_by_lvm = int(machine.check("pvs --noheadings --nosuffix --units b -o pv_size").strip())
        assert seen_by_lvm > before["usable_bytes"] * 1.4
        assert host.verify_logged(device, SEED) > 0
        client.wait(client.post("/volumes", {"name": "big", "array": "tank", "size_bytes": 512 * MIB}))
