"""Creates, changes and deletes hosts. Secrets and keys are sealed before they reach a row."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from lunette.domain.dhchap import DhChap
from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import Chap, HostCreate, HostPatch
from lunette.domain.identity import KeptIdentity
from lunette.domain.mappings import Family
from lunette.domain.plans import Leaving
from lunette.engine.context import connected
from lunette.engine.context.desk import Desk
from lunette.engine.context.lookup import name_taken, need
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.exports import exportset, numbers, sharing
from lunette.engine.records.recording import recorded
from lunette.planner.access import hosts as planner
from lunette.planner.access.hosts import HostFacts, KnownHost, NewInitiator, NewTarget, Volumes
from lunette.store.database import store_of
from lunette.store.resources import Host, HostGroup, HostGroupMember, HostInitiator, Mapping, Target, Volume


def create(
    tx: Session, desk: Desk, actor: Actor, wish: HostCreate, dry_run: bool, kept: KeptIdentity | None = None
) -> Outcome:
    """Makes a host; one that comes back after a deletion is served under the names it had (`kept`)."""
    names = (*wish.iqns, *wish.wwpns, *wish.nqns)
    facts = HostFacts(name_taken=name_taken(tx, Host, wish.name), initiator_owners=_initiator_owners(tx, names))
    new = planner.plan_create(wish, facts, desk.identities, exportset.meta(tx, "appliance_id"))
    if kept:
        new = replace(new, id=kept.owner_id, target=NewTarget.again(kept))
    if dry_run:
        return Outcome(plan=new.plan)
    with recorded(tx, actor, "host.created", new.plan, [new.id]):
        host = Host(
            id=new.id,
            name=wish.name,
            os_type=wish.os_type.value,
            description=wish.description,
            opens_without_missing_after_s=wish.opens_without_missing_after_s,
            initiators=[_initiator(initiator) for initiator in new.initiators],
        )
        set_chap(tx, host, wish.chap)
        set_dhchap(tx, host, wish.dhchap)
        tx.add(host)
        tx.flush()
        tx.add(
            Target(
                id=new.target.id,
                host_id=new.id,
                iqn=new.target.iqn,
                nqn=new.target.nqn,
                subsystem=new.target.subsystem,
            )
        )
    return Outcome(plan=new.plan, ids=(new.id,))


def patch(tx: Session, desk: Desk, actor: Actor, host_id: str, wish: HostPatch, dry_run: bool) -> Outcome:
    """Changes a host; an initiator that leaves is released, so that the agent logs it out."""
    host = need(tx, Host, host_id)
    names = (*(wish.iqns or ()), *(wish.wwpns or ()), *(wish.nqns or ()))
    loses_names = any(wanted is not None for wanted in (wish.iqns, wish.wwpns, wish.nqns))
    facts = HostFacts(
        name_taken=name_taken(tx, Host, wish.name, but=host.id),
        initiator_owners=_initiator_owners(tx, names),
        faults=sharing.of_another_system(tx, desk, host, wish.os_type) if wish.os_type is not None else (),
    )
    if loses_names:
        facts = replace(
            facts,
            connected=connected.initiators(connected.sessions(desk)),
            unseen=connected.unseen(desk),
            volumes=_volumes(tx, host),
        )
    patched = planner.plan_patch(_known(tx, host), wish, facts, desk.identities)
    seen = numbers.seen(tx, host.id)
    plan = patched.plan.reusing(numbers.reused(tx, host.name, [new.name for new in patched.added], seen))
    if dry_run or not plan.changes:
        return Outcome(plan=plan, ids=() if dry_run else (host.id,))
    with recorded(tx, actor, "host.changed", plan, [host.id]):
        host.name = wish.name if wish.name is not None else host.name
        host.os_type = wish.os_type.value if wish.os_type is not None else host.os_type
        host.description = wish.description if wish.description is not None else host.description
        if "opens_without_missing_after_s" in wish.model_fields_set:
            host.opens_without_missing_after_s = wish.opens_without_missing_after_s
        if "chap" in wish.model_fields_set:
            set_chap(tx, host, wish.chap)
        if "dhchap" in wish.model_fields_set:
            set_dhchap(tx, host, wish.dhchap)
        leaving = [initiator for initiator in host.initiators if initiator.name in patched.removed]
        numbers.hold(tx, seen, leaving)
        for initiator in leaving:
            host.initiators.remove(initiator)
        host.initiators.extend(_initiator(new) for new in patched.added)
        host.touch()
        exportset.changed(tx, desk, [(ReleaseKind.INITIATOR, initiator.id) for initiator in leaving])
    return Outcome(plan=plan, ids=(host.id,))


def delete(tx: Session, actor: Actor, host_id: str, dry_run: bool) -> Outcome:
    """Refused while the host is mapped or in a group; so nothing that is exported changes."""
    host = need(tx, Host, host_id)
    plan = planner.plan_delete(_known(tx, host))
    if dry_run:
        return Outcome(plan=plan)
    with recorded(tx, actor, "host.deleted", plan, [host.id]):
        tx.delete(host)
    return Outcome(plan=plan, ids=(host.id,))


def _initiator(new: NewInitiator) -> HostInitiator:
    return HostInitiator(id=new.id, kind=new.kind, name=new.name)


def _initiator_owners(tx: Session, names: Iterable[str]) -> dict[str, str]:
    query = select(HostInitiator.name, Host.name).join(Host).where(HostInitiator.name.in_(list(names)))
    return dict(tx.execute(query).all())


def set_chap(tx: Session, host: Host, chap: Chap | None) -> None:
    box = store_of(tx).box
    mutual = chap.mutual_secret if chap else None
    host.chap_user = chap.user if chap else None
    host.chap_secret_sealed = box.seal(chap.secret) if chap else None
    host.chap_mutual_user = chap.mutual_user if chap else None
    host.chap_mutual_secret_sealed = box.seal(mutual) if mutual else None


def set_dhchap(tx: Session, host: Host, dhchap: DhChap | None) -> None:
    box = store_of(tx).box
    mutual = dhchap.mutual_secret if dhchap else None
    host.dhchap_secret_sealed = box.seal(dhchap.secret) if dhchap else None
    host.dhchap_mutual_secret_sealed = box.seal(mutual) if mutual else None
    host.dhchap_hash = dhchap.hash.value if dhchap else None
    host.dhchap_group = dhchap.dh_group.value if dhchap else None


def _volumes(tx: Session, host: Host) -> Volumes:
    """What the host sees, by itself and through its group."""
    groups = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id == host.id)
    return mapped(tx, (Mapping.host_id == host.id) | Mapping.host_group_id.in_(groups))


def mapped(tx: Session, owned: ColumnElement[bool]) -> Volumes:
    """The volumes of some mappings, by name."""
    query = select(Mapping.family, Volume.id, Volume.name).join(Volume).where(owned).order_by(Volume.name)
    found: dict[Family, tuple[Leaving, ...]] = {}
    for word, volume_id, name in tx.execute(query):
        family = Family(word)
        found[family] = (*found.get(family, ()), Leaving(volume_id=volume_id, name=name))
    return found


def _known(tx: Session, host: Host) -> KnownHost:
    mapped = select(Volume.name).join(Mapping).where(Mapping.host_id == host.id).order_by(Volume.name)
    group = select(HostGroup.name).join(HostGroupMember).where(HostGroupMember.host_id == host.id)
    return KnownHost(
        id=host.id,
        name=host.name,
        os_type=host.os_type,
        description=host.description,
        has_chap=host.chap_user is not None,
        has_dhchap=host.dhchap_secret_sealed is not None,
        initiators=frozenset((initiator.kind, initiator.name) for initiator in host.initiators),
        mapped=tuple(tx.scalars(mapped)),
        group=tx.scalar(group),
        opens_without_missing_after_s=host.opens_without_missing_after_s,
    )
