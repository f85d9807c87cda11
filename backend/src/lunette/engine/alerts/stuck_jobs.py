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
        fix="Read the job's steps, put right what stands in the way, then resolve the job: retry or abandon.",
    )
