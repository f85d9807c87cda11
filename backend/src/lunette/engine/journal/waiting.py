"""Jobs that wait for other jobs: those of site documents and of schedules."""

import functools

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.jobs import UNFINISHED, JobKind
from lunette.engine.context.services import Services
from lunette.store.database import after_commit
from lunette.store.journal import Job


def wake_waiting(tx: Session, services: Services) -> None:
    """Another job is over: a site or schedule job that waits for it continues after the commit."""
    kinds = (JobKind.SITE_APPLY.value, JobKind.SCHEDULE_RUN.value)
    query = select(Job.id).where(Job.kind.in_(kinds), Job.state.in_(UNFINISHED))
    for job_id in tx.scalars(query):
        after_commit(tx, functools.partial(services.enqueue, job_id))
