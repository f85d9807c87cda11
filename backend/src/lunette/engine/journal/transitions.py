"""The journal of one job: every state change is one transaction with its event, durable before what follows."""

from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from lunette.domain.agent_protocol import ProblemReply
from lunette.domain.errors import LunetteError
from lunette.domain.jobs import JobState, StepState
from lunette.domain.steps import AnyStep
from lunette.store.database import Store
from lunette.store.events import PROGRESS, emit
from lunette.store.journal import Job, JobStep
from lunette.store.schema import Json, utc_now

STEP: TypeAdapter[AnyStep] = TypeAdapter(AnyStep)


def problem(error: LunetteError) -> Json:
    """The error as stored in the job: the message, and in `log` the output of the tool."""
    return {**ProblemReply.of(error).model_dump(mode="json", exclude={"kind"}), "title": error.title}


class Journal:
    """The rows of one job."""

    def __init__(self, store: Store, job_id: str) -> None:
        self._store = store
        self.job_id = job_id
        with store.read() as tx:
            rows = tx.scalars(select(JobStep).where(JobStep.job_id == job_id).order_by(JobStep.index)).all()
            self.steps: Sequence[AnyStep] = [STEP.validate_python(row.payload) for row in rows]
            self.states: list[StepState] = [StepState(row.state) for row in rows]

    def begin(self) -> None:
        """The job runs now; does nothing if it did before a restart."""
        with self._store.write() as tx:
            job = self._job(tx)
            if job.state == JobState.PENDING:
                job.state, job.started_at = JobState.RUNNING.value, utc_now()
                self.announce(tx, job)

    def start(self, indexes: Sequence[int]) -> None:
        """Before the agent is called: from here on these steps may have happened."""
        with self._store.write() as tx:
            for index in indexes:
                self._mark(tx, index, StepState.STARTED, "")

    def start_undo(self, index: int) -> None:
        with self._store.write() as tx:
            self._mark(tx, index, StepState.UNDOING, "")

    def done(self, details: Mapping[int, str], starts: Sequence[int]) -> None:
        """After the agent answered, with details by index; the start of the next steps is written in the same
        transaction.
        """
        with self._store.write() as tx:
            for index, detail in details.items():
                self._mark(tx, index, StepState.DONE, detail)
            job = self._job(tx)
            job.steps_done = sum(state is StepState.DONE for state in self.states)
            for index in starts:
                self._mark(tx, index, StepState.STARTED, "")
            if starts:
                more = f", and {len(starts) - 1} more" if len(starts) > 1 else ""
                job.message = self.steps[starts[0]].describe() + more
            self.announce(tx, job)

    def failed(self, index: int, error: LunetteError) -> None:
        """Starts the rollback: the job's error is set, and the step keeps it too."""
        with self._store.write() as tx:
            tx.get_one(JobStep, (self.job_id, index)).error = problem(error)
            job = self._job(tx)
            job.error = problem(error)
            job.message = f"rolling back: {error.detail}"
            self.announce(tx, job)

    def undone(self, index: int, detail: str) -> None:
        with self._store.write() as tx:
            self._mark(tx, index, StepState.UNDONE, detail)
            job = self._job(tx)
            job.steps_done = sum(state is StepState.DONE for state in self.states)
            self.announce(tx, job)

    def undo_failed(self, tx: Session, index: int, error: LunetteError) -> None:
        self._mark(tx, index, StepState.UNDO_FAILED, error.detail)
        tx.get_one(JobStep, (self.job_id, index)).error = problem(error)

    def waits(self, why: str) -> None:
        """Records what the job waits for."""
        with self._store.write() as tx:
            job = self._job(tx)
            if job.message != why:
                job.message = why
                self.announce(tx, job)

    def _job(self, tx: Session) -> Job:
        """The row without its plan, which may be large and is not needed here."""
        return tx.get_one(Job, self.job_id, options=[defer(Job.plan)])

    def _mark(self, tx: Session, index: int, state: StepState, detail: str) -> None:
        row = tx.get_one(JobStep, (self.job_id, index))
        now = utc_now()
        if state is StepState.STARTED:
            row.started_at = row.started_at or now
        elif state is not StepState.UNDOING:
            row.finished_at = now
        row.state, row.detail = state.value, detail or row.detail
        self.states[index] = state

    @staticmethod
    def announce(tx: Session, job: Job) -> None:
        """The event of a job's state; the web page draws its progress bar from `data`."""
        data: Json = {"state": job.state, "done": job.steps_done, "steps": job.steps_total}
        kind = "job.finished" if JobState(job.state).is_over else PROGRESS
        emit(tx, kind, f"{job.title}: {job.message or job.state}", actor=job.actor, ref=job.id, data=data)
