"""Jobs, events and alerts: long work with its steps, the numbered log, and what a person must look at."""

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from lunette.api.answers.base import Answer
from lunette.api.answers.plans import step_answer
from lunette.domain.errors import ProblemType
from lunette.domain.jobs import JobState, StepState
from lunette.domain.steps import AnyStep
from lunette.store.journal import Alert as AlertRow
from lunette.store.journal import Event as EventRow
from lunette.store.journal import Job as JobRow
from lunette.store.journal import JobStep as JobStepRow

STEP: TypeAdapter[AnyStep] = TypeAdapter(AnyStep)


class JobError(Answer):
    """Why a job or a step failed."""

    type: ProblemType
    detail: str


class JobStep(Answer):
    """One journaled step, in words."""

    index: int
    kind: str
    description: str
    devices: tuple[str, ...]
    irreversible: bool
    state: StepState
    detail: str
    error: JobError | None
    started_at: datetime | None
    finished_at: datetime | None


class JobSummary(Answer):
    """Long work: `failed` changed nothing, `undone` was taken back, `stuck` needs a decision."""

    id: str
    kind: str
    title: str
    state: JobState
    progress_percent: float
    steps_total: int
    steps_done: int
    message: str
    """What it is doing, or how it ended, in words."""
    resource_kind: str
    resource_ids: tuple[str, ...]
    actor: str
    error: JobError | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Job(JobSummary):
    """Long work with all its steps."""

    steps: tuple[JobStep, ...]


class Event(Answer):
    """One line of the log; `noun` and `ref` name what it is about."""

    seq: int
    at: datetime
    kind: str
    noun: str
    ref: str | None
    actor: str
    message: str


class Alert(Answer):
    """What a person must look at: what it is, where it comes from, what to do."""

    id: str
    key: str
    severity: str
    message: str
    cause: str
    fix: str
    raised_at: datetime
    resolved_at: datetime | None


def job_summary(row: JobRow) -> JobSummary:
    """A job without its steps."""
    return JobSummary(**_summary(row))


def job_answer(row: JobRow, steps: list[JobStepRow]) -> Job:
    """A job with its steps."""
    return Job(**_summary(row), steps=tuple(_step(step) for step in steps))


def _summary(row: JobRow) -> dict[str, Any]:
    done = row.state == JobState.SUCCEEDED.value
    percent = 100.0 if done or not row.steps_total else round(100 * row.steps_done / row.steps_total, 1)
    return {
        "id": row.id, "kind": row.kind, "title": row.title, "state": JobState(row.state), "progress_percent": percent,
        "steps_total": row.steps_total, "steps_done": row.steps_done, "message": row.message,
        "resource_kind": row.resource_kind, "resource_ids": tuple(row.resource_ids), "actor": row.actor,
        "error": _error(row.error), "created_at": row.created_at, "started_at": row.started_at,
        "finished_at": row.finished_at,
    }  # fmt: skip


def _step(row: JobStepRow) -> JobStep:
    return JobStep(
        **_words(row), index=row.index, kind=row.kind, state=StepState(row.state), detail=row.detail,
        error=_error(row.error), started_at=row.started_at, finished_at=row.finished_at,
    )  # fmt: skip


def _words(row: JobStepRow) -> dict[str, Any]:
    """What a step does. A change of a site document is sealed, and told by the words that were kept beside it."""
    if "change" in row.payload:
        kept = row.payload
        return {"description": row.title, "devices": tuple(kept["devices"]), "irreversible": kept["irreversible"]}
    if "task" in row.payload:
        return {"description": row.title, "devices": (), "irreversible": row.payload["task"] == "retain"}
    step = step_answer(STEP.validate_python(row.payload))
    return {"description": step.description, "devices": step.devices, "irreversible": step.irreversible}


def _error(stored: dict[str, Any] | None) -> JobError | None:
    return JobError(type=ProblemType(stored["type"]), detail=str(stored["detail"])) if stored else None


def event_answer(row: EventRow) -> Event:
    return Event(
        seq=row.seq, at=row.at, kind=row.kind, noun=row.noun, ref=row.ref, actor=row.actor, message=row.message
    )


def alert_answer(row: AlertRow) -> Alert:
    return Alert(
        id=row.id, key=row.key, severity=row.severity, message=row.message, cause=row.cause, fix=row.fix,
        raised_at=row.raised_at, resolved_at=row.resolved_at,
    )  # fmt: skip
