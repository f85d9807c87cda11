"""Schedules: snapshots and scrubs at set times."""

from collections.abc import Sequence
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from fastapi import Query, Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.schedules import Kept, LastRun, Schedule, SchedulePreview
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import CREATED, DELETED, JOB_CREATED, LISTED, SHOWN, changed, router
from lunette.api.requests.changes import ChangeRequest, Changing, Creating, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.jobs import JobState
from lunette.domain.schedules import MissedRuns, ScheduleAction, ScheduleCreate, SchedulePatch, When
from lunette.engine.changes import schedules
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.journal import Job
from lunette.store.schedules import Schedule as ScheduleRow
from lunette.store.schedules import ScheduledSnapshot, ScheduleState
from lunette.store.schema import utc_now

SHOWN_RUNS = 3
PREVIEWED_RUNS = 5
routes = router("/schedules", "schedules")
_COLUMNS = {"id": ScheduleRow.id, "name": ScheduleRow.name, "created_at": ScheduleRow.created_at}
Sort = Annotated[
    Literal["name", "-name", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


@routes.get("", operation_id="schedule_list", response_model=Page[Schedule], responses=LISTED)
def schedule_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "name",
    name: NameFilter = None,
    action: Annotated[ScheduleAction | None, Query(description="Only schedules with this action.")] = None,
    enabled: Annotated[
        bool | None,
        Query(description="Whether to return enabled (true) or disabled (false) schedules. If omitted, both."),
    ] = None,
) -> Page[Schedule]:
    """Lists the schedules, with their next runs and the result of the last run."""
    query = select(ScheduleRow).where(*name_like(ScheduleRow.name, name))
    query = query.where(ScheduleRow.action == action.value) if action else query
    query = query.where(ScheduleRow.enabled == enabled) if enabled is not None else query
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(_answers(tx, found.rows))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get(":preview", operation_id="schedule_preview", response_model=SchedulePreview, responses=LISTED)
def schedule_preview(
    services: UsedServices,
    when: Annotated[When, Query(description="Cron expression with minute, hour, day of month, month and weekday.")],
) -> SchedulePreview:
    """Shows when a schedule with a cron expression would run.

    Nothing is created. The expression is evaluated in the time zone of the appliance.
    """
    with services.store.read() as tx:
        zone = schedules.zone_of(tx)
    runs = schedules.runs_of(when, zone, utc_now(), PREVIEWED_RUNS)
    return SchedulePreview(when=when, time_zone=zone.key, next_runs=runs)


@routes.get("/{schedule:plain}", operation_id="schedule_show", response_model=Schedule, responses=SHOWN)
def schedule_show(schedule: Reference, services: UsedServices) -> Response:
    """Shows a schedule, by ID or name."""
    with services.store.read() as tx:
        row = find(tx, ScheduleRow, schedule, ScheduleRow.name)
        return answer(_answers(tx, [row])[0], version=row.version)


@routes.post("", operation_id="schedule_create", status_code=201, response_model=Schedule, responses=CREATED)
def schedule_create(body: ScheduleCreate, change: Creating) -> Response:
    """Creates a schedule for snapshots or scrubs.

    According to its retention, a schedule deletes old snapshots, but only those that it created.
    """

    def show(tx: Session, outcome: Outcome) -> Response:
        return _shown(tx, outcome, 201)

    return change.apply(lambda context: schedules.create(context, body), show)


@routes.patch("/{schedule:plain}", operation_id="schedule_patch", response_model=None, responses=changed(Schedule))
def schedule_patch(schedule: Reference, body: SchedulePatch, change: Changing) -> Response:
    """Changes a schedule.

    Omitted fields stay unchanged. If the retention is reduced, the next run deletes the surplus snapshots of the
    schedule. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = _matched(context.tx, change, schedule)
        return schedules.patch(context, row.id, body)

    return change.apply(act, lambda tx, outcome: _shown(tx, outcome, 200))


@routes.delete(
    "/{schedule:plain}", operation_id="schedule_delete", status_code=204, response_model=None, responses=DELETED
)
def schedule_delete(schedule: Reference, change: Changing) -> Response:
    """Deletes a schedule, but not its snapshots.

    The snapshots that the schedule created are no longer deleted automatically. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = _matched(context.tx, change, schedule)
        return schedules.delete(context, row.id)

    return change.apply(act, lambda _tx, _outcome: Response(status_code=204))


@routes.post(
    "/{schedule}:run", operation_id="schedule_run", status_code=202, response_model=None, responses=JOB_CREATED
)
def schedule_run(schedule: Reference, change: Creating) -> Response:
    """Runs a schedule now.

    The run is independent of the set times. Refused while a run of the schedule is in progress. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, ScheduleRow, schedule, ScheduleRow.name)
        return schedules.run(context, row.id)

    return change.apply(act, only_jobs, looks=change.dry_run)


def _matched(tx: Session, change: ChangeRequest, schedule: str) -> ScheduleRow:
    row = find(tx, ScheduleRow, schedule, ScheduleRow.name)
    change.check_match(row.version)
    return row


def _shown(tx: Session, outcome: Outcome, status: int) -> Response:
    row = tx.get_one(ScheduleRow, outcome.ids[0])
    location = f"/api/v1/schedules/{row.id}" if status == 201 else None
    return answer(_answers(tx, [row])[0], status, location=location, version=row.version)


def _answers(tx: Session, rows: Sequence[ScheduleRow]) -> list[Schedule]:
    ids = [row.id for row in rows]
    runs = select(ScheduleState.schedule_id, Job).join(Job, Job.id == ScheduleState.last_job_id)
    last = dict(tx.execute(runs.where(ScheduleState.schedule_id.in_(ids))).all())
    counted = select(ScheduledSnapshot.schedule_id, func.count()).where(ScheduledSnapshot.schedule_id.in_(ids))
    counts = dict(tx.execute(counted.group_by(ScheduledSnapshot.schedule_id)).all())
    zone = schedules.zone_of(tx)
    return [_answer(tx, row, zone, last.get(row.id), counts.get(row.id, 0)) for row in rows]


def _answer(tx: Session, row: ScheduleRow, zone: ZoneInfo, last: Job | None, snapshots: int) -> Schedule:
    subjects = schedules.subjects_of(tx, row)
    ids, names = tuple(ref for ref, _ in subjects), tuple(name for _, name in subjects)
    is_snapshot = row.action == ScheduleAction.SNAPSHOT
    return Schedule(
        id=row.id,
        name=row.name,
        description=row.description,
        action=ScheduleAction(row.action),
        volumes=names if is_snapshot else (),
        volume_ids=ids if is_snapshot else (),
        arrays=() if is_snapshot else names,
        array_ids=() if is_snapshot else ids,
        when=row.when,
        time_zone=zone.key,
        keep=Kept.model_validate(row.keep) if row.keep else None,
        snapshot_name=row.snapshot_name,
        missed=MissedRuns(row.missed),
        enabled=row.enabled,
        snapshots=snapshots,
        next_runs=schedules.next_runs(row, zone, utc_now(), SHOWN_RUNS),
        last_run=_last(last),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _last(job: Job | None) -> LastRun | None:
    if job is None:
        return None
    return LastRun(
        job_id=job.id,
        state=JobState(job.state),
        message=job.message,
        started_at=job.created_at,
        finished_at=job.finished_at,
    )
