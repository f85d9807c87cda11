"""Schedules: snapshots of volumes with their retention, and scrubs of arrays, at set times."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, Field, model_validator

from lunette.domain.base import Model
from lunette.domain.names import Description, Name

MAX_KEPT = 1000
_PATTERN = re.compile(r"^(?:[A-Za-z0-9]|\{(?:volume|date|time)\})(?:[A-Za-z0-9_.-]|\{(?:volume|date|time)\})*$")
_REFERENCE = Annotated[str, Field(min_length=1, max_length=63)]
References = Annotated[tuple[_REFERENCE, ...], Field(max_length=256)]


class ScheduleAction(StrEnum):
    """Action of a schedule."""

    SNAPSHOT = "snapshot"
    """Takes a snapshot of each volume, then deletes snapshots that the retention does not cover."""
    SCRUB = "scrub"
    """Scrubs each array: reads all of its data and compares the data with its redundancy."""


class MissedRuns(StrEnum):
    """Handling of runs that a schedule missed while the appliance was down."""

    RUN_ONCE = "run_once"
    """One run replaces all missed runs."""
    SKIP = "skip"
    """Missed runs are skipped."""


def check_when(value: str) -> str:
    """The cron expression with single spaces, or ValueError. Cron of Debian: minute hour day month weekday."""
    expression = " ".join(value.split())
    if len(expression.split(" ")) != 5:
        raise ValueError(
            "expected five fields, minute hour day month weekday, such as `30 2 * * *`: each night at 2:30"
        )
    try:
        next(CronSim(expression, datetime(2024, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"{error}: expected minute hour day month weekday, such as `0 */4 * * MON-FRI`") from error
    except StopIteration as never:
        raise ValueError("this date does not occur within fifty years") from never
    return expression


def check_pattern(value: str) -> str:
    """The pattern, or ValueError if its snapshot names would not be unique or valid."""
    if not _PATTERN.match(value):
        raise ValueError("expected letters, digits, _ . - and {volume}, {date}, {time}, not starting with _ . or -")
    if "{volume}" not in value:
        raise ValueError("{volume} is missing: the snapshots of two volumes would have the same name")
    return value


When = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(check_when)]
SnapshotPattern = Annotated[str, Field(min_length=8, max_length=63), AfterValidator(check_pattern)]
Kept = Annotated[int, Field(ge=0, le=MAX_KEPT)]


class Retention(Model):
    """Retention of the snapshots of a schedule, per volume. At least one field must be above 0.

    A snapshot that no field covers is deleted by the next run, unless clones of it exist. Age alone deletes no
    snapshot, so a wrong clock is harmless.
    """

    last: Kept = 0
    """Number of most recent snapshots to retain."""
    hourly: Kept = 0
    """Number of hourly snapshots to retain: the newest of each hour. Hours without snapshots are skipped."""
    daily: Kept = 0
    """Number of daily snapshots to retain: the newest of each day. Days without snapshots are skipped."""
    weekly: Kept = 0
    """Number of weekly snapshots to retain: the newest of each ISO week. Weeks without snapshots are skipped."""
    monthly: Kept = 0
    """Number of monthly snapshots to retain: the newest of each month. Months without snapshots are skipped."""

    @model_validator(mode="after")
    def _keeps_something(self) -> "Retention":
        if not any((self.last, self.hourly, self.daily, self.weekly, self.monthly)):
            raise ValueError("this would retain no snapshots: specify how many to retain, such as last: 7")
        return self


class ScheduleCreate(Model):
    """Schedule to create."""

    name: Name
    """Name of the schedule."""
    action: ScheduleAction
    """Action of the schedule. The action cannot be changed later."""
    volumes: References = ()
    """Names or IDs of the volumes to take snapshots of. Required for the action `snapshot` only.

    On arrays other than ZFS pools, only thin volumes can have snapshots.
    """
    arrays: References = ()
    """Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Required for the action `scrub` only."""
    when: When
    """Cron expression with minute, hour, day of month, month and weekday, such as `0 3 * * *`.

    Evaluated in the time zone of the appliance.
    """
    keep: Retention | None = None
    """Retention of the snapshots, per volume. Required for the action `snapshot` only.

    The schedule deletes only snapshots that it took itself.
    """
    snapshot_name: SnapshotPattern = "{volume}.{date}-{time}"
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and `{time}`."""
    missed: MissedRuns = MissedRuns.RUN_ONCE
    """Handling of runs that were missed while the appliance was down."""
    enabled: bool = True
    """Whether the schedule runs automatically. A disabled schedule can still be run manually."""
    description: Description = ""
    """Free-text description."""

    @model_validator(mode="after")
    def _fits_its_action(self) -> "ScheduleCreate":
        check_action(self.action, self.volumes, self.arrays, self.keep)
        return self


def check_action(
    action: ScheduleAction, volumes: tuple[str, ...], arrays: tuple[str, ...], keep: Retention | None
) -> None:
    """Raises ValueError if what is to be done is not what the action is about."""
    if action is ScheduleAction.SNAPSHOT:
        if arrays:
            raise ValueError("arrays: snapshots are taken of volumes; specify volumes instead")
        if not volumes:
            raise ValueError("volumes: specify the volumes to take snapshots of")
        if keep is None:
            raise ValueError("keep: specify how many snapshots to retain, such as last: 7")
    else:
        if volumes:
            raise ValueError("volumes: a scrub reads arrays; specify arrays instead")
        if not arrays:
            raise ValueError("arrays: specify the arrays to scrub")
        if keep is not None:
            raise ValueError("keep: a scrub creates nothing to retain; omit the field")


class SchedulePatch(Model):
    """Changes to a schedule. An omitted field does not change, and `null` is refused. The action cannot be changed."""

    name: Name | None = None
    """New name of the schedule."""
    volumes: References | None = None
    """Names or IDs of the volumes to take snapshots of. Replaces the current list.

    On arrays other than ZFS pools, only thin volumes can have snapshots.
    """
    arrays: References | None = None
    """Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Replaces the current list."""
    when: When | None = None
    """Cron expression with minute, hour, day of month, month and weekday, such as `0 3 * * *`.

    Evaluated in the time zone of the appliance.
    """
    keep: Retention | None = None
    """Retention of the snapshots, per volume. If reduced, the next run deletes surplus snapshots."""
    snapshot_name: SnapshotPattern | None = None
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and `{time}`."""
    missed: MissedRuns | None = None
    """Handling of runs that were missed while the appliance was down."""
    enabled: bool | None = None
    """Whether the schedule runs automatically. A disabled schedule can still be run manually."""
    description: Description | None = None
    """Free-text description."""

    @model_validator(mode="after")
    def _says_what_cannot_be_without(self) -> "SchedulePatch":
        self._refuse_null()
        return self
