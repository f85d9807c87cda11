"""Takes passes over the agent's counters, shared by all callers, and adds their rates to the history.

Without requests there is a pass every 10 s. A request for live numbers gets a new pass, at most one every 2 s.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lunette.domain.counters import Counters
from lunette.domain.errors import LunetteError
from lunette.domain.performance import Key, Measured, Rates, rates
from lunette.domain.performance_history import History, HistoryRange
from lunette.engine.context.loop import Loop
from lunette.engine.counters.history import PerformanceHistory
from lunette.store.measured import MeasuredFile

PERIOD_S, LONGEST_S = 10.0, 60.0
FRESH_S = 2.0
BREAKS = 20
"""The pause after a pass is at least this many times as long as the pass took, so that on an appliance with many
thousands of volumes, background passes use at most a twentieth of a processor; the points are farther apart then.
"""
NOW_S = 30.0
"""An older pass says nothing about the present."""
LEAST_SPAN_S = 1.0
"""Over a shorter interval, a single I/O would look like many."""


@dataclass(frozen=True)
class Measurement:
    """Rates over the last `seconds`, which ended at `at` on the agent's clock. None if there was only one pass so
    far.
    """

    at: float
    seconds: float | None
    rates: Mapping[Key, Rates]
    counters: Counters
    disk_ids: Mapping[str, str] = field(default_factory=dict)
    host_ids: Mapping[str, str] = field(default_factory=dict)


class Recorder:
    """`ask` takes a pass; `disk_ids` gives the IDs of disks by kernel name, `host_ids` those of hosts by initiator."""

    def __init__(
        self,
        ask: Callable[[], Counters],
        disk_ids: Callable[[], Mapping[str, str]],
        monotonic: Callable[[], float] = time.monotonic,
        *,
        host_ids: Callable[[], Mapping[str, str]] = dict,
        file: MeasuredFile | None = None,
    ) -> None:
        self._ask, self._disk_ids, self._host_ids, self._monotonic = ask, disk_ids, host_ids, monotonic
        self._lock = threading.Lock()
        self._last: tuple[float, Measurement] | None = None
        self._tick: Measurement | None = None
        self._failed: tuple[float, LunetteError] | None = None
        self.past = PerformanceHistory(file or MeasuredFile())
        self.fresh_s = FRESH_S
        """Maximum age of a pass for a new request."""
        self._took_s = self._cost_s = 0.0
        self._loop = Loop("performance", self.round)
        self.start = self._loop.start

    def stop(self) -> None:
        self._loop.stop()
        self.past.close()

    def now(self) -> Measurement:
        """The last rates, from a fresh pass. Raises Unavailable if the agent does not answer."""
        with self._lock:
            return self._measure(self.fresh_s)

    def round(self) -> float:
        """Adds one span to the history; none while the agent does not answer. Returns the pause until the next, in
        seconds.
        """
        self._take_span()
        # One slow pass, such as the first after a boot, says little: what a pass costs may at most double.
        self._cost_s = min(self._took_s, max(2 * self._cost_s, PERIOD_S / BREAKS / 2))
        return min(LONGEST_S, max(PERIOD_S, BREAKS * self._cost_s))

    def _take_span(self) -> None:
        with self._lock:
            try:
                measured = self._measure(min(self.fresh_s, LEAST_SPAN_S))
            except LunetteError:
                return
            before, self._tick = self._tick, measured
        if before is not None:
            now = measured.counters
            found = rates(before.counters, now, measured.disk_ids, measured.host_ids)
            if found:
                self.past.add(now.taken_at, now.clock_s - before.counters.clock_s, found)

    def history(self, key: Key, of: HistoryRange) -> History:
        """The history of one object up to now."""
        return self.past.history(key, of, self._clock())

    def _clock(self) -> float:
        """The agent's clock, as far as known."""
        with self._lock:
            last = self._last
        return time.time() if last is None else last[1].at + self._monotonic() - last[0]

    def rates_of(self, key: Key) -> Rates | None:
        """The current rates of one object, from the passes taken so far; None if unknown."""
        with self._lock:
            last = self._last
        is_now = last is not None and self._monotonic() - last[0] <= NOW_S
        return last[1].rates.get(key) if last is not None and is_now else None

    def use_of(self, volume_id: str) -> tuple[float | None, float | None]:
        """Current I/Os per second of a volume, and the end (seconds since the epoch) of the last span with I/O.

        From the passes taken so far, without a new one. None if it was not counted, or had none within the last
        hour.
        """
        key = Key(Measured.VOLUME, volume_id)
        with self._lock:
            last = self._last
            is_now = last is not None and self._monotonic() - last[0] <= NOW_S
        found = last[1].rates.get(key) if last is not None and is_now else None
        if last is not None and found is not None and found.iops > 0:
            return found.iops, last[1].at
        return found.iops if found is not None else None, self.past.active_at(key, self._clock())

    def _measure(self, max_age_s: float) -> Measurement:
        asked_at = self._monotonic()
        if self._last is not None and asked_at - self._last[0] < max_age_s:
            return self._last[1]
        if self._failed is not None and asked_at - self._failed[0] < LEAST_SPAN_S:
            raise self._failed[1]
        try:
            counters = self._ask()
        except LunetteError as error:
            self._failed = (self._monotonic(), error)
            raise
        self._failed = None
        self._took_s = self._monotonic() - asked_at
        measured = self._compare(counters)
        self._last = (self._monotonic(), measured)
        return measured

    def _compare(self, counters: Counters) -> Measurement:
        """Rates since the previous pass."""
        before, ids = self._last[1].counters if self._last else None, (self._disk_ids(), self._host_ids())
        seconds = counters.clock_s - before.clock_s if before else 0.0
        if before is None or seconds <= 0:
            return Measurement(counters.taken_at, None, {}, counters, *ids)
        return Measurement(counters.taken_at, seconds, rates(before, counters, *ids), counters, *ids)
