"""Records the capacity of the arrays, and removes the measurements of objects that were deleted."""

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import select

from lunette.domain.capacity import CapacityDay, Forecast, forecast
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.domain.performance import Measured
from lunette.engine.context.loop import Loop
from lunette.engine.counters.history import PerformanceHistory
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.measured import MeasuredFile
from lunette.store.resources import Array, Host, HostInitiator, Volume
from lunette.store.schema import utc_now

PERIOD_S = 3600.0
FIRST_S = 60.0
"""Retry interval while the agent does not answer."""


@dataclass(frozen=True)
class CapacityHistory:
    """The recorded days of an array, and what they let expect."""

    days: tuple[CapacityDay, ...]
    forecast: Forecast


class Keeper:
    """One thread, once an hour."""

    def __init__(
        self,
        store: Store,
        seen: Callable[[], Observation],
        file: MeasuredFile,
        past: PerformanceHistory,
        now: Callable[[], dt.datetime] = utc_now,
    ) -> None:
        """`seen` observes the machine, and raises Unavailable if the agent does not answer."""
        self._store, self._seen, self.file, self._past, self._now = store, seen, file, past, now
        self._loop = Loop("capacity", self.round)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """Records today's capacity. Returns the seconds until the next round."""
        with self._store.read() as tx:
            arrays = dict(tx.execute(select(Array.group_name, Array.id)).all())
            known = {
                Measured.ARRAY: frozenset(arrays.values()),
                Measured.VOLUME: frozenset(tx.scalars(select(Volume.id))),
                Measured.HOST: frozenset(tx.scalars(select(Host.id))),
            }
        self._past.keep_only(known)
        self.file.keep_arrays(known[Measured.ARRAY])
        try:
            groups = [group for group in self._seen().groups if group.ours and group.group in arrays]
        except LunetteError:
            return FIRST_S
        for group in groups:
            used = group.size_bytes - group.free_bytes
            self.file.record(arrays[group.group], CapacityDay(self._now().date(), used, group.size_bytes))
        return PERIOD_S

    def history(self, array_id: str) -> CapacityHistory:
        """The recorded days of an array, oldest first, with their trend."""
        days = self.file.days(array_id)
        return CapacityHistory(days, forecast(days, self._now().date()))


def host_ids(store: Store) -> dict[str, str]:
    """Hosts by initiator; none while the database cannot be read."""
    with suppress(LunetteError), store.read() as tx:
        return dict(tx.execute(select(HostInitiator.name, HostInitiator.host_id)).all())
    return {}


def tell_loss(store: Store, reason: str) -> None:
    """Files the event that a damaged history was replaced."""
    message = f"The history of performance and capacity was damaged and begins again: {reason}"
    with suppress(LunetteError), store.write() as tx:
        emit(tx, "performance.history_lost", message)
