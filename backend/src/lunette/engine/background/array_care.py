"""Automatic maintenance of arrays: removes a disk that md has copied to another, and finishes growth."""

from sqlalchemy import select

from lunette.domain.arrays import ArrayEngine, ArrayState, MemberRole, ObservedArray
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import MemberDisk
from lunette.engine.background import array_growth, spare_groups
from lunette.engine.changes import array_changes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.outcome import Actor
from lunette.engine.context.services import Services
from lunette.engine.journal import disk_rows
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.store.database import Store
from lunette.store.resources import Array, ArrayDisk

ACTOR = Actor(name="lunette")


def name_disks(store: Store, services: Services, seen: Observation) -> None:
    """Updates the IDs of disks in arrays from a new observation, before anything is judged by them."""
    disk_rows.follow_links(store, services, seen)
    disk_rows.recognise(store, services, seen)


def tend(store: Store, services: Services, seen: Observation) -> None:
    """All automatic maintenance, based on a new observation."""
    release_replaced(store, services, seen)
    tend_spares(store, services, seen)
    spare_groups.tend(store, services, seen)
    array_growth.finish(store, services)


def tend_spares(store: Store, services: Services, seen: Observation) -> None:
    """Files a job for each array whose engine leaves spares to Lunette: a spare replaces a lost disk, or is returned.

    A failed one is not retried immediately (array_growth.RETRY_AFTER).
    """
    observed = {array.uuid: array for array in seen.arrays if any(m.role is MemberRole.SPARE for m in array.members)}
    with store.read() as tx:
        rows = tx.scalars(select(Array).where(Array.state == ResourceState.READY.value)).all()
        due = [row.id for row in rows if row.uuid in observed and _spares(row, observed[row.uuid])]
    for array_id in due:
        with store.write() as tx:
            row = tx.get(Array, array_id)
            if row is None or row.state != ResourceState.READY:
                continue
            found = next((array for array in services.seen().arrays if array.uuid == row.uuid), None)
            plan = _spares(row, found) if found else None
            if plan is not None and not array_growth.has_just_failed(tx, row, plan.title):
                array_changes.finish(ChangeContext(tx, services, ACTOR), array_id, plan)


def _spares(row: Array, found: ObservedArray) -> Plan | None:
    return ARRAY_ENGINES[ArrayEngine(row.engine)].plan_spares(known(row), found)


def release_replaced(store: Store, services: Services, seen: Observation) -> None:
    """Files a job for each replaced disk that no longer holds data of its array.

    md marks such a disk as faulty once its copy is complete, ZFS drops it; until then it works, and is left alone.
    """
    query = select(Array.id, Array.uuid, ArrayDisk.disk_id, ArrayDisk.serial).join(ArrayDisk)
    with store.read() as tx:
        leaving = tx.execute(query.where(ArrayDisk.leaving, Array.state == ResourceState.READY.value)).all()
    observed = {array.uuid: array for array in seen.arrays}
    for array_id, uuid, disk_id, serial in leaving:
        found = observed.get(uuid)
        place = next((m for m in found.members if m.disk_id == disk_id), None) if found else None
        if found is None or found.state is ArrayState.MISSING or (place is not None and place.state != "faulty"):
            continue
        with store.write() as tx:
            row = tx.get(Array, array_id)
            if row is not None and row.state == ResourceState.READY:
                disk = MemberDisk(disk_id=disk_id, serial=serial)
                array_changes.release_disk(ChangeContext(tx, services, ACTOR), array_id, disk)
