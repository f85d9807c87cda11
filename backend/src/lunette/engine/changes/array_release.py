"""Releases an array, as a job: its content stays, and the rows are deleted once nothing on its disks carries Lunette's
mark.
"""

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from lunette.domain.array_changes import ArrayRelease
from lunette.domain.errors import Conflict
from lunette.domain.exports import ReleaseKind
from lunette.domain.jobs import JobKind, ResourceState
from lunette.engine.changes import deleted_snapshots, deleted_volumes
from lunette.engine.changes.volumes import known_all
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import must_be_ready, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal.filing import file_job
from lunette.planner.arrays.release import plan_release
from lunette.planner.checks.checker import Bounds, check
from lunette.store.journal import Job
from lunette.store.resources import Array, Snapshot, Volume


def release(context: ChangeContext, array_id: str, spec: ArrayRelease) -> Outcome:
    """From the commit on, its volumes cannot be mapped, and the agent no longer brings it up."""
    tx = context.tx
    array = need(tx, Array, array_id)
    must_be_ready(array)
    if array.growing:
        raise Conflict(
            f"Array {array.name} was not released: it is being expanded. Wait until the expansion is complete."
        )
    rows = tx.scalars(select(Volume).where(Volume.array_id == array.id).order_by(Volume.name)).all()
    snapshots = tx.scalars(select(Snapshot).where(Snapshot.volume_id.in_([row.id for row in rows]))).all()
    for row in rows:
        must_be_ready(row)
    for snapshot in snapshots:
        must_be_ready(snapshot)
    seen, kept = context.services.seen(), [one.name for one in deleted_volumes.on_array(tx, array)]
    of_volumes = deleted_snapshots.of_volumes(tx, [row.id for row in rows])
    kept += [f"snapshot {one.name}" for found in of_volumes.values() for one in found]
    plan = plan_release(known(array), spec, seen, list(known_all(tx, rows).values()), kept)
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    array.state = ResourceState.DELETING.value
    for row in rows:
        row.state = ResourceState.CHANGING.value
    exportset.changed(tx, context.services, [(ReleaseKind.ARRAY, array.id)])
    context.emit("array.releasing", plan.title, ref=array.id)
    return file_job(context, JobKind.ARRAY_RELEASE, Outcome(plan=plan, ids=(array.id,)))


def released(tx: Session, job: Job) -> None:
    """Forgets what was on it. The array itself is deleted like any whose job removes it."""
    volumes = select(Volume.id).where(Volume.array_id.in_(job.resource_ids))
    tx.execute(delete(Snapshot).where(Snapshot.volume_id.in_(volumes)))
    tx.execute(delete(Volume).where(Volume.array_id.in_(job.resource_ids)))


def not_released(tx: Session, job: Job) -> None:
    """All marks are back, so its volumes can be used again."""
    busy = Volume.state.in_([ResourceState.CHANGING.value, ResourceState.DELETING.value])
    ready = update(Volume).where(Volume.array_id.in_(job.resource_ids), busy)
    tx.execute(ready.values(state=ResourceState.READY.value))
