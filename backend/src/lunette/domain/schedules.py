"""Schedules: what the appliance does by the clock, and which of the snapshots it took it lets go again."""

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
    """snapshot: take one of each volume, and let old ones go. scrub: read and compare all of each array."""

    SNAPSHOT = "snapshot"
    SCRUB = "scrub"


class MissedRuns(StrEnum):
    """What becomes of runs whose time passed while the appliance was down: one for all of them, or none."""

    RUN_ONCE = "run_once"
    SKIP = "skip"


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
        raise ValueError("no such day comes within fifty years") from never
    return expression


def check_pattern(value: str) -> str:
    """The pattern, or ValueError if snapshots called so could not be told apart or would have no lawful name."""
    if not _PATTERN.match(value):
        raise ValueError("expected letters, digits, _ . - and {volume}, {date}, {time}, starting with none of _ . -")
    if "{volume}" not in value:
        raise ValueError("{volume} is missing: the snapshots of two volumes would have the same name")
    return value


When = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(check_when)]
SnapshotPattern = Annotated[str, Field(min_length=8, max_length=63), AfterValidator(check_pattern)]
Kept = Annotated[int, Field(ge=0, le=MAX_KEPT)]


class Retention(Model):
    """How many snapshots of each volume stay: the newest `last`, and the newest of each of so many hours, days, ISO
    weeks and months in which there is one. Nothing is deleted by age, so a clock that is wrong deletes nothing."""

    last: Kept = 0
    hourly: Kept = 0
    daily: Kept = 0
    weekly: Kept = 0
    monthly: Kept = 0

    @model_validator(mode="after")
    def _keeps_something(self) -> "Retention":
        if not any((self.last, self.hourly, self.daily, self.weekly, self.monthly)):
            raise ValueError("this would keep nothing: say how many stay, such as last: 7")
        return self


class ScheduleCreate(Model):
    """The wish for a schedule. Volumes and arrays are named by id or name; `when` is in the appliance's time zone."""

    name: Name
    action: ScheduleAction
    volumes: References = ()
    arrays: References = ()
    when: When
    keep: Retention | None = None
    snapshot_name: SnapshotPattern = "{volume}.{date}-{time}"
    missed: MissedRuns = MissedRuns.RUN_ONCE
    enabled: bool = True
    description: Description = ""

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
            raise ValueError("arrays: snapshots are taken of volumes; name volumes instead")
        if not volumes:
            raise ValueError("volumes: name the volumes to take snapshots of")
        if keep is None:
            raise ValueError("keep: say how many snapshots stay, such as last: 7")
    else:
        if volumes:
            raise ValueError("volumes: a scrub reads arrays; name arrays instead")
        if not arrays:
            raise ValueError("arrays: name the arrays to scrub")
        if keep is not None:
            raise ValueError("keep: a scrub leaves nothing that could be kept")


class SchedulePatch(Model):
    """Changes of a schedule; an absent field stays. What it does (`action`) is fixed."""

    name: Name | None = None
    volumes: References | None = None
    arrays: References | None = None
    when: When | None = None
    keep: Retention | None = None
    snapshot_name: SnapshotPattern | None = None
    missed: MissedRuns | None = None
    enabled: bool | None = None
    description: Description | None = None
