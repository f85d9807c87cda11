"""The life of an array of LVM RAID: a disk is pulled while a host writes, another takes its place, data verify.

On user-mode Linux, whose kernel has dm-raid and dm-integrity; the disks that are pulled are drives of scsi_debug.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import Client, JsonObject, Refused
from tests.e2e.waiting import slowness, wait_until
from tests.initiators.kernel import KernelInitiator
from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.model import Capability
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(1500), pytest.mark.slow]
IQN = "iqn.2026-01.com.example:writer"
OTHER = "iqn.2026-01.com.example:reader"
SEED, BLOCKS, PATTERN = 7, 2048, 0x5A
SEEN_S = 5.0
"""A lost disk is reported within this time."""
SPEED_LIMIT = "/proc/sys/dev/raid/speed_limit_max"
"""KiB/s for each device of every array of the kernel, dm-raid's too (Documentation/admin-guide/md.rst)."""


@dataclass
class Rig:
    """An appliance with drives that can be pulled, and three more that outlive a boot."""

    made: Appliance
    machine: Uml

    @property
    def client(self) -> Client:
        return self.made.client

    def array(self, name: str) -> JsonObject:
        found: JsonObject = self.client.get(f"/arrays/{name}")
        return found

    def is_whole(self, name: str) -> bool:
        found = self.array(name)
        return found["health"] == "clean" and not found["observed"]["progress"]

    def alerts(self, key: str) -> list[JsonObject]:
        return [one for one in self.client.list("/alerts", active="true") if one["key"].startswith(key)]

    def states(self, name: str) -> dict[str, str]:
        return {member["serial"]: member["state"] for member in self.array(name)["members"]}

    def serve(self, name: str, host: str, iqn: str, lun: int) -> str:
        """A volume of the array for a host; the host's target."""
        volume = f"{name}-lun"
        self.client.wait(self.client.post("/volumes", {"name": volume, "array": name, "size_bytes": 32 * MIB}))
        self.client.post("/hosts", {"name": host, "iqns": [iqn]})
        self.client.post("/mappings", {"volume": volume, "host": host, "lun": lun})
        wait_until("the mapping is served", lambda: all(m["state"] == "open" for m in self.client.list("/mappings")))
        return str(self.client.get(f"/hosts/{host}")["target_iqn"])

    def place(self, array: JsonObject, volume: str, image: int) -> int:
        """The byte of the disk below an image at which a volume of a mirror with checksums begins."""
        lv = str(self.client.get(f"/volumes/{volume}")["observed"]["device"])
        group = f"lunette-raid-{str(array['id']).replace('-', '')[:12]}"
        above = self.machine.check(f"dmsetup table {lv}").split()
        below = self.machine.check(f"dmsetup table {group.replace('-', '--')}-array_rimage_{image}_iorig").split()
        return (int(above[4]) + int(below[4])) * 512


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    machine = Uml("lvm-raid", disks=3, disk_mib=256, hot=3, hot_mib=128)
    machine.require(Capability.PULL)
    with appliance(machine) as made:
        made.client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        yield Rig(made, machine)


def test_a_mirror_with_checksums_repairs_itself_and_a_lost_disk_is_replaced_while_a_host_writes(rig: Rig) -> None:
    client, machine, ids = rig.client, rig.machine, rig.made.disk_ids("scsi")
    serials = [disk.serial for disk in machine.disks if disk.bus == "scsi"]
    spec = {"name": "safe", "engine": "lvm", "level": "raid1", "disks": ids[:2], "integrity": True}
    client.wait(client.post("/arrays", spec))
    assert rig.array("safe")["integrity"] is True
    wait_until("it is in sync, and its checksums are computed", lambda: rig.is_whole("safe"), deadline_s=300)
    target = rig.serve("safe", "writer", IQN, 1)
    with KernelInitiator("lvm-raid-host") as host:
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
        device = host.devices(target, expected=1)[1]
        host.start_logged_writer(device, SEED, BLOCKS, 1200)
        wait_until("the host writes", lambda: host.acknowledged(device, SEED) > BLOCKS)
        host.stop_logged_writer(device, SEED)

        _corrupt(rig, serials[0])
        client.wait(client.post("/arrays/safe:scrub", {"action": "check"}))
        wait_until("what was wrong is counted", lambda: _errors(rig) > 0, deadline_s=120)
        wait_until("the scrub is over", lambda: rig.is_whole("safe"), deadline_s=300)
        assert host.verify_logged(device, SEED) > 0
        counted = _errors(rig)
        client.wait(client.post("/arrays/safe:scrub", {"action": "check"}))
        wait_until("the second scrub is over", lambda: rig.is_whole("safe"), deadline_s=300)
        assert _errors(rig) == counted, "what was repaired is right now"

        host.start_logged_writer(device, SEED, BLOCKS, 1200)
        _pull_while_writing(rig, host, device, serials[1], ids[1])
        machine.check(f"echo 2000 >{SPEED_LIMIT}")
        client.wait(client.post("/arrays/safe:replace", {"disk": ids[1], "new": ids[2]}))
        wait_until("the disk is being filled", lambda: rig.states("safe").get(serials[2]) == "rebuilding")
        wait_until("with progress", lambda: rig.array("safe")["observed"]["progress"])
        machine.check(f"echo 200000 >{SPEED_LIMIT}")
        wait_until("redundancy is back", lambda: rig.is_whole("safe"), deadline_s=300)
        wait_until("nothing is missing", lambda: not rig.alerts("array."), deadline_s=60)
        assert set(rig.states("safe")) == {serials[0], serials[2]}
        host.stop_logged_writer(device, SEED)
        assert host.verify_logged(device, SEED) > 0
        host.logout(target)
    machine.insert(serials[1])
    _delete(rig, "safe", "writer")
    listed = {disk["serial"]: disk["state"] for disk in client.list("/disks")}
    assert (listed[serials[0]], listed[serials[2]]) == ("free", "free")


def test_raid5_comes_back_after_a_boot_with_its_disks_in_another_order(rig: Rig) -> None:
    client, machine, ids = rig.client, rig.machine, rig.made.disk_ids("ubd")
    client.wait(client.post("/arrays", {"name": "wide", "engine": "lvm", "level": "raid5", "disks": ids}))
    wait_until("it is in sync", lambda: rig.is_whole("wide"), deadline_s=300)
    target = rig.serve("wide", "reader", OTHER, 1)
    reader = LibiscsiInitiator(OTHER, "127.0.0.1", machine.forward(PORTAL_PORT))
    assert reader.write(target, 1, PATTERN, 16 * MIB).ok
    machine.check("sync")
    machine.attach_in_reverse()
    machine.reset()
    rig.made.wait_for_api()
    wait_until("the mapping is served", lambda: _is_open(rig, "wide-lun"), deadline_s=240)
    reader = LibiscsiInitiator(OTHER, "127.0.0.1", machine.forward(PORTAL_PORT))
    assert reader.verify(target, 1, PATTERN, 16 * MIB).ok
    with pytest.raises(Refused, match="needs all its disks"):
        client.act("/arrays/wide", "remove", {"disk": ids[0]})


def _is_open(rig: Rig, volume: str) -> bool:
    found = [one for one in rig.client.list("/mappings") if one["volume"] == volume]
    return bool(found) and all(one["state"] == "open" for one in found)


def _errors(rig: Rig) -> int:
    return int(rig.array("safe")["observed"]["mismatch_count"])


def _corrupt(rig: Rig, serial: str) -> None:
    """Writes nonsense on the disk, where the volume of the host begins, past LVM and the kernel's caches."""
    array = rig.array("safe")
    image = next(m["slot"] for m in array["members"] if m["serial"] == serial)
    start = rig.place(array, "safe-lun", int(image))
    path = rig.machine.disk(serial).path
    rig.machine.check("sync; echo 3 >/proc/sys/vm/drop_caches")
    rig.machine.check(f"dd if=/dev/urandom of={path} bs=4096 seek={start // 4096} count=64 oflag=direct conv=notrunc")


def _pull_while_writing(rig: Rig, host: KernelInitiator, device: str, serial: str, disk_id: str) -> None:
    before = host.acknowledged(device, SEED)
    wait_until("the host writes", lambda: host.acknowledged(device, SEED) > before + 50)
    slow = slowness()
    pulled_at = float(rig.machine.check("date +%s.%N"))
    rig.machine.pull(serial)
    (alert,) = wait_until("the loss is told", lambda: rig.alerts("array.health"), deadline_s=120, pause_s=0.2)
    took_s = dt.datetime.fromisoformat(alert["raised_at"]).timestamp() - pulled_at
    slow = max(slow, slowness())
    assert took_s < SEEN_S * slow, f"told {took_s:.1f} s after the disk was pulled, on processors {slow:.1f} times slow"
    wait_until("it names the disk", lambda: any(disk_id in a["message"] for a in rig.alerts("array.health")))
    assert rig.array("safe")["health"] == "degraded"
    after = host.acknowledged(device, SEED)
    wait_until("the host goes on writing", lambda: host.acknowledged(device, SEED) > after + 50, deadline_s=120)


def _delete(rig: Rig, name: str, host: str) -> None:
    client = rig.client
    for mapping in client.list("/mappings"):
        if mapping["volume"] == f"{name}-lun":
            client.delete(f"/mappings/{mapping['id']}", confirm=[f"{name}-lun"])
    client.delete(f"/hosts/{host}")
    client.wait(client.delete(f"/volumes/{name}-lun", confirm=[f"{name}-lun"]))
    client.wait(client.delete(f"/deleted-volumes/{name}-lun"))
    client.wait(client.delete(f"/arrays/{name}"))
