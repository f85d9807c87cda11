"""A drive that two controllers see is one disk; drives that get other kernel names at a start are known all the same.

On QEMU: two virtio-scsi controllers in front of the same drives, with one serial and one WWN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from lunette.client import Client, JsonObject, Refused
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB
from tests.machines.qemu import Qemu
from tests.machines.qemu_command import Wiring

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(1500)]
PATIENCE_S = 240.0
MULTIPATH = "defaults {\n  find_multipaths yes\n  user_friendly_names no\n}\n"


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Iterator[tuple[Appliance, Qemu]]:
    machine = Qemu("disk-paths", nvme=0, scsi=4, disk_mib=192, cpus=1, wiring=Wiring(paths=request.param))
    with appliance(machine) as standing:
        yield standing, machine


def tank(client: Client) -> JsonObject:
    found: JsonObject = client.get("/arrays/tank")
    return found


def stand(client: Client, disks: list[str]) -> str:
    """A mirror that is whole, with a volume; the volume's id."""
    client.wait(client.post("/arrays", {"name": "tank", "level": "raid1", "disks": disks}), deadline_s=PATIENCE_S)
    client.wait(
        client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 32 * MIB}), deadline_s=PATIENCE_S
    )
    wait_until("the first resync is over", lambda: is_whole(client), deadline_s=PATIENCE_S)
    return str(client.get("/volumes/lun")["id"])


def is_whole(client: Client) -> bool:
    return bool(tank(client)["health"] == "clean" and not tank(client)["observed"]["progress"])


def content(made: Appliance) -> str:
    """What the volume holds."""
    return made.machine.check(
        "lvs --noheadings -o lv_path @lunette | grep /v | head -n 1 | xargs -n 1 sha256sum"
    ).split()[0]


def fill(made: Appliance) -> str:
    path = made.machine.check("lvs --noheadings -o lv_path @lunette | grep /v | head -n 1").strip()
    made.machine.check(f"dd if=/dev/urandom of={path} bs=1M count=16 oflag=direct conv=notrunc,fsync status=none")
    return content(made)


@pytest.mark.parametrize("made", [2], indirect=True)
def test_a_drive_on_two_paths_is_one_disk_and_its_second_path_is_never_written(made: tuple[Appliance, Qemu]) -> None:
    standing, machine = made
    client = standing.client
    drives: dict[str, list[JsonObject]] = {}
    for disk in client.list("/disks"):
        drives.setdefault(disk["serial"], []).append(disk)
    for drive in machine.disks:
        first, second = sorted(drives[drive.serial], key=lambda one: one["state"] != "free")
        assert (first["state"], len(first["observed"]["paths"])) == ("free", 2)
        assert second["state"] == "occupied"
        assert f"second path of disk {first['id']}" in second["occupied_by"], second
        with pytest.raises(Refused, match="second path"):
            client.post("/arrays", {"name": "both", "level": "raid1", "disks": [first["id"], second["id"]]})
    ids = [min(drives[drive.serial], key=lambda one: one["state"] != "free")["id"] for drive in machine.disks]
    stand(client, ids[:2])
    before = fill(standing)
    with pytest.raises(Refused):
        client.post(f"/disks/{ids[0]}:wipe", {"method": "signatures", "confirm": machine.disks[0].serial})
    device = client.get(f"/disks/{ids[0]}")["observed"]["device"].removeprefix("/dev/")
    controller = machine.check(f"readlink -f /sys/block/{device}/device").split("/host")[0]
    first_controller = machine.check("ls -d /sys/bus/pci/drivers/virtio-pci/*/virtio*/host* | sort | head -n 1")
    used = 0 if controller.rsplit("/", 1)[-1] in first_controller else 1
    machine.pull(machine.disks[0].serial, used)
    wait_until("the array lost its path", lambda: tank(client)["health"] == "degraded", deadline_s=PATIENCE_S)
    wait_until("the disk is there over the other", lambda: there(client, ids[0]), deadline_s=PATIENCE_S)
    assert content(standing) == before
    client.wait(client.post("/arrays/tank:readd", {"disk": ids[0]}), deadline_s=PATIENCE_S)
    wait_until("it is whole again", lambda: is_whole(client), deadline_s=PATIENCE_S)
    assert content(standing) == before


def there(client: Client, disk_id: str) -> bool:
    """Whether the disk is reached over one path."""
    found = [disk["observed"] for disk in client.list("/disks") if disk["id"] == disk_id]
    return [len(one["paths"]) for one in found if one] == [1]


@pytest.mark.parametrize("made", [2], indirect=True)
def test_an_array_on_multipath_devices_goes_on_when_a_path_is_pulled(made: tuple[Appliance, Qemu]) -> None:
    standing, machine = made
    client = standing.client
    machine.check(f"printf '{MULTIPATH}' >/etc/multipath.conf; systemctl unmask multipathd.service multipathd.socket")
    machine.check(
        "modprobe dm-multipath; systemctl start multipathd.service; multipath -v1 || true", timeout_s=PATIENCE_S
    )
    wait_until(
        "each drive is one multipath device",
        lambda: (
            sum(
                len(disk["observed"]["paths"]) == 2 and "/dm-" in disk["observed"]["device"]
                for disk in client.list("/disks")
            )
            == 4
        ),
        deadline_s=PATIENCE_S,
    )
    ids = [disk["id"] for disk in client.list("/disks") if disk["state"] == "free"]
    assert len(ids) == 4
    stand(client, ids[:2])
    before = fill(standing)
    serial = client.get(f"/disks/{ids[0]}")["serial"]
    machine.pull(serial, 0)
    wait_until("one path is left", lambda: there(client, ids[0]), deadline_s=PATIENCE_S)
    assert tank(client)["health"] == "clean"
    assert content(standing) == before
    machine.insert(serial, 0)
    wait_until(
        "both are back", lambda: len(client.get(f"/disks/{ids[0]}")["observed"]["paths"]) == 2, deadline_s=PATIENCE_S
    )
    machine.pull(serial, 1)
    wait_until("the other is left", lambda: there(client, ids[0]), deadline_s=PATIENCE_S)
    assert (tank(client)["health"], content(standing)) == ("clean", before)


@pytest.mark.parametrize("made", [1], indirect=True)
def test_drives_whose_kernel_names_change_at_a_start_are_the_disks_they_were(made: tuple[Appliance, Qemu]) -> None:
    standing, machine = made
    client = standing.client
    ids = standing.disk_ids("scsi")
    stand(client, ids[:2])
    before = fill(standing)
    names = {disk["id"]: disk["observed"]["device"] for disk in client.list("/disks")}
    machine.stop()
    machine.wiring = replace(machine.wiring, reversed=True)
    machine.start()
    standing.wait_for_api()
    wait_until("the array is there", lambda: tank(client)["health"] == "clean", deadline_s=PATIENCE_S)
    now = {disk["id"]: disk["observed"]["device"] for disk in client.list("/disks")}
    assert set(now) == set(names)
    owners = {name: disk_id for disk_id, name in names.items()}
    assert any(owners[name] != disk_id for disk_id, name in now.items() if name in owners), (names, now)
    assert [member["disk_id"] for member in tank(client)["members"]] == ids[:2]
    assert content(standing) == before
    assert {disk["id"] for disk in client.list("/disks") if disk["state"] == "free"} == set(ids[2:])
