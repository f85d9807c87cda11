"""Mappings: which host or group sees which volume under which number."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.api import gather
from lunette.api.answers.base import Page
from lunette.api.answers.mappings import Mapping, MappingList
from lunette.api.changes import Replanning, Taking, answer
from lunette.api.declare import BATCHED, CREATED, DELETED, LISTED, SHOWN, router
from lunette.api.looking import seen_now
from lunette.api.lookup import Reference, find
from lunette.api.paging import Paging, stored_page
from lunette.api.parts import UsedParts
from lunette.domain.mappings import MappingBatch, MappingCreate
from lunette.engine.outcome import Outcome
from lunette.store.resources import Host, HostGroup, Volume
from lunette.store.resources import Mapping as MappingRow

routes = router("/mappings", "mappings")
batches = router("/mappings:batch", "mappings")
_COLUMNS = {"id": MappingRow.id, "lun": MappingRow.lun, "created_at": MappingRow.created_at}
Sort = Literal["created_at", "-created_at", "lun", "-lun"]
_By = Query(max_length=63, description="Only those of it, by id or name.")


@routes.get("", operation_id="mapping_list", response_model=Page[Mapping], responses=LISTED)
def mapping_list(
    parts: UsedParts,
    page: Paging,
    sort: Sort = "created_at",
    volume: Annotated[str | None, _By] = None,
    host: Annotated[str | None, _By] = None,
    host_group: Annotated[str | None, _By] = None,
) -> Page[Mapping]:
    """The mappings, and whether each is served now."""
    query = select(MappingRow)
    if volume is not None:
        found_ids = select(Volume.id).where(or_(Volume.id == volume, Volume.name == volume))
        query = query.where(MappingRow.volume_id.in_(found_ids))
    if host is not None:
        query = query.where(MappingRow.host_id.in_(select(Host.id).where(or_(Host.id == host, Host.name == host))))
    if host_group is not None:
        groups = select(HostGroup.id).where(or_(HostGroup.id == host_group, HostGroup.name == host_group))
        query = query.where(MappingRow.host_group_id.in_(groups))
    seen = seen_now(parts)
    with parts.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(gather.mappings(tx, found.rows, seen))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{mapping}", operation_id="mapping_show", response_model=Mapping, responses=SHOWN)
def mapping_show(mapping: Reference, parts: UsedParts) -> Response:
    """One mapping, by id."""
    seen = seen_now(parts)
    with parts.store.read() as tx:
        row = find(tx, MappingRow, mapping)
        return answer(gather.mappings(tx, [row], seen)[0], version=row.version)


@routes.post("", operation_id="mapping_create", status_code=201, response_model=Mapping, responses=CREATED)
def mapping_create(body: MappingCreate, change: Replanning) -> Response:
    """Gives a volume to a host or a host group, under the number asked for or the lowest free one from 1.

    A number that hosts may have the device of another volume under is given only if `confirm` names that volume.
    """

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(MappingRow, outcome.ids[0])
        mapping = gather.mappings(tx, [row], seen_now(change.parts))[0]
        return answer(mapping, 201, location=f"/api/v1/mappings/{row.id}", version=row.version)

    return change.apply(
        lambda tx: change.control.create_mappings(tx, change.actor, (body,), dry_run=change.dry_run), show
    )


@batches.post("", operation_id="mapping_create_batch", status_code=201, response_model=MappingList, responses=BATCHED)
def mapping_create_batch(body: MappingBatch, change: Replanning) -> Response:
    """Makes many mappings, all or nothing: one by one, or volumes split evenly over hosts."""
    wishes = body.split.expand() if body.split else body.mappings

    def show(tx: Session, outcome: Outcome) -> Response:
        rows = {row.id: row for row in tx.scalars(select(MappingRow).where(MappingRow.id.in_(outcome.ids)))}
        made = gather.mappings(tx, [rows[one] for one in outcome.ids], seen_now(change.parts))
        return answer(MappingList(items=tuple(made)), 201)

    return change.apply(
        lambda tx: change.control.create_mappings(tx, change.actor, wishes, dry_run=change.dry_run), show
    )


@routes.delete("/{mapping}", operation_id="mapping_delete", status_code=204, response_model=None, responses=DELETED)
def mapping_delete(mapping: Reference, change: Taking) -> Response:
    """Takes a volume away from a host or group; the volume and its data stay. One in use needs `confirm`."""

    def act(tx: Session) -> Outcome:
        row = find(tx, MappingRow, mapping)
        change.check_match(row.version)
        return change.control.delete_mapping(tx, change.actor, row.id, dry_run=change.dry_run)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))
