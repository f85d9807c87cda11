"""Who is logged in now, for plans that name the hosts they interrupt."""

from collections.abc import Collection, Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import Unavailable
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Family, Protocol, is_fc_address
from lunette.engine.context.services import Services
from lunette.planner.access.connected import Connected
from lunette.store.resources import Host, HostInitiator, Portal

AWAY = "the agent does not answer"


def among(
    tx: Session,
    services: Services,
    family: Family,
    found: Iterable[ObservedSession],
    only: Collection[str] | None = None,
) -> Connected:
    """The hosts of these sessions, and whether there may be more that cannot be seen."""
    hidden = unseen(services).get(family)
    return Connected(unknown=AWAY) if hidden == AWAY else Connected(hosts=tuple(hosts(tx, found, only)), unknown=hidden)


def unseen(services: Services) -> dict[Family, str]:
    """The families whose sessions are unknown, and why."""
    try:
        return {one.family: one.reason for one in services.sessions().unseen}
    except Unavailable:
        return dict.fromkeys(Family, AWAY)


def sessions(services: Services) -> tuple[ObservedSession, ...] | None:
    """The sessions now; None if the agent does not answer: the plan then says that they are unknown."""
    try:
        return services.sessions().sessions
    except Unavailable:
        return None


def all_hosts(tx: Session, services: Services) -> Connected:
    """Every host that is logged in, over any fabric."""
    try:
        found = services.sessions()
    except Unavailable:
        return Connected(unknown=AWAY)
    unseen = next((one.reason for one in found.unseen), None)
    return Connected(hosts=tuple(hosts(tx, found.sessions)), unknown=unseen)


def initiators(found: Iterable[ObservedSession] | None) -> frozenset[str]:
    return frozenset(session.initiator.lower() for session in found or ())


def hosts(tx: Session, found: Iterable[ObservedSession] | None, only: Collection[str] | None = None) -> list[str]:
    """Names of the hosts of these sessions, sorted; `only` limits them to these host IDs."""
    query = select(Host.id, Host.name).join(HostInitiator).where(HostInitiator.name.in_(initiators(found)))
    return sorted({name for host_id, name in tx.execute(query) if only is None or host_id in only})


def through_portal(found: Iterable[ObservedSession], portal: Portal) -> list[ObservedSession]:
    """The sessions through a portal, also where it still listens after it was moved; one whose portal is unknown
    counts, to be on the safe side.
    """
    return [
        session
        for session in found
        if session.protocol.family is Protocol(portal.protocol).family
        and (session.portal is None or any(_is_at(session.portal, one.address, one.port) for one in portal.listeners))
    ]


def _is_at(where: str, address: str, port: int) -> bool:
    if is_fc_address(address):
        return where == address
    at, _, number = where.rpartition(":")
    return number == str(port) and (address in ("0.0.0.0", "::") or at.strip("[]") == address)  # noqa: S104
