"""Creates, changes and deletes hosts. Secrets and keys are sealed before they reach a row."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from lunette.domain.dhchap import DhChap
from lunette.domain.errors import Blocker
from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import Chap, HostCreate, HostPatch
from lunette.domain.identity import KeptIdentity
from lunette.domain.mappings import Family
from lunette.domain.plans import Leaving, Plan
from lunette.engine.context import connected
from lunette.engine.context.batch import chosen
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset, numbers, sharing
from lunette.engine.records.recording import recorded
from lunette.planner.access import hosts as planner
from lunette.planner.access.hosts import HostFacts, KnownHost, NewHost, NewInitiator, NewTarget, Volumes
from lunette.store.database import store_of
from lunette.store.resources import Host, HostGroup, HostGroupMember, HostInitiator, HostLogin, Mapping, Target, Volume


def create(context: ChangeContext, spec: HostCreate) -> Outcome:
    """Creates a host."""
    return create_all(context, [(spec, None)])


def create_all(context: ChangeContext, specs: Sequence[tuple[HostCreate, KeptIdentity | None]]) -> Outcome:
    """Creates hosts, all or none. A host that is restored after a deletion gets the names it had."""
    new = [_planned(context, spec, kept) for spec, kept in specs]
    plan = functools.reduce(lambda first, one: one.after(first), (one.plan for one in new))
    if len(new) > 1:
        plan = plan.model_copy(update={"title": f"Create {len(new)} hosts"})
    if context.dry_run:
        return Outcome(plan=plan)
    ids = tuple(one.id for one in new)
    with recorded(context, "host.created", plan, ids, batch=len(ids) > 1):
        for (spec, kept), one in zip(specs, new, strict=True):
            _add(context.tx, spec, one, is_again=kept is not None)
    return Outcome(plan=plan, ids=ids)


def _planned(context: ChangeContext, spec: HostCreate, kept: KeptIdentity | None) -> NewHost:
    tx = context.tx
    names = (*spec.iqns, *spec.wwpns, *spec.nqns)
    facts = HostFacts(name_taken=name_taken(tx, Host, spec.name), initiator_owners=_initiator_owners(tx, names))
    new = planner.plan_create(spec, facts, context.services.identities, exportset.meta(tx, "appliance_id"))
    return replace(new, id=kept.owner_id, target=NewTarget.again(kept)) if kept else new


def _add(tx: Session, spec: HostCreate, new: NewHost, *, is_again: bool) -> None:
    host = Host(
        id=new.id,
        name=spec.name,
        os_type=spec.os_type.value,
        description=spec.description,
        opens_without_missing_after_s=spec.opens_without_missing_after_s,
        initiators=[_initiator(initiator) for initiator in new.initiators],
    )
    set_chap(tx, host, spec.chap)
    set_dhchap(tx, host, spec.dhchap)
    tx.add(host)
    tx.flush()
    if is_again:
        tx.add(HostLogin(host_id=new.id))
    tx.add(
        Target(
            id=new.target.id,
            host_id=new.id,
            iqn=new.target.iqn,
            nqn=new.target.nqn,
            subsystem=new.target.subsystem,
        )
    )


def patch(context: ChangeContext, host_id: str, spec: HostPatch) -> Outcome:
    """Changes a host; a removed initiator is released, so that the agent logs it out."""
    tx, services = context.tx, context.services
    host = need(tx, Host, host_id)
    names = (*(spec.iqns or ()), *(spec.wwpns or ()), *(spec.nqns or ()))
    loses_names = any(wanted is not None for wanted in (spec.iqns, spec.wwpns, spec.nqns))
    facts = HostFacts(
        name_taken=name_taken(tx, Host, spec.name, but=host.id),
        initiator_owners=_initiator_owners(tx, names),
        faults=sharing.of_another_system(tx, services, host, spec.os_type) if spec.os_type is not None else (),
    )
    if loses_names:
        facts = replace(
            facts,
            connected=connected.initiators(connected.sessions(services)),
            unseen=connected.unseen(services),
            volumes=_volumes(tx, host),
        )
    patched = planner.plan_patch(_known(tx, host), spec, facts, services.identities)
    seen = numbers.seen(tx, host.id)
    plan = patched.plan.reusing(numbers.reused(tx, host.name, [new.name for new in patched.added], seen))
    if context.dry_run or not plan.changes:
        return Outcome(plan=plan, ids=() if context.dry_run else (host.id,))
    with recorded(context, "host.changed", plan, [host.id]):
        host.name = spec.name if spec.name is not None else host.name
        host.os_type = spec.os_type.value if spec.os_type is not None else host.os_type
        host.description = spec.description if spec.description is not None else host.description
        if "opens_without_missing_after_s" in spec.model_fields_set:
            host.opens_without_missing_after_s = spec.opens_without_missing_after_s
        if "chap" in spec.model_fields_set:
            set_chap(tx, host, spec.chap)
        if "dhchap" in spec.model_fields_set:
            set_dhchap(tx, host, spec.dhchap)
        leaving = [initiator for initiator in host.initiators if initiator.name in patched.removed]
        numbers.hold(tx, seen, leaving)
        for initiator in leaving:
            host.initiators.remove(initiator)
        host.initiators.extend(_initiator(new) for new in patched.added)
        host.touch()
        exportset.changed(tx, services, [(ReleaseKind.INITIATOR, initiator.id) for initiator in leaving])
    return Outcome(plan=plan, ids=(host.id,))


def delete(context: ChangeContext, host_id: str) -> Outcome:
    """Deletes a host. Refused while it is mapped or in a group, so no export changes."""
    host = need(context.tx, Host, host_id)
    return remove(context, [host], planner.plan_delete(_known(context.tx, host)))


def deletion(tx: Session, references: Sequence[str], *, freed: bool = False) -> tuple[list[Host], Plan]:
    """Hosts, and the plan that deletes them, all or none. `freed`: they lose their mappings and leave their groups
    before, which only a volume that is being changed prevents.
    """
    rows = by_reference(tx, Host, references)

    def known(row: Host) -> KnownHost:
        return replace(_known(tx, row), mapped=(), group=None) if freed else _known(tx, row)

    def must_be_free(row: Host) -> None:
        for volume in tx.scalars(select(Volume).join(Mapping).where(Mapping.host_id == row.id)) if freed else ():
            must_be_ready(volume)

    plan = planner.plan_delete_batch(chosen(references, rows, known, must_be_free))
    return [rows[one] for one in references], plan


def remove(context: ChangeContext, rows: Sequence[Host], plan: Plan) -> Outcome:
    """Deletes hosts that have neither mappings nor a group, as one event."""
    if context.dry_run:
        return Outcome(plan=plan)
    ids = tuple(row.id for row in rows)
    with recorded(context, "host.deleted", plan, ids, batch=len(ids) > 1):
        for row in rows:
            context.tx.delete(row)
    return Outcome(plan=plan, ids=ids)


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
    """The mappings of a host, its own and those of its group."""
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
    query = select(Volume.id, Volume.name).join(Mapping).where(Mapping.host_id == host.id).order_by(Volume.name)
    mapped = [Blocker(noun="volume", id=id_, name=name) for id_, name in tx.execute(query)]
    member = select(HostGroup.id, HostGroup.name).join(HostGroupMember).where(HostGroupMember.host_id == host.id)
    groups = [Blocker(noun="host_group", id=id_, name=name) for id_, name in tx.execute(member)]
    return KnownHost(
        id=host.id,
        name=host.name,
        os_type=host.os_type,
        description=host.description,
        has_chap=host.chap_user is not None,
        has_dhchap=host.dhchap_secret_sealed is not None,
        initiators=frozenset((initiator.kind, initiator.name) for initiator in host.initiators),
        mapped=tuple(one.name for one in mapped),
        group=groups[0].name if groups else None,
        opens_without_missing_after_s=host.opens_without_missing_after_s,
        blockers=(*mapped, *groups),
    )
