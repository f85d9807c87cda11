"""Jobs, events and alerts: long work with its steps, the numbered log, and what a person must look at."""

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from lunette.api.answers.base import Answer
from lunette.api.answers.plans import PlanChange, step_answer
from lunette.domain.alerts import AlertFamily, family_of
from lunette.domain.errors import ProblemType
from lunette.domain.events import EventOutcome, outcome_of
from lunette.domain.jobs import JobKind, JobState, StepState
from lunette.domain.steps import AnyStep
from lunette.domain.undo import JOB_REASONS, why_not
from lunette.store.journal import Alert as AlertRow
from lunette.store.journal import Event as EventRow
from lunette.store.journal import Job as JobRow
from lunette.store.journal import JobStep as JobStepRow
from lunette.store.undo import KeptState

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


class Undo(Answer):
    """Whether a change can be undone, and why not. Today's state may still be in the way: a dry run says so."""

    possible: bool
    reason: str | None
    """Why it cannot be undone and what to do instead; null where it can."""
    undone_by: int | None
    """The event of its undo; undo that one to have the change again."""


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
    undo: Undo
    """Never possible: jobs change what holds data. What is undone are the events of single changes."""
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
    outcome: EventOutcome


class EventRecord(Event):
    """One line of the log with what the plan of the change said.

    Events of jobs and of what happened by itself have no lines: the job has its steps.
    """

    changes: tuple[PlanChange, ...]
    hosts_interrupted: tuple[str, ...]
    warnings: tuple[str, ...]


class EventDetail(EventRecord):
    """One line of the log in full: what the plan of the change said, and whether it can be undone."""

    undo: Undo


class Alert(Answer):
    """What a person must look at: what it is, where it comes from, what to do."""

    id: str
    key: str
    family: AlertFamily | None
    """What it is about, and what its key begins with; null for what only an earlier release raised."""
    severity: str
    message: str
    cause: str
    fix: str
    raised_at: datetime
    resolved_at: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    note: str
    """What was said when it was acknowledged."""
    silenced_until: datetime | None
    """Until then nothing is told of it by mail, webhook or syslog."""


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
        "id": row.id,
        "kind": row.kind,
        "title": row.title,
        "state": JobState(row.state),
        "progress_percent": percent,
        "steps_total": row.steps_total,
        "steps_done": row.steps_done,
        "message": row.message,
        "resource_kind": row.resource_kind,
        "resource_ids": tuple(row.resource_ids),
        "actor": row.actor,
        "error": _error(row.error),
        "undo": Undo(possible=False, reason=JOB_REASONS[JobKind(row.kind)], undone_by=None),
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
    }


def _step(row: JobStepRow) -> JobStep:
    return JobStep(
        **_words(row),
        index=row.index,
        kind=row.kind,
        state=StepState(row.state),
        detail=row.detail,
        error=_error(row.error),
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


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
        seq=row.seq,
        at=row.at,
        kind=row.kind,
        noun=row.noun,
        ref=row.ref,
        actor=row.actor,
        message=row.message,
        outcome=outcome_of(row.kind),
    )


def event_record(row: EventRow) -> EventRecord:
    """An event with the lines of its plan."""
    plan = row.data.get("plan", {})
    return EventRecord(
        **event_answer(row).model_dump(),
        changes=tuple(PlanChange.model_validate(change) for change in plan.get("changes", ())),
        hosts_interrupted=tuple(plan.get("hosts_interrupted", ())),
        warnings=tuple(plan.get("warnings", ())),
    )


def event_detail(row: EventRow, kept: KeptState | None) -> EventDetail:
    """An event in full; `kept` is what its change can be undone with."""
    reason = why_not(row.kind) if kept is None else None
    if kept is not None and kept.undone_by is not None:
        reason = f"It was undone by event {kept.undone_by}; undo that one to have the change again."
    return EventDetail(
        **dict(event_record(row)),
        undo=Undo(possible=reason is None, reason=reason, undone_by=kept.undone_by if kept else None),
    )


def alert_answer(row: AlertRow) -> Alert:
    return Alert(
        id=row.id,
        key=row.key,
        family=family_of(row.key),
        severity=row.severity,
        message=row.message,
        cause=row.cause,
        fix=row.fix,
        raised_at=row.raised_at,
        resolved_at=row.resolved_at,
        acknowledged_at=row.acknowledged_at,
        acknowledged_by=row.acknowledged_by,
        note=row.note,
        silenced_until=row.silenced_until,
    )
