"""Limits the size of the database: history older than the settings allow is deleted, a little at a time.

Deleted history is lost, so the clock is not trusted with it (docs/decisions/0021): the day up to which history is
deleted is stored in the database, and moves at most twice as fast as this process saw time pass, in either direction. A
clock that is years ahead deletes nothing before an administrator had time to notice; one that was years behind for an
hour does not retain history for years.
"""

import datetime as dt
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import InstrumentedAttribute

from lunette.domain.jobs import JobState
from lunette.engine.context.loop import Loop
from lunette.store.access import LoginSession
from lunette.store.database import Store
from lunette.store.events import PROGRESS
from lunette.store.journal import Alert, Event, Job
from lunette.store.resources import DiskReading, Meta
from lunette.store.schema import Base, utc_now
from lunette.store.settings import read_settings

PERIOD_S = 3600.0
BATCH = 500
"""Rows deleted per transaction, which limits how long other writers wait."""
PROGRESS_DAYS = 7
"""How long the steps of a finished job stay among the events; the job's own page shows them as long as the job
exists.
"""
CLOCK = "housekeeping.clock"
"""Key of the time from which the age of history is counted."""
_OVER = (JobState.SUCCEEDED.value, JobState.FAILED.value, JobState.UNDONE.value)


class Housekeeper:
    """One thread. Several processes may run one each: deleting twice does no harm."""

    def __init__(
        self, store: Store, now: Callable[[], dt.datetime] = utc_now, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._now = now
        self._monotonic = monotonic
        self._seen = monotonic()
        self._loop = Loop("housekeeper", self.round)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """Deletes what is too old. Returns the seconds until the next round."""
        self._store.fill_log()
        clock = self._clock()
        with self._store.read() as tx:
            kept_from = clock - dt.timedelta(days=read_settings(tx).history_days)
        progress_from = max(kept_from, clock - dt.timedelta(days=PROGRESS_DAYS))
        progress = Event.kind == PROGRESS
        self._clear(Event, Event.seq, progress, Event.at < progress_from)
        self._clear(Event, Event.seq, Event.at < kept_from)
        self._clear(Job, Job.id, Job.state.in_(_OVER), Job.finished_at < kept_from)
        self._clear(Alert, Alert.id, Alert.resolved_at < kept_from)
        self._clear(DiskReading, DiskReading.id, DiskReading.day < kept_from.date().isoformat())
        self._clear(LoginSession, LoginSession.token_hash, LoginSession.expires_at < clock)
        return PERIOD_S

    def _clock(self) -> dt.datetime:
        """The time from which the age of history is counted: behind the clock after a leap, never ahead of it."""
        now, seen = self._now(), self._monotonic()
        passed, self._seen = seen - self._seen, seen
        with self._store.write() as tx:
            row = tx.get(Meta, CLOCK)
            if row is None:
                tx.add(Meta(key=CLOCK, value=now.isoformat()))
                return now
            held, reach = dt.datetime.fromisoformat(row.value), 2 * dt.timedelta(seconds=passed)
            held = max(held - reach, min(now, held + reach))
            row.value = held.isoformat()
        return min(now, held)

    def _clear(self, table: type[Base], key: InstrumentedAttribute[Any], *old: ColumnElement[bool]) -> None:
        while True:
            with self._store.write() as tx:
                batch = tx.scalars(select(key).where(*old).limit(BATCH)).all()
                if batch:
                    tx.execute(delete(table).where(key.in_(batch)))
            if len(batch) < BATCH:
                return
