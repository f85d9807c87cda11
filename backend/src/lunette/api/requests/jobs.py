"""A job as a response: long changes return 202 with the job's address."""

from fastapi import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.journal import Job, job_answer
from lunette.api.requests.lookup import find
from lunette.domain.errors import LunetteError
from lunette.engine.context.outcome import Outcome
from lunette.store.journal import Job as JobRow
from lunette.store.journal import JobStep as JobStepRow


def read_job(tx: Session, job_id: str) -> tuple[Job, int]:
    """A job with its steps, and its version. Raises NotFound."""
    row = find(tx, JobRow, job_id)
    steps = tx.scalars(select(JobStepRow).where(JobStepRow.job_id == row.id).order_by(JobStepRow.index)).all()
    return job_answer(row, list(steps)), row.version


def job_response(tx: Session, job_id: str, status: int = 200) -> Response:
    """The job as a response, with its address and ETag."""
    job, version = read_job(tx, job_id)
    headers = {"ETag": f'"{version}"'}
    if status == 202:
        headers["Location"] = f"/api/v1/jobs/{job.id}"
    return Response(job.model_dump_json(), status, headers, "application/json")


def only_jobs(_tx: Session, outcome: Outcome) -> Response:
    """For changes that always run as a job. Raises if the engine created none."""
    raise LunetteError(f"The engine created no job for: {outcome.plan.title}.")
