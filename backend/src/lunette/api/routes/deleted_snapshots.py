"""Deleted snapshots: retained for a limited time, and recovered or erased."""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.deleted_snapshots import DeletedSnapshot, deleted_snapshot_answer
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import JOB_CHANGED, JOB_CREATED, JOB_DELETED, LISTED, SHOWN, router
from lunette.api.requests.changes import Acting, Changing, Creating, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.errors import Conflict
from lunette.domain.snapshots import DeletedSnapshotBatch, SnapshotRecover
from lunette.engine.changes.deleted_snapshots import erase, erase_batch, recover, recover_batch
from lunette.engine.context import uptime
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import DeletedSnapshot as DeletedSnapshotRow
from lunette.store.resources import DeletedVolume, Volume

routes = router("/deleted-snapshots", "snapshots")
recoveries = router("/deleted-snapshots:recover-batch", "snapshots")
erasures = router("/deleted-snapshots:delete-batch", "snapshots")
_COLUMNS = {
    "id": DeletedSnapshotRow.id,
    "name": DeletedSnapshotRow.name,
    "size_bytes": DeletedSnapshotRow.size_bytes,
    "deleted_at": DeletedSnapshotRow.deleted_at,
    "erase_at": DeletedSnapshotRow.due_s,
}
Sort = Annotated[
    Literal["name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _answers(tx: Session, rows: Sequence[DeletedSnapshotRow]) -> list[DeletedSnapshot]:
    ids, clock = {row.volume_id for row in rows}, uptime.read(tx)
    volumes: dict[str, Volume | DeletedVolume] = {}
    volumes |= {row.id: row for row in tx.scalars(select(DeletedVolume).where(DeletedVolume.id.in_(ids)))}
    volumes |= {row.id: row for row in tx.scalars(select(Volume).where(Volume.id.in_(ids)))}
    return [deleted_snapshot_answer(row, volumes[row.volume_id], clock) for row in rows if row.volume_id in volumes]


def _find(tx: Session, reference: str) -> DeletedSnapshotRow:
    """By ID, or by name if the name is unique. Raises NotFound or Conflict."""
    ids = tx.scalars(select(DeletedSnapshotRow.id).where(DeletedSnapshotRow.name == reference)).all()
    if len(ids) > 1:
        raise Conflict(f"{len(ids)} deleted snapshots had the name {reference!r}: use the ID of one, from their list.")
    return find(tx, DeletedSnapshotRow, ids[0] if ids else reference)


@routes.get("", operation_id="deleted_snapshot_list", response_model=Page[DeletedSnapshot], responses=LISTED)
def deleted_snapshot_list(
    services: UsedServices,
    page: Paging,
    name: NameFilter = None,
    volume: Annotated[
        str | None, Query(max_length=63, description="Only deleted snapshots of this volume, by ID or name.")
    ] = None,
    sort: Sort = "deleted_at",
) -> Page[DeletedSnapshot]:
    """Lists the deleted snapshots that can be recovered."""
    query = select(DeletedSnapshotRow).where(*name_like(DeletedSnapshotRow.name, name))
    if volume is not None:
        named = [
            select(table.id).where(or_(table.id == volume, table.name == volume)) for table in (Volume, DeletedVolume)
        ]
        query = query.where(or_(*(DeletedSnapshotRow.volume_id.in_(ids) for ids in named)))
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(_answers(tx, found.rows))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get(
    "/{deleted_snapshot:plain}", operation_id="deleted_snapshot_show", response_model=DeletedSnapshot, responses=SHOWN
)
def deleted_snapshot_show(deleted_snapshot: Reference, services: UsedServices) -> Response:
    """Shows a deleted snapshot, by ID, or by name if the name is unique."""
    with services.store.read() as tx:
        row = _find(tx, deleted_snapshot)
        return answer(_answers(tx, [row])[0], version=row.version)


@routes.post(
    "/{deleted_snapshot}:recover",
    operation_id="deleted_snapshot_recover",
    status_code=202,
    response_model=None,
    responses=JOB_CHANGED,
)
def deleted_snapshot_recover(deleted_snapshot: Reference, body: SnapshotRecover, change: Acting) -> Response:
    """Recovers a deleted snapshot of a volume.

    Fails with 409 if the volume is deleted: recover the volume first. Requires `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = _find(context.tx, deleted_snapshot)
        change.check_match(row.version)
        return recover(context, row.id, body)

    return change.apply(act, only_jobs, looks=True)


@routes.delete(
    "/{deleted_snapshot:plain}",
    operation_id="deleted_snapshot_delete",
    status_code=202,
    response_model=None,
    responses=JOB_DELETED,
)
def deleted_snapshot_delete(deleted_snapshot: Reference, change: Changing) -> Response:
    """Erases a deleted snapshot before its retention ends.

    Data that only this snapshot contains is lost for good, and its space becomes free. Requires `If-Match`. Returns a
    job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = _find(context.tx, deleted_snapshot)
        change.check_match(row.version)
        return erase(context, row.id)

    return change.apply(act, only_jobs, looks=True)


@recoveries.post(
    "",
    operation_id="deleted_snapshot_recover_batch",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def deleted_snapshot_recover_batch(body: DeletedSnapshotBatch, change: Creating) -> Response:
    """Recovers many deleted snapshots as one job, all or none.

    Each gets its former name. If one cannot be recovered now, `errors` names it and nothing is changed.
    """
    return change.apply(lambda context: recover_batch(context, body.deleted_snapshots), only_jobs, looks=True)


@erasures.post(
    "", operation_id="deleted_snapshot_delete_batch", status_code=202, response_model=None, responses=JOB_CREATED
)
def deleted_snapshot_delete_batch(body: DeletedSnapshotBatch, change: Creating) -> Response:
    """Erases many deleted snapshots as one job, all or none.

    If one cannot be erased now, `errors` names it and nothing is changed. The snapshots that were erased before the job
    failed are lost.
    """
    return change.apply(lambda context: erase_batch(context, body.deleted_snapshots), only_jobs, looks=True)
