"""Finishes what a reshape of an array leaves to do, automatically: what md refuses meanwhile is restored afterward.

An array row has `growing` set from the request on until nothing is left to do, so neither a restart of the API nor of
the machine loses it, however the job that started the reshape ended. Once the reshape is done, the row shows the level
that the machine reports.

It also exchanges the partial parity log of an md raid5 and a bitmap for one another, as the disks allow: decision 0060.
"""

import datetime as dt

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine, WriteHole
from lunette.domain.jobs import JobKind, JobState, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.engine.changes import array_changes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.outcome import Actor
from lunette.engine.context.services import Services
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.store.database import Store
from lunette.store.events import SYSTEM, emit
from lunette.store.journal import Job
from lunette.store.resources import Array
from lunette.store.schema import utc_now

RETRY_AFTER = dt.timedelta(minutes=10)
"""What failed is not retried before this."""


def finish(store: Store, services: Services) -> None:
    """Files the next possible job for each array that grows or has the wrong log, and clears `growing` when it is done.

    Each observation is taken when no job can run on the array any more: one from before the reshape would show nothing
    to do.
    """
    ready = Array.state == ResourceState.READY.value
    with store.read() as tx:
        growing = tx.scalars(select(Array.id).where(Array.growing, ready)).all()
        logged = tx.scalars(select(Array).where(~Array.growing, ready, Array.write_hole == WriteHole.PPL.value)).all()
        others = [row.id for row in logged if _exchange(row, services.seen())] if logged else []
    for array_id in growing:
        with store.write() as tx:
            row = tx.get(Array, array_id)
            if row is not None and row.growing and row.state == ResourceState.READY:
                _finish(tx, services, row, services.seen())
    for array_id in others:
        with store.write() as tx:
            row = tx.get(Array, array_id)
            plan = _exchange(row, services.seen()) if row is not None and row.state == ResourceState.READY else None
            if row is not None and plan is not None and not has_just_failed(tx, row, plan.title):
                array_changes.finish(ChangeContext(tx, services, Actor(name=SYSTEM)), row.id, plan)


def _exchange(row: Array, seen: Observation) -> Plan | None:
    """The change that gives the array its partial parity log exactly while its disks allow that."""
    found = next((array for array in seen.arrays if array.uuid == row.uuid), None)
    if found is None or row.growing:
        return None
    return ARRAY_ENGINES[ArrayEngine(row.engine)].plan_exchange(known(row), WriteHole(row.write_hole), found, seen)


def _finish(tx: Session, services: Services, row: Array, seen: Observation) -> None:
    found = next((array for array in seen.arrays if array.uuid == row.uuid), None)
    pool = next((pool for pool in seen.groups if pool.group == row.group_name and pool.ours), None)
    if found is None:
        return
    planning = ARRAY_ENGINES[ArrayEngine(row.engine)]
    plan = planning.plan_finish(known(row), WriteHole(row.write_hole), found, pool, seen)
    if plan is None:
        return
    if not plan.steps:
        row.growing, row.size_bytes = False, found.size_bytes
        words = f"The expansion of array {row.name} is complete"
        if row.level != found.level:
            row.level, row.write_hole = found.level, found.write_hole.value
            words = f"Array {row.name} is now {found.level}"
        emit(tx, "array.changed", words, actor=SYSTEM, ref=row.id)
    elif not has_just_failed(tx, row, plan.title):
        array_changes.finish(ChangeContext(tx, services, Actor(name=SYSTEM)), row.id, plan)


def has_just_failed(tx: Session, row: Array, title: str) -> bool:
    query = select(Job).where(
        Job.kind == JobKind.ARRAY_CHANGE.value, Job.title == title, Job.created_at > utc_now() - RETRY_AFTER
    )
    return any(row.id in job.resource_ids and job.state != JobState.SUCCEEDED for job in tx.scalars(query))
