"""The alert of a stuck job."""

from lunette.domain.alerts import Severity
from lunette.engine.alerts import board
from lunette.store.journal import Job


def stuck_alert(job: Job) -> board.Cause:
    return board.Cause(
        key=f"job.stuck:{job.id}",
        severity=Severity.CRITICAL,
        message=f"Job '{job.title}' is stuck",
        cause=job.message,
        fix="Check the steps of the job, correct the cause, then resolve the job: retry or abandon.",
    )
