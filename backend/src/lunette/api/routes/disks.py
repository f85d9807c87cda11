"""Disks: everything the machine has, the members of our arrays it no longer shows, and the end of what is on one."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Depends, Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.disks import Disk, DiskHistory, DiskState, absent_disk, disk_day, observed_disk
from lunette.api.answers.seen import Seen
from lunette.api.changes import Creating
from lunette.api.declare import JOB_CREATED, LISTED, refusals, router
from lunette.api.jobs import only_jobs
from lunette.api.looking import seen_now
from lunette.api.lookup import Reference
from lunette.api.matching import matches
from lunette.api.paging import NameFilter, Paging, Value, seen_page
from lunette.api.parts import Parts, UsedParts
from lunette.domain.disk_health import DiskHealthState
from lunette.domain.disks import DiskLocateWish, DiskWipeWish, Transport
from lunette.domain.errors import NotFound
from lunette.engine import disk_health, disk_readings
from lunette.engine import disk_locate as locating
from lunette.engine import disk_wipe as wiping
from lunette.engine.outcome import Outcome
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import ArrayDisk
from lunette.store.schema import utc_now

routes = router("/disks", "disks")
Sort = Literal["id", "-id", "serial", "-serial", "size_bytes", "-size_bytes", "state", "-state", "model", "-model"]


def _wanted(
    name: NameFilter = None,
    state: DiskState | None = None,
    transport: Transport | None = None,
    health: DiskHealthState | None = None,
    array: Annotated[str | None, Query(max_length=63, description="Members of this array, by id or name.")] = None,
) -> Callable[[Disk], bool]:
    def is_wanted(disk: Disk) -> bool:
        return (
            (state is None or disk.state is state)
            and (transport is None or disk.transport is transport)
            and (health is None or (disk.health is not None and disk.health.state is health))
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


@routes.get("/{disk:bare}", operation_id="disk_show", response_model=Disk, responses=refusals(404))
def disk_show(disk: Reference, parts: UsedParts) -> Disk:
    """One disk, by its stable id, its serial, or another of its names under /dev/disk/by-id."""
    return _named(parts, disk)


@routes.get("/{disk}/history", operation_id="disk_history", response_model=DiskHistory, responses=refusals(404))
def disk_history(disk: Reference, parts: UsedParts) -> DiskHistory:
    """What the drive told of its health day by day, also where it does not tell any more.

    A disk that is gone is named by its stable id.
    """
    with parts.store.read() as tx:
        rows = disk_readings.of_disk(tx, disk)
    if not rows:
        found = _named(parts, disk)
        with parts.store.read() as tx:
            return DiskHistory(disk=found.id, days=tuple(map(disk_day, disk_readings.of_disk(tx, found.id))))
    return DiskHistory(disk=disk, days=tuple(map(disk_day, rows)))


@routes.post("/{disk}:wipe", operation_id="disk_wipe", status_code=202, response_model=None, responses=JOB_CREATED)
def disk_wipe(disk: Reference, body: DiskWipeWish, change: Creating) -> Response:
    """Empties a disk that nobody uses: its signatures, or all its data by the drive itself. It cannot be taken back.

    `confirm` is the disk's serial. Refused for a disk of an array or of the system, one that is mounted, held or swap,
    and where the drive would erase other disks as well.
    """

    def work(tx: Session) -> Outcome:
        return wiping.wipe(tx, change.control.desk, change.actor, disk, body, change.dry_run)

    return change.apply(work, only_jobs, looks=True)


@routes.post("/{disk}:locate", operation_id="disk_locate", status_code=202, response_model=None, responses=JOB_CREATED)
def disk_locate(disk: Reference, body: DiskLocateWish, change: Creating) -> Response:
    """Switches the light of the bay a disk sits in on or off, so that whoever pulls it pulls the right one.

    Refused where the kernel shows no such light; `observed.place.is_located` tells whether it is on.
    """

    def work(tx: Session) -> Outcome:
        desk = change.control.desk
        return locating.locate(tx, desk, change.actor, disk, is_on=not body.off, dry_run=change.dry_run)

    return change.apply(work, only_jobs, looks=True)


def _named(parts: Parts, disk: str) -> Disk:
    for found in _disks(parts, seen_now(parts)):
        if disk in (found.id, found.serial, *(found.observed.links if found.observed else ())):
            return found
    raise NotFound(f"There is no disk {disk!r}; the list of disks shows what there is.")


def _disks(parts: Parts, seen: Seen) -> list[Disk]:
    with parts.store.read() as tx:
        names = dict(tx.execute(select(ArrayRow.id, ArrayRow.name)).all())
        members = {row.disk_id: row for row in tx.scalars(select(ArrayDisk))}
        growth = disk_health.grown(tx, utc_now())
    shown = []
    disks = seen.observation.disks if seen.observation else ()
    for disk in sorted(disks, key=lambda disk: bool(disk.other_path_of)):  # a serial names the drive, not a second path
        row = members.get(disk.id)
        shown.append(observed_disk(disk, row, names[row.array_id] if row else None, seen, growth.get(disk.id, {})))
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
