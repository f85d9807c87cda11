"""Arrays: what was asked for, with the health the kernel reports."""

from datetime import datetime
from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Seen
from lunette.domain.arrays import ArrayEngine, Level, MemberRole, ObservedArray, Raid10Layout, WriteHole
from lunette.domain.encryption import Encryption
from lunette.domain.jobs import ResourceState
from lunette.domain.tuning import ArrayTuning, Scheduler, TuningName, notation
from lunette.domain.volumes import ObservedPool
from lunette.engine.unread import is_hidden
from lunette.store.resources import Array as ArrayRow


class ArrayHealth(StrEnum):
    """As the kernel reports it, or an external array's health command. reshaping: whole, and being laid out over more
    disks. missing: not assembled. unknown: the agent does not answer, it is being created, or it is external and
    nobody tells.
    """

    CLEAN = "clean"
    RESYNCING = "resyncing"
    RESHAPING = "reshaping"
    DEGRADED = "degraded"
    REBUILDING = "rebuilding"
    FAILED = "failed"
    MISSING = "missing"
    UNKNOWN = "unknown"


class ArrayMember(Answer):
    """A disk of an array. `state`: in_sync, rebuilding, replacing, spare, faulty, missing, or unknown."""

    disk_id: str
    serial: str
    role: MemberRole
    """What it is for."""
    slot: int | None
    """Its place in the array; null for one that has none now: a disk beside the data disks, or one that is lost."""
    state: str
    leaving: bool
    """It is being replaced, and becomes free once it is copied."""


class ArrayProgress(Answer):
    """A running resync, rebuild, check or reshape; speed and time left as the kernel estimates them."""

    action: str
    percent: float
    rate_bytes_s: int | None
    left_s: float | None


class ThinPool(Answer):
    """What thin volumes and snapshots share. Used sizes are null while the array is down."""

    size_bytes: int
    used_bytes: int | None
    metadata_bytes: int
    metadata_used_bytes: int | None
    volumes: int
    """How many thin volumes and snapshots are in it."""


class ArrayObserved(Answer):
    """What the machine says about an array, and how old that is."""

    age_s: float
    device: str | None
    level: str
    """What it is now, also while what is shown of the array still says what it was: during a change of its level."""
    write_hole: WriteHole
    """How the write hole is treated now: a partial parity log is off while an array grows."""
    layout: str | None
    """Where the copies of a raid10 lie; left-symmetric-6 and its like for a raid6 that was a raid5 and has all of its
    second parity on one disk; groups, disks and spares of a draid in zpool's words: draid2:4d:11c:1s."""
    survives_disks: int | None
    """How many more disks it may lose, whichever they are; null where that is not known: while it is down, has failed
    or is being synchronised, and of an external array."""
    free_distributed_spares: int | None
    """Of a draid: how many stand by."""
    progress: ArrayProgress | None
    mismatch_count: int | None
    """Sectors that did not agree at the last scrub."""
    last_scrub: str | None
    """What ran last: check, repair, resync or recover. The scrub of a pool is a check, which repairs what it can."""
    health_words: str | None
    """What an external array's health command says, or why it says nothing; null without such a command."""
    dirty_degraded: bool
    """It stays stopped: it was being written to when it stopped, lacks a disk, and has no partial parity log."""


class ArrayTuningValue(Answer):
    """One value of an array's tuning, in the kernel's notation. `value` is kept: set now and after every start."""

    name: TuningName
    value: str | None
    """Null where it is left to the kernel."""
    automatic: bool
    """False if it was chosen."""
    why: str
    observed: str | None
    """What the kernel has now."""


class Array(Answer):
    """Redundancy over disks. `state` is its life here, `health` what the kernel sees."""

    id: str
    name: str
    engine: ArrayEngine
    level: Level
    state: ResourceState
    health: ArrayHealth
    uuid: str
    usable_bytes: int
    free_bytes: int | None
    """Room for volumes; null if the machine has not said."""
    thin_pool: ThinPool | None
    """Null until the first thin volume, or if the machine has not said."""
    chunk_bytes: int | None
    layout: Raid10Layout | None
    """Where the copies of a raid10 lie."""
    write_mostly: tuple[str, ...]
    """Ids of the disks of a raid1 that are read only if no other holds the data."""
    group_data_disks: int | None
    """Of a draid, as it was chosen: data disks of each group; null: what suits volumes. See what is observed."""
    distributed_spares: int | None
    """Of a draid, as it was chosen; null: one, and one more for each further 20 disks."""
    write_hole: WriteHole
    """As it was chosen; what is in force now is among what is observed."""
    growing: bool
    """It is to get more disks or another level, and not all is done yet: the reshape, the write hole's treatment, the
    room for volumes."""
    sync_speed_min_bytes_s: int | None
    """The pace of resync, rebuild and scrub that is kept up for each disk even under load; null: the kernel's."""
    sync_speed_max_bytes_s: int | None
    group_thread_cnt: int | None
    """The tuning that was chosen; null: automatic."""
    stripe_cache_size: int | None
    skip_copy: bool | None
    scheduler: Scheduler | None
    spare_group: str | None
    """md arrays of one group lend each other their spares."""
    health_command: str | None
    """The name of the command that tells an external array's health; null: nobody does."""
    integrity: bool
    """Each disk's copy has checksums, and what a disk gives back wrong is repaired from the others."""
    encryption: Encryption | None
    """How everything on it is encrypted; null: it is not."""
    keep_key: bool
    """The appliance keeps a key of its own and unlocks it at every start."""
    locked: bool | None
    """It waits for its key, and what is on it is not served; null if it is not encrypted, or nobody has seen it."""
    tuning: tuple[ArrayTuningValue, ...]
    """Every value its level has, chosen or automatic, and why; empty while the array is down."""
    members: tuple[ArrayMember, ...]
    volumes: int
    """How many volumes are cut from it."""
    deleted_bytes: int
    """What deleted volumes take of it until they are erased."""
    observed: ArrayObserved | None
    created_at: datetime
    updated_at: datetime


def array_answer(row: ArrayRow, volumes: int, deleted_bytes: int, seen: Seen) -> Array:
    """A stored array joined with what is seen of it."""
    observed = seen.arrays.get(row.uuid)
    pool = seen.pools.get(row.group_name)
    return Array(
        id=row.id,
        name=row.name,
        engine=ArrayEngine(row.engine),
        level=Level(row.level),
        state=ResourceState(row.state),
        health=array_health(row, seen),
        uuid=row.uuid,
        usable_bytes=row.size_bytes,
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
        wish = notation(getattr(chosen, one.name.value))
        value, why = (one.automatic, one.why) if wish is None else (wish, f"chosen; automatic is {one.automatic}")
        if wish is not None and one.most is not None and int(wish) > one.most:
            value, why = (
                str(one.most),
                f"chosen {wish}, and this machine has memory for {one.most} (automatic: {one.why})",
            )
        found.append(
            ArrayTuningValue(name=one.name, value=value, automatic=wish is None, why=why, observed=one.observed)
        )
    return tuple(found)


def _thin_pool(pool: ObservedPool | None) -> ThinPool | None:
    thin = pool.thin if pool else None
    return ThinPool(**thin.model_dump(exclude={"name"})) if thin else None


def array_health(row: ArrayRow, seen: Seen) -> ArrayHealth:
    """The kernel's word on an array; an array that should be there and is not is missing."""
    observed = seen.arrays.get(row.uuid)
    if observed:
        return ArrayHealth(observed.state.value)
    if seen.observation is None or row.state == ResourceState.CREATING.value or is_hidden(row, seen.observation):
        return ArrayHealth.UNKNOWN
    return ArrayHealth.MISSING


def _members(row: ArrayRow, observed: ObservedArray | None, seen: Seen) -> tuple[ArrayMember, ...]:
    places = {member.disk_id: member for member in observed.members if member.disk_id} if observed else {}
    is_known = seen.observation is not None and not seen.observation.hides_disks()
    absent = "missing" if is_known else "unknown"
    found = []
    for disk in row.disks:
        place = places.get(disk.disk_id)
        state = place.state if place else "unknown" if disk.disk_id in seen.disks and not observed else absent
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


def _observed(observed: ObservedArray | None, seen: Seen) -> ArrayObserved | None:
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
