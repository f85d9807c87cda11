"""An array that is killed under writes while it lacks a disk stays stopped; it starts once that is asked for.

Meanwhile a host with a deadline gets its volumes of another array, and the late one when it comes.

On user-mode Linux, with the kernel's own md. A killed guest loses its memory only: its disks keep what was written to
them, flushed or not.
"""

from __future__ import annotations

import pytest

from lunette.client import Client, JsonObject, Refused
from tests.e2e.test_array_growth import IQN, SEED, SLOW, percent, serving, stand, tank
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.lab.write_caches import BLOCK, turn_off
from tests.machines.uml import Uml

OTHER_IQN = "iqn.2026-01.com.example:other"
DEADLINE_S = 30
BLOCKS = 256
LOGGED = 2048
IN_A_ROW = 2
"""Data blocks of one 4 KiB row across four disks of raid6: what the write that was cut short may have spoilt."""
pytestmark = [pytest.mark.uml, pytest.mark.timeout(900), pytest.mark.slow]


def stand_alongside(client: Client, disks: list[str]) -> str:
    """A host with a deadline, a volume of another array as LUN 1 and one of the first array as LUN 2; its target."""
    client.wait(client.post("/arrays", {"name": "calm", "level": "raid1", "disks": disks}))
    client.post("/hosts", {"name": "other", "iqns": [OTHER_IQN], "opens_without_missing_after_s": DEADLINE_S})
    for lun, (name, array) in enumerate((("steady", "calm"), ("late", "tank")), 1):
        client.wait(client.post("/volumes", {"name": name, "array": array, "size_bytes": 16 * MIB}))
        client.post("/mappings", {"volume": name, "host": "other", "lun": lun})
    wait_until("both mappings are served", lambda: serving(client))
    return str(client.get("/hosts/other")["target_iqn"])


def without(client: Client) -> list[JsonObject]:
    """The alerts of hosts that go without some of their volumes."""
    return [one for one in client.list("/alerts", active="true") if one["key"].startswith("target.partial:")]


def fill(host: KernelInitiator, target: str, portal: str) -> None:
    """Writes to each of the two volumes; then the host is logged out, so that it is shown later what there is then."""
    host.login(target, portal, OTHER_IQN)
    for lun, path in host.devices(target, expected=2).items():
        host.write_pattern(path, lun, BLOCKS)
    host.logout(target)


def gets_what_is_there(client: Client, host: KernelInitiator, target: str, portal: str) -> None:
    wait_until("the deadline is over", lambda: client.get("/hosts/other")["export"]["state"] == "open", deadline_s=300)
    reported = wait_until("an alert says so", lambda: without(client), deadline_s=120)
    assert f"opened {DEADLINE_S} s after they began to wait, as configured for host other" in reported[0]["cause"]
    host.login(target, portal, OTHER_IQN)
    [(lun, there)] = host.devices(target, expected=1).items()
    assert lun == 1, "it sees what is there, and nothing else"
    host.verify_pattern(there, 1, BLOCKS)


def gets_what_comes_late(client: Client, host: KernelInitiator, target: str) -> None:
    wait_until("nobody is without", lambda: not without(client), deadline_s=120)
    host.rescan(target)
    host.verify_pattern(host.devices(target, expected=2)[2], 2, BLOCKS)


def loses_a_disk(made: Appliance, host: KernelInitiator, device: str, disks: list[str], cut: str) -> None:
    """Fails a member under writes; the machine is killed while its replacement is filled, or before it has one."""
    client = made.client
    host.start_logged_writer(device, SEED, LOGGED, 600)
    wait_until("the host writes", lambda: host.acknowledged(device, SEED) > 20)
    if cut == "rebuilding":
        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": SLOW})
        client.wait(client.post("/arrays/tank:fail", {"disk": disks[1]}))
        client.wait(client.post("/arrays/tank:replace", {"disk": disks[1], "new": disks[4]}))
        wait_until("the new disk is filled", lambda: 2 < percent(client) < 90, deadline_s=120, pause_s=0.2)
    else:
        client.wait(client.post("/arrays/tank:fail", {"disk": disks[1]}))
    written = host.acknowledged(device, SEED)
    wait_until("the host writes on", lambda: host.acknowledged(device, SEED) > written + 20)
    made.machine.kill()
    host.stop_logged_writer(device, SEED)


@pytest.mark.parametrize("cut", ["degraded", "rebuilding"])
def test_raid5_with_its_parity_log_comes_back_by_itself_with_all_that_was_acknowledged(cut: str) -> None:
    machine = Uml(f"log-{cut}", disks=5, disk_mib=96)
    with appliance(machine) as made, KernelInitiator(f"log-{cut}-host") as host:
        client, disks = made.client, made.disk_ids("ubd")
        turn_off(made, BLOCK.format("ubd*"), "ubd")
        target = stand(made, "raid5", disks[:4])
        assert tank(client)["observed"]["write_hole"] == "ppl"
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=600)
        device = host.devices(target, expected=1)[1]
        loses_a_disk(made, host, device, disks, cut)

        machine.start()
        made.wait_for_api()
        wait_until("it serves", lambda: serving(client) and host.is_connected(target), deadline_s=300)
        assert tank(client)["health"] == cut
        assert host.verify_logged(device, SEED) > 20
        if cut == "rebuilding":
            client.patch("/arrays/tank", {"sync_speed_max_bytes_s": None})
        else:
            client.wait(client.post("/arrays/tank:replace", {"disk": disks[1], "new": disks[4]}))
        wait_until("it is whole again", lambda: tank(client)["health"] == "clean", deadline_s=300)
        assert host.verify_logged(device, SEED) > 20


def test_a_dirty_array_that_is_cut_in_a_rebuild_is_started_only_by_force_and_goes_on() -> None:
    machine = Uml("dirty-rebuild", disks=5, disk_mib=96)
    with appliance(machine) as made, KernelInitiator("dirty-rebuild-host") as host:
        client, disks = made.client, made.disk_ids("ubd")
        target = stand(made, "raid6", disks[:4])
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=600)
        device = host.devices(target, expected=1)[1]
        loses_a_disk(made, host, device, disks, "rebuilding")

        machine.start()
        made.wait_for_api()
        wait_until("it stays stopped", lambda: (tank(client)["observed"] or {}).get("dirty_degraded"), deadline_s=120)
        client.wait(client.post("/arrays/tank:force-start", {"confirm": "tank"}))
        wait_until("the host's path is there", lambda: serving(client) and host.is_connected(target), deadline_s=300)
        assert host.verify_logged(device, SEED, spoilt=IN_A_ROW) > 20
        client.patch("/arrays/tank", {"sync_speed_max_bytes_s": None})
        wait_until("it is whole again", lambda: tank(client)["health"] == "clean", deadline_s=300)
        assert host.verify_logged(device, SEED, spoilt=IN_A_ROW) > 20


def test_a_dirty_degraded_array_is_started_only_by_force() -> None:
    machine = Uml("dirty", disks=7, disk_mib=96)
    with appliance(machine) as made, KernelInitiator("dirty-host") as host:
        client, disks = made.client, made.disk_ids("ubd")
        target = stand(made, "raid6", disks[:4])
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        host.login(target, portal, IQN, replacement_timeout_s=600)
        other = stand_alongside(client, disks[5:])
        fill(host, other, portal)
        device = host.devices(target, expected=1)[1]
        loses_a_disk(made, host, device, disks, "degraded")

        machine.start()
        made.wait_for_api()
        wait_until("it stays stopped", lambda: (tank(client)["observed"] or {}).get("dirty_degraded"), deadline_s=120)
        assert tank(client)["health"] == "missing"
        wait_until("an alert says so", lambda: any("dirty" in one["message"] for one in client.list("/alerts")), 120)
        assert not serving(client)
        gets_what_is_there(client, host, other, portal)
        assert client.get("/hosts/writer")["export"]["state"] == "blocked", "who has no deadline waits"
        with pytest.raises(Refused):
            client.post("/arrays/tank:force-start", {"confirm": "another"})

        client.wait(client.post("/arrays/tank:force-start", {"confirm": "tank"}))
        assert tank(client)["health"] == "degraded"
        gets_what_comes_late(client, host, other)
        wait_until("the host's path is there", lambda: serving(client) and host.is_connected(target), deadline_s=300)
        assert host.verify_logged(device, SEED, spoilt=IN_A_ROW) > 20
        host.start_logged_writer(device, SEED + 1, 256, 60)
        wait_until("the host writes again", lambda: host.acknowledged(device, SEED + 1) > 20)
        host.stop_logged_writer(device, SEED + 1)
        assert host.verify_logged(device, SEED + 1) > 0
        client.wait(client.post("/arrays/tank:replace", {"disk": disks[1], "new": disks[4]}))
        wait_until("it is whole again", lambda: tank(client)["health"] == "clean", deadline_s=300)
