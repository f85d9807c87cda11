"""Deleted volumes: retained for a limited time, and recovered or erased."""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.deleted_volumes import DeletedVolume, deleted_volume_answer
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import JOB_CHANGED, JOB_CREATED, JOB_DELETED, LISTED, SHOWN, router
from lunette.api.requests.changes import Acting, Changing, Creating, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.errors import Conflict
from lunette.domain.volumes import DeletedVolumeBatch, VolumeRecover
from lunette.engine.changes import deleted_volumes
from lunette.engine.context import uptime
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array
from lunette.store.resources import DeletedVolume as DeletedVolumeRow

routes = router("/deleted-volumes", "volumes")
recoveries = router("/deleted-volumes:recover-batch", "volumes")
erasures = router("/deleted-volumes:delete-batch", "volumes")
_COLUMNS = {
    "id": DeletedVolumeRow.id,
    "name": DeletedVolumeRow.name,
    "size_bytes": DeletedVolumeRow.size_bytes,
    "deleted_at": DeletedVolumeRow.deleted_at,
    "erase_at": DeletedVolumeRow.due_s,
}
Sort = Annotated[
    Literal["name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _answers(tx: Session, rows: Sequence[DeletedVolumeRow]) -> list[DeletedVolume]:
    arrays = select(Array.id, Array.name).where(Array.id.in_({row.array_id for row in rows}))
    names, clock = dict(tx.execute(arrays).all()), uptime.read(tx)
    return [deleted_volume_answer(row, names[row.array_id], clock) for row in rows]


def _find(tx: Session, reference: str) -> DeletedVolumeRow:
    """By ID, or by name if the name is unique. Raises NotFound or Conflict."""
    ids = tx.scalars(select(DeletedVolumeRow.id).where(DeletedVolumeRow.name == reference)).all()
    if len(ids) > 1:
        raise Conflict(f"{len(ids)} deleted volumes had the name {reference!r}: use the ID of one, from their list.")
    return find(tx, DeletedVolumeRow, ids[0] if ids else reference)


@routes.get("", operation_id="deleted_volume_list", response_model=Page[DeletedVolume], responses=LISTED)
def deleted_volume_list(
    services: UsedServices,
    page: Paging,
    name: NameFilter = None,
    array: Annotated[
        str | None, Query(max_length=63, description="Only deleted volumes of this array, by ID or name.")
    ] = None,
    sort: Sort = "deleted_at",
) -> Page[DeletedVolume]:
    """Lists the deleted volumes that can be recovered."""
    query = select(DeletedVolumeRow).where(*name_like(DeletedVolumeRow.name, name))
    if array is not None:
        ids = select(Array.id).where(or_(Array.id == array, Array.name == array))
        query = query.where(DeletedVolumeRow.array_id.in_(ids))
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(_answers(tx, found.rows))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get(
    "/{deleted_volume:plain}", operation_id="deleted_volume_show", response_model=DeletedVolume, responses=SHOWN
)
def deleted_volume_show(deleted_volume: Reference, services: UsedServices) -> Response:
    """Shows a deleted volume, by ID, or by name if the name is unique."""
    with services.store.read() as tx:
        row = _find(tx, deleted_volume)
        return answer(_answers(tx, [row])[0], version=row.version)


@routes.post(
    "/{deleted_volume}:recover",
    operation_id="deleted_volume_recover",
    status_code=202,
    response_model=None,
    responses=JOB_CHANGED,
)
def deleted_volume_recover(deleted_volume: Reference, body: VolumeRecover, change: Acting) -> Response:
    """Recovers a deleted volume, with its data, ID and identity.

    The recovered volume has no mappings. Requires `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = _find(context.tx, deleted_volume)
        change.check_match(row.version)
        return deleted_volumes.recover(context, row.id, body)

    return change.apply(act, only_jobs, looks=True)


@routes.delete(
    "/{deleted_volume:plain}",
    operation_id="deleted_volume_delete",
    status_code=202,
    response_model=None,
    responses=JOB_DELETED,
)
def deleted_volume_delete(deleted_volume: Reference, change: Changing) -> Response:
    """Erases a deleted volume before its retention ends.

    The data of the volume and its deleted snapshots are lost for good, and their space becomes free. Requires
    `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = _find(context.tx, deleted_volume)
        change.check_match(row.version)
        return deleted_volumes.erase(context, row.id)

    return change.apply(act, only_jobs, looks=True)


@recoveries.post(
    "",
    operation_id="deleted_volume_recover_batch",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def deleted_volume_recover_batch(body: DeletedVolumeBatch, change: Creating) -> Response:
    """Recovers many deleted volumes as one job, all or none.

    Each gets its former name. If one cannot be recovered now, `errors` names it and nothing is changed.
    """
    return change.apply(
        lambda context: deleted_volumes.recover_batch(context, body.deleted_volumes), only_jobs, looks=True
    )


@erasures.post(
    "", operation_id="deleted_volume_delete_batch", status_code=202, response_model=None, responses=JOB_CREATED
)
def deleted_volume_delete_batch(body: DeletedVolumeBatch, change: Creating) -> Response:
    """Erases many deleted volumes as one job, all or none.

    If one cannot be erased now, `errors` names it and nothing is changed. The volumes that were erased before the job
    failed are lost.
    """
    return change.apply(
        lambda context: deleted_volumes.erase_batch(context, body.deleted_volumes), only_jobs, looks=True
    )
