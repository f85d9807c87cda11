"""Hosts: client servers with their initiators and credentials."""

from typing import Annotated, Literal

from fastapi import Depends, Query, Response
from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.hosts import Host
from lunette.api.answers.search import SearchField
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.lists.searching import TARGET, Term, TextFilter, described
from lunette.api.openapi.responses import BATCH_DELETED, CREATED, DELETED, LISTED, SHOWN, changed, router
from lunette.api.requests import joins
from lunette.api.requests.changes import Cascade, ChangeRequest, Creating, Replanning, Taking, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now, sessions_now
from lunette.api.requests.services import UsedServices
from lunette.domain.hosts import HostCreate, HostDeleteBatch, HostPatch, OsType
from lunette.engine.changes import host_groups, hosts
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Host as HostRow
from lunette.store.resources import HostGroup, HostGroupMember, HostInitiator, Target

routes = router("/hosts", "hosts")
deletions = router("/hosts:delete-batch", "hosts")
_COLUMNS = {"id": HostRow.id, "name": HostRow.name, "os_type": HostRow.os_type, "created_at": HostRow.created_at}
Sort = Annotated[
    Literal["name", "-name", "os_type", "-os_type", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _wanted(
    name: NameFilter = None,
    text: TextFilter = None,
    os_type: Annotated[OsType | None, Query(description="Only hosts with this operating system.")] = None,
    initiator: Annotated[
        str | None, Query(max_length=223, description="Only the host with this initiator: an IQN, WWPN or NQN.")
    ] = None,
    host_group: Annotated[
        str | None, Query(max_length=63, description="Only hosts of this host group, by ID or name.")
    ] = None,
) -> Select[HostRow]:
    query = select(HostRow).where(*name_like(HostRow.name, name))
    query = query.where(_is_found(Term(text))) if text is not None else query
    query = query.where(HostRow.os_type == os_type.value) if os_type else query
    if initiator is not None:
        query = query.where(HostRow.id.in_(select(HostInitiator.host_id).where(HostInitiator.name == initiator)))
    if host_group is not None:
        groups = select(HostGroup.id).where(or_(HostGroup.id == host_group, HostGroup.name == host_group))
        members = select(HostGroupMember.host_id).where(HostGroupMember.host_group_id.in_(groups))
        query = query.where(HostRow.id.in_(members))
    return query


def _is_found(term: Term) -> ColumnElement[bool]:
    """By what the host itself is called, by one of its initiators, or by its target."""
    initiators = select(HostInitiator.host_id).where(term.found_in(((SearchField.INITIATOR, HostInitiator.name),)))
    targets = select(Target.host_id).where(term.found_in(TARGET))
    return or_(term.found_in(described(HostRow)), HostRow.id.in_(initiators), HostRow.id.in_(targets))


@routes.get("", operation_id="host_list", response_model=Page[Host], responses=LISTED)
def host_list(
    services: UsedServices, page: Paging, query: Annotated[Select[HostRow], Depends(_wanted)], sort: Sort = "name"
) -> Page[Host]:
    """Lists the hosts, with their initiators and export state."""
    seen, sessions = observed_now(services), sessions_now(services)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(joins.hosts(tx, found.rows, seen, sessions))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{host:plain}", operation_id="host_show", response_model=Host, responses=SHOWN)
def host_show(host: Reference, services: UsedServices) -> Response:
    """Shows a host, by ID or name.

    Secrets are never returned.
    """
    seen, sessions = observed_now(services), sessions_now(services)
    with services.store.read() as tx:
        row = find(tx, HostRow, host, HostRow.name)
        return answer(joins.hosts(tx, [row], seen, sessions)[0], version=row.version)


@routes.post("", operation_id="host_create", status_code=201, response_model=Host, responses=CREATED)
def host_create(body: HostCreate, change: Creating) -> Response:
    """Creates a host with its initiators and credentials.

    An initiator belongs to only one host.
    """

    def show(tx: Session, outcome: Outcome) -> Response:
        return _shown(tx, change, outcome, 201)

    return change.apply(lambda context: hosts.create(context, body), show)


@routes.patch("/{host:plain}", operation_id="host_patch", response_model=None, responses=changed(Host))
def host_patch(host: Reference, body: HostPatch, change: Taking) -> Response:
    """Changes a host.

    Omitted fields stay unchanged. Initiators that are removed are logged out and lose access to the volumes of the
    host. Volumes in use must be named in `confirm`. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, HostRow, host, HostRow.name)
        change.check_match(row.version)
        return hosts.patch(context, row.id, body)

    return change.apply(act, lambda tx, outcome: _shown(tx, change, outcome, 200))


@routes.delete("/{host:plain}", operation_id="host_delete", status_code=204, response_model=None, responses=DELETED)
def host_delete(host: Reference, change: Taking, cascade: Cascade = False) -> Response:
    """Deletes a host.

    Fails with 409 while the host has mappings or belongs to a host group. With `cascade`, its mappings are deleted and
    it leaves its group. Volumes that hosts used within the last minute must be named in `confirm` then. Requires
    `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, HostRow, host, HostRow.name)
        change.check_match(row.version)
        return host_groups.delete_hosts(context, (row.id,), cascade=True) if cascade else hosts.delete(context, row.id)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))


@deletions.post("", operation_id="host_delete_batch", status_code=204, response_model=None, responses=BATCH_DELETED)
def host_delete_batch(body: HostDeleteBatch, change: Replanning) -> Response:
    """Deletes many hosts, all or none.

    Refused if any of the hosts has mappings or belongs to a host group, unless `cascade` is set; `errors` names each of
    them. With `cascade`, volumes that hosts used within the last minute must be named in `confirm`.
    """
    return change.apply(
        lambda context: host_groups.delete_hosts(context, body.hosts, cascade=body.cascade),
        lambda _tx, _outcome: Response(status_code=204),
    )


def _shown(tx: Session, change: ChangeRequest, outcome: Outcome, status: int) -> Response:
    row = tx.get_one(HostRow, outcome.ids[0])
    host = joins.hosts(tx, [row], observed_now(change.services), sessions_now(change.services))[0]
    return answer(host, status, location=f"/api/v1/hosts/{row.id}" if status == 201 else None, version=row.version)
