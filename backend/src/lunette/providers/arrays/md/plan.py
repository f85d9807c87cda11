"""Abilities of md, and the layout of a new array: pure, so that the planner can show it before anything runs.

Figures per level are member I/Os for one 4 KiB random write, counted on real md.
"""

from collections.abc import Sequence

from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    ArrayVerb,
    EngineCapability,
    Level,
    LevelCapability,
    Raid10Layout,
    WriteHole,
)
from lunette.domain.errors import FieldProblem
from lunette.domain.sizes import KIB, MIB, format_size
from lunette.domain.steps import MdCreate, MdDestroy, MemberDisk
from lunette.domain.tuning import PARITY_ONLY, ArrayTuning, notation
from lunette.providers.arrays.md import raid10

MAX_DISKS = 256
PAGE_BYTES = 4 * KIB
"""Memory of the stripe cache per disk and stripe (raid5.c, DEFAULT_STRIPE_SIZE)."""
MEMORY_SHARE = 32
"""The stripe cache of one array may use this fraction of the memory."""
PPL_MAX_DISKS = 64
"""The kernel keeps one bit per disk in a long (drivers/md/raid5-ppl.c, disk_flush_bitmap)."""
MAX_SHOWN = 4
"""Disks that a sentence names."""
DEFAULT_CHUNK = 64 * KIB
"""mdadm's default of 512 KiB costs 1.65 times the member I/O of 16 KiB for 64 KiB random writes; 64 KiB is in
between.
"""
PACKAGE = "mdadm"

_PARITY = (WriteHole.BITMAP, WriteHole.NONE)
_RAID5 = tuple(verb for verb in ArrayVerb if verb is not ArrayVerb.ADD_DISKS)
_WITH_PARITY = tuple(verb for verb in _RAID5 if verb is not ArrayVerb.RESHAPE)
_ALL = tuple(verb for verb in _WITH_PARITY if verb is not ArrayVerb.FORCE_START)
"""Without FORCE_START: each copy is complete, and md refuses to start a dirty degraded array only if it has parity."""
_ENCRYPTED = ("encryption", "passphrase", "keep_key")
_PACE = ("sync_speed_min_bytes_s", "sync_speed_max_bytes_s")
_OPTIONS = ("write_hole", "spares", "spare_group", *_PACE, "scheduler", *_ENCRYPTED)
_STRIPED = ("chunk_bytes", *_OPTIONS)
_STRIPE_CACHE = (*_STRIPED, *(name.value for name in PARITY_ONLY))
LEVELS: tuple[LevelCapability, ...] = (
    LevelCapability(
        level=Level.RAID0,
        min_disks=2,
        max_disks=MAX_DISKS,
        survives_failures="none",
        small_write_ios=1,
        write_hole=(WriteHole.NONE,),
        verbs=(ArrayVerb.TUNE, ArrayVerb.RELEASE),
        options=("chunk_bytes", "scheduler", *_ENCRYPTED),
    ),
    LevelCapability(
        level=Level.RAID1,
        min_disks=2,
        max_disks=MAX_DISKS,
        survives_failures="all disks but one",
        small_write_ios=2,
        write_hole=_PARITY,
        verbs=_ALL,
        options=("write_mostly", *_OPTIONS),
    ),
    LevelCapability(
        level=Level.RAID4,
        min_disks=3,
        max_disks=MAX_DISKS,
        survives_failures="one disk",
        small_write_ios=4,
        write_hole=_PARITY,
        verbs=_WITH_PARITY,
        options=_STRIPE_CACHE,
    ),
    LevelCapability(
        level=Level.RAID5,
        min_disks=3,
        max_disks=MAX_DISKS,
        survives_failures="one disk",
        small_write_ios=4,
        write_hole=(WriteHole.PPL, *_PARITY),
        verbs=_RAID5,
        becomes=(Level.RAID6,),
        options=_STRIPE_CACHE,
    ),
    LevelCapability(
        level=Level.RAID6,
        min_disks=4,
        max_disks=MAX_DISKS,
        survives_failures="two disks",
        small_write_ios=6,
        write_hole=_PARITY,
        verbs=_WITH_PARITY,
        options=_STRIPE_CACHE,
    ),
    LevelCapability(
        level=Level.RAID10,
        min_disks=2,
        max_disks=MAX_DISKS,
        survives_failures=raid10.survives_words(None),
        small_write_ios=2,
        write_hole=_PARITY,
        verbs=_ALL,
        layouts=tuple(Raid10Layout),
        options=("layout", *_STRIPED),
    ),
)
_BY_LEVEL = {facts.level: facts for facts in LEVELS}


def capability(reason: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine."""
    return EngineCapability(
        engine=ArrayEngine.MD.value,
        kind="array",
        available=reason is None,
        reason=reason,
        levels=LEVELS,
        needs=("mdadm", "md_mod"),
    )


def level_facts(level: Level) -> LevelCapability:
    return _BY_LEVEL[level]


def small_write_ios(spec: ArrayCreate) -> float:
    """Member I/Os of one random write of 4 KiB."""
    if spec.level in (Level.RAID4, Level.RAID5) and len(spec.disks) == 3:
        return 3  # the two data blocks and the parity are the whole stripe: read one, write two
    if spec.level is Level.RAID1:
        return len(spec.disks)
    return (
        raid10.copies_of(spec.layout).count if spec.level is Level.RAID10 else level_facts(spec.level).small_write_ios
    )


def default_chunk(level: Level) -> int | None:
    """The stripe unit in bytes; None for raid1, which has no stripes."""
    return None if level is Level.RAID1 else DEFAULT_CHUNK


def layout_of(spec: ArrayCreate) -> Raid10Layout | None:
    """Where its copies will be; None for a level without a choice."""
    return spec.layout or (raid10.DEFAULT if spec.level is Level.RAID10 else None)


def default_write_hole(level: Level, disks: int, cached: Sequence[str] = ()) -> WriteHole:
    """PPL for raid5 if it can be used, a bitmap for the other redundant levels. `cached`: disks with a volatile cache.

    The kernel has PPL for raid5 only, not for raid4 (drivers/md/raid5-ppl.c, ppl_init_log).
    """
    if level is Level.RAID0:
        return WriteHole.NONE
    if level is Level.RAID5 and disks <= PPL_MAX_DISKS and not cached:
        return WriteHole.PPL
    return WriteHole.BITMAP


def member_bytes(disk_bytes: Sequence[int], chunk_bytes: int | None) -> int:
    """Bytes of each disk that the array uses; 0 if the smallest disk is too small.

    Left free: md's superblock, its log and its headroom in front of the data (mdadm's validate_geometry1: 0.1 % but at
    least four chunks, at most 128 MiB, rounded up to whole MiB), and 0.1 % at the end, so that a replacement disk that
    is slightly smaller still fits.
    """
    smallest = min(disk_bytes, default=0)
    front = min(128 * MIB, max(smallest // 1024, 4 * (chunk_bytes or 0))) + 4 * MIB
    step = max(MIB, chunk_bytes or 0)
    return max(0, (smallest - front - smallest // 1000) // step * step)


def usable_bytes(
    level: Level, member: int, disks: int, chunk_bytes: int | None = None, layout: str | None = None
) -> int:
    """Usable bytes of `disks` members of `member` bytes each. `layout`: of raid10."""
    match level:
        case Level.RAID0:
            return member * disks
        case Level.RAID1:
            return member
        case Level.RAID4 | Level.RAID5:
            return member * (disks - 1)
        case Level.RAID6:
            return member * (disks - 2)
        case Level.RAID10:
            chunk = chunk_bytes or MIB
            step = max(MIB, chunk)  # an odd number of disks shares the last chunk unevenly
            return raid10.chunks(member // chunk, disks, raid10.copies_of(layout)) * chunk // step * step
        case _:
            raise ValueError(f"md has no level {level.value}")


def parity_disks(level: str) -> int:
    """Number of disks' worth of parity in every stripe."""
    return {"raid4": 1, "raid5": 1, "raid6": 2}.get(level, 0)


def problems(spec: ArrayCreate, disk_bytes: Sequence[int], cached: Sequence[str] = ()) -> tuple[FieldProblem, ...]:
    """Options that md would refuse, each with the field, its value and the rule. `cached`: the disks, spares included,
    with an active volatile write cache.
    """
    facts, count, found = _BY_LEVEL[spec.level], len(spec.disks), []
    if not facts.min_disks <= count <= facts.max_disks:
        rule = f"md {spec.level.value} requires {facts.min_disks} to {facts.max_disks} disks, not {count}"
        found.append(FieldProblem(field="disks", value=str(count), message=rule))
    if spec.spares and spec.level is Level.RAID0:
        rule = "raid0 has no redundancy, so a spare cannot replace a failed disk: leave spares out"
        found.append(FieldProblem(field="spares", value=str(len(spec.spares)), message=rule))
    elif count + len(spec.spares) > MAX_DISKS:
        rule = f"md supports at most {MAX_DISKS} disks, including spares, not {count + len(spec.spares)}"
        found.append(FieldProblem(field="spares", value=str(len(spec.spares)), message=rule))
    chunk = spec.chunk_bytes
    if chunk is not None and spec.level is Level.RAID1:
        rule = "raid1 has no stripes: leave chunk_bytes out"
        found.append(FieldProblem(field="chunk_bytes", value=str(chunk), message=rule))
    elif chunk is not None and chunk & (chunk - 1):
        rule = "the chunk size must be a power of two, from 4 KiB to 128 MiB"
        found.append(FieldProblem(field="chunk_bytes", value=str(chunk), message=rule))
    if spec.layout is not None and spec.level is not Level.RAID10:
        rule = f"{spec.level.value} has no copy layout, only raid10 has: leave layout out"
        found.append(FieldProblem(field="layout", value=spec.layout.value, message=rule))
    elif spec.layout is not None and facts.min_disks <= count < raid10.copies_of(spec.layout).count:
        rule = f"layout {spec.layout.value} puts each copy on a different disk, but there are only {count} disks"
        found.append(FieldProblem(field="layout", value=spec.layout.value, message=rule))
    found += _write_hole_problems(spec, cached)
    found += tuning_problems(spec.level.value, spec)
    if spec.level is Level.RAID1:
        found += write_mostly_problems(spec.write_mostly, spec.disks)
    if not found and member_bytes(disk_bytes, chunk or default_chunk(spec.level)) < 16 * MIB:
        rule = (
            f"the smallest disk ({format_size(min(disk_bytes, default=0))}) is too small for an array with this chunk"
        )
        found.append(FieldProblem(field="disks", value=None, message=rule))
    return tuple(found)


def _write_hole_problems(spec: ArrayCreate, cached: Sequence[str]) -> list[FieldProblem]:
    hole, offered = spec.write_hole, _BY_LEVEL[spec.level].write_hole
    if hole is None:
        return []
    if hole not in offered:
        rule = f"md {spec.level.value} supports {', '.join(one.value for one in offered)}"
    elif hole is WriteHole.PPL and len(spec.disks) > PPL_MAX_DISKS:
        rule = f"a partial parity log supports at most {PPL_MAX_DISKS} disks: use bitmap, or fewer disks"
    elif hole is WriteHole.PPL and cached:
        rule = f"{no_log(cached)}: use bitmap, or turn the write cache of these disks off permanently first"
    else:
        return []
    return [FieldProblem(field="write_hole", value=hole.value, message=rule)]


def no_log(cached: Sequence[str]) -> str:
    """Why an array of these disks, which have a volatile write cache, can have no partial parity log.

    The kernel completes an empty flush of an array with PPL at once (drivers/md/raid5-ppl.c, ppl_handle_flush_request).
    It flushes the members only after the writes that the flush was to cover are acknowledged (ppl_do_flush).
    """
    shown = ", ".join(cached[:MAX_SHOWN]) + (f" and {len(cached) - MAX_SHOWN} more" if len(cached) > MAX_SHOWN else "")
    has = "has an active volatile write cache" if len(cached) == 1 else "have active volatile write caches"
    return (
        f"with a partial parity log md acknowledges a host's flush before the members are flushed, and {shown} "
        f"{has}, "
        "so a power cut could lose data that a host has flushed"
    )


def tuning_problems(level: str, spec: ArrayCreate | ArrayTuning) -> tuple[FieldProblem, ...]:
    """Values that do not apply to an array of this level."""
    if parity_disks(level):
        return ()
    rule = f"{level} has no stripe cache, only raid4, raid5 and raid6 do: leave it out"
    return tuple(
        FieldProblem(field=name.value, value=notation(chosen), message=rule)
        for name in PARITY_ONLY
        if (chosen := getattr(spec, name.value)) is not None
    )


def write_mostly_problems(chosen: Sequence[str], disks: Sequence[str]) -> list[FieldProblem]:
    """Disks that are to be write-mostly and do not belong to the mirror, or are all of its disks."""
    found = [
        FieldProblem(field="write_mostly", value=one, message=f"{one} is not one of the disks: {', '.join(disks)}")
        for one in chosen
        if one not in disks
    ]
    if not found and chosen and set(chosen) >= set(disks):
        rule = "all disks are write-mostly, but at least one disk must serve reads: leave at least one out"
        found.append(FieldProblem(field="write_mostly", value=", ".join(chosen), message=rule))
    return found


def survives(level: str, slots: int, working: frozenset[int], layout: str | None = None) -> bool:
    """True if an array with this many slots works with these in sync. `layout`: of raid10."""
    return survives_more(level, slots, working, layout) >= 0


def survives_more(level: str, slots: int, working: frozenset[int], layout: str | None = None) -> int:
    """How many of the slots in sync may be lost, in the worst case; negative if the array does not work with them."""
    if level == "raid1":
        return len(working) - 1
    if level == "raid10":
        return raid10.copies_left(slots, working, raid10.copies_of(layout)) - 1
    return parity_disks(level) - (slots - len(working))


def md_name(array_id: str) -> str:
    """The name in md's superblock and under /dev/md. `array_id` is a UUID."""
    return f"a{array_id.replace('-', '')[:12]}"


def md_uuid(value: str) -> str:
    """A UUID in md's form: 32 hex digits."""
    return value.replace("-", "").replace(":", "").lower()


def device_path(uuid: str) -> str:
    """Where udev shows the running array of this md UUID."""
    words = ":".join(uuid[start : start + 8] for start in range(0, 32, 8))
    return f"/dev/disk/by-id/md-uuid-{words}"


def create_step(
    array_id: str,
    uuid: str,
    spec: ArrayCreate,
    members: Sequence[MemberDisk],
    disk_bytes: Sequence[int],
    cached: Sequence[str] = (),
) -> MdCreate:
    """The step that creates this array. `uuid` is any new UUID.

    `members` and `disk_bytes` follow `spec.disks`, then `spec.spares`: a spare that is too small would not work.
    `cached`: those with a volatile write cache.
    """
    chunk = spec.chunk_bytes if spec.chunk_bytes is not None else default_chunk(spec.level)
    count = len(spec.disks)
    return MdCreate(
        array_id=array_id,
        uuid=md_uuid(uuid),
        md_name=md_name(array_id),
        level=spec.level,
        chunk_bytes=chunk,
        write_hole=spec.write_hole or default_write_hole(spec.level, count, cached),
        member_bytes=member_bytes(disk_bytes, chunk),
        members=tuple(members[:count]),
        spares=tuple(members[count:]),
        layout=layout_of(spec),
    )


def destroy_step(array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk]) -> MdDestroy:
    """The step that destroys this array and everything on it."""
    return MdDestroy(
        array_id=array_id, uuid=uuid, md_name=md_name(array_id), size_bytes=size_bytes, members=tuple(members)
    )
