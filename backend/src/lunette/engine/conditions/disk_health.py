"""Health of drives: counts that grew since the last reading, and alerts."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayState, Level, ObservedArray
from lunette.domain.disk_health import COUNTS, UNREADABLE, Finding, Growth, findings
from lunette.domain.disks import ObservedDisk
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause
from lunette.store.database import Store
from lunette.store.resources import Array, DiskCount

FAMILY = "disk."
GROWTH = dt.timedelta(days=7)
"""How long a count that grew causes an alert, if it does not grow further."""
Grown = Mapping[str, Mapping[str, Growth]]
"""By disk, and by the name of the count."""
WITHOUT_REDUNDANCY = (Level.RAID0, Level.STRIPE, Level.EXTERNAL)
_OF_THE_WAY = ("interface_errors", "error_log_entries")
_WAY = (
    "The cause is usually the cable, the bay or the backplane rather than the drive: reseat the drive, replace its "
    "cable or move it to another bay. If the count still increases, replace the drive."
)
_LOG = " `nvme error-log {}` shows which commands failed, and whether the medium is the cause."
_SYSTEM = (
    "The running system is on this disk only: create a backup now (`lunette backup`). Then insert another disk, "
    "install the appliance on it, or preferably on two disks, and restore the backup. The disks of arrays are not "
    "changed."
)
_SYSTEM_MIRRORED = (
    "The running system is on this disk and on the other system disk: exports continue if this disk fails. Create a "
    "backup now (`lunette backup`). During a maintenance window, replace the disk: reinstall the appliance on two "
    "disks and restore the backup."
)
_FREE = "The disk belongs to no array: remove it, and do not use it for an array."
_OCCUPIED = (
    "The disk belongs to no array of this appliance, but it is in use or contains other data: have that data copied "
    "elsewhere, then remove the disk."
)
_WHOLE = (ArrayState.CLEAN, ArrayState.RESYNCING, ArrayState.RESHAPING)


def follow(store: Store, disks: Sequence[ObservedDisk], now: dt.datetime) -> Grown:
    """Stores the new counts, and returns those that grew recently. Writes only what changed."""
    with store.read() as tx:
        kept = {(row.disk_id, row.name): (row.serial, row.value) for row in tx.scalars(select(DiskCount))}
    reported = {(disk.id, name): (disk.serial, value) for disk in disks for name, value in _counts(disk)}
    if any(kept.get(key) != value for key, value in reported.items()):
        with store.write() as tx:
            for (disk_id, name), (serial, value) in reported.items():
                _keep(tx, disk_id, name, serial, value, now)
    with store.read() as tx:
        return grown(tx, now)


def grown(tx: Session, now: dt.datetime) -> Grown:
    """Counts that grew within the last days."""
    found: dict[str, dict[str, Growth]] = {}
    for row in tx.scalars(select(DiskCount).where(DiskCount.grew_at > now - GROWTH)):
        if row.before is not None and row.value > row.before:
            found.setdefault(row.disk_id, {})[row.name] = Growth(before=row.before, now=row.value)
    return found


def unread(seen: Observation) -> frozenset[str]:
    """Disks without a health reading since the agent started: their alerts stay."""
    return frozenset(
        disk.id
        for disk in seen.disks
        if disk.tells_health
        and (disk.health is None or (disk.health.read_at is None and (disk.health.misses or disk.health.is_asleep)))
    )


def causes_of(seen: Observation, arrays: Iterable[Array], growth: Grown) -> Iterator[Cause]:
    """One alert for each problem of a drive, naming its array and what to do."""
    homes = {member.disk_id: array for array in arrays for member in array.disks}
    observed = {array.uuid: array for array in seen.arrays}
    systems = [array for array in seen.arrays if array.system]
    for disk in seen.disks:
        if disk.health is None:
            continue
        array = homes.get(disk.id)
        found = observed.get(array.uuid) if array else None
        for finding in findings(disk.health, growth.get(disk.id, {})):
            yield _cause(disk, array, found, finding, systems)


def asks_for_replacement(kind: str) -> bool:
    """Whether a finding of this kind means that the drive must be replaced, and not its cooling, its cable or its
    firmware.
    """
    return kind not in ("temperature", "silent", UNREADABLE, *_OF_THE_WAY)


def _cause(
    disk: ObservedDisk,
    array: Array | None,
    found: ObservedArray | None,
    finding: Finding,
    systems: Sequence[ObservedArray],
) -> Cause:
    of_array = f" of array {array.name}" if array else ""
    return Cause(
        key=f"{FAMILY}{finding.kind}:{disk.id}"[:255],
        severity=finding.severity,
        message=f"Disk {disk.id} (serial {disk.serial}){of_array} {finding.words}",
        cause=finding.detail,
        fix=_fix(disk, array, found, finding, systems),
    )


def _is_mirrored(disk: ObservedDisk, systems: Sequence[ObservedArray]) -> bool:
    """Whether each mirror of the system that contains this disk has another working disk."""
    of_it = [array for array in systems if any(member.disk_id == disk.id for member in array.members)]
    others = [any(one.state == "in_sync" and one.disk_id != disk.id for one in array.members) for array in of_it]
    return bool(others) and all(others)


def _fix(
    disk: ObservedDisk,
    array: Array | None,
    found: ObservedArray | None,
    finding: Finding,
    systems: Sequence[ObservedArray],
) -> str:
    if finding.kind == "temperature":
        return "Check the cooling: fans, air filters and room temperature. A hot drive ages faster."
    if finding.kind == "silent":
        return (
            "Look for the disk in the kernel log (`journalctl -k`), and check its cable and power. It is now queried "
            "less often."
        )
    if finding.kind == UNREADABLE:
        return (
            f"Check with `smartctl --all {disk.device}`. Update the drive's firmware and smartmontools. If this does "
            "not help, a failure of this drive cannot be predicted: replace it with one that reports its health."
        )
    if finding.kind in _OF_THE_WAY:
        return _WAY + (_LOG.format(disk.device) if finding.kind == "error_log_entries" else "")
    if disk.used_by_system:
        return _SYSTEM_MIRRORED if _is_mirrored(disk, systems) else _SYSTEM
    if array is None:
        return _OCCUPIED if disk.occupation() else _FREE
    if Level(array.level) in WITHOUT_REDUNDANCY:
        return (
            f"Array {array.name} cannot tolerate the loss of a disk: copy its volumes elsewhere now, then create it "
            "again."
        )
    replace = f"`lunette array replace {array.name} {disk.id} NEW`"
    if found is None or found.state not in _WHOLE:
        return (
            f"Array {array.name} is not healthy: correct that first, and copy important data elsewhere. Then replace "
            f"the disk with {replace}."
        )
    if finding.is_failing or finding.severity is Severity.CRITICAL:
        return f"Replace it now, while array {array.name} is redundant: {replace}."
    return f"Get another disk and replace it while array {array.name} is redundant: {replace}."


def _counts(disk: ObservedDisk) -> Iterator[tuple[str, int]]:
    for name in COUNTS if disk.health else ():
        value = getattr(disk.health.values, name) if disk.health else None
        if value is not None:
            yield name, value


def _keep(tx: Session, disk_id: str, name: str, serial: str, value: int, now: dt.datetime) -> None:
    row = tx.get(DiskCount, (disk_id, name))
    if row is None or row.serial != serial:
        tx.merge(DiskCount(disk_id=disk_id, name=name, serial=serial, value=value, before=None, grew_at=None))
    elif value > row.value:
        row.before, row.value, row.grew_at = row.value, value, now
    elif value < row.value:
        row.value, row.before, row.grew_at = value, None, None
