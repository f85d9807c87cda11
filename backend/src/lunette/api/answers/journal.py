"""Jobs with their steps, the numbered event log, and alerts."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from lunette.api.answers.base import Answer
from lunette.api.answers.plans import PlanChange, step_answer
from lunette.domain.alerts import AlertFamily, AlertNoun, Severity, family_of
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
    """The error that made a job or a step fail."""

    type: ProblemType
    """Problem type of the error."""
    detail: str
    """Explanation of the error, usually with the action to take."""


class JobStep(Answer):
    """One recorded step of a job."""

    index: int
    """Position of the step in the job, starting at 0."""
    kind: str
    """Kind of the step, such as `md.create`."""
    description: str
    """Description of the action."""
    devices: tuple[str, ...]
    """IDs of the disks that the step acts on; empty if none."""
    irreversible: bool
    """Whether the step cannot be undone."""
    state: StepState
    """State of the step."""
    detail: str
    """Result reported by the step or by its undo; empty if none."""
    error: JobError | None
    """Error of the step; `null` if the step did not fail."""
    started_at: datetime | None
    """When the step started, in UTC; `null` until then."""
    finished_at: datetime | None
    """When the step or its undo finished, in UTC; `null` until then."""


class Undo(Answer):
    """Whether a change can be undone, and if not, why."""

    possible: bool
    """Whether the change can be undone in principle. A dry run of the undo reports whether the current state allows it.
    """
    reason: str | None
    """Why the change cannot be undone, and the alternative; `null` if it can."""
    undone_by: int | None
    """Number of the event that undid the change; `null` if the change was not undone. Undoing that event applies the
    change again."""


class JobSummary(Answer):
    """A job without its steps."""

    id: str
    """Unique ID of the job."""
    kind: JobKind
    """Kind of the job, such as `array.create`."""
    title: str
    """Title of the job, which names the change."""
    state: JobState
    """State of the job."""
    progress_percent: float
    """Completed share of the steps in percent, from 0 to 100."""
    steps_total: int
    """Number of steps of the job."""
    steps_done: int
    """Number of completed steps. The number decreases while steps are undone. Failed steps of a schedule run count as
    completed."""
    message: str
    """Current activity of the job, or its result after the end."""
    resource_kind: str
    """Kind of the affected resources, such as `volume`."""
    resource_ids: tuple[str, ...]
    """IDs of the resources that the job creates, changes or deletes."""
    actor: str
    """User, API token or schedule that started the job, such as `admin` or `token:backup`; `system` for automatic jobs.
    """
    error: JobError | None
    """Error that made the job fail; `null` if there is none."""
    undo: Undo
    """Why the job cannot be undone, and the alternative. Jobs can never be undone; the events of single changes can."""
    created_at: datetime
    """When the job was created, in UTC."""
    started_at: datetime | None
    """When the job started, in UTC; `null` until then."""
    finished_at: datetime | None
    """When the job ended or became stuck, in UTC; `null` until then."""


class Job(JobSummary):
    """A job with all its steps."""

    steps: tuple[JobStep, ...]
    """Steps of the job, in the order in which they run."""


class Event(Answer):
    """One entry of the numbered event log."""

    seq: int
    """Number of the event; later events have higher numbers."""
    at: datetime
    """When the event was recorded, in UTC."""
    kind: str
    """Kind of the event as noun and verb, such as `volume.created`."""
    noun: str
    """Kind of the resource that the event is about, such as `volume`."""
    ref: str | None
    """ID of the resource that the event is about; `null` if the event is about none or several."""
    actor: str
    """User, API token or schedule that caused the event, such as `admin` or `token:backup`; `system` for automatic
    events."""
    message: str
    """Description of the event."""
    outcome: EventOutcome
    """Outcome of the change that the event reports."""
    job_id: str | None
    """Unique ID of the job whose start, result or objects the event reports; `null` for other events."""


class EventRecord(Event):
    """One entry of the event log, with the plan of its change.

    Events of jobs and automatic events have no plan. The plan of a job is in its steps.
    """

    changes: tuple[PlanChange, ...]
    """Changes in the plan; empty if the event has no plan."""
    hosts_interrupted: tuple[str, ...]
    """Names of the hosts that the change interrupted, according to the plan."""
    warnings: tuple[str, ...]
    """Warnings of the plan."""


class EventDetail(EventRecord):
    """One entry of the event log, with the plan of its change and whether the change can be undone."""

    undo: Undo
    """Whether the change can be undone."""


class RemedyAction(StrEnum):
    """Action that removes the cause of an alert."""

    REPLACE_DISK = "replace_disk"
    """Replace the disk `disk` of the array `array` with another disk."""
    UNLOCK_ARRAY = "unlock_array"
    """Unlock the array `array`."""
    RESOLVE_JOB = "resolve_job"
    """Resolve the stuck job `job`: retry or abandon it."""
    RUN_SCHEDULE = "run_schedule"
    """Run the schedule `schedule` again."""
    SET_HOST_SECRETS = "set_host_secrets"
    """Set the CHAP or DH-CHAP secrets of the host `host` again."""


class Remedy(Answer):
    """The action that removes the cause of an alert, with its arguments."""

    action: RemedyAction
    """Action to take."""
    array: str | None
    """Name of the array. `null` for other actions."""
    disk: str | None
    """ID of the disk to replace. `null` for other actions."""
    job: str | None
    """ID of the job. `null` for other actions."""
    schedule: str | None
    """Name of the schedule. `null` for other actions."""
    host: str | None
    """Name of the host. `null` for other actions."""


class AlertObject(Answer):
    """The object that an alert is about."""

    noun: AlertNoun
    """Kind of the object."""
    id: str
    """ID of the object, by which `ref` of the list finds its alerts."""
    name: str
    """Name of the object; the ID of a disk, the WWPN of an FC port and the title of a job."""


class Alert(Answer):
    """A condition that needs attention, with its cause and the action to take."""

    id: str
    """Unique ID of the alert."""
    key: str
    """Unique key of the condition, such as `array.health:<id>`. The same condition always has the same alert."""
    family: AlertFamily | None
    """Area of the alert, which is the first part of its key; `null` for an alert that only an earlier release raises.
    """
    about: AlertObject | None
    """Object that the alert is about; `null` if it is about the whole appliance, or if the object no longer exists."""
    severity: Severity
    """Severity of the alert: `info`, `warning` or `critical`."""
    message: str
    """Short description of the condition."""
    cause: str
    """Cause of the condition."""
    fix: str
    """Recommended action."""
    remedy: Remedy | None
    """The recommended action as data. `null` if none is known, if the alert is resolved, or if several are possible."""
    raised_at: datetime
    """When the alert was last raised, in UTC."""
    resolved_at: datetime | None
    """When the condition ended, in UTC; `null` while the alert is active."""
    acknowledged_at: datetime | None
    """When the alert was acknowledged, in UTC; `null` if the alert is not acknowledged."""
    acknowledged_by: str | None
    """User or API token that acknowledged the alert; `null` if the alert is not acknowledged."""
    note: str
    """Note of the acknowledgement; empty if there is none."""
    silenced_until: datetime | None
    """Time until which no notifications of the alert are sent, in UTC; `null` if the alert is not silenced."""


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
        "kind": JobKind(row.kind),
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
    """The description of a step. A change of a site document is sealed, and described by the text stored next to it."""
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
        job_id=row.job_id,
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
    """An event in full; `kept` is the record with which its change can be undone."""
    reason = why_not(row.kind) if kept is None else None
    if kept is not None and kept.undone_by is not None:
        reason = f"It was undone by event {kept.undone_by}; undo that event to restore the change."
    return EventDetail(
        **dict(event_record(row)),
        undo=Undo(possible=reason is None, reason=reason, undone_by=kept.undone_by if kept else None),
    )


def alert_answer(row: AlertRow, remedy: Remedy | None = None, about: AlertObject | None = None) -> Alert:
    """An alert. `remedy` and `about` are what `remedies.py` and `alert_objects.py` of `api/requests` find for it."""
    return Alert(
        id=row.id,
        key=row.key,
        family=family_of(row.key),
        about=about,
        severity=Severity(row.severity),
        message=row.message,
        cause=row.cause,
        fix=row.fix,
        remedy=remedy,
        raised_at=row.raised_at,
        resolved_at=row.resolved_at,
        acknowledged_at=row.acknowledged_at,
        acknowledged_by=row.acknowledged_by,
        note=row.note,
        silenced_until=row.silenced_until,
    )
