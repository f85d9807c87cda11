"""Parses the output of mdadm and sysfs into arrays. Pure, tested with recorded output."""

import re
from collections.abc import Mapping, Sequence

from lunette.domain.arrays import (
    ArrayEngine,
    ArrayState,
    Level,
    MemberRole,
    ObservedArray,
    ObservedMember,
    ScrubOutcome,
    SyncProgress,
    WriteHole,
)
from lunette.domain.base import Model
from lunette.providers.arrays.md import raid10
from lunette.providers.arrays.md.plan import survives_more, usable_bytes
from lunette.providers.arrays.md.superblock import MOST_DISKS, Superblock
from lunette.providers.arrays.md.values import first_number, number, shown
from lunette.providers.reading import reader

HOMEHOST = "lunette"
"""The mark in md's superblock: `name` is lunette:<md name>, which comes from plan.md_name. Arrays created by hand on a
machine of this name have other names. The UUIDs in Lunette's records decide which arrays belong to it.
"""
_MARK = re.compile(rf"{HOMEHOST}:a[0-9a-f]{{12}}")
SYSTEM_HOMEHOST = "lunette-system"
"""The mark of the mirrors that an installed appliance runs from. The installer creates them, the initrd starts them and
no step ever changes them: `is_marked` is False for them.
"""
RELEASED = "released"
"""Replaces Lunette's mark on a released array, which is then foreign to every appliance."""
_Q_LAST = {
    16: "left-asymmetric-6",
    17: "right-asymmetric-6",
    18: "left-symmetric-6",
    19: "right-symmetric-6",
    20: "parity-first-6",
}
_LOSSES = {"raid4": 1, "raid5": 1, "raid6": 2}
_KNOWN = ("raid0", "linear", "raid1", "raid10", *_LOSSES)
"""Levels with a known fault tolerance."""


class KernelMember(Model):
    device: str
    """Kernel name."""
    slot: int | None
    state: str
    offset: int = 0
    """Where its data begin, in sectors."""

    @property
    def name(self) -> str:
        """Under /dev: sysfs writes a slash as an exclamation mark."""
        return self.device.replace("!", "/")

    @property
    def flags(self) -> frozenset[str]:
        return frozenset(self.state.split(","))

    @property
    def relieves(self) -> bool:
        """True while it is filled for a slot whose disk still works."""
        return "replacement" in self.flags


class KernelArray(Model):
    """One array under /sys/block, attributes as the kernel prints them."""

    kernel_name: str
    uuid: str
    size_bytes: int
    attributes: Mapping[str, str]
    members: tuple[KernelMember, ...]
    firmware: str = ""
    """The format of its metadata, if it is not md's own: imsm or ddf."""


def dirty_without(superblocks: Sequence[Superblock]) -> tuple[int, ...]:
    """The slots without a complete disk, if md keeps the array stopped for them; () if it would start it.

    md computes the content of a lost disk from parity, which does not match where a write was in progress. So it starts
    no parity array that lacks a disk and was not stopped cleanly, unless a partial parity log shows which stripes these
    are (drivers/md/raid5.c, raid5_run: cannot start dirty degraded array).
    """
    there = current(superblocks)
    newest = max(there, key=lambda found: found.events, default=None)
    if newest is None or newest.level not in _LOSSES or newest.has_ppl or all(block.is_clean for block in there):
        return ()
    whole = {block.role for block in there if not block.recovers}
    lacking = tuple(slot for slot in range(newest.raid_disks) if slot not in whole)
    return lacking if len(lacking) <= _LOSSES[newest.level] else ()


def current(superblocks: Sequence[Superblock]) -> list[Superblock]:
    """The superblocks that md accepts: at most one event behind the newest, which counts their slots as working."""
    newest = max(superblocks, key=lambda found: found.events, default=None)
    if newest is None:
        return []
    return [
        found
        for found in superblocks
        if newest.events - found.events <= 1 and (found.role is None or found.role in newest.alive)
    ]


def missing_slots(superblocks: Sequence[Superblock]) -> tuple[int, ...]:
    """Slots that worked when the array last ran and that none of these superblocks fills.

    A member whose event count lags by more than one was dropped later, and md will not accept it as it is.
    """
    if not superblocks:
        return ()
    newest = max(superblocks, key=lambda found: found.events)
    return tuple(sorted(newest.alive - {found.role for found in current(superblocks)}))


@reader("mdadm --detail")
def detail(text: str) -> dict[str, str]:
    """The KEY=value lines of `mdadm --detail --export` and `mdadm --examine --export`; of two, the first."""
    found: dict[str, str] = {}
    for key, separator, value in (line.partition("=") for line in text.splitlines()):
        if separator:
            found.setdefault(key.strip(), shown(value))
    return found


def is_reshaping(attributes: Mapping[str, str]) -> bool:
    """True from the start of a reshape to its end, also while it is interrupted (md.c, reshape_position_show)."""
    return attributes.get("reshape_position", "none") not in ("none", "")


def hides_room(found: KernelArray) -> bool:
    """True if a reshape is over and the kernel does not show the new size.

    Linux 7.2 never does if there was a power failure in between: it takes the rest for a resync (md.c,
    md_get_active_sync_action).
    """
    level = found.attributes.get("level", "")
    if level not in (Level.RAID4, Level.RAID5, Level.RAID6, Level.RAID10) or is_reshaping(found.attributes):
        return False
    member = first_number(found.attributes.get("component_size", "")) * 1024
    count = first_number(found.attributes.get("raid_disks", ""))
    chunk = first_number(found.attributes.get("chunk_size", ""))
    return 0 < found.size_bytes < usable_bytes(Level(level), member, count, chunk, layout_of(found.attributes))


def layout_of(attributes: Mapping[str, str]) -> str | None:
    """Where the copies of a raid10 are, as raid10.py names it; None for every other level."""
    return raid10.word_of(first_number(attributes.get("layout", ""))) if attributes.get("level") == "raid10" else None


def parity_layout(attributes: Mapping[str, str]) -> str | None:
    """mdadm's word for a raid6 that was a raid5 and has all of its second parity on the last disk; None for any other.

    drivers/md/raid5.h, ALGORITHM_LEFT_ASYMMETRIC_6 and the like: the number of the raid5's layout, and 16.
    """
    layout = first_number(attributes.get("layout", ""))
    return _Q_LAST.get(layout) if attributes.get("level") == "raid6" else None


def is_marked(name: str) -> bool:
    """True if an appliance gave an array this md name, this one or another."""
    return _MARK.fullmatch(name) is not None


def is_known(name: str, recorded: str) -> bool:
    """True if the recorded array has this md name: with Lunette's home host, or as it was adopted."""
    return name in (recorded, f"{HOMEHOST}:{recorded}")


def is_system(name: str) -> bool:
    """True if an md name is that of a mirror of system disks."""
    return name.partition(":")[0] == SYSTEM_HOMEHOST and ":" in name


@reader("sysfs of md")
def running_array(found: KernelArray, name: str, device: str, disk_ids: Mapping[str, str]) -> ObservedArray:
    """A running array. `name` is md's own, `disk_ids` goes from kernel name to disk ID."""
    level = found.attributes.get("level", "")
    count = first_number(found.attributes.get("raid_disks", ""))
    count = 0 if count > MOST_DISKS else count
    if is_system(name):
        disk_ids = {**disk_ids, **disks_of_partitions(found.members, disk_ids)}
    by_slot = {member.slot: member for member in found.members if member.slot is not None and not member.relieves}
    members = [_member(by_slot.get(slot), disk_ids, slot) for slot in range(count)]
    auxiliary = [member for member in found.members if member.slot is None or member.relieves]
    members += [_member(member, disk_ids, member.slot) for member in auxiliary]
    return ObservedArray(
        uuid=found.uuid,
        engine=ArrayEngine.MD,
        name=name.rpartition(":")[2],
        ours=False,
        marked=is_marked(name),
        device=device,
        level=level,
        state=_state(level, found.attributes, members[:count]),
        size_bytes=found.size_bytes,
        chunk_bytes=first_number(found.attributes.get("chunk_size", "")) or None,
        write_hole=_write_hole(found),
        members=tuple(members),
        raid_disks=count,
        survives_disks=_survives_disks(level, found.attributes, members[:count]),
        progress=_progress(found.attributes),
        mismatch_count=number(found.attributes.get("mismatch_cnt")),
        disk_bytes=_disk_bytes(found),
        scrub=_last_sync(found.attributes),
        scrubbed=_scrubbed(found.attributes),
        is_reshaping=is_reshaping(found.attributes) or hides_room(found),
        layout=layout_of(found.attributes) or parity_layout(found.attributes),
        system=is_system(name),
    )


def disks_of_partitions(members: Sequence[KernelMember], disk_ids: Mapping[str, str]) -> dict[str, str]:
    """The disk by the kernel name of its partition: sda3 is on sda, nvme0n1p3 on nvme0n1."""
    found = {member.device: re.sub(r"(?<=\d)p\d+$|(?<=\D)\d+$", "", member.device) for member in members}
    return {part: disk_ids[disk] for part, disk in found.items() if disk in disk_ids}


def missing_array(
    superblocks: Sequence[Superblock],
    disks: Mapping[int | None, ObservedMember],
    journals: Sequence[ObservedMember] = (),
) -> ObservedArray:
    """An array that is not assembled, from the superblocks found on its disks (at least one)."""
    newest = max(superblocks, key=lambda found: found.events)
    empty = ObservedMember(disk_id=None, device=None, state="missing")
    hole = WriteHole.PPL if newest.has_ppl else WriteHole.BITMAP if newest.has_bitmap else WriteHole.NONE
    return ObservedArray(
        uuid=newest.uuid,
        engine=ArrayEngine.MD,
        name=newest.name.rpartition(":")[2],
        ours=False,
        marked=is_marked(newest.name),
        device=None,
        level=newest.level,
        state=ArrayState.MISSING,
        size_bytes=0,
        chunk_bytes=None,
        write_hole=WriteHole.JOURNAL if journals or any(block.is_journal for block in superblocks) else hole,
        members=(
            *(disks.get(slot, empty).model_copy(update={"slot": slot}) for slot in range(newest.raid_disks)),
            *journals,
        ),
        raid_disks=newest.raid_disks,
        progress=None,
        mismatch_count=None,
        dirty_without=dirty_without(superblocks),
        is_reshaping=newest.reshapes,
    )


def _member(member: KernelMember | None, disk_ids: Mapping[str, str], slot: int | None) -> ObservedMember:
    if member is None:
        return ObservedMember(disk_id=None, device=None, state="missing", slot=slot)
    if "faulty" in member.flags:
        state = "faulty"
    elif member.relieves:
        state = "replacing"
    elif member.flags & {"in_sync", "journal"}:
        state = "in_sync"
    else:
        state = "rebuilding" if slot is not None else "spare"
    return ObservedMember(
        disk_id=disk_ids.get(member.name),
        device=f"/dev/{member.name}",
        state=state,
        slot=slot,
        role=MemberRole.LOG if "journal" in member.flags else MemberRole.DATA,
        write_mostly="write_mostly" in member.flags,
    )


def _disk_bytes(found: KernelArray) -> int | None:
    """Where a member's data begin, and how much of it the array uses."""
    component_kib = number(found.attributes.get("component_size"))
    starts = [member.offset for member in found.members if "journal" not in member.flags]
    return max(starts) * 512 + component_kib * 1024 if component_kib and starts else None


def _last_sync(attributes: Mapping[str, str]) -> str | None:
    last = attributes.get("last_sync_action", "")
    return None if last in ("", "none") else last


def _scrubbed(attributes: Mapping[str, str]) -> ScrubOutcome | None:
    """What the last check or repair found, once it is over.

    The kernel counts from zero at each resync, check and repair. One that ends early leaves in sync_min where it was (0
    within its first seconds), one that completes leaves 0 (md_do_sync in drivers/md/md.c).
    """
    last, count = _last_sync(attributes), number(attributes.get("mismatch_cnt"))
    if last not in ("check", "repair") or count is None or attributes.get("sync_action") != "idle":
        return None
    is_whole = attributes.get("sync_min") in (None, "", "0")
    return ScrubOutcome(mismatches=count, repaired=last == "repair", is_whole=is_whole)


def _state(level: str, attributes: Mapping[str, str], slots: Sequence[ObservedMember]) -> ArrayState:
    running = attributes.get("array_state", "")
    lost = sum(member.state != "in_sync" for member in slots)
    if running in ("clear", "inactive", ""):
        return ArrayState.MISSING
    if not slots:  # its number of disks was not read, so it is unknown which are missing
        return ArrayState.FAILED if running == "broken" else ArrayState.UNKNOWN
    if running == "broken" or lost > _LOSSES.get(level, lost) or lost == len(slots):
        return ArrayState.FAILED
    if level in ("raid0", "linear"):
        return ArrayState.FAILED if lost else ArrayState.CLEAN
    if lost:
        return ArrayState.REBUILDING if attributes.get("sync_action") == "recover" else ArrayState.DEGRADED
    if is_reshaping(attributes):
        return ArrayState.RESHAPING
    return ArrayState.RESYNCING if attributes.get("sync_action") == "resync" else ArrayState.CLEAN


def _survives_disks(level: str, attributes: Mapping[str, str], slots: Sequence[ObservedMember]) -> int | None:
    """The number of further disks it may lose. Remaining redundancy counts only once copies or parity agree everywhere;
    where the copies of a raid10 are is unknown during its reshape.
    """
    works = _state(level, attributes, slots) not in (ArrayState.MISSING, ArrayState.FAILED, ArrayState.UNKNOWN)
    if not works or level not in _KNOWN or (level == "raid10" and is_reshaping(attributes)):
        return None
    working = frozenset(member.slot for member in slots if member.state == "in_sync" and member.slot is not None)
    left = max(0, survives_more(level, len(slots), working, layout_of(attributes)))
    return None if left and attributes.get("sync_action") == "resync" else left


def _write_hole(found: KernelArray) -> WriteHole:
    policies = {"ppl": WriteHole.PPL, "bitmap": WriteHole.BITMAP, "journal": WriteHole.JOURNAL}
    if any("journal" in member.flags for member in found.members):
        return WriteHole.JOURNAL
    return policies.get(found.attributes.get("consistency_policy", ""), WriteHole.NONE)


def _progress(attributes: Mapping[str, str]) -> SyncProgress | None:
    done, whole = (number(part) for part in (*attributes.get("sync_completed", "").split(" / "), "", "")[:2])
    if done is None or not whole:
        return None
    rate = number(attributes.get("sync_speed"))
    rate_bytes = rate * 1024 if rate else None
    left = max(0, whole - done) * 512 / rate_bytes if rate_bytes else None
    # The kernel calls a reshape a resync if parity is to be corrected right after it (md.c, md_get_active_sync_action).
    action = "reshape" if is_reshaping(attributes) else attributes.get("sync_action", "")
    percent = min(100.0, round(100 * done / whole, 2))
    return SyncProgress(action=action, percent=percent, rate_bytes_s=rate_bytes, left_s=left)
