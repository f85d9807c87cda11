"""Disks: everything the machine has, and the members of our arrays it no longer shows."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Depends, Query
from sqlalchemy import select

from lunette.api.answers.base import Page
from lunette.api.answers.disks import Disk, DiskState, absent_disk, observed_disk
from lunette.api.answers.seen import Seen
from lunette.api.declare import LISTED, refusals, router
from lunette.api.looking import seen_now
from lunette.api.lookup import Reference
from lunette.api.matching import matches
from lunette.api.paging import NameFilter, Paging, Value, seen_page
from lunette.api.parts import Parts, UsedParts
from lunette.domain.disks import Transport
from lunette.domain.errors import NotFound
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import ArrayDisk

routes = router("/disks", "disks")
Sort = Literal["id", "-id", "serial", "-serial", "size_bytes", "-size_bytes", "state", "-state", "model", "-model"]


def _wanted(
    name: NameFilter = None,
    state: DiskState | None = None,
    transport: Transport | None = None,
    array: Annotated[str | None, Query(max_length=63, description="Members of this array, by id or name.")] = None,
) -> Callable[[Disk], bool]:
    def is_wanted(disk: Disk) -> bool:
        return (
            (state is None or disk.state is state)
            and (transport is None or disk.transport is transport)
            and (array is None or array in (disk.array, disk.array_id))
            and matches(name, disk.id, disk.model, disk.serial)
        )

    return is_wanted


@routes.get("", operation_id="disk_list", response_model=Page[Disk], responses=LISTED)
def disk_list(
    parts: UsedParts, page: Paging, is_wanted: Annotated[Callable[[Disk], bool], Depends(_wanted)], sort: Sort = "id"
) -> Page[Disk]:
    """The disks; `name` is matched with id, model and serial."""
    found = seen_page(filter(is_wanted, _disks(parts, seen_now(parts))), page, sort, _key)
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)


@routes.get("/{disk}", operation_id="disk_show", response_model=Disk, responses=refusals(404))
def disk_show(disk: Reference, parts: UsedParts) -> Disk:
    """One disk, by its stable id, its serial, or another of its names under /dev/disk/by-id."""
    for found in _disks(parts, seen_now(parts)):
        if disk in (found.id, found.serial, *(found.observed.links if found.observed else ())):
            return found
    raise NotFound(f"There is no disk {disk!r}; the list of disks shows what there is.")


def _disks(parts: Parts, seen: Seen) -> list[Disk]:
    with parts.store.read() as tx:
        names = dict(tx.execute(select(ArrayRow.id, ArrayRow.name)).all())
        members = {row.disk_id: row for row in tx.scalars(select(ArrayDisk))}
    shown = [
        observed_disk(
            disk, members.get(disk.id), names[members[disk.id].array_id] if disk.id in members else None, seen
        )
        for disk in (seen.observation.disks if seen.observation else ())
    ]
    gone = [absent_disk(row, names[row.array_id], seen) for row in members.values() if row.disk_id not in seen.disks]
    return shown + gone


def _key(disk: Disk, field: str) -> tuple[Value, str]:
    match field:
        case "size_bytes":
            return disk.size_bytes or 0, disk.id
        case "serial":
            return disk.serial, disk.id
        case "model":
            return disk.model or "", disk.id
        case "state":
            return disk.state.value, disk.id
        case _:
            return disk.id, disk.id
