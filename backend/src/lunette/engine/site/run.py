"""Runs the job of a site document, change by change.

A change and the record that it was made are one transaction, so a restart continues with the next one and repeats none.
A change of an array or a volume is a separate job: the site's job waits and is woken when that one is over. A refusal
ends the job there. Completed changes stay, as single changes would; applying the document again continues from there.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import LunetteError, Unavailable
from lunette.domain.jobs import JobState, StepState
from lunette.domain.site import SiteNoun
from lunette.domain.usage import check_reused
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Actor
from lunette.engine.context.services import Services
from lunette.engine.journal.transitions import Journal, problem
from lunette.engine.site import changes
from lunette.planner.site.changes import SiteChange
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Job, JobStep
from lunette.store.schema import utc_now

RETRY_S = 2.0
LOOKS = (SiteNoun.ARRAY, SiteNoun.VOLUME, SiteNoun.PORTAL, SiteNoun.FC_PORT)
"""Changes of these observe the machine before the transaction, so that no writer waits for it."""


class SiteRunner:
    """Runs one site job per call. `wait` waits some seconds and is true when the process is stopping."""

    def __init__(self, store: Store, services: Services, wait: Callable[[float], bool]) -> None:
        self._store = store
        self._services = services
        self._wait = wait

    def run(self, job_id: str) -> JobState:
        """Makes changes until the job is over, has to wait for a job it filed, or the process stops (RUNNING)."""
        while True:
            try:
                state = self._advance(job_id)
            except (
                Unavailable
            ) as away:  # if the database is the cause, recording it raises again, and the worker retries later
                self._say(job_id, f"waiting: {away.detail}")
                state = None
                if self._wait(RETRY_S):
                    return JobState.RUNNING
            except LunetteError as error:
                return self._stop_at(job_id, error)
            if state is not None or self._wait(0):
                return state or JobState.RUNNING

    def _advance(self, job_id: str) -> JobState | None:
        """Makes the next change, or follows the job of the last one. None: there is more to do immediately."""
        upcoming = self._upcoming(job_id)
        if upcoming and upcoming.noun in LOOKS:
            self._services.seen()
        with self._store.write() as tx:
            job = tx.get_one(Job, job_id)
            if JobState(job.state).is_over:
                return JobState(job.state)
            if job.state == JobState.PENDING:
                job.state, job.started_at = JobState.RUNNING.value, utc_now()
            steps = _steps(tx, job_id)
            step = next((one for one in steps if one.state != StepState.DONE), None)
            if step is None:
                return _end(tx, job, JobState.SUCCEEDED, "done")
            if step.state == StepState.STARTED:
                return self._follow(tx, job, steps, step)
            return self._make(tx, job, steps, step)

    def _upcoming(self, job_id: str) -> SiteChange | None:
        with self._store.read() as tx:
            step = next((one for one in _steps(tx, job_id) if one.state != StepState.DONE), None)
        return self._change(step) if step is not None and step.state == StepState.PENDING else None

    def _change(self, step: JobStep) -> SiteChange:
        return changes.read_change(self._store.box.open(step.payload["change"]).get_secret_value())

    def _make(self, tx: Session, job: Job, steps: Sequence[JobStep], step: JobStep) -> JobState | None:
        outcome = changes.perform(ChangeContext(tx, self._services, Actor(name=job.actor)), self._change(step))
        check_reused(outcome.plan.reused, {one["former"] for one in job.plan.get("reused", ())})
        step.started_at = utc_now()
        job.message = outcome.plan.title
        if outcome.job_id is not None:
            step.state, step.detail = StepState.STARTED.value, f"job {outcome.job_id}"
            step.payload = {**step.payload, "job_id": outcome.job_id}
            Journal.announce(tx, job)
            return JobState.RUNNING
        _done(tx, job, steps, step)
        return None

    def _follow(self, tx: Session, job: Job, steps: Sequence[JobStep], step: JobStep) -> JobState | None:
        part = tx.get_one(Job, step.payload["job_id"])
        if not JobState(part.state).is_over:
            return JobState.RUNNING
        if part.state == JobState.SUCCEEDED:
            _done(tx, job, steps, step)
            return None
        detail = f"its job {part.id} is {part.state}: {(part.error or {}).get('detail') or part.message}"
        return _stopped(tx, job, steps, step, LunetteError(detail), part.error)

    def _stop_at(self, job_id: str, error: LunetteError) -> JobState:
        with self._store.write() as tx:
            steps = _steps(tx, job_id)
            step = next(one for one in steps if one.state != StepState.DONE)
            return _stopped(tx, tx.get_one(Job, job_id), steps, step, error, problem(error))

    def _say(self, job_id: str, words: str) -> None:
        with self._store.write() as tx:
            job = tx.get_one(Job, job_id)
            if job.message != words:
                job.message = words
                Journal.announce(tx, job)


def _steps(tx: Session, job_id: str) -> Sequence[JobStep]:
    return tx.scalars(select(JobStep).where(JobStep.job_id == job_id).order_by(JobStep.index)).all()


def _done(tx: Session, job: Job, steps: Sequence[JobStep], step: JobStep) -> None:
    step.state, step.finished_at = StepState.DONE.value, utc_now()
    job.steps_done = sum(one.state == StepState.DONE for one in steps)
    Journal.announce(tx, job)


def _stopped(
    tx: Session, job: Job, steps: Sequence[JobStep], step: JobStep, why: LunetteError, error: dict[str, object] | None
) -> JobState:
    """Ends the job here. Nothing is rolled back: hosts may have begun to write to what was created."""
    step.state, step.finished_at, step.error = StepState.UNDONE.value, utc_now(), error or problem(why)
    job.error = step.error
    done = sum(one.state == StepState.DONE for one in steps)
    rest = [one.title for one in steps if one.state != StepState.DONE]
    made = f"{done} of {len(steps)} changes were made and remain in effect" if done else "nothing was changed"
    words = f"'{step.title}' failed: {why.detail} {made}; not done yet: {'; '.join(rest[:10])}"
    words += f" and {len(rest) - 10} more" if len(rest) > 10 else ""
    return _end(
        tx, job, JobState.FAILED, f"{words}. Correct the cause and apply the document again: it continues from here."
    )


def _end(tx: Session, job: Job, state: JobState, words: str) -> JobState:
    job.state, job.message, job.finished_at = state.value, words, utc_now()
    emit(
        tx,
        "site.applied" if state is JobState.SUCCEEDED else "site.stopped",
        words,
        actor=job.actor,
        data={"job_id": job.id},
    )
    Journal.announce(tx, job)
    return state
