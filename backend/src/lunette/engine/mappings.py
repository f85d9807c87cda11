"""Gives volumes to hosts and groups, and takes them away."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, MappingCreate, Protocol
from lunette.engine import connected, exportset
from lunette.engine.desk import Desk
from lunette.engine.lookup import by_reference, must_be_ready, need_mapping
from lunette.engine.outcome import Actor, Outcome
from lunette.planner import mappings as planner
from lunette.planner.checker import LunUse, check_luns
from lunette.planner.connected import Connected
from lunette.planner.mappings import MappableVolume, MappingFacts, NewMapping, Owner
from lunette.store.events import emit
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


def create(tx: Session, desk: Desk, actor: Actor, wishes: Sequence[MappingCreate], dry_run: bool) -> Outcome:
    """All or nothing. The hosts see the volumes within seconds of the commit."""
    facts, present = _facts(tx, wishes)
    new = planner.plan_create(wishes, facts, desk.identities)
    uses = [LunUse(owner_id=one.owner.id, volume_id=one.volume.id, lun=one.lun) for one in new.mappings]
    check_luns(new.plan.title, uses, present)
    if dry_run:
        return Outcome(plan=new.plan)
    tx.add_all(_row(one) for one in new.mappings)
    exportset.changed(tx, desk)
    ids = tuple(one.id for one in new.mappings)
    emit(tx, "mapping.created", new.plan.title, actor=actor.name, data={"ids": list(ids)})
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


def _facts(tx: Session, wishes: Sequence[MappingCreate]) -> tuple[MappingFacts, list[LunUse]]:
    volumes = by_reference(tx, Volume, (wish.volume for wish in wishes))
    hosts = by_reference(tx, Host, (wish.host for wish in wishes if wish.host is not None))
    groups = by_reference(tx, HostGroup, (wish.host_group for wish in wishes if wish.host_group is not None))
    owner_ids = {host.id for host in hosts.values()} | {group.id for group in groups.values()}
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
    names = _names(tx, {owner_id for ids in owned.values() for owner_id in ids})
    facts = MappingFacts(
        volumes={
            reference: MappableVolume(
                row.id, row.name, row.state, {key: names[key] for key in owned[row.id]}, families.get(row.id)
            )
            for reference, row in volumes.items()
        },
        hosts={ref: _owner(row, False, luns[row.id], [row]) for ref, row in hosts.items()},
        host_groups={ref: _owner(row, True, luns[row.id], _members(tx, row.id)) for ref, row in groups.items()},
        portals=Counter(Protocol(protocol).family for protocol in tx.scalars(select(Portal.protocol))),
    )
    return facts, present


def _names(tx: Session, owner_ids: set[str]) -> dict[str, str]:
    hosts = tx.execute(select(Host.id, Host.name).where(Host.id.in_(owner_ids))).all()
    groups = tx.execute(select(HostGroup.id, HostGroup.name).where(HostGroup.id.in_(owner_ids))).all()
    return dict(hosts) | dict(groups)


def _members(tx: Session, group_id: str) -> Sequence[Host]:
    ids = select(HostGroupMember.host_id).where(HostGroupMember.host_group_id == group_id)
    return tx.scalars(select(Host).where(Host.id.in_(ids))).all()


def _owner(row: Host | HostGroup, is_group: bool, luns: dict[int, str], hosts: Sequence[Host]) -> Owner:
    kinds = Counter(initiator.kind for host in hosts for initiator in host.initiators)
    return Owner(
        row.id, row.name, is_group, luns, kinds["iqn"], kinds["nqn"], frozenset(OsType(host.os_type) for host in hosts)
    )


def delete(tx: Session, desk: Desk, actor: Actor, mapping_id: str, dry_run: bool) -> Outcome:
    """Takes the volume away at once: the plan says which hosts are logged in."""
    mapping = need_mapping(tx, mapping_id)
    volume = tx.get_one(Volume, mapping.volume_id)
    must_be_ready(volume)
    owner: Host | HostGroup = (
        tx.get_one(Host, mapping.host_id) if mapping.host_id else tx.get_one(HostGroup, mapping.host_group_id)
    )
    plan = planner.plan_delete(
        volume.name, owner.name, mapping.lun, Family(mapping.family), _connected(tx, desk, mapping)
    )
    if dry_run:
        return Outcome(plan=plan)
    leaving = _leaving(tx, mapping)
    tx.delete(mapping)
    exportset.changed(tx, desk, leaving)
    emit(tx, "mapping.deleted", plan.title, actor=actor.name, ref=mapping.id)
    return Outcome(plan=plan, ids=(mapping.id,))


def _host_ids(tx: Session, mapping: Mapping) -> set[str]:
    if mapping.host_id:
        return {mapping.host_id}
    members = select(HostGroupMember.host_id).where(HostGroupMember.host_group_id == mapping.host_group_id)
    return set(tx.scalars(members))


def _target(tx: Session, mapping: Mapping) -> Target:
    owner = Target.host_id == mapping.host_id if mapping.host_id else Target.host_group_id == mapping.host_group_id
    return tx.scalars(select(Target).where(owner)).one()


def _connected(tx: Session, desk: Desk, mapping: Mapping) -> Connected:
    target, family = _target(tx, mapping), Family(mapping.family)
    name = target.iqn if family is Family.SCSI else target.nqn
    found = [session for session in connected.sessions(desk) or () if session.target == name]
    return connected.among(tx, desk, family, found, only=_host_ids(tx, mapping))


def _leaving(tx: Session, mapping: Mapping) -> list[tuple[ReleaseKind, str]]:
    """What is no longer served with this mapping: the volume if it was its last, the owner's door likewise."""
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
            HostInitiator.host_id.in_(_host_ids(tx, mapping)), HostInitiator.kind == ("iqn" if scsi else "nqn")
        )
        leaving += [(ReleaseKind.INITIATOR, initiator_id) for initiator_id in tx.scalars(initiators)]
    return leaving
