"""Adopts exports that LIO and nvmet serve for other systems: rows, and a job that marks the devices below (decision
0033).

The desired state omits the exports until the job is done (`exportset`), so that no incomplete set is served.
"""

from collections.abc import Iterable

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.adopting import AdoptRequest, Foreign, Verdict
from lunette.domain.arrays import Level
from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import OsType
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.volumes import Provisioning
from lunette.engine.changes import portals
from lunette.engine.changes.hosts import set_chap, set_dhchap
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset
from lunette.engine.journal.filing import file_job
from lunette.planner import adopting as planner
from lunette.planner.adopting.facts import Facts, OwnArray
from lunette.planner.adopting.rows import NewArray, NewHost, NewVolume, Rows
from lunette.planner.checks.checker import Bounds, LunUse, check, check_luns
from lunette.store.events import emit
from lunette.store.journal import Job
from lunette.store.resources import (
    Array,
    ArrayDisk,
    DeletedVolume,
    Host,
    HostGroup,
    HostGroupMember,
    HostInitiator,
    Mapping,
    Portal,
    Target,
    Volume,
)


def adopt(context: ChangeContext, spec: AdoptRequest, foreign: Foreign) -> tuple[Outcome, Verdict]:
    """Adopts everything that can be adopted of the requested targets. Creates no job if that is nothing."""
    seen = context.services.seen()
    made = planner.plan_adopt(foreign, seen, facts_of(context.tx), context.services.identities, spec.targets)
    check(made.plan, seen, Bounds())
    new = [
        LunUse(owner_id=one.host_id or one.host_group_id or "", lun=one.lun, volume_id=one.volume_id)
        for one in made.rows.mappings
    ]
    check_luns(made.plan.title, new, ())
    if context.dry_run or not made.rows.steps:
        return Outcome(plan=made.plan), made.verdict
    serials = {disk.id: disk.serial for disk in seen.disks}
    write(context.tx, made.rows, serials)
    context.emit("site.adopting", made.plan.title, data={"targets": list(made.verdict.targets)})
    return file_job(context, JobKind.SITE_ADOPT, Outcome(plan=made.plan, ids=made.rows.ids())), made.verdict


def adopted(tx: Session, services: Services, job: Job) -> None:
    """Serves the adopted exports from now on: everything carries the mark of Lunette."""
    for array in tx.scalars(select(Array).where(Array.id.in_(job.resource_ids))):
        array.state = ResourceState.READY.value
    for volume in tx.scalars(select(Volume).where(Volume.id.in_(job.resource_ids))):
        volume.state = ResourceState.READY.value
    exportset.changed(tx, services)
    words = "it is now served by Lunette" if job.kind == JobKind.SITE_ADOPT else "it now belongs to Lunette"
    emit(tx, f"{job.resource_kind}.adopted", f"{job.title}: {words}", actor=job.actor, data={"job_id": job.id})


def not_adopted(tx: Session, services: Services, job: Job) -> None:
    """Deletes the rows; the marks were removed by the undone steps. The exports were never changed."""
    ids = job.resource_ids
    for table, column in (
        (Mapping, Mapping.id),
        (HostGroupMember, HostGroupMember.host_group_id),
        (HostGroup, HostGroup.id),
        (Host, Host.id),
        (Volume, Volume.id),
        (ArrayDisk, ArrayDisk.array_id),
        (Array, Array.id),
        (Portal, Portal.id),
    ):
        tx.execute(delete(table).where(column.in_(ids)))
    exportset.changed(tx, services, [(ReleaseKind.PORTAL, id_) for id_ in ids])
    kind = f"{job.resource_kind}.adopt_failed"
    emit(tx, kind, f"{job.title}: nothing was adopted", actor=job.actor, data={"job_id": job.id})


def facts_of(tx: Session) -> Facts:
    """The facts of the database."""
    names = {table: frozenset(tx.scalars(select(table.name))) for table in (Volume, Host, HostGroup, Portal)}
    arrays = tx.scalars(select(Array)).all()
    disks = tx.execute(select(ArrayDisk.disk_id, Array.name).join(Array)).all()
    initiators = tx.execute(select(HostInitiator.name, Host.name).join(Host)).all()
    return Facts(
        appliance_id=exportset.meta(tx, "appliance_id"),
        arrays={row.uuid: OwnArray(row.id, row.name, row.state, row.group_name) for row in arrays},
        engine_names=frozenset(row.engine_name for row in arrays),
        volumes=names[Volume],
        hosts=names[Host],
        host_groups=names[HostGroup],
        portal_names=names[Portal],
        portals=tuple(
            one for row in tx.scalars(select(Portal).order_by(Portal.name)) for one in portals.listeners(row)
        ),
        serials=_of_volumes(tx, "serial"),
        naas=_of_volumes(tx, "naa"),
        uuids=_of_volumes(tx, "uuid"),
        nguids=_of_volumes(tx, "nguid"),
        initiators=dict(initiators),
        targets=frozenset(name for column in (Target.iqn, Target.nqn) for name in tx.scalars(select(column))),
        disks=dict(disks),
    )


def _of_volumes(tx: Session, column: str) -> frozenset[str]:
    found: Iterable[str] = (
        value for table in (Volume, DeletedVolume) for value in tx.scalars(select(table.__table__.c[column]))
    )
    return frozenset(found)


def write(tx: Session, rows: Rows, serials: dict[str, str]) -> None:
    """Writes the rows, parents first. Only portals of LIO are served immediately: they change nothing for any host."""
    tx.add_all(_array(row, serials) for row in rows.arrays)
    tx.flush()
    tx.add_all(_volume(row) for row in rows.volumes)
    for host in rows.hosts:
        _add_host(tx, host)
    tx.add_all(HostGroup(id=row.id, name=row.name) for row in rows.groups)
    tx.flush()
    tx.add_all(HostGroupMember(host_id=id_, host_group_id=row.id) for row in rows.groups for id_ in row.host_ids)
    tx.add_all(
        Target(
            id=row.id,
            host_id=row.host_id,
            host_group_id=row.host_group_id,
            iqn=row.iqn,
            nqn=row.nqn,
            tag=row.tag,
            subsystem=row.subsystem.model_dump_json() if row.subsystem else None,
        )
        for row in rows.targets
    )
    served = {row.host_id for row in rows.targets}
    tx.add_all(
        Target(id=row.target_id, host_id=row.id, iqn=row.target_iqn, nqn=row.nqn)
        for row in rows.hosts
        if row.id not in served
    )
    tx.add_all(
        Mapping(
            id=row.id,
            volume_id=row.volume_id,
            host_id=row.host_id,
            host_group_id=row.host_group_id,
            lun=row.lun,
            family=row.family.value,
            shared=row.shared,
        )
        for row in rows.mappings
    )
    tx.add_all(
        Portal(
            id=row.id,
            name=row.name,
            protocol=row.protocol.value,
            engine=row.engine.value,
            address=row.address,
            port=row.port,
            adopted=row.folder,
        )
        for row in rows.portals
    )
    tx.flush()


def _array(row: NewArray, serials: dict[str, str]) -> Array:
    seen = row.seen
    return Array(
        id=row.id,
        name=row.name,
        engine=seen.engine.value,
        level=seen.level,
        uuid=seen.uuid,
        engine_name=row.engine_name,
        group_name=row.group,
        chunk_bytes=seen.chunk_bytes,
        layout=seen.layout if seen.level == Level.RAID10 else None,
        write_hole=seen.write_hole.value,
        member_bytes=seen.disk_bytes or seen.size_bytes,
        size_bytes=seen.size_bytes,
        disks=[
            ArrayDisk(
                disk_id=member.disk_id,
                serial=serials.get(member.disk_id, ""),
                slot=slot,
                role=member.role.value,
                write_mostly=member.write_mostly,
            )
            for slot, member in enumerate(seen.members)
            if member.disk_id
        ],
    )


def _volume(row: NewVolume) -> Volume:
    return Volume(
        id=row.id,
        name=row.name,
        array_id=row.array_id,
        size_bytes=row.size_bytes,
        provisioning=Provisioning.THICK.value,
        backing_name=row.backing_name,
        backstore=row.backstore.model_dump_json() if row.backstore else None,
        without_nguid=row.without_nguid,
        **row.identity.model_dump(),
    )


def _add_host(tx: Session, row: NewHost) -> None:
    """Adds a host. Its operating system is unknown, so it gets no setup kit of its own."""
    initiator = HostInitiator(id=row.initiator_id, kind=row.kind.value, name=row.initiator)
    host = Host(id=row.id, name=row.name, os_type=OsType.OTHER.value, initiators=[initiator])
    set_chap(tx, host, row.chap)
    set_dhchap(tx, host, row.dhchap)
    tx.add(host)
