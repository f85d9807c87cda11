"""Volumes: slices of an array, one by one or many at once; they grow, and go back to a snapshot."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Response
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from lunette.api import gather
from lunette.api.answers.base import Page
from lunette.api.answers.plans import PlanAnswer
from lunette.api.answers.volumes import Volume
from lunette.api.changes import Acting, Change, Changing, Creating, Replanning, Taking, answer
from lunette.api.declare import JOB_CHANGED, JOB_CREATED, JOB_DELETED, LISTED, SHOWN, changed, router
from lunette.api.jobs import only_jobs
from lunette.api.looking import seen_now
from lunette.api.lookup import Reference, find
from lunette.api.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.parts import UsedParts
from lunette.domain.jobs import ResourceState
from lunette.domain.volumes import VolumeBatch, VolumeCreate, VolumeDeleteBatch, VolumeGrow, VolumePatch, VolumeRollBack
from lunette.engine.outcome import Outcome
from lunette.store.resources import Array, Host, HostGroup, Mapping
from lunette.store.resources import Volume as VolumeRow

routes = router("/volumes", "volumes")
batches = router("/volumes:batch", "volumes")
deletions = router("/volumes:delete-batch", "volumes")
_COLUMNS = {
    "id": VolumeRow.id,
    "name": VolumeRow.name,
    "state": VolumeRow.state,
    "size_bytes": VolumeRow.size_bytes,
    "naa": VolumeRow.naa,
    "created_at": VolumeRow.created_at,
}
Sort = Literal[
    "name", "-name", "state", "-state", "size_bytes", "-size_bytes", "naa", "-naa", "created_at", "-created_at"
]


def _of(what: str) -> Any:
    return Query(max_length=63, description=f"Only those of this {what}, by id or name.")


def _wanted(
    name: NameFilter = None,
    array: Annotated[str | None, _of("array")] = None,
    host: Annotated[str | None, _of("host")] = None,
    host_group: Annotated[str | None, _of("host group")] = None,
    state: ResourceState | None = None,
) -> Select[VolumeRow]:
    query = select(VolumeRow).where(*name_like(VolumeRow.name, name))
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
    parts: UsedParts, page: Paging, query: Annotated[Select[VolumeRow], Depends(_wanted)], sort: Sort = "name"
) -> Page[Volume]:
    """The volumes, with whom they are mapped to and whether they are served."""
    seen = seen_now(parts)
    with parts.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(gather.volumes(tx, found.rows, seen))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{volume:plain}", operation_id="volume_show", response_model=Volume, responses=SHOWN)
def volume_show(volume: Reference, parts: UsedParts) -> Response:
    """One volume, by id or name."""
    seen = seen_now(parts)
    with parts.store.read() as tx:
        row = find(tx, VolumeRow, volume, VolumeRow.name)
        return answer(gather.volumes(tx, [row], seen)[0], version=row.version)


@routes.post("", operation_id="volume_create", status_code=202, response_model=None, responses=JOB_CREATED)
def volume_create(body: VolumeCreate, change: Creating) -> Response:
    """Cuts one volume from an array."""
    return change.apply(
        lambda tx: change.control.create_volumes(tx, change.actor, (body,), dry_run=change.dry_run),
        only_jobs,
        looks=True,
    )


@batches.post("", operation_id="volume_create_batch", status_code=202, response_model=None, responses=JOB_CREATED)
def volume_create_batch(body: VolumeBatch, change: Creating) -> Response:
    """Cuts many volumes of one size, all or nothing."""
    wishes = body.expand()
    return change.apply(
        lambda tx: change.control.create_volumes(tx, change.actor, wishes, dry_run=change.dry_run),
        only_jobs,
        looks=True,
    )


@routes.patch("/{volume:plain}", operation_id="volume_patch", response_model=None, responses=changed(Volume))
def volume_patch(volume: Reference, body: VolumePatch, change: Changing) -> Response:
    """Changes name or description; no data and no export is touched."""

    def act(tx: Session) -> Outcome:
        row = find(tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return change.control.patch_volume(tx, change.actor, row.id, body, dry_run=change.dry_run)

    return change.apply(act, _shown(change))


def _shown(change: Change) -> Callable[[Session, Outcome], Response]:
    """Answers the changed volume as it is now."""

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(VolumeRow, outcome.ids[0])
        return answer(gather.volumes(tx, [row], seen_now(change.parts))[0], version=row.version)

    return show


@routes.post(
    "/{volume}:grow",
    operation_id="volume_grow",
    status_code=202,
    response_model=None,
    responses={**JOB_CHANGED, 200: {"model": Volume | PlanAnswer, "description": "It has this size; or the plan."}},
)
def volume_grow(volume: Reference, body: VolumeGrow, change: Acting) -> Response:
    """Makes a volume larger while hosts use it; they see the new size when they look again. It never gets smaller."""

    def act(tx: Session) -> Outcome:
        row = find(tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return change.control.grow_volume(tx, change.actor, row.id, body.size_bytes, dry_run=change.dry_run)

    return change.apply(act, _shown(change), looks=True)


@routes.post(
    "/{volume}:roll-back", operation_id="volume_roll_back", status_code=202, response_model=None, responses=JOB_CHANGED
)
def volume_roll_back(volume: Reference, body: VolumeRollBack, change: Acting) -> Response:
    """Makes a volume as it was in a snapshot, and keeps what it holds as a deleted volume. 409 while it is mapped."""

    def act(tx: Session) -> Outcome:
        row = find(tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return change.control.roll_back_volume(tx, change.actor, row.id, body, dry_run=change.dry_run)

    return change.apply(act, only_jobs, looks=True)


@routes.delete(
    "/{volume:plain}", operation_id="volume_delete", status_code=202, response_model=None, responses=JOB_DELETED
)
def volume_delete(volume: Reference, change: Taking) -> Response:
    """Deletes a volume, once nothing is mapped to it and its exports are gone.

    It can be recovered for as long as the setting `deleted_keep_hours` says, see deleted volumes. One that was
    in use a moment ago needs `confirm`.
    """

    def act(tx: Session) -> Outcome:
        row = find(tx, VolumeRow, volume, VolumeRow.name)
        change.check_match(row.version)
        return change.control.delete_volume(tx, change.actor, row.id, dry_run=change.dry_run)

    return change.apply(act, only_jobs, looks=True)


@deletions.post("", operation_id="volume_delete_batch", status_code=202, response_model=None, responses=JOB_CREATED)
def volume_delete_batch(body: VolumeDeleteBatch, change: Replanning) -> Response:
    """Deletes many volumes as one job, all or nothing: refused as a whole while one is mapped or has snapshots.

    `errors` names each volume that is in the way. They can be recovered as one that was deleted alone; where nothing is
    kept, what was erased before a step failed stays erased, and the job says so.
    """
    return change.apply(
        lambda tx: change.control.delete_volumes(tx, change.actor, body.volumes, dry_run=change.dry_run),
        only_jobs,
        looks=True,
    )
