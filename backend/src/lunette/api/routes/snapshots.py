"""Snapshots of volumes, and the clones that are created from them."""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.snapshots import Snapshot, snapshot_answer
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import JOB_CREATED, JOB_DELETED, LISTED, SHOWN, router
from lunette.api.requests.changes import Changing, Creating, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.snapshots import SnapshotBatch, SnapshotClone, SnapshotCreate, SnapshotDeleteBatch
from lunette.engine.changes import snapshots, volume_batches
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Snapshot as SnapshotRow
from lunette.store.resources import Volume as VolumeRow
from lunette.store.schedules import Schedule, ScheduledSnapshot

routes = router("/snapshots", "snapshots")
batches = router("/snapshots:create-batch", "snapshots")
deletions = router("/snapshots:delete-batch", "snapshots")
_COLUMNS = {
    "id": SnapshotRow.id,
    "name": SnapshotRow.name,
    "size_bytes": SnapshotRow.size_bytes,
    "created_at": SnapshotRow.created_at,
}
Sort = Annotated[
    Literal["name", "-name", "size_bytes", "-size_bytes", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _answers(tx: Session, rows: Sequence[SnapshotRow]) -> list[Snapshot]:
    wanted = select(VolumeRow.id, VolumeRow.name).where(VolumeRow.id.in_({row.volume_id for row in rows}))
    names = dict(tx.execute(wanted).all())
    taken = select(ScheduledSnapshot.snapshot_id, Schedule.name).join(Schedule)
    schedules = dict(tx.execute(taken.where(ScheduledSnapshot.snapshot_id.in_([row.id for row in rows]))).all())
    return [snapshot_answer(row, names[row.volume_id], schedules.get(row.id)) for row in rows]


@routes.get("", operation_id="snapshot_list", response_model=Page[Snapshot], responses=LISTED)
def snapshot_list(
    services: UsedServices,
    page: Paging,
    name: NameFilter = None,
    volume: Annotated[
        str | None, Query(max_length=63, description="Only snapshots of this volume, by ID or name.")
    ] = None,
    schedule: Annotated[
        str | None, Query(max_length=63, description="Only snapshots that this schedule took, by ID or name.")
    ] = None,
    sort: Sort = "created_at",
) -> Page[Snapshot]:
    """Lists the snapshots."""
    query = select(SnapshotRow).where(*name_like(SnapshotRow.name, name))
    if volume is not None:
        ids = select(VolumeRow.id).where(or_(VolumeRow.id == volume, VolumeRow.name == volume))
        query = query.where(SnapshotRow.volume_id.in_(ids))
    if schedule is not None:
        by = select(ScheduledSnapshot.snapshot_id).join(Schedule)
        query = query.where(SnapshotRow.id.in_(by.where(or_(Schedule.id == schedule, Schedule.name == schedule))))
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(_answers(tx, found.rows))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{snapshot:plain}", operation_id="snapshot_show", response_model=Snapshot, responses=SHOWN)
def snapshot_show(snapshot: Reference, services: UsedServices) -> Response:
    """Shows a snapshot, by ID or name."""
    with services.store.read() as tx:
        row = find(tx, SnapshotRow, snapshot, SnapshotRow.name)
        return answer(_answers(tx, [row])[0], version=row.version)


@routes.post("", operation_id="snapshot_create", status_code=202, response_model=None, responses=JOB_CREATED)
def snapshot_create(body: SnapshotCreate, change: Creating) -> Response:
    """Creates a snapshot of a volume while hosts use it.

    The volume must be thin, except on ZFS. Returns a job.
    """
    return change.apply(lambda context: snapshots.take(context, body), only_jobs, looks=True)


@batches.post("", operation_id="snapshot_create_batch", status_code=202, response_model=None, responses=JOB_CREATED)
def snapshot_create_batch(body: SnapshotBatch, change: Creating) -> Response:
    """Creates a snapshot of each of many volumes, all or none.

    Snapshots of volumes on one ZFS pool are created at the same moment, others one after the other. Returns a job.
    """
    return change.apply(lambda context: volume_batches.take_snapshots(context, body), only_jobs, looks=True)


@routes.post(
    "/{snapshot}:clone", operation_id="snapshot_clone", status_code=202, response_model=None, responses=JOB_CREATED
)
def snapshot_clone(snapshot: Reference, body: SnapshotClone, change: Creating) -> Response:
    """Creates one or many volumes from a snapshot, all or none.

    The clones are writable and start with the data of the snapshot. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, SnapshotRow, snapshot, SnapshotRow.name)
        return snapshots.clone(context, row.id, body)

    return change.apply(act, only_jobs, looks=True)


@routes.delete(
    "/{snapshot:plain}", operation_id="snapshot_delete", status_code=202, response_model=None, responses=JOB_DELETED
)
def snapshot_delete(snapshot: Reference, change: Changing) -> Response:
    """Deletes a snapshot, but not its volume or its clones.

    The snapshot can be recovered for the hours of the setting `deleted_keep_hours`; with 0 hours it is erased. On ZFS,
    a snapshot from which volumes were cloned cannot be deleted. Requires `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, SnapshotRow, snapshot, SnapshotRow.name)
        change.check_match(row.version)
        return snapshots.delete(context, row.id)

    return change.apply(act, only_jobs, looks=True)


@deletions.post("", operation_id="snapshot_delete_batch", status_code=202, response_model=None, responses=JOB_CREATED)
def snapshot_delete_batch(body: SnapshotDeleteBatch, change: Creating) -> Response:
    """Deletes many snapshots as one job, all or none.

    If a snapshot cannot be deleted now, `errors` names it and nothing is changed. The snapshots can be recovered for
    the hours of the setting `deleted_keep_hours`. With 0 hours, snapshots that were erased before the job failed are
    lost.
    """
    return change.apply(lambda context: snapshots.delete_batch(context, body.snapshots), only_jobs, looks=True)
