"""Files jobs: the plan's steps become journal rows in the transaction of the change."""

import functools
from collections.abc import Sequence

from lunette.domain.jobs import JobKind
from lunette.domain.plans import Plan
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.database import after_commit
from lunette.store.journal import Job, JobStep


def file_job(context: ChangeContext, kind: JobKind, work: Outcome) -> Outcome:
    """Writes the job of a change and queues it for after the commit. Returns the outcome with the job's ID.

    `work.ids` are the resources it creates or destroys.
    """
    tx = context.tx
    job_id = context.services.identities.id()
    plan: Plan = work.plan
    resource_kind = kind.value.partition(".")[0].removesuffix("s")
    tx.add(
        Job(
            id=job_id,
            kind=kind.value,
            title=plan.title,
            resource_kind=resource_kind,
            resource_ids=list(work.ids),
            plan=plan.model_dump(mode="json"),
            actor=context.actor.name,
            steps_total=len(plan.steps),
        )
    )
    tx.flush()
    tx.add_all(
        JobStep(job_id=job_id, index=index, kind=step.kind, title=step.describe(), payload=step.model_dump(mode="json"))
        for index, step in enumerate(plan.steps)
    )
    context.emit("job.created", plan.title, ref=job_id, data={"resource_ids": list(work.ids)})
    after_commit(tx, functools.partial(context.services.enqueue, job_id))
    return work.model_copy(update={"job_id": job_id})


def file_for_all(context: ChangeContext, kind: JobKind, event: str, plan: Plan, ids: Sequence[str]) -> Outcome:
    """Files a job that changes or deletes all of these objects, with the event that it begins."""
    is_one = len(ids) == 1
    context.emit(event, plan.title, ref=ids[0] if is_one else None, data=None if is_one else {"ids": list(ids)})
    return file_job(context, kind, Outcome(plan=plan, ids=tuple(ids)))
