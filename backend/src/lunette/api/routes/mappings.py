"""Mappings: which host or host group sees which volume, and under which number."""

from typing import Annotated, Any, Literal

from fastapi import Query, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.mappings import Mapping, MappingList
from lunette.api.lists.paging import Paging, stored_page
from lunette.api.openapi.responses import BATCH_DELETED, BATCHED, CREATED, DELETED, LISTED, SHOWN, router
from lunette.api.requests import joins
from lunette.api.requests.changes import Replanning, Taking, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import UsedServices
from lunette.domain.mappings import MappingBatch, MappingCreate, MappingDeleteBatch
from lunette.engine.changes import mappings
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Host, HostGroup, Volume
from lunette.store.resources import Mapping as MappingRow

routes = router("/mappings", "mappings")
batches = router("/mappings:create-batch", "mappings")
deletions = router("/mappings:delete-batch", "mappings")
_COLUMNS = {"id": MappingRow.id, "lun": MappingRow.lun, "created_at": MappingRow.created_at}
Sort = Annotated[
    Literal["created_at", "-created_at", "lun", "-lun"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _of(what: str) -> Any:
    return Query(max_length=63, description=f"Only mappings of this {what}, by ID or name.")


@routes.get("", operation_id="mapping_list", response_model=Page[Mapping], responses=LISTED)
def mapping_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "created_at",
    volume: Annotated[str | None, _of("volume")] = None,
    host: Annotated[str | None, _of("host")] = None,
    host_group: Annotated[str | None, _of("host group")] = None,
) -> Page[Mapping]:
    """Lists the mappings, with their export state."""
    query = select(MappingRow)
    if volume is not None:
        found_ids = select(Volume.id).where(or_(Volume.id == volume, Volume.name == volume))
        query = query.where(MappingRow.volume_id.in_(found_ids))
    if host is not None:
        query = query.where(MappingRow.host_id.in_(select(Host.id).where(or_(Host.id == host, Host.name == host))))
    if host_group is not None:
        groups = select(HostGroup.id).where(or_(HostGroup.id == host_group, HostGroup.name == host_group))
        query = query.where(MappingRow.host_group_id.in_(groups))
    seen = observed_now(services)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(joins.mappings(tx, found.rows, seen))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{mapping}", operation_id="mapping_show", response_model=Mapping, responses=SHOWN)
def mapping_show(mapping: Reference, services: UsedServices) -> Response:
    """Shows a mapping, by ID."""
    seen = observed_now(services)
    with services.store.read() as tx:
        row = find(tx, MappingRow, mapping)
        return answer(joins.mappings(tx, [row], seen)[0], version=row.version)


@routes.post("", operation_id="mapping_create", status_code=201, response_model=Mapping, responses=CREATED)
def mapping_create(body: MappingCreate, change: Replanning) -> Response:
    """Maps a volume to a host or a host group.

    The volume gets the requested LUN or namespace ID, or the lowest free one from 1. A number under which hosts may
    still have the device of another volume is assigned only if `confirm` names that volume.
    """

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(MappingRow, outcome.ids[0])
        mapping = joins.mappings(tx, [row], observed_now(change.services))[0]
        return answer(mapping, 201, location=f"/api/v1/mappings/{row.id}", version=row.version)

    return change.apply(lambda context: mappings.create(context, (body,)), show)


@batches.post("", operation_id="mapping_create_batch", status_code=201, response_model=MappingList, responses=BATCHED)
def mapping_create_batch(body: MappingBatch, change: Replanning) -> Response:
    """Creates many mappings, all or none.

    The mappings are given one by one, or as volumes that are split evenly over hosts. A number under which hosts may
    still have the device of another volume is assigned only if `confirm` names that volume.
    """
    specs = body.split.expand() if body.split else body.mappings

    def show(tx: Session, outcome: Outcome) -> Response:
        rows = {row.id: row for row in tx.scalars(select(MappingRow).where(MappingRow.id.in_(outcome.ids)))}
        made = joins.mappings(tx, [rows[one] for one in outcome.ids], observed_now(change.services))
        return answer(MappingList(items=tuple(made)), 201)

    return change.apply(lambda context: mappings.create(context, specs), show)


@routes.delete("/{mapping}", operation_id="mapping_delete", status_code=204, response_model=None, responses=DELETED)
def mapping_delete(mapping: Reference, change: Taking) -> Response:
    """Unmaps a volume from a host or a host group.

    The hosts lose the volume immediately; the volume and its data remain. A volume that hosts are using is unmapped
    only if `confirm` names it. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, MappingRow, mapping)
        change.check_match(row.version)
        return mappings.delete(context, row.id)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))


@deletions.post("", operation_id="mapping_delete_batch", status_code=204, response_model=None, responses=BATCH_DELETED)
def mapping_delete_batch(body: MappingDeleteBatch, change: Replanning) -> Response:
    """Deletes many mappings, all or none.

    The hosts lose the volumes immediately; the volumes and their data remain. If a mapping cannot be deleted now,
    `errors` names it and nothing is changed. Volumes that hosts are using must be named in `confirm`.
    """
    return change.apply(
        lambda context: mappings.delete_batch(context, body.mappings), lambda _tx, _outcome: Response(status_code=204)
    )
