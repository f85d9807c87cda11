"""Creates, changes and deletes host groups."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import HostGroupCreate, HostGroupPatch
from lunette.domain.identity import KeptIdentity
from lunette.domain.plans import Plan
from lunette.engine.changes import hosts, mappings
from lunette.engine.changes.hosts import mapped
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset, numbers, sharing
from lunette.engine.records.recording import recorded
from lunette.planner.access import host_groups as planner
from lunette.planner.access.host_groups import GroupFacts, KnownGroup
from lunette.planner.access.hosts import NewTarget
from lunette.store.resources import Host, HostGroup, HostGroupMember, Mapping, Target


def create(context: ChangeContext, spec: HostGroupCreate, kept: KeptIdentity | None = None) -> Outcome:
    """Creates a group; a group that is restored after a deletion gets the names it had (`kept`)."""
    tx = context.tx
    facts = _facts(tx, context.services, spec.name, spec.hosts)
    new = planner.plan_create(spec, facts, context.services.identities, exportset.meta(tx, "appliance_id"))
    if kept:
        new = replace(new, id=kept.owner_id, target=NewTarget.again(kept))
    if context.dry_run:
        return Outcome(plan=new.plan)
    with recorded(context, "host_group.created", new.plan, [new.id]):
        members = [HostGroupMember(host_id=host_id) for host_id in new.host_ids]
        row = HostGroup(id=new.id, name=spec.name, description=spec.description, members=members)
        row.opens_without_missing_after_s = spec.opens_without_missing_after_s
        tx.add(row)
        tx.flush()
        tx.add(
            Target(
                id=new.target.id,
                host_group_id=new.id,
                iqn=new.target.iqn,
                nqn=new.target.nqn,
                subsystem=new.target.subsystem,
            )
        )
    return Outcome(plan=new.plan, ids=(new.id,))


def patch(context: ChangeContext, group_id: str, spec: HostGroupPatch) -> Outcome:
    """Changes a group; the initiators of a host that leaves are released."""
    tx = context.tx
    group = need(tx, HostGroup, group_id)
    facts = _facts(tx, context.services, spec.name, spec.hosts, group)
    patched = planner.plan_patch(_known(tx, group), spec, facts)
    shared = tx.scalars(select(Mapping).where(Mapping.host_group_id == group.id)).all()
    joining = [one.name for one in numbers.initiators(tx, patched.added)]
    plan = patched.plan.reusing(numbers.reused(tx, group.name, joining, shared))
    if context.dry_run or not plan.changes:
        return Outcome(plan=plan, ids=() if context.dry_run else (group.id,))
    with recorded(context, "host_group.changed", plan, [group.id]):
        group.name = spec.name if spec.name is not None else group.name
        group.description = spec.description if spec.description is not None else group.description
        if "opens_without_missing_after_s" in spec.model_fields_set:
            group.opens_without_missing_after_s = spec.opens_without_missing_after_s
        for member in [member for member in group.members if member.host_id in patched.removed]:
            group.members.remove(member)
        group.members.extend(HostGroupMember(host_id=host_id) for host_id in patched.added)
        group.touch()
        left = numbers.initiators(tx, patched.removed)
        numbers.hold(tx, shared, left)
        exportset.changed(tx, context.services, [(ReleaseKind.INITIATOR, initiator.id) for initiator in left])
    return Outcome(plan=plan, ids=(group.id,))


def delete(context: ChangeContext, group_id: str, *, cascade: bool = False) -> Outcome:
    """Deletes a group. With `cascade`, also its mappings; otherwise refused while it has any."""
    tx = context.tx
    group = need(tx, HostGroup, group_id)
    before = _known(tx, group)
    plan = planner.plan_delete(replace(before, mapped={}) if cascade else before)
    if cascade:
        plan = mappings.unmapped_first(context, Mapping.host_group_id == group.id, plan)
    if context.dry_run:
        return Outcome(plan=plan)
    with recorded(context, "host_group.deleted", plan, [group.id]):
        tx.delete(group)
    return Outcome(plan=plan, ids=(group.id,))


def delete_hosts(context: ChangeContext, references: Sequence[str], *, cascade: bool = False) -> Outcome:
    """Deletes hosts, all or none. With `cascade`, after they have left their groups and lost their mappings; otherwise
    refused while one has any.
    """
    tx = context.tx
    rows, plan = hosts.deletion(tx, references, freed=cascade)
    if not cascade:
        return hosts.remove(context, rows, plan)
    ids = [row.id for row in rows]
    first = Plan(title="", changes=(), steps=())
    for group in tx.scalars(_groups_of(ids)).all():
        others = tuple(member.host_id for member in group.members if member.host_id not in ids)
        first = patch(context, group.id, HostGroupPatch(hosts=others)).plan.after(first)
    first = mappings.unmapped_first(context, Mapping.host_id.in_(ids), first)
    return hosts.remove(context, rows, plan.after(first))


def _groups_of(host_ids: Sequence[str]) -> Select[HostGroup]:
    members = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id.in_(host_ids))
    return select(HostGroup).where(HostGroup.id.in_(members)).order_by(HostGroup.name)


def _facts(
    tx: Session,
    services: Services,
    name: str | None,
    references: tuple[str, ...] | None,
    group: HostGroup | None = None,
) -> GroupFacts:
    hosts = by_reference(tx, Host, references or ())
    query = (
        select(HostGroupMember.host_id, HostGroup.name)
        .join(HostGroup)
        .where(HostGroupMember.host_id.in_([host.id for host in hosts.values()]))
    )
    groups = dict(tx.execute(query).all())
    may_lose = group is not None and references is not None
    found = connected.sessions(services) if may_lose else ()
    return GroupFacts(
        name_taken=name_taken(tx, HostGroup, name, but=group.id if group else ""),
        hosts={reference: (row.id, row.name, groups.get(row.id)) for reference, row in hosts.items()},
        connected=frozenset(connected.hosts(tx, found)),
        unseen=connected.unseen(services) if may_lose else {},
        faults=sharing.of_joining(tx, services, group, hosts.values()) if group is not None else {},
    )


def _known(tx: Session, group: HostGroup) -> KnownGroup:
    members = select(Host.id, Host.name).join(HostGroupMember).where(HostGroupMember.host_group_id == group.id)
    return KnownGroup(
        id=group.id,
        name=group.name,
        description=group.description,
        members=dict(tx.execute(members).all()),
        mapped=mapped(tx, Mapping.host_group_id == group.id),
        opens_without_missing_after_s=group.opens_without_missing_after_s,
    )
