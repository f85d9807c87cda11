"""Sessions: initiators that are logged in now."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import select

from lunette.api.answers.seen import ObservedSessions
from lunette.api.answers.sessions import Session, SessionPage, Unseen, session_answer
from lunette.api.lists.matching import matches
from lunette.api.lists.paging import NameFilter, Paging, Value, observed_page
from lunette.api.openapi.responses import JOB_CREATED, LISTED, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference
from lunette.api.requests.services import UsedServices
from lunette.engine.changes import sessions
from lunette.store.resources import Host, HostInitiator

routes = router("/sessions", "sessions")
Sort = Annotated[
    Literal["initiator", "-initiator", "host", "-host", "target_iqn", "-target_iqn"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


@routes.get("", operation_id="session_list", response_model=SessionPage, responses=LISTED)
def session_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "initiator",
    name: NameFilter = None,
    host: Annotated[str | None, Query(max_length=63, description="Only sessions of this host, by ID or name.")] = None,
) -> SessionPage:
    """Lists the sessions: the initiators that are logged in now.

    `name` matches the host, the initiator or the target. Fails with 503 while the agent is unavailable.
    """
    now = ObservedSessions(services.control.sessions())
    owners = select(HostInitiator.name, Host.id, Host.name).join(Host, Host.id == HostInitiator.host_id)
    with services.store.read() as tx:
        hosts = {initiator: (host_id, host_name) for initiator, host_id, host_name in tx.execute(owners)}
    observed = now.observed.sessions if now.observed else ()
    counted = {(one.target, one.initiator): one for one in services.control.performance.now().counters.sessions}
    sessions = [
        session_answer(one, hosts.get(one.initiator), counted.get((one.target, one.initiator)), now.age_s)
        for one in observed
    ]
    kept = [
        one
        for one in sessions
        if (host is None or host in (one.host, one.host_id))
        and matches(name, one.host, one.initiator, one.target_iqn, one.target_wwpn, one.subsystem_nqn)
    ]
    found = observed_page(kept, page, sort, _key)
    unseen = tuple(
        Unseen(family=one.family, reason=one.reason) for one in (now.observed.unseen if now.observed else ())
    )
    return SessionPage(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total, unseen=unseen)


@routes.post(
    "/{session}:disconnect",
    operation_id="session_disconnect",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def session_disconnect(session: Reference, change: Creating) -> Response:
    """Disconnects a session, by ID.

    All sessions of the initiator with the same target end. The host logs in again automatically while volumes are
    mapped to it. Fails with 404 if the session has already ended, and with 409 if it cannot be ended. Returns a job.
    """
    return change.apply(lambda context: sessions.disconnect(context, session), only_jobs)


def _key(session: Session, field: str) -> tuple[Value, str]:
    value = {"host": session.host or "", "target_iqn": session.target_iqn or ""}.get(field, session.initiator)
    return value, session.id
