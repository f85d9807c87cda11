"""The last hour of performance, in memory and bounded: 360 points of 10 s for the appliance and for 500 other objects.

When all are in use, the one that was idle for the longest time is replaced. Nothing is stored: after a restart of the
API the history starts again; use Prometheus for a longer one.
"""

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lunette.domain.performance import APPLIANCE, Key, Rates

LENGTH = 360
MOST = 500
_NUMBERS = 4


class Point(NamedTuple):
    """One span, by its end in seconds since the epoch."""

    at: float
    iops: float
    read_bytes_s: float
    write_bytes_s: float
    latency_ms: float | None


@dataclass
class _Ring:
    """Four numbers for each of the last spans; NaN if there is none."""

    values: "array[float]"
    active_at: int = field(default=-1)


class History:
    """At most `most` objects in addition to the appliance, `length` points each: 16 bytes per point."""

    def __init__(self, length: int = LENGTH, most: int = MOST) -> None:
        self._length, self._most = length, most
        self._count = 0
        self._ends = array("d", [math.nan] * length)
        self._rings: dict[Key, _Ring] = {}

    def add(self, at: float, rates: Mapping[Key, Rates]) -> None:
        """Adds one span for everything. Idle objects take no space."""
        slot = self._count % self._length
        self._ends[slot] = at
        for key, ring in self._rings.items():
            if key not in rates:
                ring.values[slot * _NUMBERS : (slot + 1) * _NUMBERS] = array("f", [math.nan] * _NUMBERS)
        for key, found in rates.items():
            ring_or_none = self._ring(key, is_active=found.iops > 0)
            if ring_or_none is not None:
                latency = math.nan if found.latency_ms is None else found.latency_ms
                numbers = (found.iops, found.read_bytes_s, found.write_bytes_s, latency)
                ring_or_none.values[slot * _NUMBERS : (slot + 1) * _NUMBERS] = array("f", numbers)
        self._count += 1

    def points(self, key: Key) -> tuple[Point, ...]:
        """The history of one object, oldest first; spans in which it did not exist are omitted."""
        ring = self._rings.get(key)
        if ring is None:
            return ()
        first = max(0, self._count - self._length)
        slots = (number % self._length for number in range(first, self._count))
        rows = ((slot, ring.values[slot * _NUMBERS : (slot + 1) * _NUMBERS]) for slot in slots)
        return tuple(
            Point(self._ends[slot], row[0], row[1], row[2], None if math.isnan(row[3]) else row[3])
            for slot, row in rows
            if not math.isnan(row[0])
        )

    def __len__(self) -> int:
        return len(self._rings)

    def _ring(self, key: Key, *, is_active: bool) -> _Ring | None:
        ring = self._rings.get(key)
        if ring is None and (is_active or key == APPLIANCE) and self._has_room(key):
            ring = self._rings[key] = _Ring(array("f", [math.nan] * _NUMBERS * self._length))
        if ring is not None and is_active:
            ring.active_at = self._count
        return ring

    def _has_room(self, key: Key) -> bool:
        if key == APPLIANCE or len(self._rings) <= self._most:
            return True
        others = (known for known in self._rings if known != APPLIANCE)
        idlest = min(others, key=lambda known: self._rings[known].active_at)
        if self._rings[idlest].active_at >= self._count - 1:
            return False
        del self._rings[idlest]
        return True
