"""The kernel's md driver: running arrays. Superblocks lie on the members (media.py) and outlive every array."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from backend.tests.fakemachine.block.devices import Blocks, Device, FakeDisk
from backend.tests.fakemachine.block.media import MD_OFFSET, Geometry, Media, Superblock

SYNC_SECONDS = 30.0
"""How long a whole resync takes on the fake clock."""


@dataclass
class Member:
    """A disk of a running array."""

    disk: FakeDisk
    superblock: Superblock
    is_faulty: bool = False
    is_wanted_out: bool = False
    """`want_replacement`: a spare is to be filled for it."""

    def mark(self, word: str) -> None:
        """What is written to its `state`: want_replacement or writemostly, with a minus to take it away."""
        if word.removeprefix("-") == "writemostly":
            self.superblock.write_mostly = not word.startswith("-")
        else:
            self.is_wanted_out = not word.startswith("-")


@dataclass
class RunningArray:
    """An array the kernel runs. `members` by slot; a missing slot has none."""

    kernel_name: str
    geometry: Geometry
    members: dict[int, Member]
    media: Media
    auxiliary: list[Member] = field(default_factory=list)
    """Spares, and faulty disks that have left their slots."""
    replacements: dict[int, Member] = field(default_factory=dict)
    """Disks that are filled for slots whose disks still work."""
    is_active: bool = False
    """False between the assembly of its members and its start: it holds them, and has no size."""
    sync_action: str = "idle"
    sync_started: float = 0.0
    last_sync: str = "none"
    is_read_auto: bool = False
    """`mdadm -If` leaves an idle array so: nothing is rebuilt until it is written to."""
    is_read_only: bool = False
    """Nothing is written to it, not even its superblocks."""
    is_frozen: bool = False
    """mdadm works on it, or was killed while it did: nothing is filled meanwhile."""
    is_cut_reshape: bool = False
    """A boot came between: the kernel calls the rest a resync and does not show the size at its end (Linux 7.2)."""
    overrides: dict[str, str] = field(default_factory=dict)
    """What was written to its sysfs attributes."""

    def change_geometry(self, geometry: Geometry) -> None:
        """Write another geometry to the superblock of every working disk and spare."""
        self.geometry = geometry
        for member in self.bound():
            if not member.is_faulty:
                member.superblock.geometry = geometry

    def bound(self) -> list[Member]:
        """Every disk the array holds."""
        return [*self.members.values(), *self.replacements.values(), *self.auxiliary]

    def working(self) -> list[Member]:
        return [member for member in self.members.values() if not member.is_faulty]

    def free_slot(self) -> int | None:
        return next((slot for slot in range(self.geometry.raid_disks) if slot not in self.members), None)

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


def _key(geometry: Geometry) -> tuple[object, ...]:
    """What decides where the data of an array lie on its disks."""
    return geometry.level, geometry.chunk_kib, geometry.raid_disks, geometry.layout


def enough(geometry: Geometry, slots: set[int]) -> bool:
    """True if members in these slots are enough to run the array (raid10: one of each chunk's copies)."""
    if geometry.level == "raid10":
        firsts = range(0, geometry.raid_disks * geometry.near(), geometry.near())
        return all(
            any((first + copy) % geometry.raid_disks in slots for copy in range(geometry.copies())) for first in firsts
        )
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
        """Make members of these disks, in the order of slots, and spares of those that are left.

        `half_way` is called between the first two.
        """
        alive = frozenset(range(geometry.raid_disks))
        for number, disk in enumerate(disks):
            slot = number if number < geometry.raid_disks else None
            disk.media.signatures = [s for s in disk.media.signatures if s.offset != MD_OFFSET]
            disk.media.superblock = Superblock(geometry, slot, uuid.uuid4().hex, alive=alive)
            if number == 0:
                half_way()
        last = disks[geometry.raid_disks - 1].media.superblock
        if geometry.level in ("raid4", "raid5") and last and not force:
            last.in_sync = False  # mdadm builds the last member's parity as if it were a spare

    def start(
        self,
        geometry: Geometry,
        disks: list[FakeDisk],
        now: float,
        half_way: Callable[[], None],
        *,
        read_only: bool = False,
    ) -> RunningArray:
        """Run an array from disks whose superblocks say so. `half_way`: they are bound, nothing runs yet."""
        name = next(f"md{number}" for number in range(127, 0, -1) if f"md{number}" not in self.arrays)
        bound = [Member(disk, disk.media.superblock) for disk in disks if disk.media.superblock]
        slots = [(m.superblock.slot, m) for m in bound if m.superblock.slot is not None]
        found = {slot: m for slot, m in slots if not m.superblock.is_replacement}
        media = self._media(geometry, [member.disk for _, member in sorted(found.items())])
        array = RunningArray(name, geometry, dict(sorted(found.items())), media)
        array.replacements = {slot: m for slot, m in slots if m.superblock.is_replacement}
        array.auxiliary = [member for member in bound if member.superblock.slot is None]
        self.arrays[name] = array
        short = geometry.name.rpartition(":")[2]
        names = (f"md-uuid-{geometry.colons()}", f"md-name-{geometry.name}")
        links = [f"/dev/md/{short}", *(f"/dev/disk/by-id/{name}" for name in names)]
        below = [member.disk.kernel_name for member in array.bound()]
        self._blocks.stacked[name] = Device(name, "md", 0, [], below)
        half_way()
        array.is_active = True
        for member in array.working():
            member.superblock.array_in_sync &= member.superblock.is_clean
            member.superblock.is_clean = True
        self._blocks.stacked[name] = Device(name, "md", geometry.size_kib() * 1024, links, below, media)
        array.is_read_only = read_only
        self._record(array)
        self._go_on(array, now)
        return array

    def write_again(self, array: RunningArray, now: float) -> None:
        """`mdadm --readwrite`: what was not done because nothing could be written begins."""
        array.is_read_only = False
        self._record(array)
        self._go_on(array, now)

    def _go_on(self, array: RunningArray, now: float) -> None:
        geometry = array.geometry
        if array.is_read_only:
            return
        if geometry.reshape_from is not None:
            array.is_read_auto = True  # Debian's start_ro: the kernel continues at the first write
            array.is_cut_reshape = True
        elif array.replacements or (array.degraded() and any(not m.superblock.in_sync for m in array.working())):
            array.sync_action, array.sync_started = "recover", now
        elif self.recover(array, now):
            pass
        elif geometry.level != "raid0" and not any(m.superblock.array_in_sync for m in array.working()):
            array.sync_action, array.sync_started = "resync", now

    def _media(self, geometry: Geometry, disks: list[FakeDisk]) -> Media:
        """The data area these disks show under this geometry: the one they had before, or a new one."""
        key = _key(geometry)
        known: list[Media] = [d.media.below[key] for d in disks if key in d.media.below]
        same = known and all(media is known[0] for media in known) and len(known) == len(disks)
        media = known[0] if same else Media(geometry.size_kib() * 1024)
        for disk in disks:
            disk.media.below[key] = media
        return media

    def cut_while_written(self) -> None:
        """The power is about to go while every array is being written to."""
        for array in self.arrays.values():
            for member in array.working():
                member.superblock.is_clean = False

    def stop(self, array: RunningArray) -> None:
        """Forget a running array. The caller has made sure that it is not in use."""
        del self.arrays[array.kernel_name]
        del self._blocks.stacked[array.kernel_name]

    def lose(self, disk: FakeDisk, now: float) -> None:
        """A disk went away: udev lets md mark it faulty and let it go, and a spare takes its place."""
        for array in self.arrays.values():
            member = next((m for m in array.bound() if m.disk is disk), None)
            if member is None:
                continue
            needed = member in array.members.values() and member.superblock.in_sync
            if needed and (not array.geometry.survives() or array.has_failed()):
                member.is_faulty = True
            else:
                array.is_read_auto = array.sync_action == "idle"
                self.fail(array, member, now)
                self.let_go(array, member)
            if array.has_failed():
                array.sync_action = "idle"

    def fail(self, array: RunningArray, member: Member, now: float) -> None:
        """Mark a disk faulty. It leaves its slot, the loss is written to the others, and a spare is filled for it."""
        member.is_faulty = True
        array.members = {slot: m for slot, m in array.members.items() if m is not member}
        array.replacements = {slot: m for slot, m in array.replacements.items() if m is not member}
        if member not in array.auxiliary:
            array.auxiliary.append(member)
        for slot, relief in list(array.replacements.items()):
            if slot not in array.members:  # what it relieved is lost: it is filled from the others now
                array.members[slot] = array.replacements.pop(slot)
                relief.superblock.is_replacement = False
        if array.sync_action == "recover" and all(m.superblock.in_sync for m in array.working()):
            array.sync_action = "idle"
        self._record(array)
        self.recover(array, now)

    def let_go(self, array: RunningArray, member: Member) -> None:
        """Forget a disk that is faulty or a spare."""
        array.auxiliary.remove(member)
        self._blocks.stacked[array.kernel_name].below.remove(member.disk.kernel_name)

    def join(self, array: RunningArray, disk: FakeDisk, now: float, half_way: Callable[[], None]) -> None:
        """A blank disk becomes a spare; if a slot is free it is filled at once. `half_way`: only its superblock is."""
        disk.media.signatures = [s for s in disk.media.signatures if s.offset != MD_OFFSET]
        events = max((m.superblock.events for m in array.working()), default=0)
        disk.media.superblock = Superblock(array.geometry, None, uuid.uuid4().hex, events=events)
        half_way()
        array.is_read_auto = False
        self._bind(array, Member(disk, disk.media.superblock))
        self._record(array)
        self.recover(array, now)

    def rejoin(self, array: RunningArray, disk: FakeDisk, now: float) -> bool:
        """A member that left comes back to its slot, quickly where a bitmap tells what changed. False if it cannot."""
        superblock = disk.media.superblock
        if superblock is None or superblock.geometry.uuid != array.geometry.uuid or superblock.slot is None:
            return False
        if superblock.slot in array.members or array.sync_action == "reshape":
            return False
        member = Member(disk, superblock)
        array.is_read_auto = False
        self._bind(array, member)
        array.auxiliary.remove(member)
        array.members[superblock.slot] = member
        superblock.in_sync = False
        known = 0.9 if array.geometry.policy == "bitmap" else 0.0
        array.sync_action, array.sync_started = "recover", now - SYNC_SECONDS * known
        self._record(array)
        return True

    def _bind(self, array: RunningArray, member: Member) -> None:
        array.auxiliary.append(member)
        self._blocks.stacked[array.kernel_name].below.append(member.disk.kernel_name)
        member.disk.media.below[_key(array.geometry)] = array.media

    def recover(self, array: RunningArray, now: float) -> bool:
        """Go on with a reshape, or begin to fill a spare, for a free slot or for a disk that is wanted out.

        False if there is nothing to do.
        """
        spare = next((m for m in array.auxiliary if not m.is_faulty), None)
        worn = next((s for s, m in array.members.items() if m.is_wanted_out and s not in array.replacements), None)
        if array.has_failed() or array.is_read_auto or array.is_read_only or array.is_frozen:
            return False
        if array.geometry.reshape_from is not None and array.sync_action == "idle":
            array.sync_action, array.sync_started = "reshape", now
            return True
        if spare is None or array.sync_action in ("resync", "reshape"):
            return False
        slot = array.free_slot()
        if slot is not None:
            array.members[slot] = spare
            spare.superblock.slot = slot
        elif worn is not None:
            array.replacements[worn] = spare
            spare.superblock.slot, spare.superblock.is_replacement = worn, True
        else:
            return False
        array.auxiliary.remove(spare)
        spare.superblock.in_sync = False
        array.sync_action, array.sync_started = "recover", now
        self._record(array)
        return True

    def widen(self, array: RunningArray, geometry: Geometry, now: float) -> None:
        """It gets free slots, which are filled from the others: more copies, or the second parity of a raid6."""
        array.change_geometry(geometry)
        self._lay_out(array)
        array.is_frozen = False
        while self.recover(array, now):
            pass

    def reshape(self, array: RunningArray, geometry: Geometry, data_offset: int, now: float) -> None:
        """Spares become members at once, and a reshape starts; the data begins at another offset from now on."""
        before = array.geometry.raid_disks
        array.change_geometry(replace(geometry, reshape_from=before))
        for slot in range(before, geometry.raid_disks):
            spare = next(member for member in array.auxiliary if not member.is_faulty)
            array.auxiliary.remove(spare)
            array.members[slot] = spare
            spare.superblock.slot, spare.superblock.in_sync = slot, True
        for member in array.bound():
            member.superblock.data_offset = data_offset
            member.superblock.array_in_sync = True
        self._lay_out(array)
        array.sync_action, array.sync_started = "reshape", now
        self._record(array)

    def _lay_out(self, array: RunningArray) -> None:
        """From now on the data lie on its disks as the geometry says, and as before they are not found any more."""
        for member in array.bound():
            below = {key: media for key, media in member.disk.media.below.items() if media is not array.media}
            member.disk.media.below = below | {_key(array.geometry): array.media}

    def _end_reshape(self, array: RunningArray) -> None:
        array.change_geometry(replace(array.geometry, reshape_from=None))
        array.media.size_bytes = array.geometry.size_kib() * 1024
        if not array.is_cut_reshape:
            self.show_size(array)

    def show_size(self, array: RunningArray) -> None:
        """The device gets the size that its geometry gives."""
        array.is_cut_reshape = False
        self._blocks.stacked[array.kernel_name].size_bytes = array.media.size_bytes

    def relieve(self, array: RunningArray, worn: Member, spare: Member, now: float) -> None:
        """Fill this spare for a disk that works: `mdadm --replace --with`."""
        worn.is_wanted_out = True
        array.auxiliary.sort(key=lambda member: member is not spare)
        self.recover(array, now)

    def _record(self, array: RunningArray) -> None:
        """Count an event in the superblocks of the working members: who misses one is stale at the next assembly."""
        if array.is_read_only:
            return
        events = max((member.superblock.events for member in array.working()), default=0) + 1
        spares = [member for member in array.auxiliary if not member.is_faulty]
        for member in [*array.working(), *array.replacements.values(), *spares]:
            member.superblock.events = events
            member.superblock.alive = frozenset(slot for slot, m in array.members.items() if not m.is_faulty)

    def tick(self, now: float) -> bool:
        """Finish the resyncs whose time is over. True if there was one."""
        finished = False
        for array in self.arrays.values():
            if array.is_active and array.sync_action != "idle" and array.progress(now) >= 1.0:
                finished = True
                array.last_sync, array.sync_action = array.sync_action, "idle"
                if array.last_sync == "reshape":
                    self._end_reshape(array)
                for member in array.working():
                    member.superblock.in_sync = member.superblock.array_in_sync = True
                self._exchange(array)
                self._record(array)
                self.recover(array, now)
        return finished

    def _exchange(self, array: RunningArray) -> None:
        """A filled replacement takes the slot of the disk it replaces, and that disk becomes faulty."""
        for slot, relief in list(array.replacements.items()):
            worn, array.members[slot] = array.members[slot], array.replacements.pop(slot)
            relief.superblock.in_sync = relief.superblock.array_in_sync = True
            relief.superblock.is_replacement = False
            worn.is_faulty, worn.is_wanted_out = True, False
            array.auxiliary.append(worn)
