"""Replaces the database by a backup, without removing access from hosts.

Everything that must differ from the backup is changed in its scratch database first; then one transaction copies it, so
that a power failure leaves the state before or after.
"""

import dataclasses
from collections.abc import Iterator, Sequence

from sqlalchemy import Table, delete, or_, select, update
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine, MemberRole
from lunette.domain.backups import Difference, RowChange
from lunette.domain.base import Model
from lunette.domain.errors import Conflict, FieldProblem, Invalid
from lunette.domain.exports import ExportSet, ReleaseKind
from lunette.domain.jobs import UNFINISHED, JobKind, JobState
from lunette.domain.observations import Observation
from lunette.engine.changes import deleted_snapshots
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset, numbers
from lunette.engine.jobs import completion
from lunette.engine.journal.disk_rows import observed_roles
from lunette.planner.engines.volume_engines import hides_volumes
from lunette.planner.system.restore import Judgement, judge, releases, still_served
from lunette.store.access import ApiToken, User
from lunette.store.backup.tables import replace
from lunette.store.database import Store, after_commit
from lunette.store.journal import Job
from lunette.store.old_addresses import seal_old_addresses
from lunette.store.resources import (
    Array,
    ArrayDisk,
    FcPort,
    Host,
    HostGroup,
    HostInitiator,
    Mapping,
    Meta,
    Portal,
    ReleaseRow,
    Snapshot,
    Volume,
)
from lunette.store.schedules import Schedule, ScheduleState
from lunette.store.schema import Base, utc_now
from lunette.store.settings import SettingsRow

_OF_MANY = (JobKind.SITE_APPLY.value, JobKind.SCHEDULE_RUN.value)
"""Jobs that make others, and have no resource of their own."""
COMPARED: tuple[tuple[type[Base], str, str], ...] = (
    (Array, "array", "name"),
    (Volume, "volume", "name"),
    (Snapshot, "snapshot", "name"),
    (Host, "host", "name"),
    (HostGroup, "host group", "name"),
    (Portal, "portal", "name"),
    (FcPort, "Fibre Channel port", "wwpn"),
    (Schedule, "schedule", "name"),
    (SettingsRow, "settings", "id"),
    (User, "user", "username"),
    (ApiToken, "API token", "name"),
)
_OF_THE_MOMENT = frozenset({"version", "created_at", "updated_at", "state", "last_used_at", "listener_id"})


class Prepared(Model):
    """The effects of the restore on hosts, and warnings."""

    judgement: Judgement
    generation: int
    warnings: tuple[str, ...]


def prepare(
    scratch: Store, services: Services, served: ExportSet | None, seen: Observation, give_up: Sequence[str]
) -> Prepared:
    """Changes the scratch database as far as it must differ from the backup; the present database is not changed.

    Raises Conflict if the backup must not be restored here, Invalid if `give_up` names what is not served.
    """
    quiet = dataclasses.replace(services, wake_reconciler=lambda: None, enqueue=lambda _: None)
    with scratch.write() as tx:
        warnings = (*_end_jobs(tx, quiet), *_as_they_are(tx, served, seen), *_not_found(tx, seen))
        tx.execute(update(ScheduleState).values(anchor_at=utc_now()))
        deleted_snapshots.forget_orphans(tx)
        seal_old_addresses(tx)
    with scratch.read() as tx:
        wanted = exportset.build(tx, scratch.box)
    judgement = judge(served, wanted, give_up)
    if judgement.refusal is not None:
        raise Conflict(f"Nothing was changed: {judgement.refusal}.")
    released = _released(served, wanted, give_up)
    generation = max(wanted.generation, served.generation if served else 0) + 1
    with scratch.write() as tx:
        _leave_out(tx, judgement)
        tx.add_all(ReleaseRow(kind=kind.value, ref=id_, generation=generation) for kind, id_ in released)
    again = [f"Hosts regain access that they do not have now: {words}" for words in judgement.opens]
    return Prepared(judgement=judgement, generation=generation, warnings=(*warnings, *again))


def restore(context: ChangeContext, scratch: Store, prepared: Prepared) -> None:
    """Replaces the database by the scratch database. Raises Conflict while a job runs or waits."""
    tx = context.tx
    under_way = tx.scalars(select(Job.title).where(Job.state.in_(UNFINISHED))).first()
    if under_way is not None:
        raise Conflict(f"Nothing was changed: the job '{under_way}' is under way. Wait for its end, then repeat.")
    now = exportset.generation(tx)
    in_use = numbers.in_use(tx)
    with scratch.engine.connect() as rows:
        replace(tx, rows)
    generation = max(prepared.generation, now + 1)
    tx.get_one(Meta, "export_generation").value = str(generation)
    numbers.take_over(tx, in_use, generation)
    tx.execute(update(ReleaseRow).values(generation=generation))
    context.emit("appliance.restored", "The database was restored from a backup")
    after_commit(tx, context.services.wake_reconciler)


def differences(now: Session, then: Session) -> Iterator[Difference]:
    """What is in one database and not in the other, or not the same, by the names of people."""
    for table, noun, label in COMPARED:
        here, there = _by_id(now, table.__table__), _by_id(then, table.__table__)  # type: ignore[arg-type]
        for id_ in there.keys() - here.keys():
            yield Difference(noun=noun, name=str(there[id_][label]), change=RowChange.RETURNS)
        for id_ in here.keys() - there.keys():
            yield Difference(noun=noun, name=str(here[id_][label]), change=RowChange.FORGOTTEN)
        for id_ in here.keys() & there.keys():
            if here[id_] != there[id_]:
                yield Difference(noun=noun, name=str(there[id_][label]), change=RowChange.CHANGES)


def _by_id(tx: Session, table: Table) -> dict[str, dict[str, object]]:
    rows = tx.execute(select(table)).mappings()
    return {row["id"]: {key: row[key] for key in row if key not in _OF_THE_MOMENT} for row in rows}


def _end_jobs(tx: Session, services: Services) -> Iterator[str]:
    """Jobs that were running then are not continued: their disks may hold other data now."""
    for job in tx.scalars(select(Job).where(Job.state.in_(UNFINISHED)).order_by(Job.created_at)).all():
        job.state, job.finished_at = JobState.FAILED.value, utc_now()
        job.message = (
            "it was running when the backup was created; after the restore it was neither continued nor rolled back"
        )
        if job.kind not in _OF_MANY:
            completion.taken_back(tx, services, job)
        yield f"The job '{job.title}' was running when the backup was created and is not continued: check its result"


def _as_they_are(tx: Session, served: ExportSet | None, seen: Observation) -> Iterator[str]:
    """Older rows do not revert what jobs changed since: the disks of an array, the size of a volume."""
    names = {row.id: row.name for row in tx.scalars(select(Array))}
    serials = {disk.id: disk.serial for disk in seen.disks}
    for array in served.arrays if served else ():
        rows = tx.scalars(select(ArrayDisk).where(ArrayDisk.array_id == array.array_id)).all()
        if array.array_id not in names or {row.disk_id for row in rows} == set(array.members):
            continue
        known = {row.disk_id: row.serial for row in rows}
        roles = {row.disk_id: row.role for row in rows} | observed_roles(seen, array.uuid)
        elsewhere = or_(ArrayDisk.array_id == array.array_id, ArrayDisk.disk_id.in_(array.members))
        tx.execute(delete(ArrayDisk).where(elsewhere))
        tx.add_all(
            ArrayDisk(
                disk_id=id_,
                array_id=array.array_id,
                serial=serials.get(id_, known.get(id_, "")),
                slot=slot,
                role=roles.get(id_, MemberRole.DATA.value),
                write_mostly=id_ in array.write_mostly,
            )
            for slot, id_ in enumerate(array.members)
        )
        tx.execute(update(Array).where(Array.id == array.array_id).values(growing=True))  # possibly; it is checked
        yield f"Array {names[array.array_id]} keeps its current disks"
    sizes = {volume.volume_id: volume.size_bytes for volume in seen.volumes}
    for row in tx.scalars(select(Volume).order_by(Volume.name)):
        if sizes.get(row.id, row.size_bytes) != row.size_bytes:
            row.size_bytes = sizes[row.id]
            yield f"Volume {row.name} keeps its current size"


def _not_found(tx: Session, seen: Observation) -> Iterator[str]:
    """Arrays whose disks are not all present, and volumes that a running array does not contain."""
    here = {link for disk in seen.disks for link in (disk.id, *disk.links)}
    for array in tx.scalars(select(Array).order_by(Array.name)) if not seen.hides_disks() else ():
        wanted = [disk.disk_id for disk in array.disks]
        there = sum(disk_id in here for disk_id in wanted)
        if there < len(wanted):
            yield f"Array {array.name}: {there} of its {len(wanted)} disks are present"
    running = {pool.group for pool in seen.groups}
    volumes = {volume.volume_id for volume in seen.volumes}
    query = select(Volume, Array.engine, Array.group_name).join(Array, Array.id == Volume.array_id)
    for volume, engine, group in tx.execute(query.order_by(Volume.name)):
        is_hidden = hides_volumes(seen, ArrayEngine(engine), group)
        if group in running and volume.id not in volumes and not is_hidden:
            yield f"Volume {volume.name} is no longer on its array"


def _released(served: ExportSet | None, wanted: ExportSet, give_up: Sequence[str]) -> Sequence[tuple[ReleaseKind, str]]:
    unknown = sorted(set(give_up) - {one.id for one in still_served(served, wanted)})
    if unknown:
        message = f"{unknown[0][:100]} is not exported, or it is in the backup"
        raise Invalid(
            f"Nothing was changed: {message}. A dry run lists the exports that can be removed.",
            errors=(FieldProblem(field="give_up", value=unknown[0][:100], message=message),),
        )
    return releases(served, wanted, give_up) if served else ()


def _leave_out(tx: Session, judgement: Judgement) -> None:
    tables: dict[str, type[Mapping | HostInitiator]] = {"mapping": Mapping, "initiator": HostInitiator}
    for one in judgement.left_out:
        tx.execute(delete(tables[one.noun]).where(tables[one.noun].id == one.id))
