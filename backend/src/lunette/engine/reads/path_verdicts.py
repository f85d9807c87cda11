"""Results of the path tests: the last one of each host is stored."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.paths import PathVerification
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Host, HostPathTrial
from lunette.store.schema import utc_now


def last(tx: Session, host_id: str) -> PathVerification | None:
    """None if its paths were never tested."""
    row = tx.get(HostPathTrial, host_id)
    if row is None:
        return None
    return PathVerification(at=row.at, is_passed=row.is_passed, words=tuple(row.words), job_id=row.job_id)


def ended(tx: Session, job: Job, *, is_passed: bool) -> None:
    """Stores the result of a test, in place of the previous one."""
    steps = tx.scalars(select(JobStep).where(JobStep.job_id == job.id).order_by(JobStep.index))
    words = [step.detail for step in steps if step.detail and step.error is None]
    if not is_passed:
        words = [str(job.error["detail"])] if job.error else [job.message]
    for host_id in job.resource_ids:
        if tx.get(Host, host_id) is not None:
            tx.merge(HostPathTrial(host_id=host_id, at=utc_now(), is_passed=is_passed, words=words, job_id=job.id))
