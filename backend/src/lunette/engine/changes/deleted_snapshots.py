"""Deleted snapshots: retained for a while, recovered under their volume, or erased; deleted and recovered with their
volume.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.jobs import JobKind, ResourceState, StepState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.snapshots import SnapshotRecover
from lunette.domain.steps import SnapshotDelete, SnapshotSetAside
from lunette.engine.context import uptime
from lunette.engine.context.batch import chosen, taken_names
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_for_all
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.volumes import deleted_snapshots as planner
from lunette.planner.volumes.deleted_snapshots import KnownDeletedSnapshot, SnapshotRecovery
from lunette.planner.volumes.retained import RetainedSnapshot
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Array, DeletedSnapshot, DeletedVolume, Snapshot, Volume

_SAME = ("id", "volume_id", "size_bytes", "backing_name", "description", "created_at")
"""The columns of a snapshot that stay the same through deletion and recovery."""


def recover(context: ChangeContext, snapshot_id: str, spec: SnapshotRecover) -> Outcome:
    """Recovers a deleted snapshot, as a job. Its name is taken from now on."""
    tx = context.tx
    row = need(tx, DeletedSnapshot, snapshot_id)
    _must_be_free(tx, row)
    name, seen = spec.name or row.name, context.services.seen()
    taken = f"another snapshot is now named {name}" if name_taken(tx, Snapshot, name) else None
    plan = planner.plan_recover(SnapshotRecovery(_known(tx, row), name, taken), seen)
    return _file_recovery(context, [(row, name)], plan, seen)


def recover_batch(context: ChangeContext, references: Sequence[str]) -> Outcome:
    """Recovers many deleted snapshots as one job, all or none, each under its former name."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, DeletedSnapshot, references)
    taken = taken_names(tx, Snapshot, [row.name for row in {*rows.values()}])
    picked = chosen(
        references,
        rows,
        lambda row: SnapshotRecovery(_known(tx, row), row.name, taken.get(row.name)),
        lambda row: _must_be_free(tx, row),
    )
    plan = planner.plan_recover_batch(picked, seen)
    return _file_recovery(context, [(rows[one], rows[one].name) for one in references], plan, seen)


def _file_recovery(
    context: ChangeContext, named: Sequence[tuple[DeletedSnapshot, str]], plan: Plan, seen: Observation
) -> Outcome:
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    for row, name in named:
        context.tx.add(Snapshot(name=name, **{column: getattr(row, column) for column in _SAME}))
        row.state = ResourceState.CHANGING.value
    return file_for_all(context, JobKind.SNAPSHOT_RECOVER, "snapshot.recovering", plan, [row.id for row, _ in named])


def erase(context: ChangeContext, snapshot_id: str) -> Outcome:
    """Erases a deleted snapshot, as a job."""
    tx = context.tx
    row = need(tx, DeletedSnapshot, snapshot_id)
    _must_be_free(tx, row)
    seen = context.services.seen()
    return _file_erasure(context, [row], planner.plan_erase(_known(tx, row), seen), seen)


def erase_batch(context: ChangeContext, references: Sequence[str]) -> Outcome:
    """Erases many deleted snapshots as one job, all or none."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, DeletedSnapshot, references)
    picked = chosen(references, rows, lambda row: _known(tx, row), lambda row: _must_be_free(tx, row))
    plan = planner.plan_erase_batch(picked, seen)
    return _file_erasure(context, [rows[one] for one in references], plan, seen)


def _file_erasure(context: ChangeContext, rows: Sequence[DeletedSnapshot], plan: Plan, seen: Observation) -> Outcome:
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    for row in rows:
        row.state = ResourceState.DELETING.value
    return file_for_all(context, JobKind.SNAPSHOT_ERASE, "snapshot.erasing", plan, [row.id for row in rows])


def of_volumes(tx: Session, volume_ids: Iterable[str]) -> dict[str, tuple[RetainedSnapshot, ...]]:
    """The deleted snapshots of each volume, deleted or not, for its plans."""
    found = defaultdict[str, list[RetainedSnapshot]](list)
    for row in _rows(tx, volume_ids):
        found[row.volume_id].append(RetainedSnapshot(row.id, row.name))
    return {volume_id: tuple(rows) for volume_id, rows in found.items()}


def must_be_settled(tx: Session, volume_ids: Iterable[str]) -> None:
    """Raises Conflict or Stuck while a job uses a deleted snapshot of a volume: on ZFS a snapshot is below its volume,
    so the two must not be moved at the same time.
    """
    for row in _rows(tx, volume_ids):
        must_be_ready(row)


def retained(tx: Session, job: Job) -> None:
    """Records a deleted snapshot: what its job set aside is retained for the time in its plan."""
    for step in Plan.model_validate(job.plan).steps:
        row = tx.get(Snapshot, step.snapshot_id) if isinstance(step, SnapshotSetAside) else None
        if isinstance(step, SnapshotSetAside) and row and tx.get(DeletedSnapshot, row.id) is None:
            same = {column: getattr(row, column) for column in _SAME}
            tx.add(DeletedSnapshot(name=row.name, due_s=uptime.read(tx).due_s(step.keep_hours), **same))
            tx.flush()


def begin(tx: Session, plan: Plan) -> None:
    """Nothing else can use the snapshots that a plan deletes."""
    for row in _deleted_by(tx, plan):
        row.state = ResourceState.DELETING.value


def not_deleted(tx: Session, job: Job) -> None:
    """The snapshots that a job has not deleted are ready again."""
    for row in _deleted_by(tx, Plan.model_validate(job.plan)):
        row.state = ResourceState.READY.value


def _deleted_by(tx: Session, plan: Plan) -> list[Snapshot | DeletedSnapshot]:
    ids = [step.snapshot_id for step in plan.steps if isinstance(step, SnapshotSetAside | SnapshotDelete)]
    live = tx.scalars(select(Snapshot).where(Snapshot.id.in_(ids))).all()
    return [*live, *tx.scalars(select(DeletedSnapshot).where(DeletedSnapshot.id.in_(ids)))]


def recovered(tx: Session, job: Job) -> None:
    """Turns a deleted snapshot back into a snapshot."""
    tx.execute(delete(DeletedSnapshot).where(DeletedSnapshot.id.in_(job.resource_ids)))


def not_recovered(tx: Session, job: Job) -> None:
    """Returns a snapshot whose recovery failed to the deleted ones."""
    tx.execute(delete(Snapshot).where(Snapshot.id.in_(job.resource_ids)))


def not_erased(tx: Session, job: Job, due_s: int) -> None:
    """It can still be recovered, and is erased at `due_s` or later."""
    for row in tx.scalars(select(DeletedSnapshot).where(DeletedSnapshot.id.in_(job.resource_ids))):
        row.due_s = max(row.due_s, due_s)


def forget_destroyed(tx: Session, job: Job) -> None:
    """Deletes the rows of snapshots that a job about their volume has erased, whatever became of the volume."""
    steps = select(JobStep).where(
        JobStep.job_id == job.id, JobStep.kind == "snapshot.delete", JobStep.state == StepState.DONE.value
    )
    gone = [step.payload["snapshot_id"] for step in tx.scalars(steps)]
    for table in (Snapshot, DeletedSnapshot):
        tx.execute(delete(table).where(table.__table__.c.id.in_(gone)))


def forget_orphans(tx: Session) -> None:
    """Deletes the rows of snapshots whose volume neither exists nor is retained: they were erased with it."""
    tx.flush()
    is_gone = DeletedSnapshot.volume_id.not_in(select(Volume.id).union_all(select(DeletedVolume.id)))
    tx.execute(delete(DeletedSnapshot).where(is_gone))


def _rows(tx: Session, volume_ids: Iterable[str]) -> Sequence[DeletedSnapshot]:
    query = select(DeletedSnapshot).where(DeletedSnapshot.volume_id.in_(list(volume_ids)))
    return tx.scalars(query.order_by(DeletedSnapshot.name, DeletedSnapshot.id)).all()


def volume_of(tx: Session, row: DeletedSnapshot) -> Volume | DeletedVolume:
    """The volume of a deleted snapshot, which may be deleted too. A volume that is being recovered is both; then the
    volume counts.
    """
    return tx.get(Volume, row.volume_id) or tx.get_one(DeletedVolume, row.volume_id)


def _must_be_free(tx: Session, row: DeletedSnapshot) -> None:
    must_be_ready(row)
    volume = volume_of(tx, row)
    must_be_ready(volume)
    must_be_ready(tx.get_one(Array, volume.array_id))


def _known(tx: Session, row: DeletedSnapshot) -> KnownDeletedSnapshot:
    volume = volume_of(tx, row)
    array = tx.get_one(Array, volume.array_id)
    return KnownDeletedSnapshot(
        id=row.id,
        name=row.name,
        volume_id=volume.id,
        volume=volume.name,
        volume_is_kept=isinstance(volume, DeletedVolume),
        array=array.name,
        array_engine=ArrayEngine(array.engine),
        group=array.group_name,
    )
