"""Runs the job of a schedule's run, step by step.

What a step files (a snapshot, a scrub, a deletion) is a job of its own, filed in the transaction that marks the step as
started: a restart neither repeats nor forgets it. A failed step does not prevent the others. Nothing is deleted for a
volume without a new snapshot.
"""

import datetime as dt
from collections.abc import Callable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.errors import Conflict, InUse, LunetteError, NotFound, Unavailable
from lunette.domain.jobs import JobState, StepState
from lunette.engine.alerts import board
from lunette.engine.changes import schedules, snapshots
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.services import Services
from lunette.engine.journal.transitions import Journal, problem
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Array, Snapshot, Volume
from lunette.store.schedules import Schedule
from lunette.store.schema import Json, utc_now

PATIENCE = dt.timedelta(minutes=10)
"""Maximum wait for a temporary obstacle (the agent is down, an array not up yet, another job)."""
OVER = (StepState.DONE.value, StepState.UNDONE.value)


class ScheduleRunner:
    """Continues a run as far as possible; a waiting run is resumed by the scheduler, or by the end of another job."""

    def __init__(self, store: Store, services: Services, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._store = store
        self._services = services
        self._now = now

    def run(self, job_id: str) -> JobState:
        """Files the steps until the run is over or waits (RUNNING)."""
        while True:
            try:
                self._look(job_id)
                state = self._advance(job_id)
            except (Unavailable, Conflict) as blocker:
                state = self._wait(job_id, blocker)
            except LunetteError as error:
                self._give_up(job_id, error)
                state = None
            if state is not None:
                return state

    def _look(self, job_id: str) -> None:
        """Observes the machine before the transaction of a step that needs it, so that no writer waits for it."""
        with self._store.read() as tx:
            job, step = tx.get_one(Job, job_id), _current(tx, job_id)
        if step is not None and not JobState(job.state).is_over and step.payload["job_id"] is None:
            self._services.seen()

    def _advance(self, job_id: str) -> JobState | None:
        """One step. Returns None if there is more to do immediately."""
        with self._store.write() as tx:
            job = tx.get_one(Job, job_id)
            if JobState(job.state).is_over:
                return JobState(job.state)
            if job.state == JobState.PENDING:
                job.state, job.started_at = JobState.RUNNING.value, utc_now()
            step = _current(tx, job_id)
            if step is None:
                return _end(tx, job)
            row = tx.get(Schedule, job.resource_ids[0])
            if row is None:
                raise NotFound("The schedule was deleted while it ran.")
            if step.payload["job_id"] is not None:
                return _follow(tx, job, step)
            return self._begin(tx, job, step, row)

    def _begin(self, tx: Session, job: Job, step: JobStep, row: Schedule) -> JobState | None:
        ref, context = step.payload["ref"], self._context(tx, row)
        if step.payload["task"] == "retain":
            return self._retain(tx, job, step, row)
        if step.payload["task"] == "scrub":
            if tx.get(Array, ref) is None:
                raise NotFound("The array was deleted in the meantime.")
            outcome = schedules.scrub(context, ref)
        else:
            volume = tx.get(Volume, ref)
            if volume is None:
                raise NotFound("The volume was deleted in the meantime.")
            outcome = schedules.take(context, row, volume)
        return _filed(tx, job, step, outcome.job_id)

    def _context(self, tx: Session, row: Schedule) -> ChangeContext:
        return ChangeContext(tx, self._services, schedules.actor_of(row))

    def _retain(self, tx: Session, job: Job, step: JobStep, row: Schedule) -> JobState | None:
        """Files the deletion of the oldest snapshot that is not retained; the step is done once there is none left."""
        ref = step.payload["ref"]
        if not _was_taken(tx, job, ref):
            _done(tx, job, step, "nothing was deleted, because no new snapshot was created")
            return None
        extra, kept = schedules.too_many(tx, row, ref)
        tried, bound = step.payload.get("tried", []), step.payload.get("bound", [])
        left = [one for one in extra if one not in (*tried, *bound)]
        if left:
            snapshot = tx.get_one(Snapshot, left[0])
            try:
                outcome = snapshots.delete(self._context(tx, row), snapshot.id, keep=False)
            except InUse:  # a deleted clone that is still retained
                _note(step, bound=[*bound, snapshot.id])
                return None
            _note(step, tried=[*tried, snapshot.id])
            return _filed(tx, job, step, outcome.job_id)
        kept += [one.name for ref in bound if (one := tx.get(Snapshot, ref))]
        if kept:
            words = f"Schedule {row.name} retains {', '.join(kept)} because of their clones; delete the clones first"
            emit(tx, "schedule.kept", words, actor=job.actor, ref=row.id)
        if step.error is not None:
            _over(tx, job, step, StepState.UNDONE)
        else:
            bound_words = f", {len(kept)} retained because of their clones" if kept else ""
            _done(tx, job, step, f"{len(tried)} deleted{bound_words}")
        return None

    def _wait(self, job_id: str, blocker: LunetteError) -> JobState | None:
        """Records what the step waits for; after a while the wait counts as a failure."""
        with self._store.write() as tx:
            job = tx.get_one(Job, job_id)
            if abs(self._now() - job.created_at) < PATIENCE:
                if job.message != f"waiting: {blocker.detail}":
                    job.message = f"waiting: {blocker.detail}"
                    Journal.announce(tx, job)
                return JobState.RUNNING
        self._give_up(job_id, blocker)
        return None

    def _give_up(self, job_id: str, error: LunetteError) -> None:
        """Fails the step; the run continues with the next one."""
        with self._store.write() as tx:
            job, step = tx.get_one(Job, job_id), _current(tx, job_id)
            if step is not None and not JobState(job.state).is_over:
                step.error = problem(error)
                _over(tx, job, step, StepState.UNDONE)


def _current(tx: Session, job_id: str) -> JobStep | None:
    """The first unfinished step."""
    query = select(JobStep).where(JobStep.job_id == job_id, JobStep.state.not_in(OVER)).order_by(JobStep.index)
    return tx.scalars(query.limit(1)).one_or_none()


def _follow(tx: Session, job: Job, step: JobStep) -> JobState | None:
    """The step waits for the job it filed; None once that is over."""
    part = tx.get_one(Job, step.payload["job_id"])
    if not JobState(part.state).is_over:
        return JobState.RUNNING
    if part.state != JobState.SUCCEEDED:
        why = (part.error or {}).get("detail") or part.message
        step.error = problem(LunetteError(f"job {part.id} is {part.state}: {why}"))
    if step.payload["task"] == "retain":
        _note(step, job_id=None)
    elif step.error is not None:
        _over(tx, job, step, StepState.UNDONE)
    else:
        _done(tx, job, step, "done")
    return None


def _was_taken(tx: Session, job: Job, ref: str) -> bool:
    """True if this run has created a new snapshot of the volume."""
    steps = tx.scalars(select(JobStep).where(JobStep.job_id == job.id)).all()
    return any(
        one.payload["task"] == "snapshot" and one.payload["ref"] == ref and one.state == StepState.DONE for one in steps
    )


def _filed(tx: Session, job: Job, step: JobStep, part_id: str | None) -> JobState:
    _note(step, job_id=part_id)
    step.state, step.started_at = StepState.STARTED.value, step.started_at or utc_now()
    job.message = step.title
    Journal.announce(tx, job)
    return JobState.RUNNING


def _note(step: JobStep, **values: object) -> None:
    payload: Json = {**step.payload, **values}
    step.payload = payload


def _done(tx: Session, job: Job, step: JobStep, detail: str) -> None:
    step.detail = detail
    _over(tx, job, step, StepState.DONE)


def _over(tx: Session, job: Job, step: JobStep, state: StepState) -> None:
    step.state, step.finished_at = state.value, utc_now()
    job.steps_done += 1
    Journal.announce(tx, job)


def _end(tx: Session, job: Job) -> JobState:
    """Ends the run: failures are in its message and in an alert, which the next successful run resolves."""
    failed = [step for step in _steps(tx, job.id) if step.error is not None]
    row = tx.get(Schedule, job.resource_ids[0])
    words = "done"
    if not job.steps_total:
        words = "nothing to do: all its volumes or arrays were deleted"
    elif failed:
        words = "; ".join(f"'{step.title}' failed: {(step.error or {}).get('detail')}" for step in failed[:5])
        words += f"; and {len(failed) - 5} more" if len(failed) > 5 else ""
        job.error = failed[0].error
    state = JobState.SUCCEEDED if words == "done" else JobState.FAILED
    job.state, job.message, job.finished_at = state.value, words, utc_now()
    if row is not None and state is JobState.FAILED:
        board.raise_alert(tx, _cause(row, job), utc_now())
    elif row is not None:
        board.resolve(tx, schedules.alert_key(row.id), utc_now())
    kind = "schedule.ran" if state is JobState.SUCCEEDED else "schedule.failed"
    emit(tx, kind, f"{job.title}: {words}", actor=job.actor, ref=job.resource_ids[0], data={"job_id": job.id})
    Journal.announce(tx, job)
    return state


def _steps(tx: Session, job_id: str) -> Sequence[JobStep]:
    return tx.scalars(select(JobStep).where(JobStep.job_id == job_id).order_by(JobStep.index)).all()


def _cause(row: Schedule, job: Job) -> board.Cause:
    return board.Cause(
        key=schedules.alert_key(row.id),
        severity=Severity.WARNING,
        message=f"The last run of schedule {row.name} failed",
        cause=job.message,
        fix=(
            f"Correct the cause, then run it now (lunette schedule run {row.name}) or wait for its next run: a run "
            "without errors resolves this alert. Snapshots of a volume are deleted only after a new one was created."
        ),
    )
