"""Erases deleted volumes once they were kept for as long as was said (docs/decisions/0029)."""

import datetime as dt
import time
from collections.abc import Callable

from sqlalchemy import select

from lunette.domain.errors import LunetteError
from lunette.domain.jobs import ResourceState
from lunette.engine import deleted_volumes, uptime
from lunette.engine.desk import Desk
from lunette.engine.loop import Loop
from lunette.engine.outcome import Actor
from lunette.store.database import Store
from lunette.store.events import SYSTEM
from lunette.store.resources import DeletedVolume
from lunette.store.schema import utc_now


class Eraser:
    """One thread. Several processes may run one each: whoever files a job does so in a transaction that looks first."""

    def __init__(
        self,
        store: Store,
        desk: Desk,
        now: Callable[[], dt.datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._desk = desk
        self._now = now
        self._monotonic = monotonic
        self._counted = monotonic()
        self._loop = Loop("eraser", self.round)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """Counts the time that passed, and files a job for each that is due. Returns the seconds until the next look.

        What cannot be erased now (the agent is away, its array is down, a job has it) waits for a later round.
        """
        counted = self._monotonic()
        passed, self._counted = counted - self._counted, counted
        with self._store.write() as tx:
            uptime_s = uptime.advance(tx, passed, self._now()).seconds
            ready = DeletedVolume.state == ResourceState.READY.value
            due = tx.scalars(select(DeletedVolume.id).where(ready, DeletedVolume.due_s <= uptime_s)).all()
        for volume_id in due:
            try:
                self._desk.seen()
                with self._store.write() as tx:
                    deleted_volumes.erase(tx, self._desk, Actor(name=SYSTEM), volume_id, dry_run=False)
            except LunetteError:
                continue
        return uptime.PERIOD_S
