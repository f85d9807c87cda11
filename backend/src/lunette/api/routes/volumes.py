"""Volumes: slices of an array, one or many at once. They can grow, and be rolled back to a snapshot."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Response
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.plans import PlanAnswer
from lunette.api.answers.volumes import Volume
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.lists.searching import Term, TextFilter, volume_columns
from lunette.api.openapi.responses import JOB_CHANGED, JOB_CREATED, JOB_DELETED, LISTED, SHOWN, changed, router
from lunette.api.requests import joins
from lunette.api.requests.changes import Acting, Cascade, ChangeRequest, Changing, Creating, Replanning, Taking, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import UsedServices
from lunette.domain.jobs import ResourceState
from lunette.domain.volumes import VolumeBatch, VolumeCreate, VolumeDeleteBatch, VolumeGrow, VolumePatch, VolumeRollBack
from lunette.engine.changes import snapshots, volume_batches, volumes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array, Host, HostGroup, Mapping
from lunette.store.resources import Volume as VolumeRow

routes = router("/volumes", "volumes")
batches = router("/volumes:create-batch", "volumes")
deletions = router("/volumes:delete-batch", "volumes")
_COLUMNS = {
    "id": VolumeRow.id,
    "name": VolumeRow.name,
    "state": VolumeRow.state,
    "size_bytes": VolumeRow.size_bytes,
    "naa": VolumeRow.naa,
    "created_at": VolumeRow.created_at,
}
Sort = Annotated[
    Literal[
        "name", "-name", "state", "-state", "size_bytes", "-size_bytes", "naa", "-naa", "created_at", "-created_at"
    ],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _of(what: str) -> Any:
    return Query(max_length=63, description=f"Only volumes {what}, by ID or name.")


def _wanted(
    name: NameFilter = None,
    text: TextFilter = None,
    array: Annotated[str | None, _of("of this array")] = None,
    host: Annotated[str | None, _of("mapped to this host")] = None,
    host_group: Annotated[str | None, _of("mapped to this host group")] = None,
    state: Annotated[ResourceState | None, Query(description="Only volumes in this state.")] = None,
) -> Select[VolumeRow]:
    query = select(VolumeRow).where(*name_like(VolumeRow.name, name))
    if text is not None:
        query = query.where(Term(text).found_in(volume_columns(VolumeRow)))
    if array is not None:
        ids = select(Array.id).where(or_(Array.id == array, Array.name == array))
        query = query.where(VolumeRow.array_id.in_(ids))
    if host is not None:
        owners = select(Host.id).where(or_(Host.id == host, Host.name == host))
        query = query.where(VolumeRow.id.in_(select(Mapping.volume_id).where(Mapping.host_id.in_(owners))))
    if host_group is not None:
        owners = select(HostGroup.id).where(or_(HostGroup.id == host_group, HostGroup.name == host_group))
        query = query.where(VolumeRow.id.in_(select(Mapping.volume_id).where(Mapping.host_group_id.in_(owners))))
    return query.where(VolumeRow.state == state.value) if state else query


@routes.get("", operation_id="volume_list", response_model=Page[Volume], responses=LISTED)
def volume_list(
    services: UsedServices, page: Paging, query: Annotated[Select[VolumeRow], Depends(_wanted)], sort: Sort = "name"
) -> Page[Volume]:
    """Lists the volumes, with their mappings and export state."""
    seen = observed_now(services)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(joins.volumes(tx, found.rows, seen))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{volume:plain}", operation_id="volume_show", response_model=Volume, responses=SHOWN)
def volume_show(volume: Reference, services: UsedServices) -> Response:
    """Shows a volume, by ID or name."""
    seen = observed_now(services)
    with services.store.read() as tx:
        row = find(tx, VolumeRow, volume, VolumeRow.name)
        return answer(joins.volumes(tx, [row], seen)[0], version=row.version)


@routes.post("", operation_id="volume_create", status_code=202, response_model=None, responses=JOB_CREATED)
def volume_create(body: VolumeCreate, change: Creating) -> Response:
    """Creates a volume on an array.

    Returns a job.
    """
    return change.apply(
        lambda context: volumes.create(context, (body,)),
        only_jobs,
        looks=True,
    )


@batches.post("", operation_id="volume_create_batch", status_code=202, response_model=None, responses=JOB_CREATED)
def volume_create_batch(body: VolumeBatch, change: Creating) -> Response:
    """Creates many volumes of the same size, all or none.

    The volumes are named with a pattern. Returns a job.
    """
    specs = body.expand()
    return change.apply(
        lambda context: volumes.create(context, specs),
        only_jobs,
        looks=True,
    )


@routes.patch("/{volume:plain}", operation_id="volume_patch", response_model=None, responses=changed(Volume))
def volume_patch(volume: Reference, body: VolumePatch, change: Changing) -> Response:
    """Changes the name or description of a volume.

    Neither the data nor the access of hosts is affected. Omitted fields stay unchanged. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return volumes.patch(context, row.id, body)

    return change.apply(act, _shown(change))


def _shown(change: ChangeRequest) -> Callable[[Session, Outcome], Response]:
    """Answers the changed volume as it is now."""

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(VolumeRow, outcome.ids[0])
        return answer(joins.volumes(tx, [row], observed_now(change.services))[0], version=row.version)

    return show


@routes.post(
    "/{volume}:grow",
    operation_id="volume_grow",
    status_code=202,
    response_model=None,
    responses={
        **JOB_CHANGED,
        200: {
            "model": Volume | PlanAnswer,
            "description": "Volume, if it already has this size, or the plan for a dry run.",
        },
    },
)
def volume_grow(volume: Reference, body: VolumeGrow, change: Acting) -> Response:
    """Grows a volume while hosts use it.

    Hosts see the new size after a rescan. A volume cannot be made smaller. Requires `If-Match`. Returns a job, or the
    volume if it already has this size.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return volumes.grow(context, row.id, body)

    return change.apply(act, _shown(change), looks=True)


@routes.post(
    "/{volume}:roll-back", operation_id="volume_roll_back", status_code=202, response_model=None, responses=JOB_CHANGED
)
def volume_roll_back(volume: Reference, body: VolumeRollBack, change: Acting) -> Response:
    """Rolls a volume back to a snapshot.

    The present data of the volume is retained as a deleted volume, or lost if `keep` is false or the setting
    `deleted_keep_hours` is 0. Fails with 409 while the volume is mapped. Requires `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return snapshots.roll_back(context, row.id, body)

    return change.apply(act, only_jobs, looks=True)


@routes.delete(
    "/{volume:plain}", operation_id="volume_delete", status_code=202, response_model=None, responses=JOB_DELETED
)
def volume_delete(volume: Reference, change: Taking, cascade: Cascade = False) -> Response:
    """Deletes a volume that has no mappings and no snapshots.

    The volume can be recovered for the hours of the setting `deleted_keep_hours`; with 0 hours its data is destroyed.
    With `cascade`, its mappings and snapshots are deleted too, and all mappings are restored if the job fails. A volume
    that hosts used within the last minute is deleted only if `confirm` names it. Requires `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return volume_batches.delete(context, (row.id,), cascade=True) if cascade else volumes.delete(context, row.id)

    return change.apply(act, only_jobs, looks=True)


@deletions.post("", operation_id="volume_delete_batch", status_code=202, response_model=None, responses=JOB_CREATED)
def volume_delete_batch(body: VolumeDeleteBatch, change: Replanning) -> Response:
    """Deletes many volumes as one job, all or none.

    Refused if any of the volumes has mappings or snapshots, unless `cascade` is set; `errors` names each of them. The
    volumes can be recovered for the hours of the setting `deleted_keep_hours`. With 0 hours, volumes that were erased
    before the job failed are lost, and the message of the job says so. Volumes that hosts used within the last minute
    must be named in `confirm`.
    """
    return change.apply(
        lambda context: volume_batches.delete(context, body.volumes, cascade=body.cascade),
        only_jobs,
        looks=True,
    )
