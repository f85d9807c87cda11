"""Creates, changes and deletes schedules, and files their runs."""

import datetime as dt
import functools
from collections.abc import Iterable, Sequence
from itertools import islice
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.domain.array_changes import ArrayScrub
from lunette.domain.arrays import ArrayEngine, Level
from lunette.domain.errors import Conflict
from lunette.domain.jobs import UNFINISHED, JobKind, ResourceState
from lunette.domain.plans import Plan
from lunette.domain.schedules import MissedRuns, Retention, ScheduleAction, ScheduleCreate, SchedulePatch
from lunette.domain.site import SiteSchedule
from lunette.domain.snapshots import SnapshotCreate
from lunette.domain.volumes import Provisioning
from lunette.engine.alerts import board
from lunette.engine.changes import array_changes, snapshots
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, name_taken, need
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.context.services import Services
from lunette.engine.records.recording import recorded
from lunette.planner.system import schedules as planner
from lunette.planner.system.calendar import Taken, surplus, upcoming
from lunette.planner.system.schedules import ScheduleFacts, Subject
from lunette.store.database import after_commit
from lunette.store.events import emit
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Array, Snapshot, Volume
from lunette.store.schedules import CloneOrigin, Schedule, ScheduledSnapshot, ScheduleState, ScheduleSubject
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings


def create(context: ChangeContext, spec: ScheduleCreate, kept_id: str | None = None) -> Outcome:
    """Creates a schedule. It counts from now: earlier times are not made up for."""
    tx, services = context.tx, context.services
    plan, chosen = planner.plan_create(spec, _facts(tx, spec.name, spec.volumes, spec.arrays))
    if context.dry_run:
        return Outcome(plan=plan)
    row = Schedule(id=kept_id or services.identities.id())
    with recorded(context, "schedule.created", plan, [row.id]):
        _write(row, spec, chosen, services)
        tx.add(row)
        tx.flush()
        tx.add(ScheduleState(schedule_id=row.id, anchor_at=utc_now()))
    after_commit(tx, services.wake_scheduler)
    return Outcome(plan=plan, ids=(row.id,))


def patch(context: ChangeContext, schedule: str, spec: SchedulePatch) -> Outcome:
    """Changes a schedule. New times, or enabling it again, count from now."""
    tx = context.tx
    row = need(tx, Schedule, schedule)
    before = known(tx, row)
    volumes = before.volumes if spec.volumes is None else spec.volumes
    arrays = before.arrays if spec.arrays is None else spec.arrays
    facts = _facts(tx, spec.name or row.name, volumes, arrays, but=row.id)
    plan, after, chosen = planner.plan_patch(before, spec, facts)
    if context.dry_run or not plan.changes:
        return Outcome(plan=plan, ids=() if context.dry_run else (row.id,))
    with recorded(context, "schedule.changed", plan, [row.id]):
        if after.when != before.when or (after.enabled and not before.enabled):
            tx.get_one(ScheduleState, row.id).anchor_at = utc_now()
        if not after.enabled:
            board.resolve(tx, alert_key(row.id), utc_now())
        _write(row, after, chosen, context.services)
        row.touch()
    after_commit(tx, context.services.wake_scheduler)
    return Outcome(plan=plan, ids=(row.id,))


def delete(context: ChangeContext, schedule: str) -> Outcome:
    """Deletes a schedule. Its snapshots stay. A running run ends after the current step."""
    tx = context.tx
    row = need(tx, Schedule, schedule)
    count = select(func.count()).select_from(ScheduledSnapshot).where(ScheduledSnapshot.schedule_id == row.id)
    plan = planner.plan_delete(row.name, tx.scalar(count) or 0)
    if context.dry_run:
        return Outcome(plan=plan)
    with recorded(context, "schedule.deleted", plan, [row.id]):
        board.resolve(tx, alert_key(row.id), utc_now())
        tx.delete(row)
    return Outcome(plan=plan, ids=(row.id,))


def run(context: ChangeContext, schedule: str) -> Outcome:
    """Starts one run now, regardless of the clock. Raises Conflict while another one is running."""
    tx = context.tx
    row = need(tx, Schedule, schedule)
    if context.dry_run:
        return Outcome(plan=_foreseen(tx, context.services, row))
    if running := running_job(tx, row.id):
        raise Conflict(f"Schedule {row.name} is running now (job {running.id}); wait for its end, then repeat.")
    context.emit("schedule.run_asked", f"A run of schedule {row.name} was requested", ref=row.id)
    return file_run(tx, context.services, row)


def file_run(tx: Session, services: Services, row: Schedule) -> Outcome:
    """Writes the job of one run: a step for each volume or array, and for each volume a step that deletes old
    snapshots.
    """
    job_id, actor = services.identities.id(), actor_of(row)
    subjects = subjects_of(tx, row)
    plan = planner.plan_run(row.name, ScheduleAction(row.action), [name for _, name in subjects])
    steps = [(ref, name, kind) for kind in _kinds(row) for ref, name in subjects]
    tx.add(
        Job(
            id=job_id,
            kind=JobKind.SCHEDULE_RUN.value,
            title=plan.title,
            resource_kind="schedule",
            resource_ids=[row.id],
            plan=plan.model_dump(mode="json"),
            actor=actor.name,
            steps_total=len(steps),
        )
    )
    tx.flush()
    tx.add_all(
        JobStep(
            job_id=job_id,
            index=index,
            kind=f"schedule.{kind}",
            title=_TITLES[kind].format(name),
            payload={"task": kind, "ref": ref, "job_id": None},
        )
        for index, (ref, name, kind) in enumerate(steps)
    )
    tx.get_one(ScheduleState, row.id).last_job_id = job_id
    emit(tx, "job.created", plan.title, actor=actor.name, ref=job_id, data={"resource_ids": [row.id]})
    after_commit(tx, functools.partial(services.enqueue, job_id))
    return Outcome(plan=plan, job_id=job_id, ids=(row.id,))


_TITLES = {
    "snapshot": "Take a snapshot of volume {}",
    "retain": "Delete snapshots of volume {} beyond the retention",
    "scrub": "Scrub array {}",
}


def _kinds(row: Schedule) -> tuple[str, ...]:
    return ("snapshot", "retain") if row.action == ScheduleAction.SNAPSHOT else ("scrub",)


def actor_of(row: Schedule) -> Actor:
    """The actor of a schedule's runs, in events and jobs."""
    return Actor(name=f"schedule {row.name}")


def alert_key(schedule_id: str) -> str:
    return f"schedule.failed:{schedule_id}"


def running_job(tx: Session, schedule_id: str) -> Job | None:
    """The unfinished run."""
    state = tx.get_one(ScheduleState, schedule_id)
    job = tx.get(Job, state.last_job_id) if state.last_job_id else None
    return job if job is not None and job.state in UNFINISHED else None


def subjects_of(tx: Session, row: Schedule) -> list[tuple[str, str]]:
    """ID and name of each existing volume or array of a schedule."""
    table = Volume if row.action == ScheduleAction.SNAPSHOT else Array
    ids = [one.volume_id or one.array_id or "" for one in row.subjects]
    names = dict(tx.execute(select(table.id, table.name).where(table.id.in_(ids))).all())
    return [(ref, names[ref]) for ref in ids if ref in names]


def known(tx: Session, row: Schedule) -> SiteSchedule:
    """The schedule as an entry of a site document."""
    names = tuple(name for _, name in subjects_of(tx, row))
    action = ScheduleAction(row.action)
    return SiteSchedule.model_construct(
        name=row.name,
        action=action,
        volumes=names if action is ScheduleAction.SNAPSHOT else (),
        arrays=names if action is ScheduleAction.SCRUB else (),
        when=row.when,
        keep=Retention.model_validate(row.keep) if row.keep else None,
        snapshot_name=row.snapshot_name,
        missed=MissedRuns(row.missed),
        enabled=row.enabled,
        description=row.description,
    )


def zone_of(tx: Session) -> ZoneInfo:
    """The time zone of the appliance."""
    return ZoneInfo(read_settings(tx).time_zone)


def too_many(tx: Session, row: Schedule, volume_id: str) -> tuple[list[str], list[str]]:
    """IDs of the snapshots of a volume to delete, oldest first; and names of those that stay because of their clones.

    Only snapshots that this schedule took are considered, by ID. Those being created or deleted, or stuck, do not
    count: they must not take the place of a good one.
    """
    query = select(ScheduledSnapshot, Snapshot).join(Snapshot, Snapshot.id == ScheduledSnapshot.snapshot_id)
    ready = Snapshot.state == ResourceState.READY.value
    mine = (ScheduledSnapshot.schedule_id == row.id, ScheduledSnapshot.volume_id == volume_id, ready)
    found = {one.snapshot_id: (one, snapshot) for one, snapshot in tx.execute(query.where(*mine)).all()}
    taken = [Taken(ref, one.seq, one.at) for ref, (one, _) in found.items()]
    if row.keep is None:
        return [], []
    extra = [one.snapshot_id for one in surplus(taken, Retention.model_validate(row.keep), zone_of(tx))]
    cloned = set(tx.scalars(select(CloneOrigin.snapshot_id).where(CloneOrigin.snapshot_id.in_(extra))))
    return [ref for ref in extra if ref not in cloned], [found[ref][1].name for ref in extra if ref in cloned]


def take(context: ChangeContext, row: Schedule, volume: Volume) -> Outcome:
    """Files the job of one snapshot, and records that it belongs to this schedule."""
    tx, now = context.tx, utc_now()
    at = now.astimezone(zone_of(tx))
    taken = set(tx.scalars(select(Snapshot.name).where(Snapshot.volume_id == volume.id)))
    name = planner.snapshot_name(row.snapshot_name, volume.name, at, taken)
    if name_taken(tx, Snapshot, name):
        name = planner.snapshot_name(row.snapshot_name, volume.name, at, set(tx.scalars(select(Snapshot.name))))
    spec = SnapshotCreate(name=name, volume=volume.id, description=f"by schedule {row.name}")
    outcome = snapshots.take(context, spec)
    if not context.dry_run:
        tx.flush()
        mine = ScheduledSnapshot(snapshot_id=outcome.ids[0], schedule_id=row.id, volume_id=volume.id, at=now)
        tx.add(mine)
        tx.flush()
    return outcome


def scrub(context: ChangeContext, array_id: str) -> Outcome:
    """Files the job that starts a scrub."""
    return array_changes.scrub(context, array_id, ArrayScrub())


def _foreseen(tx: Session, services: Services, row: Schedule) -> Plan:
    """What a run would do now, from the plans of its parts. Old snapshots are counted including the new one."""
    parts, subjects = [], subjects_of(tx, row)
    context = ChangeContext(tx, services, actor_of(row), dry_run=True)
    for ref, _name in subjects:
        if row.action == ScheduleAction.SCRUB:
            parts.append(scrub(context, ref).plan)
            continue
        with tx.begin_nested() as point:
            parts.append(take(context, row, tx.get_one(Volume, ref)).plan)
            extra = _after_one_more(tx, row, ref, services.identities.id())
            parts += [snapshots.delete(context, one, keep=False).plan for one in extra]
            point.rollback()
    return planner.plan_run(row.name, ScheduleAction(row.action), [name for _, name in subjects], parts)


def _after_one_more(tx: Session, row: Schedule, volume_id: str, new: str) -> list[str]:
    """The result of `too_many` after one more snapshot, with the ID `new`. The caller rolls back."""
    made = Snapshot(
        id=new, name=new, volume_id=volume_id, size_bytes=0, backing_name="", state=ResourceState.READY.value
    )
    tx.add(made)
    tx.flush()
    tx.add(ScheduledSnapshot(snapshot_id=made.id, schedule_id=row.id, volume_id=volume_id))
    tx.flush()
    return too_many(tx, row, volume_id)[0]


def _facts(tx: Session, name: str, volumes: Sequence[str], arrays: Sequence[str], but: str = "") -> ScheduleFacts:
    subjects: dict[str, Subject] = {}
    engines = dict(tx.execute(select(Array.id, Array.engine)).all()) if volumes else {}
    for reference, volume in by_reference(tx, Volume, volumes).items():
        engine = ArrayEngine(engines[volume.array_id])
        subjects[reference] = planner.volume_subject(volume.id, volume.name, Provisioning(volume.provisioning), engine)
    for reference, array in by_reference(tx, Array, arrays).items():
        subjects[reference] = planner.array_subject(array.id, array.name, ArrayEngine(array.engine), Level(array.level))
    return ScheduleFacts(name_taken(tx, Schedule, name, but=but), subjects, zone_of(tx), utc_now())


def _write(row: Schedule, spec: ScheduleCreate, chosen: Iterable[Subject], services: Services) -> None:
    row.name, row.action, row.when = spec.name, spec.action.value, spec.when
    row.keep = spec.keep.model_dump(mode="json") if spec.keep else None
    row.snapshot_name, row.missed = spec.snapshot_name, spec.missed.value
    row.enabled, row.description = spec.enabled, spec.description
    is_volume = spec.action is ScheduleAction.SNAPSHOT
    row.subjects = [
        ScheduleSubject(
            id=services.identities.id(),
            position=position,
            volume_id=one.id if is_volume else None,
            array_id=None if is_volume else one.id,
        )
        for position, one in enumerate(chosen)
    ]


def next_runs(row: Schedule, zone: ZoneInfo, now: dt.datetime, count: int) -> tuple[dt.datetime, ...]:
    """The next times a schedule runs; none while it is disabled."""
    return runs_of(row.when, zone, now, count) if row.enabled else ()


def runs_of(when: str, zone: ZoneInfo, now: dt.datetime, count: int) -> tuple[dt.datetime, ...]:
    """The next times of a cron expression."""
    return tuple(islice(upcoming(when, zone, now), count))
