"""Host groups: clusters of hosts that share volumes."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.hosts import HostGroup
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import CREATED, DELETED, LISTED, SHOWN, changed, router
from lunette.api.requests import joins
from lunette.api.requests.changes import Cascade, ChangeRequest, Creating, Taking, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import UsedServices
from lunette.domain.hosts import HostGroupCreate, HostGroupPatch
from lunette.engine.changes import host_groups
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import HostGroup as HostGroupRow

routes = router("/host-groups", "host groups")
_COLUMNS = {"id": HostGroupRow.id, "name": HostGroupRow.name, "created_at": HostGroupRow.created_at}
Sort = Annotated[
    Literal["name", "-name", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


@routes.get("", operation_id="host_group_list", response_model=Page[HostGroup], responses=LISTED)
def host_group_list(
    services: UsedServices, page: Paging, sort: Sort = "name", name: NameFilter = None
) -> Page[HostGroup]:
    """Lists the host groups, with their hosts and export state."""
    seen = observed_now(services)
    with services.store.read() as tx:
        query = select(HostGroupRow).where(*name_like(HostGroupRow.name, name))
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(joins.host_groups(tx, found.rows, seen))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{host_group}", operation_id="host_group_show", response_model=HostGroup, responses=SHOWN)
def host_group_show(host_group: Reference, services: UsedServices) -> Response:
    """Shows a host group, by ID or name."""
    seen = observed_now(services)
    with services.store.read() as tx:
        row = find(tx, HostGroupRow, host_group, HostGroupRow.name)
        return answer(joins.host_groups(tx, [row], seen)[0], version=row.version)


@routes.post("", operation_id="host_group_create", status_code=201, response_model=HostGroup, responses=CREATED)
def host_group_create(body: HostGroupCreate, change: Creating) -> Response:
    """Creates a host group.

    A host belongs to at most one host group.
    """
    return change.apply(
        lambda context: host_groups.create(context, body),
        lambda tx, outcome: _shown(tx, change, outcome, 201),
    )


@routes.patch("/{host_group}", operation_id="host_group_patch", response_model=None, responses=changed(HostGroup))
def host_group_patch(host_group: Reference, body: HostGroupPatch, change: Taking) -> Response:
    """Changes a host group.

    Omitted fields stay unchanged. A host that is removed from the host group loses access to the volumes of the host
    group. Volumes in use must be named in `confirm`. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, HostGroupRow, host_group, HostGroupRow.name)
        change.check_match(row.version)
        return host_groups.patch(context, row.id, body)

    return change.apply(act, lambda tx, outcome: _shown(tx, change, outcome, 200))


@routes.delete(
    "/{host_group}", operation_id="host_group_delete", status_code=204, response_model=None, responses=DELETED
)
def host_group_delete(host_group: Reference, change: Taking, cascade: Cascade = False) -> Response:
    """Deletes a host group.

    Fails with 409 while the host group has mappings. With `cascade`, they are deleted too, and volumes that hosts used
    within the last minute must be named in `confirm`. Its hosts are not deleted. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, HostGroupRow, host_group, HostGroupRow.name)
        change.check_match(row.version)
        return host_groups.delete(context, row.id, cascade=cascade)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))


def _shown(tx: Session, change: ChangeRequest, outcome: Outcome, status: int) -> Response:
    row = tx.get_one(HostGroupRow, outcome.ids[0])
    group = joins.host_groups(tx, [row], observed_now(change.services))[0]
    location = f"/api/v1/host-groups/{row.id}" if status == 201 else None
    return answer(group, status, location=location, version=row.version)
