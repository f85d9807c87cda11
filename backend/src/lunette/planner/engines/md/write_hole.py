"""Which protection against the write hole an md raid5 can have with the disks that it has.

With a partial parity log md acknowledges a flush before its members have flushed: decision 0060. So an array has that
log while none of its disks has an active volatile write cache, and a write-intent bitmap otherwise.
"""

from collections.abc import Iterable

from lunette.domain.arrays import ArrayState, Level, ObservedArray, WriteHole
from lunette.domain.disks import ObservedDisk, cached
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import MdWriteHole
from lunette.planner.engines.known_array import KnownArray

_GONE = ("missing", "faulty")
_TITLES = {
    WriteHole.PPL: "Restore the partial parity log of array {}",
    WriteHole.BITMAP: "Replace the partial parity log of array {} with a write-intent bitmap",
}


def cached_members(found: ObservedArray, seen: Observation) -> tuple[str, ...]:
    """IDs of the disks of the array, spares included, that have an active volatile write cache."""
    ids = [member.disk_id for member in found.members if member.disk_id and member.state not in _GONE]
    return cached(disk for one in ids if (disk := seen.disk(one)))


def possible(wanted: WriteHole, caches: Iterable[str]) -> WriteHole:
    """The desired protection, or a bitmap instead of a partial parity log if disks have these `caches`."""
    return WriteHole.BITMAP if wanted is WriteHole.PPL and any(True for _ in caches) else wanted


def plan_exchange(array: KnownArray, wanted: WriteHole, found: ObservedArray, seen: Observation) -> Plan | None:
    """Exchanges partial parity log and bitmap for one another; None if the array has the right one, or is busy.

    A degraded array keeps its log: without the log, the next power failure could leave it dirty and degraded.
    """
    policy = possible(wanted, cached_members(found, seen))
    if wanted is not WriteHole.PPL or found.write_hole is policy or found.level != Level.RAID5:
        return None
    if found.state is not ArrayState.CLEAN or found.progress is not None or found.is_reshaping:
        return None
    step = MdWriteHole(
        array_id=array.id, uuid=array.uuid, md_name=array.engine_name, policy=policy, was=found.write_hole
    )
    return Plan(
        title=_TITLES[policy].format(array.name),
        changes=(PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=step.describe()),),
        steps=(step,),
    )


def losing_log_adopted(found: ObservedArray, seen: Observation) -> tuple[str, ...]:
    """A warning if disks of a foreign array make it lose its partial parity log."""
    return losing_log(found, [disk for one in cached_members(found, seen) if (disk := seen.disk(one))])


def losing_log(found: ObservedArray, disks: Iterable[ObservedDisk]) -> tuple[str, ...]:
    """A warning if these disks, once they are in the array, make it lose its partial parity log."""
    names = cached(disks)
    if found.write_hole is not WriteHole.PPL or not names:
        return ()
    words = (
        f"Volatile write cache is active on {', '.join(names)}, and the array has a partial parity log: as soon as "
        "the array is clean, a write-intent bitmap replaces the log, and the write hole is open. Disable the cache "
        "to retain the log."
    )
    return (words,)
