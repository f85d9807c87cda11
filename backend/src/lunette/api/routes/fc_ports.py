"""FC ports: the ports of the Fibre Channel adapters in the appliance, and their modes."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.fc_ports import FcPort, fc_ports_answer
from lunette.api.lists.matching import matches
from lunette.api.lists.paging import NameFilter, Paging, Value, observed_page
from lunette.api.openapi.responses import CREATED, DELETED, LISTED, SHOWN, changed, router
from lunette.api.requests.changes import ChangeRequest, Changing, Creating, answer
from lunette.api.requests.lookup import Reference
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.errors import NotFound
from lunette.domain.fc import FcPortCreate, FcPortPatch
from lunette.engine.changes import fc_ports
from lunette.engine.changes.fc_ports import need_port
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import FcPort as FcPortRow
from lunette.store.resources import Host, HostInitiator

routes = router("/fc-ports", "fc-ports")
Sort = Annotated[
    Literal["wwpn", "-wwpn"], Query(description="Field to sort by. A leading `-` sorts in descending order.")
]


@routes.get("", operation_id="fc_port_list", response_model=Page[FcPort], responses=LISTED)
def fc_port_list(services: UsedServices, page: Paging, sort: Sort = "wwpn", name: NameFilter = None) -> Page[FcPort]:
    """Lists the FC ports, including managed ports that are missing.

    `name` matches the WWPN.
    """
    found = observed_page((one for one in _ports(services) if matches(name, one.wwpn)), page, sort, _key)
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)


@routes.get("/{fc_port}", operation_id="fc_port_show", response_model=FcPort, responses=SHOWN)
def fc_port_show(fc_port: Reference, services: UsedServices) -> Response:
    """Shows an FC port, by WWPN, or by ID if the port is managed."""
    port = _find(services, fc_port)
    with services.store.read() as tx:
        row = tx.get(FcPortRow, port.id) if port.id else None
        return answer(port, version=row.version if row else None)


@routes.post("", operation_id="fc_port_create", status_code=201, response_model=FcPort, responses=CREATED)
def fc_port_create(body: FcPortCreate, change: Creating) -> Response:
    """Puts an FC port under the management of Lunette and sets its mode.

    If the port becomes a target, initiators on its fabric log in again, and their I/O pauses for seconds.
    """
    return change.apply(
        lambda context: fc_ports.create(context, body),
        lambda tx, outcome: _shown(tx, change, outcome, 201),
        looks=True,
    )


@routes.patch("/{fc_port}", operation_id="fc_port_patch", response_model=None, responses=changed(FcPort))
def fc_port_patch(fc_port: Reference, body: FcPortPatch, change: Changing) -> Response:
    """Changes the mode of an FC port.

    Hosts lose their paths through a port that is no longer a target. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = need_port(context.tx, fc_port)
        change.check_match(row.version)
        return fc_ports.patch(context, row.id, body)

    return change.apply(act, lambda tx, outcome: _shown(tx, change, outcome, 200), looks=True)


@routes.delete("/{fc_port}", operation_id="fc_port_delete", status_code=204, response_model=None, responses=DELETED)
def fc_port_delete(fc_port: Reference, change: Changing) -> Response:
    """Removes an FC port from the management of Lunette.

    A target port stops serving volumes, and hosts lose their paths through the port. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = need_port(context.tx, fc_port)
        change.check_match(row.version)
        return fc_ports.delete(context, row.id)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))


def _ports(services: ApiServices) -> list[FcPort]:
    seen = observed_now(services)
    with services.store.read() as tx:
        rows = {row.wwpn: row for row in tx.scalars(select(FcPortRow))}
        return fc_ports_answer(rows, seen, _owners(tx))


def _owners(tx: Session) -> dict[str, str]:
    query = select(HostInitiator.name, Host.name).join(Host, Host.id == HostInitiator.host_id)
    return dict(tx.execute(query.where(HostInitiator.kind == "wwpn")).all())


def _find(services: ApiServices, reference: str) -> FcPort:
    for port in _ports(services):
        if reference.lower() in (port.wwpn, port.id):
            return port
    raise NotFound(f"There is no Fibre Channel port {reference!r}; see the list of ports.")


def _shown(tx: Session, change: ChangeRequest, outcome: Outcome, status: int) -> Response:
    row = tx.get_one(FcPortRow, outcome.ids[0])
    ports = fc_ports_answer({row.wwpn: row}, observed_now(change.services), _owners(tx))
    port = next(one for one in ports if one.id == row.id)
    location = f"/api/v1/fc-ports/{row.id}" if status == 201 else None
    return answer(port, status, location=location, version=row.version)


def _key(port: FcPort, _field: str) -> tuple[Value, str]:
    return port.wwpn, port.wwpn
