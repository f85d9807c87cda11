"""Runs one job from the journal: forward step by step, and backward if a step fails (DESIGN R4).

After a restart it continues where the journal ends: a step that was started is requested again, and recognizes its own
work. While the agent is down the job waits; only a refusal rolls it back.
"""

import time
from collections.abc import Callable, Mapping

from sqlalchemy.orm import Session

from lunette.domain.agent_protocol import DoStep, DoSteps, ProblemReply, Request, Result, StepReply, UndoStep
from lunette.domain.errors import AgentAway, LunetteError, NotFound, ToolFailed
from lunette.domain.jobs import JobState, StepState
from lunette.engine.alerts import board
from lunette.engine.alerts.stuck_jobs import stuck_alert
from lunette.engine.context.observing import ObservationCache
from lunette.engine.context.services import Services
from lunette.engine.jobs import completion
from lunette.engine.jobs.runs import Run, runs
from lunette.engine.journal.transitions import Journal, problem
from lunette.engine.journal.waiting import wake_waiting
from lunette.store.database import Store
from lunette.store.journal import Job
from lunette.store.schema import utc_now
from lunette.system.agent_port import AgentPort

RETRY_S = 2.0
TRIES = 3
BACKWARD = (StepState.STARTED, StepState.DONE, StepState.UNDOING, StepState.UNDO_FAILED)
"""States of a step that may have changed something."""

Wait = Callable[[float], bool]
"""Waits some seconds; True if the process is stopping."""


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


class Stopping(Exception):
    """The process is stopping; the job continues at the next start."""


class JobRunner:
    """Runs one job per call; needs no threads. Tells the cache what is outdated."""

    def __init__(
        self, store: Store, agent: AgentPort, services: Services, *, cache: ObservationCache, wait: Wait = _sleep
    ) -> None:
        self._store = store
        self._agent = agent
        self._services = services
        self._cache = cache
        self._wait = wait

    def run(self, job_id: str) -> JobState:
        """Runs the job to its end, or as far as the journal says it still has to go. Returns its state.

        Raises NotFound for an unknown job. Returns RUNNING if the process stops meanwhile.
        """
        with self._store.read() as tx:
            job = tx.get(Job, job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id}.")
        if JobState(job.state).is_over:
            return JobState(job.state)
        journal = Journal(self._store, job_id)
        journal.begin()
        try:
            if job.error is None and self._forward(journal):
                return self._end(journal, JobState.SUCCEEDED, "done", completion.succeeded)
            return self._back(journal)
        except Stopping:
            return JobState.RUNNING

    def _forward(self, journal: Journal) -> bool:
        """Runs every step that is not done. Returns False once a step was refused."""
        todo = runs(journal.steps, [i for i, state in enumerate(journal.states) if state is not StepState.DONE])
        if todo and any(journal.states[index] is not StepState.STARTED for index in todo[0]):
            journal.start(todo[0])
        for position, run in enumerate(todo, 1):
            if refused := self._do(journal, run, todo[position] if position < len(todo) else ()):
                journal.failed(*refused)
                return False
        return True

    def _do(self, journal: Journal, run: Run, upcoming: Run) -> tuple[int, LunetteError] | None:
        """Requests the steps of a run, and records which are done. Returns the first refused step with its error.

        If a tool fails at an irreversible step, it is retried before the job is rolled back: half of it may have
        happened, and then only continuing leads to a clean state.
        """
        for attempt in range(1, TRIES + 1):
            replies = self._ask_for(journal, run)
            done = {index: reply.detail for index, reply in replies.items() if isinstance(reply, StepReply)}
            run = tuple(index for index in run if index not in done)
            if done:
                journal.done(done, starts=() if run else upcoming)
            if not run:
                return None
            index, error = next((at, reply) for at, reply in replies.items() if isinstance(reply, LunetteError))
            if not (isinstance(error, ToolFailed) and journal.steps[index].irreversible) or attempt == TRIES:
                break
            journal.waits(f"retrying: {error.detail}")
            if self._wait(RETRY_S):
                raise Stopping from error
        return index, error

    def _ask_for(self, journal: Journal, run: Run) -> Mapping[int, StepReply | LunetteError]:
        """The replies to the steps of a run by index, without those that were not run because another was refused.

        A refusal of the whole request is that of its first step.
        """
        steps = [journal.steps[index] for index in run]
        if len(run) == 1:
            return {run[0]: self._ask(journal, DoStep(job_id=journal.job_id, step=steps[0]))}
        reply = self._ask(journal, DoSteps.model_validate({"job_id": journal.job_id, "steps": steps}))
        if isinstance(reply, LunetteError):
            return {run[0]: reply}
        found = {
            index: one.as_error() if isinstance(one, ProblemReply) else one
            for index, one in zip(run, reply.replies, strict=False)
            if one is not None
        }
        if len(found) < len(run) and not any(isinstance(one, LunetteError) for one in found.values()):
            left_out = next(index for index in run if index not in found)
            found[left_out] = ToolFailed("the agent did not answer for this step: check its journal, then try again")
        return found

    def _back(self, journal: Journal) -> JobState:
        """Rolls back from the last step that may have happened. What cannot be undone stays, and is named."""
        kept: list[str] = []
        touched = any(state in (StepState.DONE, StepState.UNDONE) for state in journal.states)
        for index in range(len(journal.steps) - 1, -1, -1):
            step, state = journal.steps[index], journal.states[index]
            if state not in BACKWARD:
                continue
            if step.irreversible:
                if state is StepState.DONE:
                    kept.append(step.describe())
                elif self._was_cut_short(journal):
                    kept.append(f"{step.describe()} (possibly in part)")
                continue
            if state is not StepState.UNDOING:
                journal.start_undo(index)
            reply = self._ask(journal, UndoStep(job_id=journal.job_id, step=step))
            if isinstance(reply, LunetteError):
                return self._stick(journal, index, reply)
            journal.undone(index, reply.detail)
        words = "all its changes were rolled back" if touched else "nothing was changed"
        if not touched and self._was_cut_short(journal):
            words = "the failed step was rolled back"
        if kept:
            words = f"rolled back, except for irreversible steps: {'; '.join(reversed(kept))}"
        ending = JobState.UNDONE if touched or kept else JobState.FAILED
        return self._end(journal, ending, words, completion.taken_back)

    def _was_cut_short(self, journal: Journal) -> bool:
        """True if the job is rolled back because a tool failed midway; a refusal comes before any change."""
        with self._store.read() as tx:
            error = tx.get_one(Job, journal.job_id).error
        return error is not None and error["type"] == ToolFailed.type

    def _ask(self, journal: Journal, request: Request[Result]) -> Result | LunetteError:
        """Calls the agent until it answers. Returns its refusal rather than raising it, to distinguish it from the
        database's.

        Raises Stopping.
        """
        while True:
            try:
                return self._agent.ask(request)
            except AgentAway as error:
                away = error
            except LunetteError as error:
                return error
            finally:
                self._cache.stepped()
            journal.waits(f"waiting for the agent: {away.detail}")
            if self._wait(RETRY_S):
                raise Stopping from away

    def _end(
        self, journal: Journal, state: JobState, words: str, complete: Callable[[Session, Services, Job], None]
    ) -> JobState:
        self._cache.forget()
        with self._store.write() as tx:
            job = tx.get_one(Job, journal.job_id)
            job.state, job.message, job.finished_at = state.value, words, utc_now()
            complete(tx, self._services, job)
            journal.announce(tx, job)
            wake_waiting(tx, self._services)
        return state

    def _stick(self, journal: Journal, index: int, error: LunetteError) -> JobState:
        """Rollback failed: the job and its resources wait for an administrator."""
        self._cache.forget()
        with self._store.write() as tx:
            journal.undo_failed(tx, index, error)
            job = tx.get_one(Job, journal.job_id)
            job.state, job.finished_at = JobState.STUCK.value, utc_now()
            job.message = f"stuck: rolling back step {index + 1} failed: {error.detail}"
            job.error = job.error or problem(error)
            completion.stuck(tx, self._services, job)
            board.raise_alert(tx, stuck_alert(job), utc_now())
            journal.announce(tx, job)
            wake_waiting(tx, self._services)
        return JobState.STUCK
