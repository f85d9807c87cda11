"""Portals: addresses and ports on which the appliance serves a protocol."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.portals import Portal, portal_answer
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import CREATED, DELETED, LISTED, SHOWN, changed, router
from lunette.api.requests.changes import Changing, Creating, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import UsedServices
from lunette.domain.mappings import PortalCreate, PortalPatch, Protocol
from lunette.engine.changes import portals
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Portal as PortalRow

routes = router("/portals", "portals")
_COLUMNS = {
    "id": PortalRow.id,
    "name": PortalRow.name,
    "address": PortalRow.address,
    "port": PortalRow.port,
    "created_at": PortalRow.created_at,
}
Sort = Annotated[
    Literal["name", "-name", "address", "-address", "port", "-port", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


@routes.get("", operation_id="portal_list", response_model=Page[Portal], responses=LISTED)
def portal_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "name",
    name: NameFilter = None,
    protocol: Annotated[Protocol | None, Query(description="Only portals of this protocol.")] = None,
) -> Page[Portal]:
    """Lists the portals, with their export state."""
    query = select(PortalRow).where(*name_like(PortalRow.name, name))
    query = query.where(PortalRow.protocol == protocol.value) if protocol else query
    seen = observed_now(services)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
    items = tuple(portal_answer(row, seen) for row in found.rows)
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{portal}", operation_id="portal_show", response_model=Portal, responses=SHOWN)
def portal_show(portal: Reference, services: UsedServices) -> Response:
    """Shows a portal, by ID or name."""
    seen = observed_now(services)
    with services.store.read() as tx:
        row = find(tx, PortalRow, portal, PortalRow.name)
        return answer(portal_answer(row, seen), version=row.version)


@routes.post("", operation_id="portal_create", status_code=201, response_model=Portal, responses=CREATED)
def portal_create(body: PortalCreate, change: Creating) -> Response:
    """Creates a portal on an address and port of the appliance.

    All targets of the protocol are reachable through the portal.
    """

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(PortalRow, outcome.ids[0])
        portal = portal_answer(row, observed_now(change.services))
        return answer(portal, 201, location=f"/api/v1/portals/{row.id}", version=row.version)

    return change.apply(lambda context: portals.create(context, body), show, looks=True)


@routes.patch("/{portal}", operation_id="portal_patch", response_model=None, responses=changed(Portal))
def portal_patch(portal: Reference, body: PortalPatch, change: Changing) -> Response:
    """Renames a portal, or moves it to another address or port.

    The portal listens at its new place before it stops listening at the old one. If it cannot listen there, it
    continues at the old one, and `reason` says why. Hosts that are logged in through the old place keep their iSCSI
    and iSER sessions until their connections end, and lose their NVMe connections when it closes. If both places
    overlap, such as `0.0.0.0` and an address with the same port, the old one is closed first. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, PortalRow, portal, PortalRow.name)
        change.check_match(row.version)
        return portals.patch(context, row.id, body)

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(PortalRow, outcome.ids[0])
        return answer(portal_answer(row, observed_now(change.services)), version=row.version)

    return change.apply(act, show, looks=True)


@routes.delete("/{portal}", operation_id="portal_delete", status_code=204, response_model=None, responses=DELETED)
def portal_delete(portal: Reference, change: Changing) -> Response:
    """Deletes a portal, so that the appliance no longer listens there.

    Hosts lose their NVMe connections through the portal immediately. iSCSI and iSER sessions continue until their
    connections end, and cannot log in there again. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, PortalRow, portal, PortalRow.name)
        change.check_match(row.version)
        return portals.delete(context, row.id)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))
