"""Monitors the free space of the file system with the appliance's own database.

Exports continue while it is full, and access can be removed. Requests that create something are refused before that.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from lunette.domain.alerts import Severity
from lunette.domain.errors import Unavailable
from lunette.domain.units import MIB, format_size
from lunette.engine.alerts.board import Cause

FILLING, FULL = 0.85, 0.95
"""Used shares from which alerts are raised."""
TIGHT, LEAST_BYTES = 0.98, 32 * MIB
"""From this share on, or with less free space, nothing is added. It equals the agent's reserve."""
GRACE_S = 60.0


class DriveSpace(NamedTuple):
    """Sizes in bytes; `free_bytes` is what the database's process may still write."""

    folder: str
    used_bytes: int
    free_bytes: int

    @property
    def used(self) -> float:
        """The used share, as `df` counts it: space reserved for root does not count as free."""
        return self.used_bytes / max(1, self.used_bytes + self.free_bytes)


Look = Callable[[], DriveSpace | None]


def look_at(folder: Path) -> Look:
    """Checks the file system of this folder; None if it does not answer."""

    def look() -> DriveSpace | None:
        try:
            found = shutil.disk_usage(folder)
        except OSError:
            return None
        return DriveSpace(str(folder), found.used, found.free)

    return look


def has_room(room: DriveSpace | None) -> bool:
    """False if the file system is nearly full, so that nothing is added."""
    return room is None or (room.used < TIGHT and room.free_bytes >= LEAST_BYTES)


def check_room(room: DriveSpace | None) -> None:
    """Checked before a change that adds something. Raises Unavailable if the file system is nearly full."""
    if room is None or has_room(room):
        return
    raise Unavailable(
        f"The system drive is full: {format_size(room.free_bytes)} are free in {room.folder}, and nothing was changed. "
        "Only changes and deletions of existing objects are accepted now. Free some space, then try again."
    )


def causes_of(room: DriveSpace | None) -> Iterator[Cause]:
    """The second alert is raised in addition to the first, so that it is reported again."""
    if room is None:
        return
    cause = f"{room.folder} is {round(room.used * 100)} % full: {format_size(room.free_bytes)} are free"
    if room.used >= FILLING:
        yield Cause(
            key="system.drive_filling",
            severity=Severity.WARNING,
            grace_s=GRACE_S,
            cause=cause,
            message="The system drive is filling up: more than 85 % of the database file system is used",
            fix=(
                "Exports do not depend on it and continue. Delete the update bundle if it is not needed, and check "
                f"what uses the space: `sudo du -xh --max-depth=2 {room.folder}`, `journalctl --disk-usage`."
            ),
        )
    if room.used >= FULL:
        yield Cause(
            key="system.drive_full",
            severity=Severity.CRITICAL,
            grace_s=GRACE_S,
            cause=cause,
            message="The system drive is nearly full: more than 95 % of the database file system is used",
            fix=(
                "From 98 % on, requests that create objects are refused; exports continue, and volumes can be "
                "unmapped. Free space now, starting with files that do not belong to Lunette. Never delete the "
                "database or the key file."
            ),
        )
