"""Forgets an array that is permanently lost, with everything that was on it: only rows are deleted, the machine stays
unchanged.
"""

import contextlib
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.array_changes import ArrayForget
from lunette.domain.encryption import KeyForget
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ReleaseKind
from lunette.domain.jobs import JobState
from lunette.engine.alerts import board
from lunette.engine.alerts.stuck_jobs import stuck_alert
from lunette.engine.changes import deleted_snapshots, mappings
from lunette.engine.changes.volumes import known_all
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import need
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset
from lunette.engine.journal.transitions import Journal
from lunette.planner.arrays.forget import Lost, plan_forget
from lunette.store.journal import Job
from lunette.store.resources import Array, ArrayDisk, DeletedVolume, Mapping, Snapshot, Volume
from lunette.store.schema import utc_now

_RUNNING = (JobState.PENDING.value, JobState.RUNNING.value)


def forget(context: ChangeContext, array_id: str, spec: ArrayForget) -> Outcome:
    """Also forgets stuck objects: their jobs are abandoned. Hosts lose the volumes, whose LUNs are reserved as after
    any unmapping. Raises Invalid or Conflict, as `plan_forget` does.
    """
    tx, services = context.tx, context.services
    array = need(tx, Array, array_id)
    volumes = tx.scalars(select(Volume).where(Volume.array_id == array.id).order_by(Volume.name)).all()
    deleted = tx.scalars(select(DeletedVolume).where(DeletedVolume.array_id == array.id)).all()
    jobs = _jobs(tx, _ids(tx, array, volumes, deleted))
    stuck = [job for job in jobs if job.state == JobState.STUCK]
    lost = Lost(
        list(known_all(tx, volumes).values()),
        sorted(row.name for row in deleted),
        [job.title for job in jobs if job.state in _RUNNING],
        [job.title for job in stuck],
        array.keep_key,
    )
    plan = plan_forget(known(array), spec, services.seen(), lost)
    if context.dry_run:
        return Outcome(plan=plan)
    for job in stuck:
        _abandon(context, job)
    _unmap(tx, services, volumes)
    with contextlib.suppress(LunetteError):  # an agent that does not answer does not need the key any more
        if array.encryption:
            services.use_key(KeyForget(array_id=array.id))
    tx.execute(delete(Snapshot).where(Snapshot.volume_id.in_([row.id for row in volumes])))
    for table in (Volume, DeletedVolume, ArrayDisk):
        tx.execute(delete(table).where(table.array_id == array.id))
    tx.execute(delete(Array).where(Array.id == array.id))
    deleted_snapshots.forget_orphans(tx)
    exportset.changed(tx, services, [(ReleaseKind.ARRAY, array.id)])
    reported = {"plan": plan.model_dump(mode="json", include={"changes", "hosts_interrupted", "warnings"})}
    context.emit("array.forgotten", plan.title, ref=array.id, data=reported)
    return Outcome(plan=plan, ids=(array.id,))


def _ids(tx: Session, array: Array, volumes: Sequence[Volume], deleted: Sequence[DeletedVolume]) -> set[str]:
    on_array = [row.id for row in volumes]
    snapshots = tx.scalars(select(Snapshot.id).where(Snapshot.volume_id.in_(on_array)))
    kept = [row.id for row in deleted]
    below = deleted_snapshots.of_volumes(tx, [*on_array, *kept]).values()
    return {array.id, *on_array, *kept, *snapshots, *(one.id for found in below for one in found)}


def _jobs(tx: Session, ids: set[str]) -> list[Job]:
    """Unfinished jobs about any of these objects."""
    unfinished = select(Job).where(Job.state.in_([*_RUNNING, JobState.STUCK.value])).order_by(Job.created_at)
    return [job for job in tx.scalars(unfinished) if ids & set(job.resource_ids)]


def _abandon(context: ChangeContext, job: Job) -> None:
    """Abandons a job. Its other objects are on the same array, because a job is about one array."""
    board.resolve(context.tx, stuck_alert(job).key, utc_now())
    job.state, job.finished_at = JobState.FAILED.value, utc_now()
    job.message = f"abandoned by {context.actor.name}: its array was forgotten"
    Journal.announce(context.tx, job)


def _unmap(tx: Session, services: Services, volumes: Iterable[Volume]) -> None:
    ids = [row.id for row in volumes]
    for mapping in tx.scalars(select(Mapping).where(Mapping.volume_id.in_(ids))).all():
        mappings.take_away(tx, services, mapping)
