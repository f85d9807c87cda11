"""OpenZFS: what its labels say (they lie on partitions and outlive every reboot), and which pools are imported.

A pool's content is one object that the labels of all its members point to: the disks hold it together.
"""

import itertools
import random
from dataclasses import dataclass, field

from backend.tests.fakemachine.block.devices import Blocks, Device, FakeDisk, Partition
from backend.tests.fakemachine.block.media import FakeSignature, Media

KIB, MIB = 1024, 1024**2
SCAN_SECONDS = 30.0
"""How long a scrub or resilver takes on the fake clock."""
_SPARE = {"stripe": 0, "raidz1": 1, "raidz2": 2, "raidz3": 3, "draid1": 1, "draid2": 2, "draid3": 3}


@dataclass
class FakeZvolSnapshot:
    """A zvol as it was. `data` as in Media."""

    size_bytes: int
    properties: dict[str, str]
    data: dict[int, str]


@dataclass
class FakeZvol:
    """A zvol. `properties` are those that were set on it, `origin` the full name of the snapshot it is a clone of."""

    size_bytes: int
    is_thin: bool
    properties: dict[str, str]
    media: Media
    origin: str | None = None
    snapshots: dict[str, FakeZvolSnapshot] = field(default_factory=dict)
    """Oldest first."""


@dataclass
class AuxiliaryVdev:
    """An auxiliary vdev: class log, special, cache or spare; a mirror if it has several disks."""

    kind: str
    number: int
    """Of its name: mirror-2."""
    guids: list[int]

    @property
    def is_nameless(self) -> bool:
        """True if the labels of its disks name no pool."""
        return self.kind in ("cache", "spare")


@dataclass
class PoolData:
    """What the disks of a pool hold together. `slots` are the guids of its members, in order."""

    name: str
    guid: int
    level: str
    ashift: int
    slots: list[int]
    size_bytes: int
    properties: dict[str, str] = field(default_factory=dict)
    paths: dict[int, str] = field(default_factory=dict)
    """Where each member was when its label was written, or at the last import, by guid."""
    zvols: dict[str, FakeZvol] = field(default_factory=dict)
    distributed: list[str] = field(default_factory=list)
    """Names of the spares that lie on all disks of a dRAID."""
    distributed_in: dict[int, str] = field(default_factory=dict)
    """Those that stand in for a disk, by its slot."""
    spared: dict[int, int] = field(default_factory=dict)
    """Guids of the spares that stand in for a disk, by its slot."""
    replacing: dict[int, int] = field(default_factory=dict)
    """Guids of disks that are being filled, by the slot they will have."""
    auxiliary: list[AuxiliaryVdev] = field(default_factory=list)
    hostid: bytes = b""
    """Of the machine that had the pool last."""
    is_exported: bool = False
    is_whole: bool = False
    """False until the first transaction is written: before it nothing can be imported."""

    def survives(self) -> int:
        whole = {"mirror": len(self.slots) - 1, "raid10": len(self.slots) // 2}
        return whole[self.level] if self.level in whole else _SPARE[self.level.partition(":")[0]]

    def auxiliary_of(self, guid: int) -> AuxiliaryVdev | None:
        """The auxiliary vdev that a disk is in."""
        return next((vdev for vdev in self.auxiliary if guid in vdev.guids), None)

    def note_path(self, guid: int, disk: FakeDisk) -> None:
        self.paths[guid] = f"/dev/disk/by-id/{disk.links()[0]}-part1"

    def used_bytes(self) -> int:
        return sum(0 if zvol.is_thin else reservation(zvol.size_bytes) for zvol in self.zvols.values())


def reservation(size_bytes: int) -> int:
    """What a zvol of 16 KiB blocks reserves with its metadata: zvol_volsize_to_reservation (libzfs_dataset.c).

    An indirect block points to 1024 blocks of the level below, and all indirect blocks are stored twice.
    """
    blocks, indirect = size_bytes // (16 * KIB), 7
    while blocks > 1:
        blocks = -(-blocks // 1024)
        indirect += blocks
    return size_bytes + indirect * 2 * 128 * KIB


@dataclass
class ZfsLabel:
    """One member's label. `pool` and `guid` are as they were when it was written."""

    data: PoolData
    vdev_guid: int
    pool: str
    guid: int
    is_destroyed: bool = False


@dataclass
class Member:
    """A disk in an imported pool."""

    disk: FakeDisk
    label: ZfsLabel
    checksum_errors: int = 0


@dataclass
class ImportedPool:
    """A pool the kernel has now. `members` by slot; a missing slot has none."""

    data: PoolData
    members: dict[int, Member]
    filling: dict[int, Member] = field(default_factory=dict)
    """Disks that are being filled, by the slot they will have."""
    auxiliary: dict[int, Member] = field(default_factory=dict)
    """Disks of auxiliary vdevs, by guid; a missing disk has no entry."""
    auxiliary_filling: dict[int, Member] = field(default_factory=dict)
    """Disks that are being filled for one of those, by its guid."""
    given_up: set[int] = field(default_factory=set)
    """Slots whose disk had too many errors."""
    absent: set[int] = field(default_factory=set)
    """Slots whose disk was not there when it was imported."""
    is_suspended: bool = False
    """It lost more disks than it survives while it was in use: all I/O to it waits forever."""
    stepping_in: set[int] = field(default_factory=set)
    """Slots whose spare is being filled."""
    scan: str = ""
    """SCRUB or RESILVER, while it runs or when it was the last one."""
    scan_started: float = 0.0
    is_scanning: bool = False

    def stands_in(self, slot: int) -> bool:
        """True if a spare holds all that the disk in this slot held."""
        is_in = self.data.spared.get(slot) in self.auxiliary or slot in self.data.distributed_in
        return is_in and slot not in self.stepping_in

    def missing(self) -> int:
        return sum(slot not in self.members and not self.stands_in(slot) for slot in range(len(self.data.slots)))

    def data_state(self) -> str:
        """Of the vdev of its data disks: degraded as long as a disk is missing, also where a spare stands in for it."""
        if self.missing() > self.data.survives() or "UNAVAIL" in self.pair_states():
            return "UNAVAIL"
        return "DEGRADED" if len(self.members) < len(self.data.slots) else "ONLINE"

    def pair_states(self) -> list[str]:
        """Of each mirror of a pool that is made of several; none of any other."""
        if self.data.level != "raid10":
            return []
        away = [slot not in self.members and not self.stands_in(slot) for slot in range(len(self.data.slots))]
        states = ("ONLINE", "DEGRADED", "UNAVAIL")
        return [states[sum(away[at : at + 2])] for at in range(0, len(away), 2)]

    def lost(self, *kinds: str) -> list[AuxiliaryVdev]:
        """The vdevs of these kinds that have no disk left."""
        return [
            v for v in self.data.auxiliary if v.kind in kinds and not any(guid in self.auxiliary for guid in v.guids)
        ]

    def state(self) -> str:
        """Without a log it is degraded, without its special disks it is gone; a cache or a spare does not count."""
        if self.is_suspended:
            return "SUSPENDED"
        if self.lost("special"):
            return "UNAVAIL"
        counted = [guid for vdev in self.data.auxiliary if vdev.kind in ("log", "special") for guid in vdev.guids]
        is_short = any(guid not in self.auxiliary for guid in counted)
        return "DEGRADED" if is_short and self.data_state() == "ONLINE" else self.data_state()

    def everyone(self) -> list[Member]:
        """Every disk it holds."""
        found = (self.members, self.filling, self.auxiliary, self.auxiliary_filling)
        return [member for members in found for member in members.values()]


class Zfs:
    """All pools of the fake machine."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.imported: dict[str, ImportedPool] = {}
        self.lost_links = 0
        """How many creations will not find a partition they have just made."""
        self._numbers = itertools.count(0, 16)
        self.arc_max_option = 0
        """What an administrator's file in /etc/modprobe.d says of zfs_arc_max, in bytes."""
        self.arc_max = 0

    def reboot(self) -> None:
        self.imported.clear()
        self.arc_max = self.arc_max_option
        self._numbers = itertools.count(0, 16)

    def parameters(self) -> dict[str, str]:
        return {"zfs_arc_max": f"{self.arc_max}\n"}

    def write(self, path: str, text: str) -> bool:
        """False if the file is not of the module."""
        if path != "/sys/module/zfs/parameters/zfs_arc_max":
            return False
        self.arc_max = int(text)
        return True

    def partition(self, disk: FakeDisk) -> None:
        """Give a whole disk ZFS's two partitions."""
        disk.media.signatures = [FakeSignature("gpt", 512, usage="partition-table")]
        data = Partition(1, Media(disk.media.size_bytes - 10 * MIB), label=f"zfs-{random.getrandbits(64):016x}")
        disk.partitions = [data, Partition(9, Media(8 * MIB))]

    def label_of(self, disk: FakeDisk) -> ZfsLabel | None:
        part = next((part for part in disk.partitions if part.number == 1), None)
        return part.media.zfs if part else None

    def write_label(self, disk: FakeDisk, label: ZfsLabel) -> None:
        disk.partitions[0].media.zfs = label
        label.data.note_path(label.vdev_guid, disk)

    def start(self, data: PoolData, members: dict[int, FakeDisk], now: float) -> ImportedPool:
        """Import a pool from these disks by slot: it claims them, its zvols appear, its replacements continue."""
        found = {}
        for slot, disk in sorted(members.items()):
            label = self.label_of(disk)
            if label is not None:
                found[slot] = Member(disk, label)
                data.note_path(label.vdev_guid, disk)
                self._blocks.open_exclusively(f"/dev/{disk.partition_name(1)}", f"zfs {data.name}")
        pool = ImportedPool(data, found, absent=set(range(len(data.slots))) - found.keys())
        self.imported[data.name] = pool
        self._find_auxiliary(pool)
        for disk in self._blocks.disks:
            label = self.label_of(disk) if disk.is_present else None
            if label and label.data is data and label.vdev_guid in data.replacing.values():
                slot = next(slot for slot, guid in data.replacing.items() if guid == label.vdev_guid)
                self.fill(pool, slot, Member(disk, label), now)
        for name, zvol in data.zvols.items():
            self.show(data, name, zvol)
        return pool

    def _find_auxiliary(self, pool: ImportedPool) -> None:
        """The kernel opens the disks of auxiliary vdevs where its own record says that they are."""
        known = {guid for vdev in pool.data.auxiliary for guid in vdev.guids}
        for disk in self._blocks.disks:
            label = self.label_of(disk) if disk.is_present else None
            if label and label.data is pool.data and label.vdev_guid in known:
                self.join(pool, Member(disk, label))

    def join(self, pool: ImportedPool, member: Member) -> None:
        """A disk of an auxiliary vdev joins the pool."""
        self._blocks.open_exclusively(f"/dev/{member.disk.partition_name(1)}", f"zfs {pool.data.name}")
        pool.auxiliary[member.label.vdev_guid] = member

    def fill(self, pool: ImportedPool, slot: int, member: Member, now: float) -> None:
        """Start to fill a disk for a slot."""
        self._blocks.open_exclusively(f"/dev/{member.disk.partition_name(1)}", f"zfs {pool.data.name}")
        pool.data.replacing[slot] = member.label.vdev_guid
        pool.filling[slot] = member
        pool.scan, pool.scan_started, pool.is_scanning = "RESILVER", now, True

    def spare_in(self, pool: ImportedPool, slot: int, member: Member, now: float) -> None:
        """A spare is filled in the place of a lost disk; its label is that of a member from now on."""
        pool.data.spared[slot] = member.label.vdev_guid
        member.label.pool, member.label.guid = pool.data.name, pool.data.guid
        pool.stepping_in.add(slot)
        pool.scan, pool.scan_started, pool.is_scanning = "RESILVER", now, True

    def spare_back(self, pool: ImportedPool, slot: int) -> None:
        """The spare of a slot, if there is one, is available again."""
        pool.data.distributed_in.pop(slot, None)
        guid = pool.data.spared.pop(slot, None)
        if guid in pool.auxiliary:
            pool.auxiliary[guid].label.pool, pool.auxiliary[guid].label.guid = "", 0
        pool.stepping_in.discard(slot)

    def spare_stays(self, pool: ImportedPool, slot: int) -> None:
        """The disk of a slot is removed for good: its spare becomes a member."""
        if slot in pool.members:
            self.leave(pool, pool.members.pop(slot))
        guid = pool.data.spared.pop(slot)
        pool.data.slots[slot] = guid
        pool.data.auxiliary = [vdev for vdev in pool.data.auxiliary if vdev.guids != [guid]]
        pool.members[slot] = pool.auxiliary.pop(guid)

    def take_back(self, pool: ImportedPool, slot: int, member: Member, now: float) -> None:
        """A member is there again: what it missed is copied to it."""
        self._blocks.open_exclusively(f"/dev/{member.disk.partition_name(1)}", f"zfs {pool.data.name}")
        pool.members[slot] = member
        pool.absent.discard(slot)
        pool.scan, pool.scan_started, pool.is_scanning = "RESILVER", now, True

    def leave(self, pool: ImportedPool, member: Member) -> None:
        """The pool releases a disk; its label stays, marked as destroyed."""
        member.label.is_destroyed = True
        self._blocks.release(member.disk.partition_name(1), f"zfs {pool.data.name}")

    def show(self, data: PoolData, name: str, zvol: FakeZvol) -> None:
        """The zvol's device appears, unless it is to have none."""
        if zvol.properties.get("volmode") == "none":
            return
        kernel = f"zd{next(self._numbers)}"
        link = f"/dev/zvol/{data.name}/{name}"
        self._blocks.stacked[kernel] = Device(kernel, "zvol", zvol.size_bytes, [link], media=zvol.media)

    def follow_volmode(self, data: PoolData, name: str) -> None:
        """The zvol's device goes, or comes, as its volmode says by now. One that is open stays."""
        if not self.is_open(data, name):
            self.hide(data, name)
            self.show(data, name, data.zvols[name])

    def resize(self, data: PoolData, name: str, size_bytes: int) -> None:
        """The zvol has this size, and its device with it."""
        zvol = data.zvols[name]
        zvol.size_bytes = zvol.media.size_bytes = size_bytes
        device = self._blocks.find(f"/dev/zvol/{data.name}/{name}")
        if device:
            device.size_bytes = size_bytes

    def hide(self, data: PoolData, name: str) -> None:
        device = self._blocks.find(f"/dev/zvol/{data.name}/{name}")
        if device:
            del self._blocks.stacked[device.kernel_name]

    def is_open(self, data: PoolData, name: str) -> bool:
        device = self._blocks.find(f"/dev/zvol/{data.name}/{name}")
        return device is not None and self._blocks.is_open(device.kernel_name)

    def has_open_zvol(self, pool: ImportedPool) -> bool:
        return any(self.is_open(pool.data, name) for name in pool.data.zvols)

    def stop(self, pool: ImportedPool) -> None:
        """Forget an imported pool. The caller has made sure that none of its zvols is open."""
        for name in pool.data.zvols:
            self.hide(pool.data, name)
        for member in pool.everyone():
            self._blocks.release(member.disk.partition_name(1), f"zfs {pool.data.name}")
        del self.imported[pool.data.name]

    def lose(self, disk: FakeDisk) -> None:
        """A member went away; what it missed from now on makes it stale."""
        for pool in self.imported.values():
            for slot, member in list(pool.members.items()):
                if member.disk is disk:
                    self._blocks.release(disk.partition_name(1), f"zfs {pool.data.name}")
                    del pool.members[slot]
            for guid, member in list(pool.auxiliary.items()):
                if member.disk is disk:
                    self._blocks.release(disk.partition_name(1), f"zfs {pool.data.name}")
                    del pool.auxiliary[guid]

    def tick(self, now: float) -> bool:
        """Finish the scans whose time is over; whether any runs or ended."""
        running = [pool for pool in self.imported.values() if pool.is_scanning]
        for pool in running:
            if now - pool.scan_started >= SCAN_SECONDS:
                pool.is_scanning = False
                pool.stepping_in.clear()
                for slot, member in pool.filling.items():
                    if slot in pool.members:
                        self.leave(pool, pool.members[slot])
                    pool.members[slot], pool.data.slots[slot] = member, member.label.vdev_guid
                    self.spare_back(pool, slot)
                pool.filling.clear()
                pool.data.replacing.clear()
                self._end_auxiliary(pool)
        return bool(running)

    def _end_auxiliary(self, pool: ImportedPool) -> None:
        """Disks that were filled to replace one of an auxiliary vdev take its place."""
        for guid, member in pool.auxiliary_filling.items():
            vdev = pool.data.auxiliary_of(guid)
            if vdev is not None:
                if guid in pool.auxiliary:
                    self.leave(pool, pool.auxiliary.pop(guid))
                vdev.guids[vdev.guids.index(guid)] = member.label.vdev_guid
                pool.auxiliary[member.label.vdev_guid] = member
        pool.auxiliary_filling.clear()
