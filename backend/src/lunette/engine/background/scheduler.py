"""Starts due schedules. The clock is read often and never trusted: see planner/calendar.py."""

import datetime as dt
from collections.abc import Callable
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.jobs import UNFINISHED, JobKind
from lunette.domain.schedules import MissedRuns
from lunette.engine.changes import schedules
from lunette.engine.context.loop import Loop
from lunette.engine.context.services import Services
from lunette.planner.system import calendar
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Job
from lunette.store.schedules import Schedule, ScheduleState
from lunette.store.schema import utc_now

PERIOD_S = 15.0
"""The longest sleep: after it the clock is read again, because it may have been corrected."""
LEAST_S = 0.2


class Scheduler:
    """One thread. Several processes may run one each: a run is filed in a transaction that checks first."""

    def __init__(self, store: Store, services: Services, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._store = store
        self._services = services
        self._now = now
        self._loop = Loop("scheduler", self.round)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake

    def round(self) -> float:
        """Resumes waiting runs, files due ones. Returns the seconds until the next one is due."""
        now = self._now()
        with self._store.read() as tx:
            unfinished = Job.state.in_(UNFINISHED)
            waiting = tx.scalars(select(Job.id).where(Job.kind == JobKind.SCHEDULE_RUN.value, unfinished)).all()
            zone = schedules.zone_of(tx)
            query = select(Schedule, ScheduleState).join(ScheduleState, ScheduleState.schedule_id == Schedule.id)
            enabled = tx.execute(query.where(Schedule.enabled)).all()
            found = [(row, state.anchor_at) for row, state in enabled]
        for job_id in waiting:
            self._services.enqueue(job_id)
        pause = PERIOD_S
        for row, anchor in found:
            if calendar.is_set_back(anchor, now) or calendar.due(row.when, zone, anchor, now):
                with self._store.write() as tx:
                    self._start(tx, row.id, zone, now)
            following = next(calendar.upcoming(row.when, zone, max(anchor, now)))
            pause = min(pause, (following - now).total_seconds())
        return max(LEAST_S, pause)

    def _start(self, tx: Session, schedule_id: str, zone: ZoneInfo, now: dt.datetime) -> None:
        """Files the due run, in the transaction that records it as handled: never twice, never not at all."""
        row, state = tx.get(Schedule, schedule_id), tx.get(ScheduleState, schedule_id)
        if row is None or state is None or not row.enabled:
            return
        if calendar.is_set_back(state.anchor_at, now):
            words = (
                f"Schedule {row.name} continues from the current time: its last run is dated "
                f"{state.anchor_at:%Y-%m-%d %H:%M} UTC"
            )
            emit(tx, "schedule.clock_set_back", f"{words}, which is in the future", ref=row.id)
            state.anchor_at = now
            return
        time = calendar.due(row.when, zone, state.anchor_at, now)
        if time is None:
            return
        state.anchor_at = now
        at = f"{time.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})"
        is_late = now - time > calendar.ON_TIME
        if running := schedules.running_job(tx, row.id):
            words = f"Schedule {row.name} did not run at {at}: its previous run has not finished (job {running.id})"
            emit(tx, "schedule.skipped", words, ref=row.id)
        elif is_late and row.missed == MissedRuns.SKIP:
            emit(
                tx,
                "schedule.missed",
                f"Schedule {row.name} missed its run at {at} and waits for the next one",
                ref=row.id,
            )
        else:
            if is_late:
                emit(tx, "schedule.missed", f"Schedule {row.name} missed its run at {at} and runs now", ref=row.id)
            schedules.file_run(tx, self._services, row)
