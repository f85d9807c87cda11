"""Maps volumes to hosts and host groups, and unmaps them."""

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, MappingCreate, Protocol
from lunette.domain.plans import Leaving, Plan, Unmapped
from lunette.domain.units import counted
from lunette.engine.context import connected
from lunette.engine.context.batch import chosen
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready, need_mapping
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset, numbers, sharing
from lunette.engine.records.recording import recorded
from lunette.planner.access import mappings as planner
from lunette.planner.access.connected import Connected
from lunette.planner.access.mappings import KnownMapping, MappableVolume, MappingFacts, NewMapping, Owner
from lunette.planner.access.numbers import HeldNumbers
from lunette.planner.checks.checker import LunUse, check_luns
from lunette.store.events import emit
from lunette.store.journal import Job
from lunette.store.resources import (
    Host,
    HostGroup,
    HostGroupMember,
    HostInitiator,
    Mapping,
    Portal,
    Target,
    Volume,
)
from lunette.store.settings import read_settings


def create(
    context: ChangeContext,
    specs: Sequence[MappingCreate],
    kept_ids: Sequence[str] | None = None,
) -> Outcome:
    """Creates mappings, all or none. The hosts see the volumes within seconds of the commit."""
    tx, services = context.tx, context.services
    facts, present = _facts(tx, services, specs)
    new = planner.plan_create(specs, facts, services.identities)
    uses = [LunUse(owner_id=one.owner.id, volume_id=one.volume.id, lun=one.lun) for one in new.mappings]
    check_luns(new.plan.title, uses, present)
    if kept_ids:
        again = tuple(replace(one, id=id_) for one, id_ in zip(new.mappings, kept_ids, strict=True))
        new = replace(new, mappings=again)
    if context.dry_run:
        return Outcome(plan=new.plan)
    ids = tuple(one.id for one in new.mappings)
    with recorded(context, "mapping.created", new.plan, ids, batch=True):
        rows = [_row(one) for one in new.mappings]
        tx.add_all(rows)
        numbers.given(tx, rows)
        exportset.changed(tx, services)
    return Outcome(plan=new.plan, ids=ids)


def _row(new: NewMapping) -> Mapping:
    return Mapping(
        id=new.id,
        volume_id=new.volume.id,
        host_id=None if new.owner.is_group else new.owner.id,
        host_group_id=new.owner.id if new.owner.is_group else None,
        lun=new.lun,
        family=new.family.value,
        shared=new.shared,
    )


def _facts(tx: Session, services: Services, specs: Sequence[MappingCreate]) -> tuple[MappingFacts, list[LunUse]]:
    volumes = by_reference(tx, Volume, (spec.volume for spec in specs))
    hosts = by_reference(tx, Host, (spec.host for spec in specs if spec.host is not None))
    groups = by_reference(tx, HostGroup, (spec.host_group for spec in specs if spec.host_group is not None))
    owner_ids = {host.id for host in hosts.values()} | {group.id for group in groups.values()}
    kin, others = _kin(tx, owner_ids)
    owner_ids |= {related for ids in others.values() for related in ids}
    volume_ids = {row.id for row in volumes.values()}
    owner = func.coalesce(Mapping.host_id, Mapping.host_group_id)
    query = (
        select(owner, Volume.id, Volume.name, Mapping.lun, Mapping.family)
        .select_from(Mapping)
        .join(Volume)
        .where(owner.in_(owner_ids) | Volume.id.in_(volume_ids))
    )
    present: list[LunUse] = []
    luns: dict[str, dict[int, str]] = defaultdict(dict)
    owned: dict[str, list[str]] = defaultdict(list)
    families: dict[str, Family] = {}
    for owner_id, volume_id, name, lun, family in tx.execute(query):
        present.append(LunUse(owner_id=owner_id, volume_id=volume_id, lun=lun))
        luns[owner_id][lun] = name
        owned[volume_id].append(owner_id)
        families[volume_id] = Family(family)
    names, systems = _names(tx, {one for ids in owned.values() for one in ids}), sharing.running(tx, volume_ids)
    held = numbers.held(tx, {row.id for rows in (hosts, groups) for row in rows.values()})
    owners = {ref: _owner(row, [row], luns, kin, others, held) for ref, row in hosts.items()}
    group_owners = {ref: _owner(row, _members(tx, row.id), luns, kin, others, held) for ref, row in groups.items()}
    sizes = _block_sizes(services, (*owners.values(), *group_owners.values()))
    return MappingFacts(
        volumes={
            reference: MappableVolume(
                row.id,
                row.name,
                row.state,
                {key: names[key] for key in owned[row.id]},
                families.get(row.id),
                sizes.get(row.id),
                systems[row.id],
            )
            for reference, row in volumes.items()
        },
        hosts=owners,
        host_groups=group_owners,
        portals=Counter(Protocol(protocol).family for protocol in tx.scalars(select(Portal.protocol))),
    ), present


def _block_sizes(services: Services, owners: Iterable[Owner]) -> sharing.Sizes:
    return sharing.block_sizes(services, [os_type for owner in owners for os_type in owner.os_types])


def _names(tx: Session, owner_ids: set[str]) -> dict[str, str]:
    hosts = tx.execute(select(Host.id, Host.name).where(Host.id.in_(owner_ids))).all()
    groups = tx.execute(select(HostGroup.id, HostGroup.name).where(HostGroup.id.in_(owner_ids))).all()
    return dict(hosts) | dict(groups)


def _members(tx: Session, group_id: str) -> Sequence[Host]:
    ids = select(HostGroupMember.host_id).where(HostGroupMember.host_group_id == group_id)
    return tx.scalars(select(Host).where(Host.id.in_(ids))).all()


_Kin = dict[str, set[str]]
"""The group of each host, and the hosts of each group."""


def _kin(tx: Session, owner_ids: set[str]) -> tuple[_Kin, _Kin]:
    """All mappings, and those whose LUNs are visible through the same WWPN: a port is one target."""
    wwpn = (HostInitiator.host_id == HostGroupMember.host_id) & (HostInitiator.kind == "wwpn")
    query = (
        select(HostGroupMember.host_id, HostGroupMember.host_group_id, HostInitiator.kind)
        .outerjoin(HostInitiator, wwpn)
        .where(HostGroupMember.host_id.in_(owner_ids) | HostGroupMember.host_group_id.in_(owner_ids))
    )
    kin: _Kin = defaultdict(set)
    others: _Kin = defaultdict(set)
    for host_id, group_id, wwpn_kind in tx.execute(query):
        for found in (kin, others) if wwpn_kind == "wwpn" else (kin,):
            found[host_id].add(group_id)
            found[group_id].add(host_id)
    return kin, others


def _owner(
    row: Host | HostGroup,
    hosts: Sequence[Host],
    luns: dict[str, dict[int, str]],
    kin: _Kin,
    others: _Kin,
    held: dict[str, HeldNumbers],
) -> Owner:
    kinds = Counter(initiator.kind for host in hosts for initiator in host.initiators)
    return Owner(
        row.id,
        row.name,
        isinstance(row, HostGroup),
        luns[row.id],
        kinds["iqn"],
        kinds["nqn"],
        frozenset(OsType(host.os_type) for host in hosts),
        kinds["wwpn"],
        {number: name for other in others.get(row.id, ()) for number, name in luns[other].items()},
        frozenset(kin.get(row.id, ())),
        held[row.id],
    )


def delete(context: ChangeContext, mapping_id: str) -> Outcome:
    """Unmaps a volume immediately: the plan lists the hosts that are logged in."""
    tx = context.tx
    mapping = need_mapping(tx, mapping_id)
    plan = _plan_delete(tx, context.services, mapping)
    if context.dry_run:
        return Outcome(plan=plan)
    with recorded(context, "mapping.deleted", plan, [mapping.id]):
        take_away(tx, context.services, mapping)
    return Outcome(plan=plan, ids=(mapping.id,))


def delete_batch(context: ChangeContext, ids: Sequence[str]) -> Outcome:
    """Removes mappings as one change, all or none."""
    tx, services = context.tx, context.services
    rows = {row.id: row for row in tx.scalars(select(Mapping).where(Mapping.id.in_(ids)))}

    def known(row: Mapping) -> KnownMapping:
        return KnownMapping(row.id, tx.get_one(Volume, row.volume_id).name, _owner_of(tx, row).name)

    planner.check_delete(
        chosen(ids, rows, known, lambda row: must_be_ready(tx.get_one(Volume, row.volume_id))),
    )
    plan = unmapping(tx, services, [rows[one] for one in ids])
    if not context.dry_run:
        unmap(context, [rows[one] for one in ids], plan)
    return Outcome(plan=plan, ids=() if context.dry_run else tuple(ids))


def owned(tx: Session, where: ColumnElement[bool]) -> Sequence[Mapping]:
    """The mappings that meet a condition, in a fixed order."""
    return tx.scalars(select(Mapping).where(where).order_by(Mapping.id)).all()


def unmapping(tx: Session, services: Services, rows: Sequence[Mapping]) -> Plan:
    """The plan that removes mappings, with what is needed to restore them."""
    services = replace(services, sessions=functools.cache(services.sessions))
    plan = planner.merged([_plan_delete(tx, services, row) for row in rows])
    return plan.model_copy(
        update={
            "unmapped": tuple(
                Unmapped(
                    mapping_id=row.id,
                    volume_id=row.volume_id,
                    host_id=row.host_id,
                    host_group_id=row.host_group_id,
                    lun=row.lun,
                    family=row.family,
                    shared=row.shared,
                )
                for row in rows
            )
        }
    )


def unmap(context: ChangeContext, rows: Sequence[Mapping], plan: Plan) -> None:
    """Removes the mappings of a plan, all or none, as one event."""
    with recorded(context, "mapping.deleted", plan, [row.id for row in rows], batch=True):
        for row in rows:
            take_away(context.tx, context.services, row)


def unmapped_first(context: ChangeContext, where: ColumnElement[bool], plan: Plan) -> Plan:
    """The plan, after one that removes the mappings that meet a condition. Removes them unless it is a dry run."""
    if not (rows := owned(context.tx, where)):
        return plan
    first = unmapping(context.tx, context.services, rows)
    if not context.dry_run:
        unmap(context, rows, first)
    return plan.after(first)


def remap(tx: Session, services: Services, job: Job) -> None:
    """Restores the mappings that a job had removed before it was rolled back, of the volumes that still exist."""
    rows, lost = list[Mapping](), 0
    for one in Plan.model_validate(job.plan).unmapped:
        owner = tx.get(Host, one.host_id) if one.host_id else tx.get(HostGroup, one.host_group_id)
        same = Mapping.host_id == one.host_id if one.host_id else Mapping.host_group_id == one.host_group_id
        is_taken = tx.scalar(select(Mapping.id).where(same, Mapping.lun == one.lun).limit(1)) is not None
        if tx.get(Volume, one.volume_id) is None or owner is None or is_taken:
            lost += 1
            continue
        rows.append(Mapping(id=one.mapping_id, **one.model_dump(exclude={"mapping_id"})))
        tx.add(rows[-1])
        tx.flush()
    if rows:
        numbers.given(tx, rows)
        exportset.changed(tx, services)
        words = f"{job.title}: {counted(len(rows), 'mapping')} restored"
        emit(tx, "mapping.restored", words, actor=job.actor, data={"ids": [row.id for row in rows], "job_id": job.id})
    if lost:
        words = f"{job.title}: {counted(lost, 'mapping')} not restored: the volume, host or LUN is no longer there"
        emit(tx, "mapping.restore_failed", words, actor=job.actor, data={"job_id": job.id})


def take_away(tx: Session, services: Services, mapping: Mapping) -> None:
    """Deletes the row, and exports that exist only for it. Its LUN is reserved."""
    leaving = _leaving(tx, mapping)
    numbers.hold(tx, [mapping], numbers.initiators(tx, _host_ids(tx, mapping)))
    tx.delete(mapping)
    tx.flush()
    exportset.changed(tx, services, leaving)


def _plan_delete(tx: Session, services: Services, mapping: Mapping) -> Plan:
    volume = tx.get_one(Volume, mapping.volume_id)
    must_be_ready(volume)
    leaving = Leaving(volume_id=volume.id, name=volume.name)
    return planner.plan_delete(
        leaving,
        _owner_of(tx, mapping).name,
        mapping.lun,
        Family(mapping.family),
        _connected(tx, services, mapping),
        read_settings(tx).number_held_hours,
    )


def _owner_of(tx: Session, mapping: Mapping) -> Host | HostGroup:
    return tx.get_one(Host, mapping.host_id) if mapping.host_id else tx.get_one(HostGroup, mapping.host_group_id)


def _host_ids(tx: Session, mapping: Mapping) -> set[str]:
    if mapping.host_id:
        return {mapping.host_id}
    members = select(HostGroupMember.host_id).where(HostGroupMember.host_group_id == mapping.host_group_id)
    return set(tx.scalars(members))


def _target(tx: Session, mapping: Mapping) -> Target:
    owner = Target.host_id == mapping.host_id if mapping.host_id else Target.host_group_id == mapping.host_group_id
    return tx.scalars(select(Target).where(owner)).one()


def _connected(tx: Session, services: Services, mapping: Mapping) -> Connected:
    target, family = _target(tx, mapping), Family(mapping.family)
    name = target.iqn if family is Family.SCSI else target.nqn
    found = [
        session
        for session in connected.sessions(services) or ()
        if session.target == name or (family is Family.SCSI and session.protocol is Protocol.FC)
    ]
    return connected.among(tx, services, family, found, only=_host_ids(tx, mapping))


def _leaving(tx: Session, mapping: Mapping) -> list[tuple[ReleaseKind, str]]:
    """What is no longer served without this mapping: the volume if it was its last, likewise the owner's target."""
    leaving = [(ReleaseKind.MAPPING, mapping.id)]
    others = select(Mapping.id).where(Mapping.id != mapping.id)
    if tx.scalar(others.where(Mapping.volume_id == mapping.volume_id).limit(1)) is None:
        leaving.append((ReleaseKind.VOLUME, mapping.volume_id))
    same_owner = Mapping.family == mapping.family
    same_owner &= (
        Mapping.host_id == mapping.host_id if mapping.host_id else Mapping.host_group_id == mapping.host_group_id
    )
    if tx.scalar(others.where(same_owner).limit(1)) is None:
        scsi = mapping.family == Family.SCSI
        leaving.append((ReleaseKind.TARGET if scsi else ReleaseKind.SUBSYSTEM, _target(tx, mapping).id))
        initiators = select(HostInitiator.id).where(
            HostInitiator.host_id.in_(_host_ids(tx, mapping)),
            HostInitiator.kind.in_(["iqn", "wwpn"] if scsi else ["nqn"]),
        )
        leaving += [(ReleaseKind.INITIATOR, initiator_id) for initiator_id in tx.scalars(initiators)]
    return leaving
