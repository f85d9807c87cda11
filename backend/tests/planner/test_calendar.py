"""When a schedule is due, on clocks that jump and in zones that skip and repeat hours; what retention removes."""

import datetime as dt
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lunette.domain.schedules import Retention, ScheduleCreate
from lunette.planner.system.calendar import Taken, due, is_set_back, surplus, upcoming
from lunette.planner.system.schedules import snapshot_name

UTC = ZoneInfo("UTC")
BERLIN = ZoneInfo("Europe/Berlin")
HOUR = dt.timedelta(hours=1)


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def local(text: str, fold: int = 0) -> dt.datetime:
    """A reading of a clock in Berlin, as the moment it is."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).astimezone(dt.UTC)


def runs(when: str, start: dt.datetime, end: dt.datetime, step: dt.timedelta) -> list[dt.datetime]:
    """What a scheduler that looks every `step` runs."""
    anchor, now, found = start, start, []
    while now < end:
        now += step
        if due(when, BERLIN, anchor, now):
            found.append(now)
            anchor = now
    return found


def test_a_run_is_due_from_its_time_on_and_once() -> None:
    anchor = utc("2026-05-01T12:00")
    assert due("0 3 * * *", UTC, anchor, utc("2026-05-02T02:59")) is None
    assert due("0 3 * * *", UTC, anchor, utc("2026-05-02T03:00")) == utc("2026-05-02T03:00")
    assert due("0 3 * * *", UTC, utc("2026-05-02T03:00"), utc("2026-05-02T04:00")) is None


def test_many_missed_times_are_one_run() -> None:
    anchor, now = utc("2026-01-01T00:00"), utc("2026-05-01T12:00:30")
    assert due("* * * * *", UTC, anchor, now) == utc("2026-01-01T00:01")
    assert due("* * * * *", UTC, now, now) is None


def test_the_hour_that_spring_skips_is_made_up_for_once() -> None:
    night = runs("30 2 * * *", local("2026-03-28T12:00"), local("2026-03-29T12:00"), dt.timedelta(minutes=10))
    assert night == [local("2026-03-29T03:00")]


@pytest.mark.parametrize("minutes", [1, 7, 10, 45])
def test_the_hour_that_autumn_repeats_counts_once(minutes: int) -> None:
    start, end = local("2026-10-24T12:00"), local("2026-10-25T12:00")
    assert len(runs("30 2 * * *", start, end, dt.timedelta(minutes=minutes))) == 1


def test_every_hour_is_every_hour_whatever_the_zone_does() -> None:
    for day in ("2026-03-29", "2026-10-25"):
        start = local(f"{day}T00:00")
        found = runs("0 * * * *", start, start + 6 * HOUR, dt.timedelta(minutes=5))
        assert [b - a for a, b in pairwise(found)] == [HOUR] * 5


def test_no_time_of_the_future_is_ever_in_the_past() -> None:
    """Within the repeated hour, what comes next is after now."""
    for minute in range(0, 60, 7):
        now = local("2026-10-25T02:00", fold=1) + dt.timedelta(minutes=minute)
        assert next(upcoming("30 2 * * *", BERLIN, now)) > now


def test_a_clock_set_back_a_little_waits_and_a_lot_starts_again() -> None:
    now = utc("2026-05-01T12:00")
    assert not is_set_back(now + dt.timedelta(minutes=59), now)
    assert due("* * * * *", UTC, now + dt.timedelta(minutes=59), now) is None
    assert is_set_back(now + dt.timedelta(days=3000), now)


def taken(*times: dt.datetime) -> list[Taken]:
    return [Taken(f"s{number}", number, at) for number, at in enumerate(times, 1)]


def hourly(count: int, start: str = "2026-05-01T00:30") -> list[Taken]:
    return taken(*(utc(start) + HOUR * number for number in range(count)))


def test_the_newest_stay() -> None:
    gone = surplus(hourly(5), Retention(last=2), UTC)
    assert [one.snapshot_id for one in gone] == ["s1", "s2", "s3"]


def test_each_of_the_last_days_retains_its_newest() -> None:
    gone = {one.snapshot_id for one in surplus(hourly(72), Retention(daily=2), UTC)}
    assert {f"s{n}" for n in range(1, 73)} - gone == {"s48", "s72"}


def test_rules_add_up() -> None:
    kept = {"s72", "s71", "s48", "s24"}
    gone = {one.snapshot_id for one in surplus(hourly(72), Retention(hourly=2, daily=3), UTC)}
    assert {f"s{n}" for n in range(1, 73)} - gone == kept


def test_days_are_those_of_the_zone() -> None:
    late = taken(utc("2026-05-01T21:00"), utc("2026-05-01T23:00"))
    assert surplus(late, Retention(daily=2), BERLIN) == []
    assert [one.snapshot_id for one in surplus(late, Retention(daily=2), UTC)] == ["s1"]


def test_a_clock_that_was_wrong_makes_nothing_older_or_newer_than_it_is() -> None:
    """A snapshot dated 1970 that was taken last is the newest, one dated 2070 that was taken first the oldest."""
    odd = taken(utc("2070-01-01T00:00"), utc("2026-05-01T00:00"), utc("1970-01-01T00:00"))
    assert [one.snapshot_id for one in surplus(odd, Retention(last=1), UTC)] == ["s1", "s2"]
    assert surplus(odd, Retention(daily=3), UTC) == []


COUNTS = st.integers(0, 6)


@given(
    st.lists(st.integers(946_684_800, 2_840_140_800), max_size=40),
    st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS).filter(any),
)
def test_retention_keeps_the_newest_and_never_fewer_than_its_count(times: list[int], counts: tuple[int, ...]) -> None:
    keep = Retention(**dict(zip(("last", "hourly", "daily", "weekly", "monthly"), counts, strict=True)))
    have = taken(*(dt.datetime.fromtimestamp(time, dt.UTC) for time in times))
    gone = surplus(have, keep, BERLIN)
    left = [one for one in have if one not in gone]
    assert len(left) >= min(len(have), keep.last)
    assert len(left) <= sum(counts)
    assert not have or have[-1] in left
    assert surplus(left, keep, BERLIN) == [], "a second look deletes nothing more"


def test_names_are_lawful_and_never_twice() -> None:
    at = dt.datetime(2026, 5, 1, 2, 30, tzinfo=BERLIN)
    first = snapshot_name("{volume}.{date}-{time}", "lun01", at, ())
    assert first == "lun01.20260501-023000"
    assert snapshot_name("{volume}.{date}-{time}", "lun01", at, {first}) == f"{first}-2"
    long = snapshot_name("{volume}.{date}-{time}", "v" * 63, at, ())
    assert (len(long) <= 63, long.endswith("20260501-023000")) == (True, True)
    assert len(snapshot_name("{volume}.{date}-{time}", "v" * 63, at, {long})) <= 63


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("when", "0 3 * *", "five fields"),
        ("when", "0 0 3 * * *", "five fields"),
        ("when", "61 3 * * *", "minute"),
        ("when", "0 0 30 2 *", "day-of-month"),
        ("keep", {"daily": 0}, "retain no snapshots"),
        ("keep", None, "how many"),
        ("volumes", [], "specify the volumes"),
        ("arrays", ["tank"], "taken of volumes"),
        ("snapshot_name", "nightly-{date}", "the same name"),
        ("snapshot_name", "{volume.__class__}-{date}", "expected letters"),
        ("snapshot_name", "{volume}/{date}", "expected letters"),
    ],
)
def test_an_impossible_schedule_is_refused(field: str, value: object, words: str) -> None:
    spec = {"name": "s", "action": "snapshot", "volumes": ["v"], "when": "0 3 * * *", "keep": {"last": 1}}
    ScheduleCreate.model_validate(spec)
    with pytest.raises(ValidationError, match=words):
        ScheduleCreate.model_validate({**spec, field: value})
