"""What the end of a job means for its resources: rows become ready, are deleted, return or get stuck."""

import contextlib
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.encryption import KeyForget
from lunette.domain.errors import LunetteError
from lunette.domain.jobs import JobKind, ResourceState, StepState
from lunette.domain.plans import Plan
from lunette.domain.steps import VolumeGrow
from lunette.engine.changes import adopting, array_release, deleted_snapshots, deleted_volumes, mappings
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset
from lunette.engine.journal import disk_rows
from lunette.engine.reads import path_verdicts
from lunette.store.events import emit
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Array, ArrayDisk, DeletedSnapshot, DeletedVolume, Snapshot, Volume

_CHANGED = {
    JobKind.ARRAY_CHANGE: ("changed", "is changed", "change_failed", "was not changed"),
    JobKind.ARRAY_START: ("started", "runs read-only", "start_failed", "was not started"),
    JobKind.VOLUME_GROW: ("grown", "has its new size", "grow_failed", "was not grown"),
    JobKind.VOLUME_ROLL_BACK: ("rolled_back", "is rolled back", "roll_back_failed", "was not rolled back"),
    JobKind.VOLUME_RECOVER: ("recovered", "is recovered", "recover_failed", "was not recovered"),
    JobKind.SNAPSHOT_RECOVER: ("recovered", "is recovered", "recover_failed", "was not recovered"),
    JobKind.INTERFACE_CHANGE: ("tried", "is changed, on trial", "change_failed", "was not changed"),
    JobKind.SESSION_DISCONNECT: ("disconnected", "has ended", "disconnect_failed", "was not ended"),
    JobKind.SYSTEM_UPDATE: ("updated", "is updated", "update_failed", "was not updated"),
    JobKind.SYSTEM_RESTART: ("restarted", "has restarted", "restart_failed", "did not restart"),
    JobKind.SYSTEM_POWER_OFF: (
        "switched_off",
        "was off and has started",
        "power_off_failed",
        "was not shut down",
    ),
    JobKind.DISK_WIPE: ("wiped", "is wiped", "wipe_failed", "was not wiped"),
    JobKind.DISK_LOCATE: (
        "located",
        "has its locate light as requested",
        "locate_failed",
        "has its locate light as before",
    ),
    JobKind.THIN_POOL_GROW: ("grown", "has its new size", "grow_failed", "was not grown"),
    JobKind.HOST_VERIFY_PATHS: ("paths_verified", "passed the path test", "paths_failed", "did not pass the path test"),
}
"""Verb and text of the event when a job that changes something succeeded, and when it failed."""

_GONE = {
    JobKind.VOLUME_ERASE: ("erased", "is erased"),
    JobKind.SNAPSHOT_ERASE: ("erased", "is erased"),
    JobKind.ARRAY_RELEASE: ("released", "is released: its data is retained, but it no longer belongs to Lunette"),
}
"""Verb and text if a job that removes its resources does not delete them."""

_ADOPTING = (JobKind.SITE_ADOPT, JobKind.ARRAY_ADOPT)
_TAKING_VOLUMES = (JobKind.ARRAY_DELETE, JobKind.ARRAY_RELEASE)
_ONE_BY_ONE = (JobKind.VOLUME_DELETE, JobKind.SNAPSHOT_DELETE, JobKind.VOLUME_ERASE, JobKind.SNAPSHOT_ERASE)
_OF_DELETED = (JobKind.VOLUME_RECOVER, JobKind.VOLUME_ERASE, JobKind.SNAPSHOT_RECOVER, JobKind.SNAPSHOT_ERASE)


def succeeded(tx: Session, services: Services, job: Job) -> None:
    """Created or changed resources are ready; deleted ones are forgotten."""
    kind = JobKind(job.kind)
    if kind in _ADOPTING:
        adopting.adopted(tx, services, job)
        return
    if kind.destroys:
        if kind in _TAKING_VOLUMES:
            array_release.released(tx, job)
        deleted_volumes.retained(tx, job)
        deleted_snapshots.retained(tx, job)
        _forget(tx, job, job.resource_ids)
        deleted_snapshots.forget_orphans(tx)
        _announce(tx, job, *_GONE.get(kind, ("deleted", "is deleted")))
        return
    if kind is JobKind.VOLUME_RECOVER:
        deleted_volumes.recovered(tx, job)
    if kind is JobKind.SNAPSHOT_RECOVER:
        deleted_snapshots.recovered(tx, job)
    if kind is JobKind.VOLUME_ROLL_BACK:
        deleted_volumes.retained_by_roll_back(tx, services, job)
        deleted_snapshots.forget_destroyed(tx, job)
    if kind.changes:
        disk_rows.changed(tx, job)
        _resize(tx, services, job)
    if kind is JobKind.HOST_VERIFY_PATHS:
        path_verdicts.ended(tx, job, is_passed=True)
    _set_state(tx, services, job, ResourceState.READY)
    _announce(tx, job, *(_CHANGED[kind][:2] if kind.changes else ("created", "is ready")))


def taken_back(tx: Session, services: Services, job: Job) -> None:
    """Resources to create are forgotten; resources to change or delete are ready again."""
    kind = JobKind(job.kind)
    if kind in _ADOPTING:
        adopting.not_adopted(tx, services, job)
        return
    if not kind.changes and not kind.destroys:
        _forget_passphrases(services, _rows(tx, job))
        _forget(tx, job, job.resource_ids)
        _announce(tx, job, "create_failed", "was not created")
        return
    if kind.changes:
        disk_rows.unchanged(tx, job)
    if kind is JobKind.HOST_VERIFY_PATHS:
        path_verdicts.ended(tx, job, is_passed=False)
    if kind is JobKind.VOLUME_RECOVER:
        deleted_volumes.not_recovered(tx, job)
    if kind is JobKind.SNAPSHOT_RECOVER:
        deleted_snapshots.not_recovered(tx, job)
    if kind is JobKind.VOLUME_ERASE:
        deleted_volumes.not_erased(tx, job)
    if kind is JobKind.SNAPSHOT_ERASE:
        deleted_snapshots.not_erased(tx, job, deleted_volumes.retry_s(tx))
    deleted_snapshots.forget_destroyed(tx, job)
    deleted_snapshots.not_deleted(tx, job)
    if kind in _TAKING_VOLUMES:
        array_release.not_released(tx, job)
    gone = _destroyed(tx, job) if kind in _ONE_BY_ONE else []
    if gone:
        _forget(tx, job, gone)
        deleted_snapshots.forget_orphans(tx)
        _announce(tx, job, *_GONE.get(kind, ("deleted", "is deleted")), gone)
    _set_state(tx, services, job, ResourceState.READY)
    mappings.remap(tx, services, job)
    if left := [one for one in job.resource_ids if one not in gone]:
        _announce(tx, job, *_failed_words(kind), left)


def _destroyed(tx: Session, job: Job) -> list[str]:
    """The volumes or snapshots that a deletion had destroyed before it was rolled back: they cannot be ready again."""
    noun = job.resource_kind
    steps = tx.scalars(
        select(JobStep).where(
            JobStep.job_id == job.id, JobStep.kind == f"{noun}.delete", JobStep.state == StepState.DONE.value
        )
    )
    gone = [step.payload[f"{noun}_id"] for step in steps]
    # If only the thin pool could not be removed, the whole erasure is retried.
    return [] if job.kind == JobKind.VOLUME_ERASE and len(gone) == len(job.resource_ids) else gone


def stuck(tx: Session, services: Services, job: Job) -> None:
    _set_state(tx, services, job, ResourceState.STUCK)
    _announce(tx, job, "stuck", "is stuck")


def taken_up(tx: Session, services: Services, job: Job) -> None:
    """A stuck job runs again."""
    kind = JobKind(job.kind)
    begun = ResourceState.CHANGING if kind.changes else ResourceState.CREATING
    state = ResourceState.DELETING if kind.destroys else begun
    _set_state(tx, services, job, state)


def _resize(tx: Session, services: Services, job: Job) -> None:
    """Records the new size of a grown volume in the database, and so in the agent's ledger."""
    for step in Plan.model_validate(job.plan).steps:
        if isinstance(step, VolumeGrow):
            tx.get_one(Volume, step.volume_id).size_bytes = step.size_bytes
            exportset.changed(tx, services)


def _rows(tx: Session, job: Job) -> Iterable[Array | Volume | DeletedVolume | Snapshot | DeletedSnapshot]:
    """The resources of a job; for a recovery, both the deleted object and what it becomes."""
    ids = job.resource_ids
    match job.resource_kind:
        case "array":
            return tx.scalars(select(Array).where(Array.id.in_(ids))).all()
        case "volume":
            kept = tx.scalars(select(DeletedVolume).where(DeletedVolume.id.in_(ids))).all()
            live = tx.scalars(select(Volume).where(Volume.id.in_(ids))).all()
            return [*kept, *live] if job.kind in _OF_DELETED else live
        case "snapshot":
            set_aside = tx.scalars(select(DeletedSnapshot).where(DeletedSnapshot.id.in_(ids))).all()
            there = tx.scalars(select(Snapshot).where(Snapshot.id.in_(ids))).all()
            return [*set_aside, *there] if job.kind in _OF_DELETED else there
    return ()  # pool, interface, disk, session, system: no row, the machine is asked


def _set_state(tx: Session, services: Services, job: Job, state: ResourceState) -> None:
    """An array is exported (brought up at boot) while it is ready, so its state counts as a change of the exports."""
    for row in _rows(tx, job):
        row.state = state.value
    if job.resource_kind == "array" and state is ResourceState.READY:
        exportset.changed(tx, services)


def _forget(tx: Session, job: Job, ids: Sequence[str]) -> None:
    if job.resource_kind == "array":
        tx.execute(delete(DeletedVolume).where(DeletedVolume.array_id.in_(ids)))
        tx.execute(delete(ArrayDisk).where(ArrayDisk.array_id.in_(ids)))
        tx.execute(delete(Array).where(Array.id.in_(ids)))
    else:
        kept, live = (DeletedSnapshot, Snapshot) if job.resource_kind == "snapshot" else (DeletedVolume, Volume)
        table = kept if job.kind in _OF_DELETED else live
        if table is Volume:
            tx.execute(delete(Snapshot).where(Snapshot.volume_id.in_(ids)))
        tx.execute(delete(table).where(table.__table__.c.id.in_(ids)))


def _forget_passphrases(services: Services, rows: Iterable[object]) -> None:
    """Drops the passphrases of arrays that are not created after all. An unreachable agent drops them itself after a
    while.
    """
    for row in rows:
        if isinstance(row, Array) and row.encryption:
            with contextlib.suppress(LunetteError):
                services.use_key(KeyForget(array_id=row.id))


def _failed_words(kind: JobKind) -> tuple[str, str]:
    if kind.changes:
        return _CHANGED[kind][2:]
    if kind in (JobKind.VOLUME_ERASE, JobKind.SNAPSHOT_ERASE):
        return "erase_failed", "was not erased and can still be recovered"
    if kind is JobKind.ARRAY_RELEASE:
        return "release_failed", "was not released and is ready again"
    return "delete_failed", "was not deleted and is ready again"


def _announce(tx: Session, job: Job, verb: str, words: str, of: Sequence[str] | None = None) -> None:
    """One event for all resources of the job, or for these of them; `ref` only if there is one."""
    ids = list(job.resource_ids if of is None else of)
    what = job.resource_kind if len(ids) == 1 else f"{len(ids)} {job.resource_kind}s"
    message = f"{job.title}: {what} {words if len(ids) == 1 else words.replace('is ', 'are ').replace('was ', 'were ')}"
    ref = ids[0] if len(ids) == 1 else None
    emit(tx, f"{job.resource_kind}.{verb}", message, actor=job.actor, ref=ref, data={"ids": ids, "job_id": job.id})
