"""Alerts about the health of the system disks, if the system is mirrored on two of them."""

from collections.abc import Iterable, Iterator

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayState
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause

FAMILY = "system."
_WHOLE = (ArrayState.CLEAN, ArrayState.RESYNCING)


def causes_of(seen: Observation) -> Iterator[Cause]:
    """One alert for all mirrors of the system: they are on the same two disks."""
    ill = [array for array in seen.arrays if array.system and array.state not in _WHOLE]
    if not ill:
        return
    members = [member for array in ill for member in array.members]
    alive = _names((member.disk_id for member in members if member.state == "in_sync"), seen)
    lost = _names((member.disk_id for member in members if member.state == "faulty"), seen)
    yield Cause(
        key="system.mirror",
        severity=Severity.WARNING,
        message=f"The system runs on only one of its two disks: {alive or 'the kernel does not report which'}",
        cause=f"Failed: {lost}" if lost else "The other system disk is missing, or was excluded after it was missing",
        fix=(
            "Exports continue. Create a backup now (`lunette backup`). Replace the lost disk during a maintenance "
            "window: reinstall the appliance on two disks and restore the backup. Do not start from the lost disk "
            "alone: its data is outdated."
        ),
    )


def _names(disk_ids: Iterable[str | None], seen: Observation) -> str:
    found = {disk_id: seen.disk(disk_id) for disk_id in disk_ids if disk_id}
    return ", ".join(f"disk {name} (serial {disk.serial if disk else 'unknown'})" for name, disk in found.items())
