"""Erases deleted volumes and snapshots when their retention ends (docs/decisions/0029)."""

import datetime as dt
import time
from collections.abc import Callable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import LunetteError
from lunette.domain.jobs import JobKind, JobState, ResourceState
from lunette.domain.uptime import PERIOD_S
from lunette.engine.changes import deleted_snapshots, deleted_volumes
from lunette.engine.context import uptime
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.loop import Loop
from lunette.engine.context.outcome import Actor
from lunette.engine.context.services import Services
from lunette.store.database import Store
from lunette.store.events import SYSTEM
from lunette.store.journal import Job
from lunette.store.resources import DeletedSnapshot, DeletedVolume
from lunette.store.schema import utc_now

_ERASURES = ((DeletedSnapshot, deleted_snapshots.erase), (DeletedVolume, deleted_volumes.erase))


_SITE_UNDER_WAY = (
    select(Job.id)
    .where(Job.kind == JobKind.SITE_APPLY.value, Job.state.in_((JobState.PENDING.value, JobState.RUNNING.value)))
    .limit(1)
)
"""The changes of a site document neither wait for erasures nor fail because of them."""


class Eraser:
    """One thread. Several processes may run one each: a job is filed in a transaction that checks first."""

    def __init__(
        self,
        store: Store,
        services: Services,
        now: Callable[[], dt.datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._services = services
        self._now = now
        self._monotonic = monotonic
        self._counted = monotonic()
        self._loop = Loop("eraser", self.round)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """Counts the time that passed, and files a job for each item that is due. Returns the seconds until the next
        check.

        What cannot be erased now waits for a later round: the agent or its array is down, a job uses it, or a site
        document is being applied.
        """
        counted = self._monotonic()
        passed, self._counted = counted - self._counted, counted
        with self._store.write() as tx:
            uptime_s = uptime.advance(tx, passed, self._now()).seconds
            deleted_snapshots.forget_orphans(tx)
            due = [(erase, id_) for table, erase in _ERASURES for id_ in _due(tx, table, uptime_s)]
        for erase, id_ in due:
            try:
                self._services.seen()
                with self._store.write() as tx:
                    if tx.scalar(_SITE_UNDER_WAY):
                        break
                    erase(ChangeContext(tx, self._services, Actor(name=SYSTEM)), id_)
            except LunetteError:
                continue
        return PERIOD_S


def _due(tx: Session, table: type[DeletedVolume | DeletedSnapshot], uptime_s: float) -> Sequence[str]:
    ready = table.state == ResourceState.READY.value
    return tx.scalars(select(table.id).where(ready, table.due_s <= uptime_s)).all()
