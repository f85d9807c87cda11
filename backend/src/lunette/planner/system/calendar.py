"""When a schedule runs, and which of its snapshots it deletes: pure functions of clock readings and counts.

A machine's clock cannot be trusted: it starts wrong, is corrected, and follows a time zone that skips and repeats
hours. So a run is due according to the last run, not a stored next time, and nothing is ever deleted because of its
age.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from cronsim import CronSim

from lunette.domain.schedules import Retention

SET_BACK = dt.timedelta(hours=1)
"""A last run that is further in the future than this was dated by a wrong clock. For a shorter time, the schedule
waits.
"""
ON_TIME = dt.timedelta(minutes=5)
"""A run that starts later than this after its time was missed: the appliance was down, or its clock was wrong."""


def upcoming(when: str, zone: ZoneInfo, after: dt.datetime) -> Iterator[dt.datetime]:
    """The times after a moment, in UTC. An hour that a time zone repeats counts once; one that it skips is made up for
    at its end (cronsim follows Debian's cron); a moment within the repeated hour does not get its past again.
    """
    for moment in CronSim(when, after.astimezone(zone)):
        found = moment.astimezone(dt.UTC)
        if found > after:
            yield found


def is_set_back(anchor: dt.datetime, now: dt.datetime) -> bool:
    """True if the last check is so far in the future that the clock must have been set back since."""
    return anchor - now > SET_BACK


def due(when: str, zone: ZoneInfo, anchor: dt.datetime, now: dt.datetime) -> dt.datetime | None:
    """The first time since `anchor` (the last check that led to a run, or the schedule's beginning) that has passed."""
    first = next(upcoming(when, zone, anchor))
    return first if first <= now else None


@dataclass(frozen=True)
class Taken:
    """A snapshot that a schedule took. `seq` grows with each, whatever the clock said."""

    snapshot_id: str
    seq: int
    at: dt.datetime


def surplus(taken: Sequence[Taken], keep: Retention, zone: ZoneInfo) -> list[Taken]:
    """Snapshots that no rule retains, oldest first, in the order in which they were taken."""
    newest_first = sorted(taken, key=lambda one: one.seq, reverse=True)
    kept = {one.snapshot_id for one in newest_first[: keep.last]}
    for count, span in (
        (keep.hourly, lambda at: at.astimezone(dt.UTC).strftime("%Y%m%d%H")),
        (keep.daily, lambda at: at.strftime("%Y%m%d")),
        (keep.weekly, lambda at: at.strftime("%G%V")),
        (keep.monthly, lambda at: at.strftime("%Y%m")),
    ):
        kept |= _newest_of_each(newest_first, count, span, zone)
    return [one for one in reversed(newest_first) if one.snapshot_id not in kept]


def _newest_of_each(
    newest_first: Sequence[Taken], count: int, span: Callable[[dt.datetime], str], zone: ZoneInfo
) -> set[str]:
    """The newest of each of the last `count` periods that have one."""
    found: dict[str, str] = {}
    for one in newest_first:
        label = span(one.at.astimezone(zone))
        if label not in found:
            if len(found) == count:
                break
            found[label] = one.snapshot_id
    return set(found.values())
