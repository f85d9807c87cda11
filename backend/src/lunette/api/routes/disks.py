"""Disks: those of the appliance, missing members of its arrays, and wiping."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Depends, Query, Response
from sqlalchemy import select

from lunette.api.answers.base import Page
from lunette.api.answers.disks import Disk, DiskHistory, DiskState, absent_disk, disk_day, observed_disk
from lunette.api.answers.seen import Observed
from lunette.api.lists.matching import matches
from lunette.api.lists.paging import NameFilter, Paging, Value, observed_page
from lunette.api.openapi.responses import JOB_CREATED, LISTED, refusals, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.disk_health import DiskHealthState
from lunette.domain.disks import DiskLocateRequest, DiskWipeRequest, Transport
from lunette.domain.errors import NotFound
from lunette.engine.changes import disk_locate as locating
from lunette.engine.changes import disk_wipe as wiping
from lunette.engine.conditions import disk_health, disk_readings
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import ArrayDisk
from lunette.store.schema import utc_now

routes = router("/disks", "disks")
Sort = Annotated[
    Literal["id", "-id", "serial", "-serial", "size_bytes", "-size_bytes", "state", "-state", "model", "-model"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


def _wanted(
    name: NameFilter = None,
    state: Annotated[DiskState | None, Query(description="Only disks in this state.")] = None,
    transport: Annotated[Transport | None, Query(description="Only disks with this transport.")] = None,
    health: Annotated[DiskHealthState | None, Query(description="Only disks with this health state.")] = None,
    array: Annotated[str | None, Query(max_length=63, description="Only disks of this array, by ID or name.")] = None,
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
    services: UsedServices,
    page: Paging,
    is_wanted: Annotated[Callable[[Disk], bool], Depends(_wanted)],
    sort: Sort = "id",
) -> Page[Disk]:
    """Lists the disks, including missing members of arrays.

    `name` matches the ID, the model or the serial number.
    """
    found = observed_page(filter(is_wanted, _disks(services, observed_now(services))), page, sort, _key)
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)


@routes.get("/{disk:bare}", operation_id="disk_show", response_model=Disk, responses=refusals(404))
def disk_show(disk: Reference, services: UsedServices) -> Disk:
    """Shows a disk, by its ID, serial number or a name under /dev/disk/by-id."""
    return _named(services, disk)


@routes.get("/{disk}/history", operation_id="disk_history", response_model=DiskHistory, responses=refusals(404))
def disk_history(disk: Reference, services: UsedServices) -> DiskHistory:
    """Shows the health history of a disk, day by day.

    The history remains available if the disk no longer reports its health or is missing. Give a missing disk by its ID.
    """
    with services.store.read() as tx:
        rows = disk_readings.of_disk(tx, disk)
    if not rows:
        found = _named(services, disk)
        with services.store.read() as tx:
            return DiskHistory(disk=found.id, days=tuple(map(disk_day, disk_readings.of_disk(tx, found.id))))
    return DiskHistory(disk=disk, days=tuple(map(disk_day, rows)))


@routes.post("/{disk}:wipe", operation_id="disk_wipe", status_code=202, response_model=None, responses=JOB_CREATED)
def disk_wipe(disk: Reference, body: DiskWipeRequest, change: Creating) -> Response:
    """Wipes the signatures of an unused disk, or erases all its data.

    This cannot be undone. `confirm` is the serial number of the disk. The appliance refuses to wipe a disk of an array,
    a system disk, a disk in use (for example mounted or used for swap), and a drive that would erase other disks as
    well. Returns a job.
    """

    def work(context: ChangeContext) -> Outcome:
        return wiping.wipe(context, disk, body)

    return change.apply(work, only_jobs, looks=True)


@routes.post("/{disk}:locate", operation_id="disk_locate", status_code=202, response_model=None, responses=JOB_CREATED)
def disk_locate(disk: Reference, body: DiskLocateRequest, change: Creating) -> Response:
    """Switches the locate LED of the drive bay of a disk on or off.

    Fails with 409 if the kernel shows no locate LED. The property `observed.place.is_located` shows the state of the
    LED. Returns a job.
    """

    def work(context: ChangeContext) -> Outcome:
        return locating.locate(context, disk, is_on=not body.off)

    return change.apply(work, only_jobs, looks=True)


def _named(services: ApiServices, disk: str) -> Disk:
    for found in _disks(services, observed_now(services)):
        if disk in (found.id, found.serial, *(found.observed.links if found.observed else ())):
            return found
    raise NotFound(f"There is no disk {disk!r}; see the list of disks.")


def _disks(services: ApiServices, seen: Observed) -> list[Disk]:
    with services.store.read() as tx:
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
