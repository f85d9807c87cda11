"""Changes existing arrays: each change of disks is a job; the rebuild speed is a setting that the agent applies."""

from collections.abc import Callable, Sequence

from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayGrow,
    ArrayPatch,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import MemberDisk
from lunette.engine.changes.arrays import disk_owners
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import must_be_ready, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal import disk_rows
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.planning import ArrayPlanning
from lunette.store.resources import Array

Planning = Callable[[KnownArray, Observation], Plan]


def add_spares(context: ChangeContext, reference: str, spec: ArrayAddSpares) -> Outcome:
    return _file(
        context,
        reference,
        lambda array, seen: _planning(array).changes.plan_add_spares(
            array, spec, seen, disk_owners(context.tx, seen, spec.disks)
        ),
        spec.wipe,
    )


def add_disks(context: ChangeContext, reference: str, spec: ArrayAddDisks) -> Outcome:
    return _file(
        context,
        reference,
        lambda array, seen: _planning(array).changes.plan_add_disks(
            array, spec, seen, disk_owners(context.tx, seen, spec.disks)
        ),
        spec.wipe,
    )


def grow(context: ChangeContext, reference: str, spec: ArrayGrow) -> Outcome:
    """Adds members. The row records it until nothing is left to do (engine/background/array_growth.py)."""
    return _growing(
        context,
        reference,
        lambda array, seen: _planning(array).plan_grow(array, spec, seen, disk_owners(context.tx, seen, spec.disks)),
        spec.wipe,
    )


def reshape(context: ChangeContext, reference: str, spec: ArrayReshape) -> Outcome:
    """Changes the level. The row records it as for growth; the rest is read from the machine later."""
    return _growing(
        context,
        reference,
        lambda array, seen: _planning(array).plan_reshape(array, spec, seen, disk_owners(context.tx, seen, spec.disks)),
        spec.wipe,
    )


def finish(context: ChangeContext, reference: str, plan: Plan) -> Outcome:
    """Finishes the growth of an array."""
    return _file(context, reference, lambda _array, _seen: plan)


def replace(context: ChangeContext, reference: str, spec: ArrayReplace) -> Outcome:
    return _file(
        context,
        reference,
        lambda array, seen: _planning(array).changes.plan_replace(
            array, spec, seen, disk_owners(context.tx, seen, (spec.new,))
        ),
        spec.wipe,
    )


def fail(context: ChangeContext, reference: str, spec: ArrayDiskChoice) -> Outcome:
    return _file(context, reference, lambda array, seen: _planning(array).changes.plan_fail(array, spec, seen))


def remove(context: ChangeContext, reference: str, spec: ArrayDiskChoice) -> Outcome:
    return _file(context, reference, lambda array, seen: _planning(array).changes.plan_remove(array, spec, seen))


def readd(context: ChangeContext, reference: str, spec: ArrayDiskChoice) -> Outcome:
    return _file(context, reference, lambda array, seen: _planning(array).changes.plan_readd(array, spec, seen))


def force_start(context: ChangeContext, reference: str, spec: ArrayForceStart) -> Outcome:
    return _file(context, reference, lambda array, seen: _planning(array).plan_force_start(array, spec, seen))


def scrub(context: ChangeContext, reference: str, spec: ArrayScrub) -> Outcome:
    return _file(context, reference, lambda array, seen: _planning(array).changes.plan_scrub(array, spec, seen))


def release_disk(context: ChangeContext, reference: str, disk: MemberDisk) -> Outcome:
    """Removes a disk that md has copied."""
    return _file(context, reference, lambda array, _seen: _planning(array).changes.plan_release_disk(array, disk))


def patch(context: ChangeContext, reference: str, spec: ArrayPatch) -> Outcome:
    """Stores speed limits of resync, rebuild and scrub, and tuning; the agent applies them now and at each start."""
    array = need(context.tx, Array, reference)
    asked = spec.model_dump(exclude_unset=True)
    low = asked.get("sync_speed_min_bytes_s", array.sync_speed_min_bytes_s)
    high = asked.get("sync_speed_max_bytes_s", array.sync_speed_max_bytes_s)
    plan = _planning(known(array)).changes.plan_patch(known(array), spec, low, high)
    if "write_mostly" in asked:
        asked["write_mostly"] = tuple(d.disk_id for d in array.disks if d.disk_id in (asked["write_mostly"] or ()))
    if not context.dry_run and any(getattr(array, field) != value for field, value in asked.items()):
        for field, value in asked.items():
            setattr(array, field, value)
        exportset.changed(context.tx, context.services)
        context.emit("array.changed", plan.title, ref=array.id)
    return Outcome(plan=plan, ids=(array.id,))


def _growing(context: ChangeContext, reference: str, planning: Planning, wipe: Sequence[str]) -> Outcome:
    outcome = _file(context, reference, planning, wipe)
    if not context.dry_run:
        need(context.tx, Array, reference).growing = True
    return outcome


def _file(context: ChangeContext, reference: str, planning: Planning, wipe: Sequence[str] = ()) -> Outcome:
    array = need(context.tx, Array, reference)
    must_be_ready(array)
    seen = context.services.seen()
    plan = planning(known(array), seen)
    check(plan, seen, Bounds(wipe=frozenset(disk.id for disk in map(seen.disk, wipe) if disk)))
    if context.dry_run:
        return Outcome(plan=plan)
    array.state = ResourceState.CHANGING.value
    disk_rows.claim(array, plan)
    context.emit("array.changing", plan.title, ref=array.id)
    return file_job(context, JobKind.ARRAY_CHANGE, Outcome(plan=plan, ids=(array.id,)))


def _planning(array: KnownArray) -> ArrayPlanning:
    return ARRAY_ENGINES[array.engine]
