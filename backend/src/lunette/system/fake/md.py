"""The kernel's md driver: running arrays. Superblocks lie on the members (media.py) and outlive every array."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from lunette.system.fake.block import Blocks, Device, FakeDisk
from lunette.system.fake.media import MD_OFFSET, Geometry, Media, Superblock

SYNC_SECONDS = 30.0
"""How long a whole resync takes on the fake clock."""


@dataclass
class Member:
    """One slot of a running array."""

    disk: FakeDisk
    superblock: Superblock
    is_faulty: bool = False


@dataclass
class RunningArray:
    """An array the kernel runs. `members` by slot; a missing slot has none."""

    kernel_name: str
    geometry: Geometry
    members: dict[int, Member]
    media: Media
    is_active: bool = False
    """False between the assembly of its members and its start: it holds them, and has no size."""
    sync_action: str = "idle"
    sync_started: float = 0.0
    overrides: dict[str, str] = field(default_factory=dict)
    """What was written to its sysfs attributes."""

    def working(self) -> list[Member]:
        return [member for member in self.members.values() if not member.is_faulty]

    def in_sync(self) -> int:
        return sum(member.superblock.in_sync for member in self.working())

    def degraded(self) -> int:
        return self.geometry.raid_disks - self.in_sync()

    def has_failed(self) -> bool:
        """True if too many members are gone for it to work."""
        return not enough(
            self.geometry, {s for s, m in self.members.items() if not m.is_faulty and m.superblock.in_sync}
        )

    def progress(self, now: float) -> float:
        """The share of a running resync that is done, 0 to 1."""
        return 1.0 if self.sync_action == "idle" else min(1.0, (now - self.sync_started) / SYNC_SECONDS)


def enough(geometry: Geometry, slots: set[int]) -> bool:
    """True if members in these slots are enough to run the array (raid10 with two copies: one of each pair)."""
    if geometry.level == "raid10":
        pairs = range(0, geometry.raid_disks - 1, 2)
        return all(slot in slots or slot + 1 in slots for slot in pairs) and len(slots) * 2 >= geometry.raid_disks
    return geometry.raid_disks - len(slots) <= geometry.survives()


class Md:
    """All arrays that run now."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.arrays: dict[str, RunningArray] = {}

    def reboot(self) -> None:
        self.arrays.clear()

    def by_uuid(self, digits: str) -> RunningArray | None:
        return next((a for a in self.arrays.values() if a.geometry.uuid == digits), None)

    def write_superblocks(
        self, geometry: Geometry, disks: list[FakeDisk], half_way: Callable[[], None], *, force: bool
    ) -> None:
        """Make members of these disks, in the order of slots. `half_way` is called between the first two."""
        alive = frozenset(range(geometry.raid_disks))
        for slot, disk in enumerate(disks):
            disk.media.signatures = [s for s in disk.media.signatures if s.offset != MD_OFFSET]
            disk.media.superblock = Superblock(geometry, slot, uuid.uuid4().hex, alive=alive)
            if slot == 0:
                half_way()
        last = disks[-1].media.superblock
        if geometry.level == "raid5" and last and not force:
            last.in_sync = False  # mdadm builds the last member's parity as if it were a spare

    def start(
        self, geometry: Geometry, members: dict[int, FakeDisk], now: float, half_way: Callable[[], None]
    ) -> RunningArray:
        """Run an array from members whose superblocks say so. `half_way`: the members are bound, nothing runs yet."""
        name = next(f"md{number}" for number in range(127, 0, -1) if f"md{number}" not in self.arrays)
        found = {s: Member(disk, disk.media.superblock) for s, disk in sorted(members.items()) if disk.media.superblock}
        media = self._media(geometry, [member.disk for member in found.values()])
        array = RunningArray(name, geometry, found, media)
        self.arrays[name] = array
        short = geometry.name.rpartition(":")[2]
        names = (f"md-uuid-{geometry.colons()}", f"md-name-{geometry.name}")
        links = [f"/dev/md/{short}", *(f"/dev/disk/by-id/{name}" for name in names)]
        below = [member.disk.kernel_name for member in found.values()]
        self._blocks.stacked[name] = Device(name, "md", 0, [], below)
        half_way()
        array.is_active = True
        self._blocks.stacked[name] = Device(name, "md", geometry.size_kib() * 1024, links, below, media)
        self._record(array)
        if array.degraded() and any(not m.superblock.in_sync for m in array.working()):
            array.sync_action, array.sync_started = "recover", now
        elif geometry.level != "raid0" and not any(m.superblock.array_in_sync for m in array.working()):
            array.sync_action, array.sync_started = "resync", now
        return array

    def _media(self, geometry: Geometry, disks: list[FakeDisk]) -> Media:
        """The data area these disks show under this geometry: the one they had before, or a new one."""
        key: tuple[object, ...] = (geometry.level, geometry.chunk_kib, geometry.raid_disks)
        known: list[Media] = [d.media.below[key] for d in disks if key in d.media.below]
        same = known and all(media is known[0] for media in known) and len(known) == len(disks)
        media = known[0] if same else Media(geometry.size_kib() * 1024)
        for disk in disks:
            disk.media.below[key] = media
        return media

    def stop(self, array: RunningArray) -> None:
        """Forget a running array. The caller made sure that nobody holds it."""
        del self.arrays[array.kernel_name]
        del self._blocks.stacked[array.kernel_name]

    def lose(self, disk: FakeDisk) -> None:
        """A member went away: md marks it faulty and writes the loss to the others' superblocks."""
        for array in self.arrays.values():
            for slot, member in list(array.members.items()):
                if member.disk is disk:
                    if array.geometry.survives() and not array.has_failed():
                        del array.members[slot]
                        self._blocks.stacked[array.kernel_name].below.remove(disk.kernel_name)
                        self._record(array)
                    else:
                        member.is_faulty = True
                    if array.has_failed():
                        array.sync_action = "idle"

    def _record(self, array: RunningArray) -> None:
        """Count an event in the superblocks of the working members: who misses one is stale at the next assembly."""
        events = max((member.superblock.events for member in array.working()), default=0) + 1
        for member in array.working():
            member.superblock.events = events
            member.superblock.alive = frozenset(slot for slot, m in array.members.items() if not m.is_faulty)

    def tick(self, now: float) -> None:
        """Finish the resyncs whose time is over."""
        for array in self.arrays.values():
            if array.is_active and array.sync_action != "idle" and array.progress(now) >= 1.0:
                array.sync_action = "idle"
                for member in array.working():
                    member.superblock.in_sync = member.superblock.array_in_sync = True
                self._record(array)
