"""Abilities of ZFS, and the layout of a new pool: pure, so that the planner can show it before anything runs."""

import itertools
import re
from collections.abc import Iterator, Sequence

from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    ArrayVerb,
    EngineCapability,
    Level,
    LevelCapability,
    MemberRole,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem
from lunette.domain.sizes import GIB, KIB, MIB, format_size
from lunette.domain.steps import KeptVolume, MemberDisk, PoolCreate, PoolDestroy
from lunette.domain.tuning import TuningName, notation
from lunette.domain.volumes import BLOCK_BYTES
from lunette.providers.arrays.zfs import draid, space

NO_ENCRYPTION = "ZFS's own is not offered yet; an md array can be encrypted with LUKS2"
PACKAGES = "zfsutils-linux and zfs-dkms"
MARK = "io.lunette:array"
"""The user property on a pool's root that marks it as Lunette's; it contains the array's ID."""
ASHIFT_MARK = "io.lunette:ashift"
"""The user property with the sector size: ZFS shows it only through a separate command."""
NAMELESS = (MemberRole.CACHE, MemberRole.SPARE)
"""Roles whose labels name no pool."""
MAX_DISKS = 255
MIN_DISK_BYTES = 64 * MIB
"""SPA_MINDEVSIZE (include/sys/fs/zfs.h)."""
_HOLE = (WriteHole.COPY_ON_WRITE,)
_SURVIVES = {
    Level.STRIPE: "none",
    Level.MIRROR: "all disks but one",
    Level.RAID10: "one disk of each pair",
    Level.RAIDZ1: "one disk",
    Level.RAIDZ2: "two disks",
    Level.RAIDZ3: "three disks",
    Level.DRAID1: "one disk",
    Level.DRAID2: "two disks",
    Level.DRAID3: "three disks",
}
ROLES = (MemberRole.SPARE, MemberRole.LOG, MemberRole.CACHE, MemberRole.SPECIAL)
VERBS = (ArrayVerb.ADD_SPARES, ArrayVerb.ADD_DISKS, ArrayVerb.REPLACE, ArrayVerb.REMOVE, ArrayVerb.SCRUB)
_LEAST = {
    Level.STRIPE: 1,
    Level.MIRROR: 2,
    Level.RAID10: 4,
    Level.RAIDZ1: 3,
    Level.RAIDZ2: 4,
    Level.RAIDZ3: 5,
    Level.DRAID1: 3,
    Level.DRAID2: 4,
    Level.DRAID3: 5,
}


def small_write_ios(
    level: Level, disks: int, block_bytes: int, shift: int = space.MIN_ASHIFT, shape: draid.Shape | None = None
) -> float:
    """Disk I/Os of one 4 KiB random write into a block that is not cached, without ZFS's own metadata.

    The block is read, unless the write covers it, and written completely: a RAID-Z block is on all its data disks.
    """
    sectors = (block_bytes - 1 >> shift) + 1
    if shape is not None:  # a row is written completely, even if the block does not fill it
        return (min(sectors, shape.data) if block_bytes > 4 * KIB else 0) + shape.width
    spread = min(sectors, disks - space.parity(level)) if space.parity(level) else 1
    reads = spread if block_bytes > 4 * KIB else 0
    return reads + (space.copies(level, disks) or spread + space.parity(level))


def default_shape(level: Level, disks: int) -> draid.Shape | None:
    """The default layout of a dRAID of which only the disks are known; None for any other level."""
    return draid.shape(level, disks, space.MIN_ASHIFT) if level in draid.LEVELS else None


def _options(level: Level) -> tuple[str, ...]:
    """A stripe has no redundancy to rebuild a spare from."""
    spares = () if level is Level.STRIPE else (MemberRole.SPARE.field,)
    shape = ("group_data_disks", "distributed_spares") if level in draid.LEVELS else ()
    return (*spares, *(role.field for role in ROLES if role is not MemberRole.SPARE), *shape)


ONE_LOG = (
    "The log is a single disk: if it fails during a power failure, the last writes that were acknowledged to hosts "
    "are lost. Two log disks form a mirror."
)
SPECIAL_STAYS = "Special disks contain the metadata of the pool and can never be removed."

LEVELS = tuple(
    LevelCapability(
        level=level,
        min_disks=least,
        max_disks=MAX_DISKS,
        survives_failures=_SURVIVES[level],
        write_hole=_HOLE,
        small_write_ios=small_write_ios(level, least, BLOCK_BYTES, shape=default_shape(level, least)),
        verbs=VERBS,
        roles=ROLES,
        options=_options(level),
    )
    for level, least in _LEAST.items()
)


def capability(reason: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine."""
    return EngineCapability(
        engine=ArrayEngine.ZFS.value,
        kind="array",
        available=reason is None,
        reason=reason,
        levels=LEVELS,
        needs=("zpool", "zfs (kernel module)"),
    )


def problems(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
    """Options that ZFS would refuse, each with the field, its value and the rule."""
    facts, count, found = next(f for f in LEVELS if f.level is spec.level), len(spec.disks), []
    if not facts.min_disks <= count <= facts.max_disks:
        rule = f"zfs {spec.level.value} requires {facts.min_disks} to {facts.max_disks} disks, not {count}"
        found.append(FieldProblem(field="disks", value=str(count), message=rule))
    if spec.level is Level.RAID10 and count % 2:
        rule = f"zfs raid10 consists of two-disk mirrors and requires an even number of disks, not {count}"
        found.append(FieldProblem(field="disks", value=str(count), message=rule))
    if spec.spares and spec.level is Level.STRIPE:
        rule = "a stripe has no redundancy to rebuild a spare from: leave spares out"
        found.append(FieldProblem(field="spares", value=str(len(spec.spares)), message=rule))
    if spec.chunk_bytes is not None:
        rule = "a pool has no chunks: leave chunk_bytes out"
        found.append(FieldProblem(field="chunk_bytes", value=str(spec.chunk_bytes), message=rule))
    if spec.layout is not None:
        rule = "a pool has no copy layout: leave layout out"
        found.append(FieldProblem(field="layout", value=spec.layout.value, message=rule))
    if spec.write_hole not in (None, *_HOLE):
        rule = "a pool writes every block to a new location, so it has no write hole to close: leave write_hole out"
        found.append(FieldProblem(field="write_hole", value=spec.write_hole, message=rule))
    found += [
        FieldProblem(field=field, value=str(pace), message=f"a pool sets its own resync speed: leave {field} out")
        for field in ("sync_speed_min_bytes_s", "sync_speed_max_bytes_s")
        if (pace := getattr(spec, field)) is not None
    ]
    found += [
        FieldProblem(field=name.value, value=notation(chosen), message=f"a pool has no {name.value}: leave it out")
        for name in TuningName
        if (chosen := getattr(spec, name.value)) is not None
    ]
    found += _draid_problems(spec, disks) if not found else ()
    found += too_small(spec, disks) if not found else ()
    if spec.special and (problem := special_problem(spec.level, len(spec.disks), len(spec.special))):
        found.append(problem)
    return tuple(found)


def _draid_problems(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
    """Why zpool would refuse the requested groups and distributed spares."""
    shape = shape_of(spec, disks)
    if shape is None:
        return ()
    field = "group_data_disks" if spec.group_data_disks is not None else "distributed_spares"
    field = "disks" if (spec.group_data_disks, spec.distributed_spares) == (None, None) else field
    message = shape.problem()
    return (FieldProblem(field=field, value=shape.name, message=message),) if message else ()


def too_small(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
    """The smallest disk of each role must have the minimum size that ZFS accepts."""
    left = iter(disks)
    smallest = {
        role.field: min(disk.size_bytes for disk in itertools.islice(left, len(ids)))
        for role, ids in spec.by_role().items()
        if ids
    }
    rule = "the smallest disk ({}) is too small for a pool; {} is enough"
    return tuple(
        FieldProblem(field=field, value=None, message=rule.format(format_size(size), format_size(GIB)))
        for field, size in smallest.items()
        if space.member_bytes(size) < MIN_DISK_BYTES
    )


def survives(level: Level, disks: int) -> int:
    """How many disks may be lost, in the worst case."""
    copies = space.copies(level, disks)
    return copies - 1 if copies else space.parity(level)


def special_problem(level: Level, disks: int, special: int) -> FieldProblem | None:
    """Why this number of special disks is insufficient for this number of data disks: the pool is lost with its
    metadata.
    """
    lost = survives(level, disks)
    if special > lost:
        return None
    rule = (
        f"a pool is lost with its special disks: {level.value} tolerates the loss of {lost}, so a mirror of "
        f"{lost + 1} special disks is required, not {special}"
    )
    return FieldProblem(field="special", value=str(special), message=rule)


def role_warnings(spec: ArrayCreate) -> tuple[str, ...]:
    """Warnings about disks other than data disks before they are added."""
    found = []
    if len(spec.log) == 1:
        found.append(ONE_LOG)
    if spec.special:
        found.append(SPECIAL_STAYS)
    return tuple(found)


def pool_name(array_id: str) -> str:
    """The pool of an array. `array_id` is a UUID."""
    return f"lunette-{array_id.replace('-', '')[:12]}"


def is_pool_name(name: str) -> bool:
    """True for a name from `pool_name`: the only sign that a pool whose mark cannot be read belongs to Lunette."""
    return re.fullmatch(r"lunette-[0-9a-f]{12}", name) is not None


def pool_guid(value: str) -> str:
    """A pool's GUID, a 64-bit number in decimal, from a new UUID. Never 0, which ZFS treats as none."""
    return str(int(value.replace("-", ""), 16) % (2**64 - 1) + 1)


def shift_of(disks: Sequence[ObservedDisk]) -> int:
    return space.ashift(max((disk.physical_block_bytes for disk in disks), default=0))


def shape_of(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> draid.Shape | None:
    """The layout of the dRAID of this spec; None for any other level. `disks` are those of every role."""
    if spec.level not in draid.LEVELS:
        return None
    return draid.shape(
        spec.level, len(spec.disks), shift_of(disks), data=spec.group_data_disks, spares=spec.distributed_spares
    )


def create_step(array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> PoolCreate:
    """The step that creates this pool. `uuid` is any new UUID, `disks` are those of every role in the spec's order."""
    members = dict(zip(spec.by_role(), _parted(spec, disks), strict=True))
    shape = shape_of(spec, disks)
    return PoolCreate(
        array_id=array_id,
        guid=pool_guid(uuid),
        pool=pool_name(array_id),
        level=spec.level,
        ashift=shift_of(disks),
        layout=shape.name if shape else None,
        members=members[MemberRole.DATA],
        spares=members[MemberRole.SPARE],
        log=members[MemberRole.LOG],
        cache=members[MemberRole.CACHE],
        special=members[MemberRole.SPECIAL],
    )


def _parted(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Iterator[tuple[MemberDisk, ...]]:
    """The disks role by role."""
    left = iter(disks)
    for ids in spec.by_role().values():
        yield tuple(MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in itertools.islice(left, len(ids)))


def destroy_step(
    array_id: str, guid: str, size_bytes: int, members: Sequence[MemberDisk], kept: Sequence[KeptVolume] = ()
) -> PoolDestroy:
    """The step that destroys this pool, with its retained deleted volumes."""
    return PoolDestroy(
        array_id=array_id,
        guid=guid,
        pool=pool_name(array_id),
        size_bytes=size_bytes,
        members=tuple(members),
        kept=tuple(kept),
    )


def device_path(disk_id: str) -> str:
    """The data partition that libzfs creates on a whole disk."""
    return f"/dev/disk/by-id/{disk_id}-part1"
