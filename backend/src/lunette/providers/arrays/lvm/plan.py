"""Abilities of LVM RAID, and the layout of a new array: pure, so that the planner can show it before anything runs.

An array is a volume group over whole disks with one RAID volume, which gets a volume group of its own, as an md array
does (docs/decisions/0045). Each physical volume contains the array's UUID in its own, so that a disk identifies its
array.
"""

import hashlib
import re
from collections.abc import Sequence

from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    ArrayVerb,
    EngineAbility,
    EngineCapability,
    LackingAbility,
    Level,
    LevelCapability,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem
from lunette.domain.sizes import GIB, KIB, MIB, format_size
from lunette.domain.steps import LvmRaidCreate, LvmRaidDestroy, MemberDisk
from lunette.domain.tuning import TuningName, notation

NO_ENCRYPTION = "not offered on LVM RAID yet; an md array can be encrypted with LUKS2"
PACKAGE = "lvm2"
MODULES = ("dm_raid", "dm_integrity")
TAG = "lunette.raid"
"""Tag of the group over the disks: volumes are not allocated from it."""
VOLUME = "array"
"""The RAID volume in it."""
EXTENT_BYTES = 4 * MIB
PE_START_BYTES = MIB
METADATA_BYTES = 4 * MIB
"""Space for LVM's metadata on each disk: it grows with the history of replaced disks, not with volumes."""
DEFAULT_CHUNK = 64 * KIB
SLACK = 1000
"""This fraction of the smallest disk stays free, so that a slightly smaller replacement fits (decision 9)."""
MIN_IMAGE_BYTES = 64 * MIB
PARITY = {Level.RAID1: 0, Level.RAID5: 1, Level.RAID6: 2, Level.RAID10: 0}
_LEAST = {Level.RAID1: 2, Level.RAID5: 3, Level.RAID6: 5, Level.RAID10: 4}
"""lvcreate takes raid5 from 2 stripes on and raid6 from 3 (lvmraid(7))."""
_MOST = {Level.RAID1: 10, Level.RAID5: 64, Level.RAID6: 64, Level.RAID10: 64}
"""lib/metadata/segtype.h: DEFAULT_RAID1_MAX_IMAGES and DEFAULT_RAID_MAX_IMAGES."""
_SURVIVES = {
    Level.RAID1: "all disks but one",
    Level.RAID5: "one disk",
    Level.RAID6: "two disks",
    Level.RAID10: "one disk of each pair",
}
VERBS = (ArrayVerb.REPLACE, ArrayVerb.SCRUB)
_HOLE = (WriteHole.BITMAP,)
CHECKSUMS = (
    "Checksums detect data that a disk returns corrupted, and it is repaired from the other disks. They do not "
    "detect data that was corrupted on its way to the disk. Every write is written twice, and checksums detect "
    "nothing until they have been computed on all disks."
)
_PV_UUID = re.compile(r"LuneRd((?:-[0-9a-f]{4}){5})-[0-9a-f]{6}")
"""LVM's own are drawn from all letters and digits; the first six are a mark that does not occur by chance."""


def small_write_ios(level: Level, disks: int, *, integrity: bool = False) -> float:
    """Disk I/Os of one random write of 4 KiB: raid5.c reads and writes block and parity.

    With checksums each write goes to the journal first, and is read and checked as well: about twice as many writes
    (Documentation/admin-guide/device-mapper/dm-integrity.rst).
    """
    reads, writes = {
        Level.RAID1: (0, disks),
        Level.RAID5: (2, 2),
        Level.RAID6: (3, 3),
        Level.RAID10: (0, 2),
    }[level]
    return reads + writes * (2 if integrity else 1)


LEVELS = tuple(
    LevelCapability(
        level=level,
        min_disks=least,
        max_disks=_MOST[level],
        survives_failures=_SURVIVES[level],
        write_hole=_HOLE,
        small_write_ios=small_write_ios(level, least),
        verbs=VERBS,
        options=("integrity",) if level is Level.RAID1 else ("chunk_bytes", "integrity"),
    )
    for level, least in _LEAST.items()
)


_WITHOUT = {
    EngineAbility.SPARES: "LVM does not replace a failed disk automatically; replace the disk",
    EngineAbility.ADD_DISKS: "growing LVM RAID volumes is not supported; create a second array from the new disks",
    EngineAbility.WRITE_HOLE: "LVM RAID has no partial parity log; use MD RAID for a RAID 5 that closes the write hole",
}


def capability(reason: str | None = None, no_integrity: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine, `no_integrity` why no checksums."""
    without = {**_WITHOUT, EngineAbility.INTEGRITY: no_integrity}
    return EngineCapability(
        engine=ArrayEngine.LVM.value,
        kind="array",
        available=reason is None,
        reason=reason,
        levels=LEVELS,
        lacking=tuple(LackingAbility(ability=one, reason=why) for one, why in without.items() if why),
        needs=("lvm", *MODULES),
    )


def problems(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
    """Options that LVM would refuse, each with the field, its value and the rule."""
    facts, count = next(f for f in LEVELS if f.level is spec.level), len(spec.disks)
    found = []
    if not facts.min_disks <= count <= facts.max_disks:
        rule = f"lvm {spec.level.value} requires {facts.min_disks} to {facts.max_disks} disks, not {count}"
        found.append(FieldProblem(field="disks", value=str(count), message=rule))
    if spec.level is Level.RAID10 and count % 2:
        rule = f"lvm raid10 stores each chunk on a pair of disks and requires an even number of disks, not {count}"
        found.append(FieldProblem(field="disks", value=str(count), message=rule))
    if spec.chunk_bytes is not None and (spec.level is Level.RAID1 or spec.chunk_bytes & (spec.chunk_bytes - 1)):
        rule = (
            "raid1 has no chunks: leave chunk_bytes out"
            if spec.level is Level.RAID1
            else "the chunk size must be a power of two"
        )
        found.append(FieldProblem(field="chunk_bytes", value=str(spec.chunk_bytes), message=rule))
    if spec.spares:
        rule = "LVM does not rebuild onto spares automatically: leave spares out, and replace a failed disk"
        found.append(FieldProblem(field="spares", value=str(len(spec.spares)), message=rule))
    if spec.write_hole not in (None, *_HOLE):
        rule = "LVM RAID supports only a bitmap: leave write_hole out, or use md"
        found.append(FieldProblem(field="write_hole", value=spec.write_hole, message=rule))
    others = ("layout", "sync_speed_min_bytes_s", "sync_speed_max_bytes_s", *(name.value for name in TuningName))
    found += [
        FieldProblem(field=field, value=notation(chosen), message=f"an LVM array has no {field}: leave it out")
        for field in others
        if (chosen := getattr(spec, field)) is not None
    ]
    smallest = min((disk.size_bytes for disk in disks), default=0)
    if not found and image_bytes(smallest, integrity=spec.integrity) < MIN_IMAGE_BYTES:
        rule = f"the smallest disk ({format_size(smallest)}) is too small; {format_size(GIB)} is enough"
        found.append(FieldProblem(field="disks", value=None, message=rule))
    return tuple(found)


def data_images(level: Level, disks: int) -> int:
    """Usable capacity of an array, in disks."""
    return {Level.RAID1: 1, Level.RAID10: disks // 2}.get(level, disks - PARITY[level])


def disk_bytes(image: int, *, integrity: bool) -> int:
    """Required capacity of a disk for an image of this size: LVM's metadata, one extent of RAID metadata, and the
    checksums.
    """
    return PE_START_BYTES + METADATA_BYTES + EXTENT_BYTES + image + (_checksum_bytes(image) if integrity else 0)


def image_bytes(smallest: int, *, integrity: bool) -> int:
    """The largest image that fits on the smallest disk and leaves the reserve, in whole extents."""
    room = smallest - smallest // SLACK
    image = max(0, (room - disk_bytes(0, integrity=False)) // EXTENT_BYTES * EXTENT_BYTES)
    while image > 0 and disk_bytes(image, integrity=integrity) > room:
        image -= EXTENT_BYTES
    return image


def usable_bytes(level: Level, disks: int, smallest: int, *, integrity: bool) -> int:
    """The size of the RAID volume."""
    return data_images(level, disks) * image_bytes(smallest, integrity=integrity)


def _checksum_bytes(image: int) -> int:
    """Space that LVM uses for the checksums and the journal of one image, in whole extents.

    Source: _lv_size_bytes_to_integrity_meta_bytes (lib/metadata/integrity_manip.c of LVM 2.03.31).
    """
    journals = 4 if image <= 512 * MIB else 8 if image <= GIB else 32 if image <= 4 * GIB else 64
    whole = (image // (500 * MIB) + 1) * 4 * MIB + journals * MIB
    return -(-whole // EXTENT_BYTES) * EXTENT_BYTES


def array_uuid(uuid: str) -> str:
    """The part of a UUID that fits in those of the physical volumes: 80 bits as 20 hex digits."""
    return uuid.replace("-", "").lower()[:20].rjust(20, "0")


def pv_uuid(array: str, disk_id: str) -> str:
    """The UUID of the physical volume on a disk of this array: the same whenever the step runs."""
    digits = "-".join(array[start : start + 4] for start in range(0, 20, 4))
    return f"LuneRd-{digits}-{hashlib.sha256(disk_id.encode()).hexdigest()[:6]}"


def array_of_pv(uuid: str | None) -> str | None:
    """The array that a physical volume belongs to, by its UUID; None for a volume of anything else."""
    found = _PV_UUID.fullmatch(uuid or "")
    return found[1].replace("-", "") if found else None


def carried_pv(disk: ObservedDisk) -> str | None:
    """The UUID of the physical volume on a disk that is a member of an array of Lunette; None on any other disk."""
    return next((s.uuid for s in disk.signatures if s.type == "LVM2_member" and array_of_pv(s.uuid)), None)


def raid_group(array_id: str) -> str:
    """The group over the disks of an array. `array_id` is a UUID."""
    return f"lunette-raid-{array_id.replace('-', '')[:12]}"


def device_path(group: str) -> str:
    """The RAID volume, under the name that LVM's udev rules give it."""
    return f"/dev/{group}/{VOLUME}"


def mapped_name(group: str, name: str = VOLUME) -> str:
    """device-mapper's name: LVM doubles the hyphens within names."""
    return f"{group.replace('-', '--')}-{name.replace('-', '--')}"


def create_step(array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> LvmRaidCreate:
    """The step that creates it from these disks."""
    image = image_bytes(min(disk.size_bytes for disk in disks), integrity=spec.integrity)
    return LvmRaidCreate(
        array_id=array_id,
        uuid=array_uuid(uuid),
        raid_group=raid_group(array_id),
        level=spec.level,
        size_bytes=data_images(spec.level, len(disks)) * image,
        extent_bytes=EXTENT_BYTES,
        chunk_bytes=None if spec.level is Level.RAID1 else spec.chunk_bytes or DEFAULT_CHUNK,
        integrity=spec.integrity,
        disk_bytes=disk_bytes(image, integrity=spec.integrity),
        members=tuple(MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in disks),
    )


def destroy_step(array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk]) -> LvmRaidDestroy:
    return LvmRaidDestroy(
        array_id=array_id, uuid=uuid, raid_group=raid_group(array_id), size_bytes=size_bytes, members=tuple(members)
    )


def survives(level: str, disks: int, working: frozenset[int]) -> bool:
    """True if an array works with only these images."""
    return survives_more(level, disks, working) >= 0


def survives_more(level: str, disks: int, working: frozenset[int]) -> int:
    """How many of these images may be lost, in the worst case; negative if the array does not work with them.

    LVM's raid10 pairs neighbors (near, two copies).
    """
    if level == Level.RAID10:
        return min(len({slot, slot + 1} & working) for slot in range(0, disks, 2)) - 1
    return len(working) - (1 if level == Level.RAID1 else data_images(Level(level), disks))
