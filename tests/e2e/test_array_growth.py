"""Arrays grow by a disk, or change their level, while a host writes; after a kill in the middle the work continues.

On user-mode Linux, where md runs at native speed, and once on QEMU, on the appliance's own kernel. A killed guest loses
its memory only: its disks keep what was written to them, flushed or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lunette.client import Client, JsonObject
from lunette.domain.volumes import EXTENT_BYTES
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.lab.write_caches import BLOCK, turn_off
from tests.machines.machine import VirtualMachine
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

IQN = "iqn.2026-01.com.example:writer"
SEED = 9
BLOCKS = 2048
SLOW = "1MiB"
"""A pace at which a reshape lasts long enough to be cut short."""
pytestmark = [pytest.mark.timeout(900), pytest.mark.slow]


@dataclass(frozen=True)
class Growth:
    """From two disks' worth of data to three. `during` is how the write hole is treated while it is reshaped."""

    level: str
    disks: int
    write_hole: str
    during: str
    is_killed: bool
    is_emulated: bool = False
    """On QEMU."""

    def machine(self) -> VirtualMachine:
        if self.is_emulated:
            return Qemu("growth", nvme=self.disks + 1, disk_mib=192)
        return Uml("growth", disks=self.disks + 1, disk_mib=192)


def stand(made: Appliance, level: str, disks: list[str]) -> str:
    """An array with a volume that is mapped; the target's name."""
    client = made.client
    client.wait(client.post("/arrays", {"name": "tank", "level": level, "disks": disks}))
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


def md_bytes(made: Appliance) -> int:
    """Size of the one array, according to the kernel."""
    return int(made.machine.check("cat /sys/block/md*/size")) * 512


def pv_bytes(made: Appliance) -> int:
    """Size of the one array, according to LVM."""
    return int(made.machine.check("pvs --noheadings --nosuffix --units b -o pv_size").strip())


def quiet(client: Client) -> bool:
    array = tank(client)
    return bool(array["health"] == "clean" and not array["observed"]["progress"])


def percent(client: Client) -> float:
    progress = tank(client)["observed"]["progress"]
    return float(progress["percent"]) if progress else 100.0


def goes_on_after_a_start(made: Appliance) -> None:
    made.machine.start()
    made.wait_for_api()
    wait_until("the reshape goes on by itself", lambda: 2 < percent(made.client) < 100, deadline_s=120)
    assert tank(made.client)["health"] == "reshaping"


@pytest.mark.parametrize(
    "growth",
    [
        # Linux 7.2 was once seen to panic where the log is dropped under writes: docs/howto/grow-an-array.md.
        pytest.param(Growth("raid5", 3, "ppl", "none", is_killed=False), id="raid5", marks=pytest.mark.uml),
        pytest.param(Growth("raid5", 3, "ppl", "none", is_killed=True), id="raid5-killed", marks=pytest.mark.uml),
        pytest.param(Growth("raid4", 3, "bitmap", "bitmap", is_killed=False), id="raid4", marks=pytest.mark.uml),
        pytest.param(Growth("raid6", 4, "bitmap", "bitmap", is_killed=True), id="raid6-killed", marks=pytest.mark.uml),
        pytest.param(
            Growth("raid5", 3, "ppl", "none", is_killed=True, is_emulated=True),
            id="raid5-killed-qemu",
            marks=pytest.mark.qemu,
        ),
    ],
)
def test_an_array_grows_under_writes_and_puts_back_what_it_had_dropped(growth: Growth) -> None:
    machine = growth.machine()
    with appliance(machine) as made, KernelInitiator("growth-host") as host:
        client, disks = made.client, made.disk_ids(machine.disks[0].bus)
        if growth.write_hole == "ppl":
            turn_off(made, BLOCK.format(f"{machine.disks[0].bus}*"), machine.disks[0].bus)
        target = stand(made, growth.level, disks[:-1])
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=600)
        device = host.devices(target, expected=1)[1]
        before, room = tank(client), md_bytes(made)
        assert before["observed"]["write_hole"] == growth.write_hole
        host.start_logged_writer(device, SEED, BLOCKS, 600)
        wait_until("the host writes", lambda: host.acknowledged(device, SEED) > 50)

        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": SLOW})
        client.wait(client.post("/arrays/tank:grow", {"disks": disks[-1:]}))
        wait_until("the reshape runs", lambda: 2 < percent(client) < 90, deadline_s=60, pause_s=0.2)
        during = tank(client)
        assert (during["health"], during["growing"]) == ("reshaping", True)
        assert during["observed"]["write_hole"] == growth.during
        assert during["observed"]["progress"]["action"] == "reshape"
        assert during["usable_bytes"] == before["usable_bytes"]
        written = host.acknowledged(device, SEED)
        wait_until("the host goes on writing", lambda: host.acknowledged(device, SEED) > written + 20)

        if growth.is_killed:
            machine.kill()
            host.stop_logged_writer(device, SEED)
            goes_on_after_a_start(made)
        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": None})
        wait_until("nothing is left to do", lambda: not tank(client)["growing"], deadline_s=400)
        wait_until("the host's path is there", lambda: serving(client) and host.is_connected(target), deadline_s=300)
        if not growth.is_killed:
            host.stop_logged_writer(device, SEED)

        after = tank(client)
        assert after["observed"]["write_hole"] == growth.write_hole
        assert md_bytes(made) == room * 3 // 2
        assert abs(after["usable_bytes"] - before["usable_bytes"] - room // 2) < EXTENT_BYTES
        assert {member["state"] for member in after["members"]} == {"in_sync"}
        assert growth.write_hole in machine.check("cat /sys/block/md*/md/consistency_policy")
        assert pv_bytes(made) > before["usable_bytes"] * 1.4
        assert host.verify_logged(device, SEED) > 0
        client.wait(client.post("/volumes", {"name": "big", "array": "tank", "size_bytes": 400 * MIB}))


def reshaped_and_killed(made: Appliance, spec: JsonObject, during: str) -> JsonObject:
    """The array after this change, in whose middle the appliance was killed while a host wrote; what it was before."""
    machine, client = made.machine, made.client
    target = str(client.get("/hosts/writer")["target_iqn"])
    with KernelInitiator("growth-host") as host:
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=600)
        device = host.devices(target, expected=1)[1]
        before = tank(client)
        host.start_logged_writer(device, SEED, BLOCKS, 600)
        wait_until("the host writes", lambda: host.acknowledged(device, SEED) > 50)
        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": SLOW})
        client.wait(client.post("/arrays/tank:reshape", spec))
        wait_until("it runs", lambda: 2 < percent(client) < 90, deadline_s=60, pause_s=0.2)
        assert tank(client)["health"] == during
        written = host.acknowledged(device, SEED)
        wait_until("the host goes on writing", lambda: host.acknowledged(device, SEED) > written + 20)
        machine.kill()
        host.stop_logged_writer(device, SEED)
        machine.start()
        made.wait_for_api()
        if tank(client)["health"] == "missing":  # dirty and degraded, as the host was writing
            client.wait(client.post("/arrays/tank:force-start", {"confirm": "tank"}))
        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": None})
        wait_until("nothing is left to do", lambda: quiet(client) and not tank(client)["growing"], deadline_s=400)
        wait_until("the host's path is there", lambda: serving(client) and host.is_connected(target), deadline_s=300)
        assert host.verify_logged(device, SEED) > 0
        after = tank(client)
        assert after["usable_bytes"] == before["usable_bytes"]
        assert {member["state"] for member in after["members"]} == {"in_sync"}
    return after


@pytest.mark.uml
def test_a_raid5_becomes_a_raid6_under_writes_and_a_kill() -> None:
    with appliance(Uml("growth", disks=4, disk_mib=192)) as made:
        disks = made.disk_ids("ubd")
        turn_off(made, BLOCK.format("ubd*"), "ubd")
        stand(made, "raid5", disks[:3])
        after = reshaped_and_killed(made, {"level": "raid6", "disks": disks[3:]}, "rebuilding")
        assert (after["level"], after["write_hole"], after["observed"]["write_hole"]) == ("raid6", "bitmap", "bitmap")
        assert after["observed"]["layout"] == "left-symmetric-6"
