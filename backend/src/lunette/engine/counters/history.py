"""The history of performance: four resolutions of the appliance and of up to `MOST` other objects, for up to 30 days.

The newest block of each resolution is in memory. Blocks are written to a file of their own when they are full, and
every `FLUSH_S`. An object gets a place with its first I/O. When all places are in use, the object that was idle for the
longest time loses its place and its history. The file therefore has a maximum size (docs/decisions/0067).
"""

import threading
from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lunette.domain.performance import APPLIANCE, Key, Measured, Rates
from lunette.domain.performance_history import (
    FINEST,
    NOTHING,
    RESOLUTIONS,
    SOURCES,
    WIDTH,
    History,
    HistoryRange,
    Resolution,
    add,
    coarser,
    courses,
)
from lunette.store.measured import Block, MeasuredFile

MOST = 1000
FLUSH_S = 600.0
LONGEST_SPAN_S = 300.0
"""A longer span says nothing about when its I/O was: it remains a gap."""
LEAP_S = 10.0
"""The clock was set if it differs this much from what passed."""
SETTLED_S = 3600.0
"""How long the clock must not have been set before anything is too old: one that is years ahead empties no file."""
USE_S = 3600.0
IDLE = float("-inf")


@dataclass
class _Open:
    """The block that grows, and whether it has more than the file."""

    number: int
    numbers: "array[float]"
    is_dirty: bool = False
    is_ahead: bool = False
    """Of the finest resolution: the coarser ones lack some of it."""


class PerformanceHistory:
    """Thread-safe. Times are seconds since the epoch on the clock of the agent."""

    def __init__(self, file: MeasuredFile, most: int = MOST) -> None:
        self._file, self._most = file, most
        self._lock = threading.Lock()
        self._active_at: dict[Key, float] | None = None
        """The objects with a place, and the end of their last span with I/O."""
        self._open: dict[tuple[Key, Resolution], _Open] = {}
        self._full: list[Block] = []
        self._last: float | None = None
        self._is_full = False
        """All places are in use, and by objects that were active of late."""
        self._steady_s = self._unwritten_s = 0.0

    def add(self, end: float, seconds: float, rates: Mapping[Key, Rates]) -> None:
        """Adds a span for everything, and stores it when it is time. Objects that never had I/O take no space."""
        with self._lock:
            if self._last is not None and end < self._last - LEAP_S:
                self._rewind(end)
            is_steady = self._last is not None and abs(end - self._last - seconds) < LEAP_S
            self._steady_s = self._steady_s + seconds if is_steady else 0.0
            self._last = end
            if seconds > LONGEST_SPAN_S:
                return
            self._is_full = False
            for key, found in rates.items():
                if self._has_place(key, found, end):
                    self._add(key, found, end - seconds, end)
            self._unwritten_s += seconds
            if self._unwritten_s >= FLUSH_S:
                self._flush()
                self._keep(end)

    def history(self, key: Key, of: HistoryRange, now: float) -> History:
        """The intervals of this range up to now."""
        resolution = RESOLUTIONS[of]
        step_s, length, size = resolution
        last = int(now // step_s)
        first = last - length + 1
        numbers = array("f", NOTHING * length)
        with self._lock:
            self._make_coarser(key)
            blocks = self._file.blocks(key, step_s, first // size, last // size)
            blocks |= {one.number: one.numbers for one in self._full if one.key == key and one.step_s == step_s}
            if growing := self._open.get((key, resolution)):
                blocks[growing.number] = growing.numbers
            for number, found in blocks.items():
                begin, end = max(first, number * size), min(last + 1, (number + 1) * size)
                if begin < end:
                    part = found[(begin - number * size) * WIDTH : (end - number * size) * WIDTH]
                    numbers[(begin - first) * WIDTH : (end - first) * WIDTH] = part
        return History(step_s, first * step_s, courses(numbers if blocks else array("f")))

    def active_at(self, key: Key, now: float) -> float | None:
        """End of the last span with I/O in the last hour; None if there was none, or none since the start."""
        with self._lock:
            at = (self._active_at or {}).get(key, IDLE)  # without the file: the caller may be within a transaction
        return at if now - at <= USE_S else None

    def keep_only(self, known: Mapping[Measured, Collection[str]]) -> None:
        """Deletes the history of objects of these kinds that do not exist any more."""
        with self._lock:
            self._forget([key for key in self._places() if key.of in known and key.id not in known[key.of]])

    def close(self) -> None:
        """Stores everything, for the end of the process."""
        with self._lock:
            self._flush()
            self._file.close()

    def __len__(self) -> int:
        with self._lock:
            return len(self._places())

    def _places(self) -> dict[Key, float]:
        if self._active_at is None:
            self._active_at = dict.fromkeys(self._file.keys(), IDLE)
        return self._active_at

    def _has_place(self, key: Key, rates: Rates, at: float) -> bool:
        places = self._places()
        is_active = rates.iops > 0 or key == APPLIANCE
        if key not in places and (not is_active or not self._make_place(key, at)):
            return False
        if is_active:
            places[key] = at
        return True

    def _make_place(self, key: Key, at: float) -> bool:
        places = self._places()
        if self._is_full and key != APPLIANCE:
            return False
        if key == APPLIANCE or len(places) - (APPLIANCE in places) < self._most:
            return True
        idlest = min((known for known in places if known != APPLIANCE), key=lambda known: places[known])
        self._is_full = places[idlest] >= at - FLUSH_S
        if self._is_full:
            return False
        self._forget([idlest])
        return True

    def _forget(self, keys: Collection[Key]) -> None:
        gone = frozenset(keys)
        if not gone:
            return
        self._file.forget(gone)
        self._open = {known: one for known, one in self._open.items() if known[0] not in gone}
        self._full = [one for one in self._full if one.key not in gone]
        for key in gone:
            self._places().pop(key, None)

    def _add(self, key: Key, rates: Rates, start: float, end: float) -> None:
        for slot, seconds in FINEST.overlaps(start, end):
            number, offset = divmod(slot, FINEST.block)
            block = self._block(key, FINEST, number, offset)
            add(block.numbers, offset * WIDTH, rates, seconds)
            block.is_dirty = block.is_ahead = True

    def _make_coarser(self, key: Key) -> None:
        """Brings the coarser resolutions up to date with the finest."""
        finest = self._open.get((key, FINEST))
        if finest is None or not finest.is_ahead:
            return
        finest.is_ahead = False
        length_s = FINEST.block * FINEST.step_s
        start = finest.number * length_s
        for of, source in ((RESOLUTIONS[of], RESOLUTIONS[source]) for of, source in SOURCES):
            step, ratio = of.step_s, of.step_s // source.step_s
            slots = range(start // step, (start + length_s - 1) // step + 1)
            parts = self._open[key, source].numbers
            block = self._block(key, of, slots[0] // of.block, slots[-1] % of.block)
            for slot in slots:
                place = slot % of.block * WIDTH
                block.numbers[place : place + WIDTH] = coarser(parts, slot * ratio % source.block, ratio)
            block.is_dirty = True

    def _block(self, key: Key, resolution: Resolution, number: int, offset: int) -> _Open:
        """The block with this number. What an earlier process, or a clock that was ahead, left after this interval is
        blanked.
        """
        found = self._open.get((key, resolution))
        if found is not None and found.number == number:
            return found
        if found is not None and found.is_ahead:
            self._make_coarser(key)
        if found is not None and found.is_dirty:
            self._full.append(Block(key, resolution.step_s, found.number, found.numbers))
        earlier = next((b for b in self._full if b[:3] == (key, resolution.step_s, number)), None)
        stored = earlier.numbers if earlier else self._file.blocks(key, resolution.step_s, number, number).get(number)
        numbers = array("f", NOTHING * resolution.block)
        if stored is not None and len(stored) == len(numbers):
            numbers[: (offset + 1) * WIDTH] = stored[: (offset + 1) * WIDTH]
        made = self._open[(key, resolution)] = _Open(number, numbers)
        return made

    def _flush(self) -> None:
        for key, _ in [place for place, one in self._open.items() if one.is_ahead]:
            self._make_coarser(key)
        grown = [
            Block(key, resolution.step_s, one.number, one.numbers)
            for (key, resolution), one in self._open.items()
            if one.is_dirty
        ]
        self._file.write([*self._full, *grown])
        self._full.clear()
        for one in self._open.values():
            one.is_dirty = False
        self._unwritten_s = 0.0

    def _rewind(self, now: float) -> None:
        """The clock was set back: what was recorded for a time that is still to come is deleted."""
        self._flush()
        self._open.clear()
        for step_s, _, size in RESOLUTIONS.values():
            self._file.keep(step_s, 0, int(now // step_s) // size)

    def _keep(self, now: float) -> None:
        if self._steady_s < SETTLED_S:
            return
        for step_s, length, size in RESOLUTIONS.values():
            last = int(now // step_s)
            self._file.keep(step_s, (last - length + 1) // size, last // size)
        held = frozenset(self._file.keys())
        if held:
            self._forget([key for key in self._places() if key not in held])
