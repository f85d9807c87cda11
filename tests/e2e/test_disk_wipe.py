"""A drive erases itself on a whole appliance: QEMU's NVMe controller carries Format NVM out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lunette.client import Refused
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.machines.qemu import Qemu
from tests.machines.qemu_command import Wiring

PATTERN = "lunette-was-here"
PLACES = (0, 1, 40, 100)
"""MiB at which the pattern is written."""
pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(900)]
PATIENCE_S = 240.0


@pytest.fixture(scope="module")
def made() -> Iterator[Appliance]:
    with appliance(Qemu("disk-wipe", nvme=3, disk_mib=128, cpus=1)) as standing:
        yield standing


def write(made: Appliance, disk_id: str) -> None:
    for place in PLACES:
        made.machine.check(
            f"echo {PATTERN} | dd of=/dev/disk/by-id/{disk_id} bs=1M seek={place} conv=notrunc,fsync status=none"
        )


def count(made: Appliance, disk_id: str) -> int:
    """How often the pattern is on the disk, read past the cache. Raises MachineError where it cannot be read whole."""
    read = f"dd if=/dev/disk/by-id/{disk_id} bs=1M iflag=direct status=none"
    counted = f"grep -a -c {PATTERN} || test $? = 1"
    return int(made.machine.check(f"set -o pipefail; {read} | {{ {counted}; }}", timeout_s=PATIENCE_S))


def test_a_drive_erases_itself_and_its_neighbour_keeps_every_byte(made: Appliance) -> None:
    client = made.client
    first, second, third = made.disk_ids("nvme")
    for disk_id in (first, second):
        write(made, disk_id)
    made.machine.check(f"mkfs.ext4 -q -F /dev/disk/by-id/{third}")
    assert (count(made, first), count(made, second)) == (len(PLACES), len(PLACES))
    wait_until("they are read", lambda: len(list(client.list("/disks", health="ok"))) == 3, deadline_s=PATIENCE_S)
    serial = client.get(f"/disks/{first}")["serial"]
    body = {"method": "format", "confirm": serial}
    plan = client.post(f"/disks/{first}:wipe", body, dry_run=True)
    assert plan["steps"][0]["kind"] == "disk.erase"
    assert count(made, first) == len(PLACES), "a plan changes nothing"
    for _ in range(2):
        job = client.wait(client.post(f"/disks/{first}:wipe", body), deadline_s=PATIENCE_S)
        assert job["state"] == "succeeded", job
    assert (count(made, first), count(made, second)) == (0, len(PLACES))
    body = {"method": "signatures", "confirm": client.get(f"/disks/{third}")["serial"]}
    assert client.get(f"/disks/{third}")["state"] == "occupied"
    job = client.wait(client.post(f"/disks/{third}:wipe", body), deadline_s=PATIENCE_S)
    assert job["state"] == "succeeded", job
    wait_until("it is blank", lambda: client.get(f"/disks/{third}")["state"] == "free")


def test_a_namespace_is_erased_alongside_one_that_is_in_use() -> None:
    """Three namespaces of one controller: two carry an array, the third is formatted, and no byte of theirs changes."""
    with appliance(Qemu("disk-ns", nvme=3, disk_mib=128, cpus=1, wiring=Wiring(namespaces=True))) as made:
        client = made.client
        wait_until("all are read", lambda: len(list(client.list("/disks", health="ok"))) == 3, deadline_s=PATIENCE_S)
        found = [disk for disk in client.list("/disks") if disk["transport"] == "nvme"]
        first, second, third = sorted(disk["id"] for disk in found)
        assert len({disk["serial"] for disk in found}) == 1
        body = {"name": "tank", "level": "raid1", "disks": [second, third]}
        client.wait(client.post("/arrays", body), deadline_s=PATIENCE_S)
        client.wait(
            client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 64 << 20}), deadline_s=PATIENCE_S
        )
        volume = made.machine.check("lvs --noheadings -o lv_path @lunette | grep /v | head -n 1").strip()
        made.machine.check(f"dd if=/dev/urandom of={volume} bs=1M count=32 oflag=direct status=none")
        held = made.machine.check(f"sha256sum {volume}")
        write(made, first)
        wipe = {"method": "format", "confirm": client.get(f"/disks/{first}")["serial"]}
        for used in (second, third):
            with pytest.raises(Refused):
                client.post(f"/disks/{used}:wipe", wipe)
        job = client.wait(client.post(f"/disks/{first}:wipe", wipe), deadline_s=PATIENCE_S)
        assert job["state"] == "succeeded", job
        assert count(made, first) == 0
        assert made.machine.check(f"echo 3 >/proc/sys/vm/drop_caches; sha256sum {volume}") == held
        assert client.get("/arrays/tank")["health"] in ("clean", "resyncing")
        with pytest.raises(Refused):
            client.post(f"/disks/{first}:wipe", {**wipe, "method": "sanitize_block"})
