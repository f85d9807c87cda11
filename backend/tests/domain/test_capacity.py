"""The trend of capacity: days until full, and no nonsense before there is enough to say."""

import datetime as dt
from collections.abc import Callable

import pytest

from lunette.domain.capacity import LEAST_DAYS, CapacityDay, CapacityTrend, forecast

TIB = 1024**4
TODAY = dt.date(2026, 11, 29)


def days(used: Callable[[int], float], count: int = 30, usable: int = 10 * TIB) -> list[CapacityDay]:
    """The last `count` days; `used` gets the number of the day, which is 0 today."""
    return [CapacityDay(TODAY - dt.timedelta(days=n), round(used(-n)), usable) for n in reversed(range(count))]


def test_steady_growth_is_carried_on_to_the_day_it_is_full() -> None:
    found = forecast(days(lambda day: 5 * TIB + day * TIB / 10), TODAY)
    assert (found.trend, found.full_on) == (CapacityTrend.GROWING, TODAY + dt.timedelta(days=50))
    assert found.bytes_per_day == pytest.approx(TIB / 10, rel=1e-6)


def test_single_days_that_differ_change_little() -> None:
    found = forecast(days(lambda day: 5 * TIB + day * TIB / 10 + (TIB / 50 if day % 2 else 0)), TODAY)
    assert found.full_on is not None
    assert abs((found.full_on - TODAY).days - 50) <= 2


def test_too_few_days_say_nothing_and_old_ones_do_not_count() -> None:
    few = days(lambda day: 5 * TIB + day * TIB, LEAST_DAYS - 1)
    assert forecast(few, TODAY) == (CapacityTrend.UNKNOWN, None, None)
    assert forecast([], TODAY).trend is CapacityTrend.UNKNOWN
    assert forecast(days(lambda day: 5 * TIB + day), TODAY + dt.timedelta(days=100)).trend is CapacityTrend.UNKNOWN


def test_what_shrinks_or_stays_is_never_full() -> None:
    shrinking = forecast(days(lambda day: TIB - day * TIB / 10), TODAY)
    assert (shrinking.trend, shrinking.full_on) == (CapacityTrend.SHRINKING, None)
    assert shrinking.bytes_per_day == pytest.approx(-TIB / 10, rel=1e-6)
    assert forecast(days(lambda _day: TIB), TODAY) == (CapacityTrend.STEADY, 0, None)


def test_growth_that_fills_in_decades_has_no_day() -> None:
    found = forecast(days(lambda day: TIB + day * TIB / 1500), TODAY)
    assert (found.trend, found.full_on) == (CapacityTrend.GROWING, None)


def test_what_is_full_is_full_today() -> None:
    found = forecast(days(lambda day: min(10 * TIB, 10 * TIB + (day + 5) * TIB / 10)), TODAY)
    assert (found.trend, found.full_on) == (CapacityTrend.GROWING, TODAY)
