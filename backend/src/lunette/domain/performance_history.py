"""The resolutions of the performance history, and how spans of different length become one interval.

An interval keeps, of each figure, the mean and the maximum over its spans, and for how long it was measured. The mean
of a rate is weighted by time, that of a latency by the number of I/Os, so an interval of one hour has the mean that one
measurement over the hour would have had.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from lunette.domain.performance import Rates

FIGURES = Rates._fields[:8]
_COUNTED_BY = {"latency_ms": "iops", "read_latency_ms": "read_iops", "write_latency_ms": "write_iops"}
_WEIGHTS = tuple(FIGURES.index(_COUNTED_BY[figure]) if figure in _COUNTED_BY else None for figure in FIGURES)
WIDTH = 1 + 2 * len(FIGURES)
"""Numbers of an interval: the measured seconds, the means, the maxima."""
NOTHING = array("f", [math.nan] * WIDTH)


class HistoryRange(StrEnum):
    """Time range of a performance history, up to now."""

    HOUR = "1h"
    """The last hour, in intervals of 10 seconds."""
    DAY = "24h"
    """The last 24 hours, in intervals of 1 minute."""
    WEEK = "7d"
    """The last 7 days, in intervals of 10 minutes."""
    MONTH = "30d"
    """The last 30 days, in intervals of 1 hour."""


class Resolution(NamedTuple):
    """`length` intervals of `step_s` seconds are stored, in blocks of `block`. They are numbered from the epoch."""

    step_s: int
    length: int
    block: int

    def overlaps(self, start: float, end: float) -> Iterator[tuple[int, float]]:
        """The intervals that a span touches, with the seconds that it has in each."""
        number = math.floor(start / self.step_s)
        while number * self.step_s < end:
            seconds = min(end, (number + 1) * self.step_s) - max(start, number * self.step_s)
            if seconds > 0:
                yield number, seconds
            number += 1


RESOLUTIONS = {
    HistoryRange.HOUR: Resolution(10, 360, 60),
    HistoryRange.DAY: Resolution(60, 1440, 60),
    HistoryRange.WEEK: Resolution(600, 1008, 36),
    HistoryRange.MONTH: Resolution(3600, 720, 24),
}
FINEST = RESOLUTIONS[HistoryRange.HOUR]
SOURCES = (
    (HistoryRange.DAY, HistoryRange.HOUR),
    (HistoryRange.WEEK, HistoryRange.HOUR),
    (HistoryRange.MONTH, HistoryRange.WEEK),
)
"""What each coarser resolution is made from. No interval of it lies in two blocks of its source."""


class Course(NamedTuple):
    """One figure, by interval. None where nothing was measured."""

    mean: tuple[float | None, ...]
    maximum: tuple[float | None, ...]


class History(NamedTuple):
    """The intervals of one object, oldest first; none if it never had I/O. `first_at` is the start of the first."""

    step_s: int
    first_at: int
    courses: dict[str, Course]


def add(numbers: "array[float]", offset: int, rates: Rates, seconds: float) -> None:
    """Adds a span to the interval that begins at this offset of `numbers`."""
    found = [math.nan if value is None else value for value in rates[: len(FIGURES)]]
    span = array("f", [seconds, *found, *found])
    if not math.isnan(numbers[offset]):
        span = merged([numbers[offset : offset + WIDTH], span])
    numbers[offset : offset + WIDTH] = span


def merged(parts: "Sequence[array[float]]") -> "array[float]":
    """One interval made of others, or of spans; those without a measurement do not count."""
    parts = [part for part in parts if part[0] == part[0]]
    if not parts:
        return NOTHING
    means, maxima = [], []
    for n, by in enumerate(_WEIGHTS, 1):
        known = [part for part in parts if part[n] == part[n]]
        weights = [part[0] if by is None else part[0] * part[1 + by] for part in known]
        total = sum(weights)
        if total:
            means.append(sum(weight * part[n] for weight, part in zip(weights, known, strict=True)) / total)
        else:
            means.append(known[-1][n] if known else math.nan)
        maxima.append(max((part[n + len(FIGURES)] for part in known), default=math.nan))
    return array("f", [sum(part[0] for part in parts), *means, *maxima])


def coarser(numbers: "array[float]", first: int, count: int) -> "array[float]":
    """`count` intervals of a block, from its `first`, as one."""
    return merged([numbers[n * WIDTH : (n + 1) * WIDTH] for n in range(first, first + count)])


def courses(numbers: "array[float]") -> dict[str, Course]:
    """The figures of consecutive intervals."""
    found = {}
    for n, figure in enumerate(FIGURES):
        mean, maximum = numbers[1 + n :: WIDTH], numbers[1 + len(FIGURES) + n :: WIDTH]
        found[figure] = Course(tuple(map(_known, mean)), tuple(map(_known, maximum)))
    return found


def _known(number: float) -> float | None:
    """Four digits after the point are more than is measured, and shorter."""
    return None if math.isnan(number) else round(number, 4)
