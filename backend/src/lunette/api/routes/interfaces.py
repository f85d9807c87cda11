"""Network interfaces: addresses, MTU and role. A change is reverted automatically unless it is confirmed."""

import hashlib
import json
from typing import Annotated, Literal

from fastapi import Query, Request, Response
from sqlalchemy import select

from lunette.api.answers.base import Page
from lunette.api.answers.interfaces import Interface, interface_answer
from lunette.api.answers.plans import PlanAnswer
from lunette.api.lists.matching import matches
from lunette.api.lists.paging import NameFilter, Paging, Value, observed_page
from lunette.api.openapi.responses import JOB_CREATED, JOB_STARTED, LISTED, SHOWN, Responses, refusals, router
from lunette.api.requests.changes import ChangeRequest, Commanding, Creating, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.errors import NotFound
from lunette.domain.interfaces import InterfaceChange, InterfaceCreate, ObservedInterface
from lunette.engine.changes import interfaces
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Actor, Outcome
from lunette.store.resources import Portal

routes = router("/interfaces", "interfaces")
Sort = Annotated[
    Literal["name", "-name"], Query(description="Field to sort by. A leading `-` sorts in descending order.")
]
ENDED: Responses = {
    200: {"model": Interface | PlanAnswer, "description": "Interface after the change, or the plan for a dry run."},
    204: {"description": "The VLAN or bond no longer exists: its removal was confirmed, or its creation reverted."},
    **refusals(404, 409, 412),
}


@routes.get("", operation_id="interface_list", response_model=Page[Interface], responses=LISTED)
def interface_list(
    services: UsedServices, page: Paging, sort: Sort = "name", name: NameFilter = None
) -> Page[Interface]:
    """Lists the network interfaces of the appliance.

    Interfaces that Lunette does not configure are included.
    """
    pairs = [one for one in _interfaces(services) if matches(name, one[1].name)]
    found = observed_page((shown for _, shown in pairs), page, sort, _key)
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)


@routes.get("/{interface:plain}", operation_id="interface_show", response_model=Interface, responses=SHOWN)
def interface_show(interface: Reference, services: UsedServices) -> Response:
    """Shows a network interface, by name."""
    return _shown(services, interface)


@routes.post("", operation_id="interface_create", status_code=202, response_model=None, responses=JOB_CREATED)
def interface_create(body: InterfaceCreate, change: Creating, request: Request) -> Response:
    """Creates a VLAN or a bond, on trial for 60 seconds.

    Unless the change is confirmed within that time, the interface is removed automatically and its members get their
    previous configuration back. Returns a job.
    """
    return change.apply(
        lambda context: interfaces.create(context, body),
        only_jobs,
        looks=True,
        actor=_actor(change, request),
    )


@routes.post(
    "/{interface:plain}:change",
    operation_id="interface_change",
    status_code=202,
    response_model=None,
    responses={
        **JOB_STARTED,
        200: {
            "model": Interface | PlanAnswer,
            "description": "Interface, if nothing changes, or the plan for a dry run.",
        },
    },
)
def interface_change(interface: Reference, body: InterfaceChange, change: Commanding, request: Request) -> Response:
    """Changes the configuration of an interface, on trial for 60 seconds.

    Unless the change is confirmed within that time, it is reverted automatically. Each portal that loses its address
    must be named in `portals`; hosts lose their paths through it. Returns a job, or the interface if nothing changes.
    """

    def act(context: ChangeContext) -> Outcome:
        _check_still(change, interface)
        return interfaces.change(context, interface, body)

    return change.apply(
        act, lambda _tx, _outcome: _shown(change.services, interface), looks=True, actor=_actor(change, request)
    )


@routes.post(
    "/{interface:plain}:remove",
    operation_id="interface_remove",
    status_code=202,
    response_model=None,
    responses=JOB_STARTED,
)
def interface_remove(interface: Reference, change: Commanding, request: Request) -> Response:
    """Removes a VLAN or bond created by Lunette, on trial for 60 seconds.

    Unless the change is confirmed within that time, the interface is restored automatically. Refused while a portal
    listens on one of its addresses. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        _check_still(change, interface)
        return interfaces.remove(context, interface)

    return change.apply(act, only_jobs, looks=True, actor=_actor(change, request))


@routes.post("/{interface:plain}:confirm", operation_id="interface_confirm", response_model=None, responses=ENDED)
def interface_confirm(interface: Reference, change: Commanding) -> Response:
    """Confirms an interface change that is on trial.

    The change then also applies after a restart. Answers 204 if the change removed the interface.
    """
    return _end(interface, change, keep=True)


@routes.post("/{interface:plain}:revert", operation_id="interface_revert", response_model=None, responses=ENDED)
def interface_revert(interface: Reference, change: Commanding) -> Response:
    """Reverts an interface change that is on trial.

    Without this request, the change is reverted automatically when the trial ends. Answers 204 if the change had
    created the interface.
    """
    return _end(interface, change, keep=False)


def _end(interface: str, change: ChangeRequest, *, keep: bool) -> Response:
    def act(context: ChangeContext) -> Outcome:
        _check_still(change, interface)
        return interfaces.end(context, interface, keep=keep)

    return change.apply(act, lambda _tx, _outcome: _shown_or_gone(change.services, interface), looks=True)


def _check_still(change: ChangeRequest, name: str) -> None:
    """An interface that is not there is refused by what is asked of it."""
    for one, shown in _interfaces(change.services) if change.if_match is not None else ():
        if one.name == name:
            change.check_still(_etag(shown))


def _etag(one: Interface) -> str:
    """Of what is configured and who configures it: addresses of DHCP, links and counters come and go by themselves."""
    trial = one.trial_left_s is not None
    configured = json.dumps([one.model_dump(mode="json", include={"wanted", "configured_by"}), trial], sort_keys=True)
    return f'"{hashlib.sha256(configured.encode()).hexdigest()[:16]}"'


def _interfaces(services: ApiServices) -> list[tuple[ObservedInterface, Interface]]:
    seen = observed_now(services)
    portals: dict[str, list[str]] = {}
    with services.store.read() as tx:
        for name, address in tx.execute(select(Portal.name, Portal.address).order_by(Portal.name)):
            portals.setdefault(address, []).append(name)
    found = seen.observation.interfaces if seen.observation else ()
    return [(one, interface_answer(one, portals, seen)) for one in found]


def _shown_or_gone(services: ApiServices, name: str) -> Response:
    try:
        return _shown(services, name)
    except NotFound:
        return Response(status_code=204)


def _shown(services: ApiServices, name: str) -> Response:
    for one, shown in _interfaces(services):
        if one.name == name:
            response = answer(shown)
            response.headers["ETag"] = _etag(shown)
            return response
    raise NotFound(f"This appliance has no network interface {name!r}; see the list of interfaces.")


def _actor(change: ChangeRequest, request: Request) -> Actor:
    """Who sends the request, and to which address of the appliance."""
    return change.actor.model_copy(update={"came_to": _address_of_ours(request)})


def _address_of_ours(request: Request) -> str | None:
    """The address the request came to; None over the Unix socket."""
    server = request.scope.get("server")
    return str(server[0]) if server and server[1] else None


def _key(one: Interface, _field: str) -> tuple[Value, str]:
    return one.name, one.name
