"""Search over all objects: by name, address or identifier, as people paste it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from fastapi import Query
from sqlalchemy import Select, null, select
from sqlalchemy.orm import Session

from lunette.api.answers.search import SearchField, SearchMatch, SearchNoun, SearchResult, SearchResults
from lunette.api.answers.seen import Observed
from lunette.api.auth.identity import Asking
from lunette.api.auth.roles import ROLES
from lunette.api.lists.searching import TARGET, Columns, Term, described, named, volume_columns
from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.observed import observed_now, sessions_now
from lunette.api.requests.services import UsedServices
from lunette.domain.exports import ObservedSession
from lunette.domain.roles import Role
from lunette.domain.sessions import session_id
from lunette.store.access import User
from lunette.store.journal import Job
from lunette.store.resources import (
    Array,
    ArrayDisk,
    DeletedSnapshot,
    DeletedVolume,
    FcPort,
    Host,
    HostGroup,
    HostInitiator,
    Portal,
    Snapshot,
    Target,
    Volume,
)
from lunette.store.schedules import Schedule

routes = router("/search", "search")
_NOUNS, _FIELDS, _MATCHES = list(SearchNoun), list(SearchField), list(SearchMatch)
Named = tuple[SearchNoun, str, str, str | None]
"""Noun, ID, name and parent of an object."""
Values = Iterable[tuple[SearchField, str | None]]


@dataclass(frozen=True)
class _Table:
    """Rows that are searched. `query` selects their ID, name and parent."""

    noun: SearchNoun
    query: Select[*tuple[Any, ...]]
    columns: Columns


def _of(table: Any, parent: Any = None) -> Select[*tuple[Any, ...]]:
    return select(table.id, table.name, null() if parent is None else parent)


_TABLES = (
    _Table(SearchNoun.ARRAY, _of(Array), named(Array, (SearchField.UUID, Array.uuid))),
    _Table(
        SearchNoun.DISK,
        select(ArrayDisk.disk_id, ArrayDisk.disk_id, Array.name).join(Array, Array.id == ArrayDisk.array_id),
        ((SearchField.NAME, ArrayDisk.disk_id), (SearchField.SERIAL, ArrayDisk.serial)),
    ),
    _Table(SearchNoun.VOLUME, _of(Volume, Array.name).join(Array, Array.id == Volume.array_id), volume_columns(Volume)),
    _Table(
        SearchNoun.SNAPSHOT,
        _of(Snapshot, Volume.name).join(Volume, Volume.id == Snapshot.volume_id),
        described(Snapshot),
    ),
    _Table(SearchNoun.HOST, _of(Host), described(Host)),
    _Table(
        SearchNoun.HOST,
        _of(Host).join(HostInitiator, HostInitiator.host_id == Host.id),
        ((SearchField.INITIATOR, HostInitiator.name),),
    ),
    _Table(SearchNoun.HOST, _of(Host).join(Target, Target.host_id == Host.id), TARGET),
    _Table(SearchNoun.HOST_GROUP, _of(HostGroup), described(HostGroup)),
    _Table(SearchNoun.HOST_GROUP, _of(HostGroup).join(Target, Target.host_group_id == HostGroup.id), TARGET),
    _Table(SearchNoun.PORTAL, _of(Portal), named(Portal, (SearchField.ADDRESS, Portal.address))),
    _Table(SearchNoun.FC_PORT, select(FcPort.wwpn, FcPort.wwpn, null()), ((SearchField.WWPN, FcPort.wwpn),)),
    _Table(SearchNoun.SCHEDULE, _of(Schedule), described(Schedule)),
    _Table(
        SearchNoun.DELETED_VOLUME,
        _of(DeletedVolume, Array.name).join(Array, Array.id == DeletedVolume.array_id),
        volume_columns(DeletedVolume),
    ),
    _Table(SearchNoun.DELETED_SNAPSHOT, _of(DeletedSnapshot), described(DeletedSnapshot)),
    _Table(SearchNoun.JOB, select(Job.id, Job.title, null()), ((SearchField.ID, Job.id),)),
    _Table(
        SearchNoun.USER,
        select(User.id, User.username, null()),
        ((SearchField.NAME, User.username), (SearchField.ID, User.id)),
    ),
)


@routes.get("", operation_id="search_list", response_model=SearchResults, responses=refusals())
def search_list(
    services: UsedServices,
    identity: Asking,
    text: Annotated[
        str,
        Query(
            min_length=1,
            max_length=255,
            description="Text to find: a name, an IP address, or an identifier such as an NAA, serial number, NGUID, "
            "IQN, WWPN or NQN, also as an operating system writes it (`naa.6001405...`). Case is ignored.",
        ),
    ],
    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of objects to return.")] = 20,
) -> SearchResults:
    """Searches all objects by name, address or identifier.

    The best matches come first: exact matches, then by prefix, then by part. Identifiers are searched for texts of four
    characters and more. Objects that the user may not list are not found.
    """
    term, seen, sessions = Term(text), observed_now(services), sessions_now(services)
    with services.store.read() as tx:
        found = list(_stored(tx, term, limit + 1, identity.role))
        owners = select(HostInitiator.name, Host.name).join(Host, Host.id == HostInitiator.host_id)
        logged_in = [one for one in (sessions.observed.sessions if sessions.observed else ()) if _matches(term, one)]
        hosts = dict(tx.execute(owners.where(HostInitiator.name.in_({one.initiator for one in logged_in}))).all())
    found += _observed(term, seen)
    for one in logged_in:
        name = (SearchNoun.SESSION, session_id(one), one.initiator, hosts.get(one.initiator))
        found += _best(term, name, _of_session(one))
    best: dict[tuple[SearchNoun, str], SearchResult] = {}
    for result in sorted(found, key=_order):
        best.setdefault((result.noun, result.id), result)
    return SearchResults(
        items=tuple(islice(best.values(), limit)),
        has_more=len(best) > limit,
        is_complete=seen.observation is not None and sessions.observed is not None,
    )


def _order(result: SearchResult) -> tuple[int, int, int, str]:
    return (
        _MATCHES.index(result.match),
        _FIELDS.index(result.field),
        _NOUNS.index(result.noun),
        result.name,
    )


def _stored(tx: Session, term: Term, most: int, role: Role) -> Iterator[SearchResult]:
    """The best rows of each table that this role may list."""
    for table in _TABLES:
        if not term.forms or not role.includes(ROLES[f"{table.noun}_list"]):
            continue
        columns = [column for _, column in table.columns]
        query = table.query.add_columns(*columns).where(term.found_in(table.columns))
        for id_, name, parent, *values in tx.execute(query.order_by(term.order(table.columns)).limit(most)):
            fields = [field for field, _ in table.columns]
            yield from _best(term, (table.noun, id_, name, parent), zip(fields, values, strict=True))


def _observed(term: Term, seen: Observed) -> Iterator[SearchResult]:
    """What only the machine knows: disks, interfaces and unmanaged FC ports."""
    observation = seen.observation
    for disk in observation.disks if observation else ():
        devices = ((SearchField.DEVICE, name) for name in (disk.kernel_name, *disk.links))
        known = ((SearchField.NAME, disk.id), (SearchField.SERIAL, disk.serial), (SearchField.WWN, disk.wwn))
        named = (SearchNoun.DISK, disk.id, disk.id, None)
        yield from _best(term, named, (*known, *devices, (SearchField.MODEL, disk.model)))
    for interface in observation.interfaces if observation else ():
        addresses = ((SearchField.ADDRESS, one.ip) for one in interface.addresses)
        properties = ((SearchField.NAME, interface.name), *addresses, (SearchField.MAC, interface.mac))
        yield from _best(term, (SearchNoun.INTERFACE, interface.name, interface.name, None), properties)
    for port in observation.fc_ports if observation else ():
        yield from _best(term, (SearchNoun.FC_PORT, port.wwpn, port.wwpn, None), ((SearchField.WWPN, port.wwpn),))


def _of_session(one: ObservedSession) -> Values:
    return ((SearchField.ADDRESS, one.peer), (SearchField.INITIATOR, one.initiator))


def _matches(term: Term, one: ObservedSession) -> bool:
    return any(value and term.rank(field, value) for field, value in _of_session(one))


def _best(term: Term, named: Named, values: Values) -> Iterator[SearchResult]:
    """The object with the property that matches best; nothing if none does."""
    noun, id_, name, parent = named
    ranked = ((match, field, value) for field, value in values if value and (match := term.rank(field, value)))
    least = min(ranked, key=lambda one: (_MATCHES.index(one[0]), _FIELDS.index(one[1])), default=None)
    if least:
        match, field, value = least
        yield SearchResult(noun=noun, id=id_, name=name, parent=parent, field=field, value=value, match=match)
