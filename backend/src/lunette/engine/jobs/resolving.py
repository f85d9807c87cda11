"""Resolves stuck jobs: an administrator retries or abandons them, after checking what blocks them."""

import functools

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.jobs import JobKind, JobState, Resolution, StepState
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.engine.alerts import board
from lunette.engine.alerts.stuck_jobs import stuck_alert
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.jobs import completion
from lunette.engine.journal.transitions import Journal
from lunette.store.database import after_commit
from lunette.store.journal import Job, JobStep
from lunette.store.schema import utc_now


def resolve(context: ChangeContext, job_id: str, how: Resolution) -> Outcome:
    """Raises NotFound, or Conflict if the job is not stuck."""
    tx = context.tx
    job = tx.get(Job, job_id)
    if job is None:
        raise NotFound(f"There is no job {job_id}.")
    if job.state != JobState.STUCK:
        raise Conflict(f"The job '{job.title}' is {job.state}; only a stuck job can be resolved.")
    plan = _plan(job, how)
    if context.dry_run:
        return Outcome(plan=plan)
    board.resolve(tx, stuck_alert(job).key, utc_now())
    if how is Resolution.RETRY:
        _retry(tx, context.services, job)
    else:
        job.state, job.message, job.finished_at = JobState.FAILED.value, f"abandoned by {context.actor.name}", utc_now()
        completion.taken_back(tx, context.services, job)
    context.emit("job.resolved", plan.title, ref=job.id, data={"how": how.value})
    Journal.announce(tx, job)
    return Outcome(plan=plan, job_id=job.id, ids=tuple(job.resource_ids))


def _retry(tx: Session, services: Services, job: Job) -> None:
    """A creation continues its rollback; a deletion starts over, and each step recognizes what is done already."""
    steps = tx.scalars(select(JobStep).where(JobStep.job_id == job.id)).all()
    if JobKind(job.kind).destroys:
        job.error, job.steps_done = None, 0
        for step in steps:
            step.state, step.error = StepState.PENDING.value, None
    job.state, job.message, job.finished_at = JobState.RUNNING.value, "retried", None
    completion.taken_up(tx, services, job)
    after_commit(tx, functools.partial(services.enqueue, job.id))


def _plan(job: Job, how: Resolution) -> Plan:
    destroys, changes = JobKind(job.kind).destroys, JobKind(job.kind).changes
    if how is Resolution.RETRY:
        detail = "the deletion is retried from its first step" if destroys else "its changes are rolled back"
        action = Action.DESTROY if destroys else Action.CHANGE
        if job.kind == JobKind.ARRAY_RELEASE:  # it removes rows only, and nothing that they describe
            detail, action = "it is retried from its first step", Action.CHANGE
        warnings: tuple[str, ...] = ()
    else:
        detail = "it becomes ready again" if destroys or changes else "it is removed from the configuration"
        action = Action.CHANGE
        left = "The system stays as it is now"
        warnings = (
            f"{left}: check that it still works before you rely on it."
            if destroys or changes
            else f"{left}: manually remove what the job left behind.",
        )
    noun = job.resource_kind
    return Plan(
        title=f"{how.value.capitalize()}: {job.title}",
        changes=(PlannedChange(action=action, noun=noun, name=job.title, detail=detail),),
        steps=(),
        warnings=warnings,
    )
