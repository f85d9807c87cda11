"""Files jobs: the plan's steps become journal rows in the transaction of the change that asked for them."""

import functools

from sqlalchemy.orm import Session

from lunette.domain.jobs import JobKind
from lunette.domain.plans import Plan
from lunette.engine.context.desk import Desk
from lunette.engine.context.outcome import Actor, Outcome
from lunette.store.database import after_commit
from lunette.store.events import emit
from lunette.store.journal import Job, JobStep


def file_job(tx: Session, desk: Desk, actor: Actor, kind: JobKind, work: Outcome) -> Outcome:
    """Writes the job of a change and queues it for after the commit. Returns the outcome with the job's id.

    `work.ids` are the resources it makes or destroys.
    """
    job_id = desk.identities.id()
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
            actor=actor.name,
            steps_total=len(plan.steps),
        )
    )
    tx.flush()
    tx.add_all(
        JobStep(job_id=job_id, index=index, kind=step.kind, title=step.describe(), payload=step.model_dump(mode="json"))
        for index, step in enumerate(plan.steps)
    )
    emit(tx, "job.created", plan.title, actor=actor.name, ref=job_id, data={"resource_ids": list(work.ids)})
    after_commit(tx, functools.partial(desk.enqueue, job_id))
    return work.model_copy(update={"job_id": job_id})
