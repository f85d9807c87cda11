"""Arrays: their settings, with the health that the kernel reports."""

from datetime import date, datetime
from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Observed
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, MemberRole, ObservedArray, Raid10Layout, WriteHole
from lunette.domain.capacity import CapacityTrend
from lunette.domain.encryption import Encryption
from lunette.domain.jobs import ResourceState
from lunette.domain.tuning import ArrayTuning, Scheduler, TuningName, notation
from lunette.domain.volumes import ObservedGroup
from lunette.engine.conditions.unread import is_hidden
from lunette.engine.context.known_arrays import capacity
from lunette.engine.counters.keeper import CapacityHistory
from lunette.store.resources import Array as ArrayRow


class ArrayHealth(StrEnum):
    """Health of an array as the kernel or, for an external array, its health command reports it."""

    CLEAN = "clean"
    """All members work, and the data is consistent."""
    RESYNCING = "resyncing"
    """All members work, and a resync runs. The array is not fully redundant yet."""
    RESHAPING = "reshaping"
    """All members work, and the data is being distributed over another number of disks. The array is redundant."""
    DEGRADED = "degraded"
    """Redundancy is reduced, because a member is missing or faulty and no rebuild runs."""
    REBUILDING = "rebuilding"
    """Redundancy is reduced until the rebuild that runs is complete."""
    FAILED = "failed"
    """Too many members are missing or faulty. The data cannot be accessed."""
    MISSING = "missing"
    """The array does not run: it is not assembled."""
    UNKNOWN = "unknown"
    """Unknown: the agent does not answer or cannot read the array, the array is being created, or no health command
    reports the redundancy of an external array."""


class ArrayMember(Answer):
    """A disk of an array."""

    disk_id: str
    """ID of the disk."""
    serial: str
    """Serial number of the disk; empty if the disk has none."""
    role: MemberRole
    """Role of the disk in the array."""
    slot: int | None
    """Number of the slot of a data disk. `null` for a disk without a slot, such as a spare, a log disk or a lost
    disk."""
    state: str
    """State of the disk in the array: `in_sync`, `rebuilding`, `replacing` (filled while the disk to be replaced still
    works), `spare`, `faulty`, `missing` or `unknown`."""
    leaving: bool
    """Whether the disk is being replaced. The disk becomes free when its replacement is complete."""


class ArrayProgress(Answer):
    """Progress of a running resync, rebuild, scrub or reshape. Speed and remaining time are estimates of the kernel."""

    action: str
    """Running action: `resync`, `recover` (rebuild), `check` or `repair` (scrub), `reshape`, or `integrity` (first
    computation of checksums)."""
    percent: float
    """Completed part of the action in percent."""
    rate_bytes_s: int | None
    """Speed in bytes per second; `null` if unknown."""
    left_s: float | None
    """Estimated remaining time in seconds; `null` if unknown."""


class ThinPool(Answer):
    """Space that the thin volumes of an LVM-based array and their snapshots share."""

    size_bytes: int
    """Size of the thin pool for data, in bytes."""
    used_bytes: int | None
    """Used data space of the thin pool in bytes; `null` while the array does not run."""
    metadata_bytes: int
    """Size of the thin pool for metadata, in bytes."""
    metadata_used_bytes: int | None
    """Used metadata space of the thin pool in bytes; `null` while the array does not run."""
    volumes: int
    """Number of thin volumes and snapshots in the thin pool, including deleted ones that are retained."""


class ArrayObserved(Answer):
    """An array as observed on the machine, with the age of the observation."""

    age_s: float
    """Age of the observation in seconds."""
    device: str | None
    """Block device of the array; `null` for a ZFS pool, and while the array does not run."""
    level: str
    """Current level. During a change of the level, the `level` of the array itself is still the previous one."""
    write_hole: WriteHole
    """Protection against the write hole that is in effect. The partial parity log is off while an array grows."""
    layout: str | None
    """Layout in effect: the arrangement of the copies of a `raid10`, or the dRAID layout in the notation of zpool, such
    as `draid2:4d:11c:1s`. `left-symmetric-6` or similar for a `raid6` that was a `raid5` and has all of the second
    parity on one disk. `null` for any other array."""
    survives_disks: int | None
    """Number of further disks that the array can lose, whichever they are. `null` if unknown: while the array does not
    run, has failed or is being synchronized, and for an external array."""
    free_distributed_spares: int | None
    """dRAID only: number of distributed spares that are not in use. `null` for any other array."""
    progress: ArrayProgress | None
    """Progress of the running resync, rebuild, scrub or reshape; `null` if none runs."""
    mismatch_count: int | None
    """Number of sectors that differed in the last scrub; for ZFS, and LVM RAID with checksums, the number of checksum
    errors. `null` if unknown."""
    last_scrub: str | None
    """Last scrub, resync or rebuild: `check`, `repair`, `resync` or `recover`. A scrub of a ZFS pool is a `check`,
    which also repairs errors. `null` if unknown."""
    health_words: str | None
    """Message of the health command of an external array, or the reason why there is none. `null` without a health
    command."""
    dirty_degraded: bool
    """Whether the array is dirty and degraded, and therefore stays stopped: the array was being written to when it
    stopped, lacks a disk, and has no partial parity log."""


class ArrayTuningValue(Answer):
    """One tuning value of an array, in the notation of the kernel."""

    name: TuningName
    """Name of the tuning value."""
    value: str | None
    """Desired value, which is set now and at every start; `null` if the kernel decides."""
    automatic: bool
    """Whether the value is automatic. If `false`, the value was set for the array."""
    why: str
    """Reason for the value."""
    observed: str | None
    """Value in effect; `null` if the kernel does not report a value."""


class Array(Answer):
    """Redundancy over disks, created by an array engine."""

    id: str
    """Unique ID of the array."""
    name: str
    """Unique name of the array."""
    engine: ArrayEngine
    """Array engine that runs the array."""
    level: Level
    """Level of the array. During a change of the level, the previous level."""
    state: ResourceState
    """State of the array in Lunette."""
    health: ArrayHealth
    """Observed health of the array."""
    uuid: str
    """UUID of the array on its disks; for a ZFS pool, the GUID of the pool."""
    usable_bytes: int
    """Capacity of the array for volumes in bytes: without redundancy, the padding of ZFS and the space that the engine
    reserves."""
    used_bytes: int | None
    """Part of `usable_bytes` that volumes, snapshots and the thin pool use; `null` if unknown."""
    free_bytes: int | None
    """Rest of `usable_bytes`, free for volumes; `null` if unknown."""
    thin_pool: ThinPool | None
    """Thin pool of an LVM-based array. `null` on ZFS pools, before the first thin volume is created, and if unknown."""
    chunk_bytes: int | None
    """Chunk size in bytes; `null` for an array without chunks, such as a mirror or a ZFS pool."""
    layout: Raid10Layout | None
    """Arrangement of the copies of an MD RAID `raid10`; `null` for any other array."""
    write_mostly: tuple[str, ...]
    """IDs of the disks of an MD RAID `raid1` that are read only if no other disk has the data."""
    group_data_disks: int | None
    """dRAID only: requested number of data disks in each group; `null` if automatic. The observed `layout` shows the
    number in effect."""
    distributed_spares: int | None
    """dRAID only: requested number of distributed spares; `null` if automatic, which is one for every 20 disks, rounded
    up."""
    write_hole: WriteHole
    """Desired protection against the write hole. The observed `write_hole` shows the protection in effect: `bitmap`
    instead of `ppl` while a disk has an active volatile write cache."""
    growing: bool
    """Whether a growth or a change of the level is not complete yet, because the reshape, the protection against the
    write hole or the new space for volumes is pending."""
    sync_speed_min_bytes_s: int | None
    """Minimum speed of a resync, rebuild or scrub in bytes per second and disk, even under load; `null` for the default
    of the kernel."""
    sync_speed_max_bytes_s: int | None
    """Maximum speed of a resync, rebuild or scrub in bytes per second and disk, even without load; `null` for the
    default of the kernel."""
    group_thread_cnt: int | None
    """Number of threads per NUMA node that compute parity, as set for the array; `null` if automatic."""
    stripe_cache_size: int | None
    """Number of stripes in the stripe cache, as set for the array; `null` if automatic."""
    skip_copy: bool | None
    """Whether full pages are written directly from the memory of the request, as set for the array; `null` if
    automatic."""
    scheduler: Scheduler | None
    """I/O scheduler of the member disks, as set for the array; `null` if automatic."""
    spare_group: str | None
    """Spare group of the array; `null` if the array is in no spare group."""
    health_command: str | None
    """Name of the command that reports the health of an external array; `null` if there is none."""
    integrity: bool
    """Whether every disk has checksums, so that corrupt blocks are repaired from the other disks."""
    encryption: Encryption | None
    """Method of encryption of all data on the array; `null` if the array is not encrypted."""
    keep_key: bool
    """Whether the appliance stores a key of its own and unlocks the array at every start."""
    locked: bool | None
    """Whether the encrypted array waits for its key, so that its volumes are not served. `null` if the array is not
    encrypted, or if unknown."""
    tuning: tuple[ArrayTuningValue, ...]
    """All tuning values of the array, set or automatic; empty while the array does not run."""
    members: tuple[ArrayMember, ...]
    """Disks of the array, including spares and log, cache and special disks."""
    volumes: int
    """Number of volumes on the array."""
    deleted_bytes: int
    """Space in bytes that deleted volumes use on the array until they are erased."""
    observed: ArrayObserved | None
    """Array as observed on the machine; `null` if the machine does not report the array."""
    created_at: datetime
    """When the array was created or adopted, in UTC."""
    updated_at: datetime
    """When the record of the array was last changed, in UTC."""


class CapacityDay(Answer):
    """Capacity of an array on one day."""

    day: date
    """Day in UTC."""
    used_bytes: int
    """Space given to volumes, snapshots and thin pools in bytes, at the last measurement of the day."""
    usable_bytes: int
    """Capacity of the array for volumes in bytes."""


class ArrayCapacity(Answer):
    """Capacity of an array from day to day, and its trend."""

    days: tuple[CapacityDay, ...]
    """Recorded days, at most 730, oldest first. Days on which the array was not observed are omitted."""
    trend: CapacityTrend
    """Direction of the used space over the last 30 days: a straight line by least squares."""
    bytes_per_day: int | None
    """Mean growth of the used space in bytes per day, negative if it shrinks. `null` if unknown."""
    full_on: date | None
    """Day on which the array is full if the growth continues. `null` unless the used space grows and the array is full
    within 10 years."""


def capacity_answer(history: CapacityHistory) -> ArrayCapacity:
    """The recorded days with the forecast."""
    return ArrayCapacity(days=tuple(CapacityDay(**one._asdict()) for one in history.days), **history.forecast._asdict())


def array_answer(row: ArrayRow, volumes: int, deleted_bytes: int, seen: Observed) -> Array:
    """A stored array joined with what is seen of it."""
    observed = seen.arrays.get(row.uuid)
    pool = seen.groups.get(row.group_name)
    return Array(
        id=row.id,
        name=row.name,
        engine=ArrayEngine(row.engine),
        level=Level(row.level),
        state=ResourceState(row.state),
        health=array_health(row, seen),
        uuid=row.uuid,
        usable_bytes=pool.size_bytes if pool else capacity(row),
        used_bytes=pool.size_bytes - pool.free_bytes if pool else None,
        free_bytes=pool.free_bytes if pool else None,
        thin_pool=_thin_pool(pool),
        chunk_bytes=row.chunk_bytes,
        layout=Raid10Layout(row.layout) if row.layout else None,
        write_mostly=row.write_mostly,
        group_data_disks=row.group_data_disks,
        distributed_spares=row.distributed_spares,
        write_hole=WriteHole(row.write_hole),
        growing=row.growing,
        sync_speed_min_bytes_s=row.sync_speed_min_bytes_s,
        sync_speed_max_bytes_s=row.sync_speed_max_bytes_s,
        **row.tuning().model_dump(),
        spare_group=row.spare_group,
        health_command=row.health_command,
        integrity=row.integrity,
        encryption=Encryption(row.encryption) if row.encryption else None,
        keep_key=row.keep_key,
        locked=observed.locked if observed else None,
        tuning=_tuning(row.tuning(), observed),
        members=_members(row, observed, seen),
        volumes=volumes,
        deleted_bytes=deleted_bytes,
        observed=_observed(observed, seen),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _tuning(chosen: ArrayTuning, observed: ObservedArray | None) -> tuple[ArrayTuningValue, ...]:
    found = []
    for one in observed.tuning if observed else ():
        spec = notation(getattr(chosen, one.name.value))
        value, why = (one.automatic, one.why) if spec is None else (spec, f"chosen; automatic is {one.automatic}")
        if spec is not None and one.most is not None and int(spec) > one.most:
            value, why = (
                str(one.most),
                f"{spec} requested, but this appliance has memory for {one.most} (automatic: {one.why})",
            )
        found.append(
            ArrayTuningValue(name=one.name, value=value, automatic=spec is None, why=why, observed=one.observed)
        )
    return tuple(found)


def _thin_pool(pool: ObservedGroup | None) -> ThinPool | None:
    thin = pool.thin if pool else None
    return ThinPool(**thin.model_dump(exclude={"name"})) if thin else None


def array_health(row: ArrayRow, seen: Observed) -> ArrayHealth:
    """The kernel's word on an array; an array that should be there and is not is missing."""
    observed = seen.arrays.get(row.uuid)
    if observed:
        return ArrayHealth(observed.state.value)
    if seen.observation is None or row.state == ResourceState.CREATING.value or is_hidden(row, seen.observation):
        return ArrayHealth.UNKNOWN
    return ArrayHealth.MISSING


def _members(row: ArrayRow, observed: ObservedArray | None, seen: Observed) -> tuple[ArrayMember, ...]:
    places = {member.disk_id: member for member in observed.members if member.disk_id} if observed else {}
    is_known = seen.observation is not None and not seen.observation.hides_disks()
    absent = "missing" if is_known else "unknown"
    is_stopped = observed is not None and observed.state is ArrayState.MISSING
    found = []
    for disk in row.disks:
        place = places.get(disk.disk_id)
        state = place.state if place else "unknown" if disk.disk_id in seen.disks and not observed else absent
        if state == "spare" and is_stopped:  # md lists every disk of a stopped array as a spare
            state, role = "unknown", MemberRole(disk.role)
        else:
            role = MemberRole.SPARE if state == "spare" else place.role if place else MemberRole(disk.role)
        slot = place.slot if place else disk.slot if not observed and role is MemberRole.DATA else None
        found.append(
            ArrayMember(
                disk_id=disk.disk_id, serial=disk.serial, role=role, slot=slot, state=state, leaving=disk.leaving
            )
        )
    order = list(MemberRole)
    return tuple(sorted(found, key=lambda member: (order.index(member.role), member.slot is None, member.slot or 0)))


def _distributed(observed: ObservedArray) -> int | None:
    if not observed.level.startswith("draid"):
        return None
    return sum(m.role is MemberRole.SPARE and m.disk_id is None and m.state == "spare" for m in observed.members)


def _observed(observed: ObservedArray | None, seen: Observed) -> ArrayObserved | None:
    if observed is None:
        return None
    progress = None
    if running := observed.progress:
        progress = ArrayProgress(
            action=running.action, percent=running.percent, rate_bytes_s=running.rate_bytes_s, left_s=running.left_s
        )
    return ArrayObserved(
        age_s=seen.age_s,
        device=observed.device,
        level=observed.level,
        write_hole=observed.write_hole,
        layout=observed.layout,
        survives_disks=observed.survives_disks,
        free_distributed_spares=_distributed(observed),
        progress=progress,
        mismatch_count=observed.mismatch_count,
        last_scrub=observed.scrub,
        health_words=observed.health_words,
        dirty_degraded=bool(observed.dirty_without),
    )
