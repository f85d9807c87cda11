"""The use of an array from day to day, and the day on which it will be full."""

import datetime as dt
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

FITTED_DAYS = 30
LEAST_DAYS = 7
FARTHEST_DAYS = 3650
"""A farther day says nothing: by then, everything is different."""
_NOTICED = 0.001
"""Less growth than this share of the capacity in `FITTED_DAYS` is none."""


class CapacityTrend(StrEnum):
    """Direction of the used space of an array."""

    UNKNOWN = "unknown"
    """Not enough history: fewer than 7 days were recorded in the last 30 days."""
    GROWING = "growing"
    """The used space grows."""
    STEADY = "steady"
    """The used space stays about the same."""
    SHRINKING = "shrinking"
    """The used space shrinks."""


class CapacityDay(NamedTuple):
    """The last values of one UTC day."""

    day: dt.date
    used_bytes: int
    usable_bytes: int


class Forecast(NamedTuple):
    """`bytes_per_day` is None if unknown; `full_on` unless the space grows and is full within ten years."""

    trend: CapacityTrend
    bytes_per_day: int | None = None
    full_on: dt.date | None = None


def forecast(days: Sequence[CapacityDay], today: dt.date) -> Forecast:
    """A straight line through the days of the last 30 days, by least squares."""
    fitted = [one for one in days if 0 <= (today - one.day).days < FITTED_DAYS]
    if len(fitted) < LEAST_DAYS:
        return Forecast(CapacityTrend.UNKNOWN)
    last = fitted[-1]
    slope = _slope([((one.day - last.day).days, one.used_bytes) for one in fitted])
    if abs(slope) * FITTED_DAYS < _NOTICED * last.usable_bytes:
        return Forecast(CapacityTrend.STEADY, round(slope))
    if slope < 0:
        return Forecast(CapacityTrend.SHRINKING, round(slope))
    left = max(0, last.usable_bytes - last.used_bytes) / slope
    full_on = last.day + dt.timedelta(days=int(left)) if left <= FARTHEST_DAYS else None
    return Forecast(CapacityTrend.GROWING, round(slope), full_on)


def _slope(points: Sequence[tuple[int, int]]) -> float:
    middle = sum(x for x, _ in points) / len(points)
    level = sum(y for _, y in points) / len(points)
    spread = sum((x - middle) ** 2 for x, _ in points)
    return sum((x - middle) * (y - level) for x, y in points) / spread if spread else 0.0
