"""Finds rows by ID or name, and refuses to change what is busy or stuck."""

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.domain.errors import Conflict, NotFound, Stuck
from lunette.domain.jobs import ResourceState
from lunette.store.resources import (
    Array,
    DeletedSnapshot,
    DeletedVolume,
    Host,
    HostGroup,
    Mapping,
    Portal,
    Snapshot,
    Volume,
)
from lunette.store.schedules import Schedule

Named = TypeVar("Named", Array, Volume, DeletedVolume, Snapshot, DeletedSnapshot, Host, HostGroup, Portal, Schedule)
_NOUNS: dict[type[object], str] = {
    Array: "array",
    Volume: "volume",
    Snapshot: "snapshot",
    Host: "host",
    HostGroup: "host group",
    Portal: "portal",
    Schedule: "schedule",
    DeletedVolume: "deleted volume",
    DeletedSnapshot: "deleted snapshot",
}


def by_reference(tx: Session, table: type[Named], references: Iterable[str]) -> dict[str, Named]:
    """The rows for IDs or names, by the reference used; unknown references are omitted, and names that several rows
    have.
    """
    wanted = sorted(set(references))
    if not wanted:
        return {}
    rows = tx.scalars(select(table).where(or_(table.id.in_(wanted), table.name.in_(wanted)))).all()
    names = Counter(row.name for row in rows)
    known = {row.name: row for row in rows if names[row.name] == 1} | {row.id: row for row in rows}
    return {reference: known[reference] for reference in wanted if reference in known}


def need(tx: Session, table: type[Named], reference: str) -> Named:
    """The row for an ID or name. Raises NotFound."""
    found = by_reference(tx, table, (reference,)).get(reference)
    if found is None:
        noun = _NOUNS[table]
        raise NotFound(f"There is no {noun} {reference}; it may have been deleted. See the list of {noun}s.")
    return found


def need_mapping(tx: Session, mapping_id: str) -> Mapping:
    found = tx.get(Mapping, mapping_id)
    if found is None:
        raise NotFound(f"There is no mapping {mapping_id}; it may have been deleted. See the list of mappings.")
    return found


def name_taken(tx: Session, table: type[Named], name: str | None, but: str = "") -> bool:
    """True if a row other than the one with the ID `but` has this name."""
    return name is not None and tx.scalar(select(table.id).where(table.name == name, table.id != but)) is not None


def must_be_ready(row: Array | Volume | DeletedVolume | Snapshot | DeletedSnapshot) -> None:
    """Raises Stuck or Conflict if a job uses the row, or could not be rolled back."""
    noun = _NOUNS[type(row)]
    if row.state == ResourceState.STUCK:
        raise Stuck(
            f"{noun.capitalize()} {row.name} is stuck: a failed job could not be rolled back. Check the job and "
            "resolve it (retry or abandon) before you change anything."
        )
    if row.state != ResourceState.READY:
        raise Conflict(f"{noun.capitalize()} {row.name} is {row.state} now; wait for its job to end, then repeat.")
