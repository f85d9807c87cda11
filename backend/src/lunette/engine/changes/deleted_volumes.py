"""Deleted volumes: retained for a while, recovered with their identity, or erased."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import VolumeSetAside, VolumeSwap
from lunette.domain.volumes import Provisioning, VolumeRecover
from lunette.engine.changes import deleted_snapshots
from lunette.engine.context import uptime
from lunette.engine.context.batch import chosen, taken_names
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.journal.filing import file_for_all
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.volume_engines import thin_pooling, volume_planning
from lunette.planner.volumes import deleted_volumes as planner
from lunette.planner.volumes.deleted_volumes import KnownDeleted, VolumeRecovery
from lunette.store.journal import Job
from lunette.store.resources import Array, DeletedVolume, Volume, VolumeColumns

RETRY_HOURS = 1
"""Retry interval for a failed erasure."""
_SAME = ("id", *VolumeColumns.__annotations__)
"""The attributes of a volume that stay the same through deletion and recovery."""


def recover(context: ChangeContext, volume_id: str, spec: VolumeRecover) -> Outcome:
    """Recovers a deleted volume, as a job. Its name is taken from now on."""
    tx = context.tx
    row = need(tx, DeletedVolume, volume_id)
    _must_be_free(tx, row)
    name, seen = spec.name or row.name, context.services.seen()
    taken = f"another volume is now named {name}" if name_taken(tx, Volume, name) else None
    plan = planner.plan_recover(VolumeRecovery(known(tx, row), name, taken), seen)
    return _file_recovery(context, [(row, name)], plan, seen)


def recover_batch(context: ChangeContext, references: Sequence[str]) -> Outcome:
    """Recovers many deleted volumes as one job, all or none, each under its former name."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, DeletedVolume, references)
    taken = taken_names(tx, Volume, [row.name for row in {*rows.values()}])
    picked = chosen(
        references,
        rows,
        lambda row: VolumeRecovery(known(tx, row), row.name, taken.get(row.name)),
        lambda row: _must_be_free(tx, row),
    )
    plan = planner.plan_recover_batch(picked, seen)
    return _file_recovery(context, [(rows[one], rows[one].name) for one in references], plan, seen)


def _file_recovery(
    context: ChangeContext, named: Sequence[tuple[DeletedVolume, str]], plan: Plan, seen: Observation
) -> Outcome:
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    for row, name in named:
        same = {column: getattr(row, column) for column in _SAME}
        context.tx.add(Volume(name=name, created_at=row.created_at, **same))
        row.state = ResourceState.CHANGING.value
    return file_for_all(context, JobKind.VOLUME_RECOVER, "volume.recovering", plan, [row.id for row, _ in named])


def erase(context: ChangeContext, volume_id: str) -> Outcome:
    """Erases a deleted volume, as a job."""
    tx = context.tx
    row = need(tx, DeletedVolume, volume_id)
    _must_be_free(tx, row)
    seen = context.services.seen()
    plan = planner.plan_erase(known(tx, row), seen, last_thin=is_last_thin(tx, row))
    return _file_erasure(context, [row], plan, seen)


def erase_batch(context: ChangeContext, references: Sequence[str]) -> Outcome:
    """Erases many deleted volumes as one job, all or none."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, DeletedVolume, references)
    picked = chosen(references, rows, lambda row: known(tx, row), lambda row: _must_be_free(tx, row))
    plan = planner.plan_erase_batch(picked, seen, emptied(tx, rows.values()))
    return _file_erasure(context, [rows[one] for one in references], plan, seen)


def _file_erasure(context: ChangeContext, rows: Sequence[DeletedVolume], plan: Plan, seen: Observation) -> Outcome:
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    for row in rows:
        row.state = ResourceState.DELETING.value
    return file_for_all(context, JobKind.VOLUME_ERASE, "volume.erasing", plan, [row.id for row in rows])


def on_array(tx: Session, array: Array) -> list[KnownDeleted]:
    """All deleted volumes on an array. Raises Conflict or Stuck while a job uses one."""
    rows = tx.scalars(
        select(DeletedVolume).where(DeletedVolume.array_id == array.id).order_by(DeletedVolume.name, DeletedVolume.id)
    ).all()
    for row in rows:
        _must_be_free(tx, row)
    return [known(tx, row) for row in rows]


def erasable_bytes(tx: Session, arrays: Iterable[Array]) -> dict[str, int]:
    """Space that erasing deleted volumes would free for thick volumes, by array ID: without what is in a thin pool."""
    found: Counter[str] = Counter()
    for array in arrays:
        query = select(DeletedVolume.held_bytes).where(DeletedVolume.array_id == array.id)
        if thin_pooling(ArrayEngine(array.engine)):
            query = query.where(DeletedVolume.provisioning == Provisioning.THICK.value)
        found[array.id] += sum(tx.scalars(query))
    return dict(found)


def is_last_thin(tx: Session, volume: Volume | DeletedVolume) -> bool:
    """True if its array has no other thin volume, as in `emptied`."""
    return bool(emptied(tx, [volume]))


def emptied(tx: Session, rows: Iterable[Volume | DeletedVolume]) -> set[str]:
    """The groups whose last thin volumes these are: no other exists, is retained, or is being created; one that is
    being erased does not count.
    """
    thin = [row for row in rows if row.provisioning == Provisioning.THIN.value]
    going, ids = ResourceState.DELETING.value, {row.id for row in thin}
    arrays = {row.array_id for row in thin}
    for table in (Volume, DeletedVolume):
        others = select(table.array_id, table.id).where(
            table.array_id.in_(arrays), table.provisioning == Provisioning.THIN.value, table.state != going
        )
        arrays -= {array_id for array_id, id_ in tx.execute(others) if id_ not in ids}
    return {tx.get_one(Array, array_id).group_name for array_id in arrays}


def retained(tx: Session, job: Job) -> None:
    """Records a deleted volume: what its job set aside is retained for the time in its plan."""
    for step in Plan.model_validate(job.plan).steps:
        row = tx.get(Volume, step.volume_id) if isinstance(step, VolumeSetAside) else None
        if isinstance(step, VolumeSetAside) and row and tx.get(DeletedVolume, row.id) is None:
            same = {column: getattr(row, column) for column in _SAME}
            due_s = uptime.read(tx).due_s(step.keep_hours)
            tx.add(
                DeletedVolume(name=row.name, created_at=row.created_at, due_s=due_s, held_bytes=step.held_bytes, **same)
            )
            tx.flush()


def retained_by_roll_back(tx: Session, services: Services, job: Job) -> None:
    """The content of a volume before a rollback becomes a deleted volume with its own identity."""
    for step in Plan.model_validate(job.plan).steps:
        if isinstance(step, VolumeSwap):
            row = tx.get_one(Volume, step.volume_id)
            tx.add(
                DeletedVolume(
                    id=step.kept_id,
                    name=row.name,
                    array_id=row.array_id,
                    provisioning=row.provisioning,
                    backing_name=volume_planning(ArrayEngine(tx.get_one(Array, row.array_id).engine)).backing_name(
                        step.kept_id
                    ),
                    size_bytes=row.size_bytes,
                    description=row.description,
                    created_at=row.created_at,
                    held_bytes=step.held_bytes,
                    due_s=uptime.read(tx).due_s(step.keep_hours),
                    **services.identities.volume().model_dump(),
                )
            )


def recovered(tx: Session, job: Job) -> None:
    """Turns a deleted volume back into a volume."""
    tx.execute(delete(DeletedVolume).where(DeletedVolume.id.in_(job.resource_ids)))


def not_recovered(tx: Session, job: Job) -> None:
    """Returns a volume whose recovery failed to the deleted ones."""
    tx.execute(delete(Volume).where(Volume.id.in_(job.resource_ids)))


def not_erased(tx: Session, job: Job) -> None:
    """It can still be recovered, and is erased later."""
    for row in tx.scalars(select(DeletedVolume).where(DeletedVolume.id.in_(job.resource_ids))):
        row.due_s = max(row.due_s, retry_s(tx))


def retry_s(tx: Session) -> int:
    """When a failed erasure is retried, on the clock of `uptime`."""
    return uptime.read(tx).due_s(RETRY_HOURS)


def _must_be_free(tx: Session, row: DeletedVolume) -> None:
    must_be_ready(row)
    must_be_ready(tx.get_one(Array, row.array_id))
    deleted_snapshots.must_be_settled(tx, [row.id])


def known(tx: Session, row: DeletedVolume) -> KnownDeleted:
    """The row in the form that the planner uses."""
    array = tx.get_one(Array, row.array_id)
    return KnownDeleted(
        id=row.id,
        name=row.name,
        array=array.name,
        array_engine=ArrayEngine(array.engine),
        group=array.group_name,
        size_bytes=row.size_bytes,
        held_bytes=row.held_bytes,
        backing_name=row.backing_name,
        snapshots=deleted_snapshots.of_volumes(tx, [row.id]).get(row.id, ()),
    )
