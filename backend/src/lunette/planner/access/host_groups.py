"""Plans for host groups: a host is in at most one group, and all its hosts see the group's volumes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lunette.domain.errors import Blocker, Conflict, InUse, Invalid
from lunette.domain.hosts import HostGroupCreate, HostGroupPatch
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import Family
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.units import counted
from lunette.planner.access.connected import Connected
from lunette.planner.access.hosts import NewTarget, Volumes, leaving, new_deadline, new_target, of_deadline
from lunette.planner.access.sharing import Fault
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name


@dataclass(frozen=True)
class KnownGroup:
    id: str
    name: str
    description: str
    members: Mapping[str, str]
    """Host names by host ID."""
    mapped: Volumes = field(default_factory=dict)
    opens_without_missing_after_s: int | None = None


@dataclass(frozen=True)
class GroupFacts:
    """`hosts` by the reference the spec used: (id, name, name of its group); `connected` are host names.

    `unseen` are the families whose sessions are unknown, and why.
    """

    name_taken: bool
    hosts: Mapping[str, tuple[str, str, str | None]]
    connected: frozenset[str] = frozenset()
    unseen: Mapping[Family, str] = field(default_factory=dict)
    faults: Mapping[str, Sequence[Fault]] = field(default_factory=dict)
    """By host ID, the rules that its view would violate in the group."""


@dataclass(frozen=True)
class NewGroup:
    id: str
    plan: Plan
    host_ids: tuple[str, ...]
    target: NewTarget


@dataclass(frozen=True)
class PatchedGroup:
    plan: Plan
    added: tuple[str, ...]
    removed: tuple[str, ...]
    """Host IDs."""


def plan_create(spec: HostGroupCreate, facts: GroupFacts, identities: IdentitySource, appliance_id: str) -> NewGroup:
    """Chooses IDs and the target name of a new group. Raises Invalid or Conflict for its hosts."""
    findings = Findings()
    check_name(findings, "host group", spec.name, facts.name_taken)
    host_ids = _check_members(findings, spec.hosts, facts, own="")
    findings.refuse(f"Host group {spec.name} was not created")
    detail = f"of {counted(len(host_ids), 'host')}"
    return NewGroup(
        id=identities.id(),
        plan=Plan(
            title=f"Create host group {spec.name}",
            changes=(PlannedChange(action=Action.CREATE, noun="host group", name=spec.name, detail=detail),),
            steps=(),
            warnings=of_deadline(spec.opens_without_missing_after_s),
        ),
        host_ids=host_ids,
        target=new_target(identities, appliance_id),
    )


def _check_members(findings: Findings, wanted: Sequence[str], facts: GroupFacts, own: str) -> tuple[str, ...]:
    ids: list[str] = []
    for index, reference in enumerate(wanted):
        known = facts.hosts.get(reference)
        place = f"hosts[{index}]"
        if known is None:
            findings.add(
                Invalid, place, reference, f"host {reference} was not found; use a name or ID from the list of hosts"
            )
            continue
        host_id, name, group = known
        if host_id in ids:
            findings.add(Invalid, place, reference, f"host {name} is listed twice; list each host once")
        elif group is not None and group != own:
            message = f"host {name} is already in host group {group}; a host can be in only one group"
            findings.add(Conflict, place, reference, message)
        for fault in facts.faults.get(host_id, ()):
            findings.add(Conflict, place, reference, fault.words)
        ids.append(host_id)
    return tuple(ids)


def plan_patch(group: KnownGroup, patch: HostGroupPatch, facts: GroupFacts) -> PatchedGroup:
    """Changes a group; a host that leaves loses the group's volumes."""
    findings = Findings()
    changes: list[str] = []
    if patch.name is not None and patch.name != group.name:
        check_name(findings, "host group", patch.name, facts.name_taken)
        changes.append(f"name becomes {patch.name}")
    if patch.description is not None and patch.description != group.description:
        changes.append("new description")
    changes += new_deadline(group.opens_without_missing_after_s, patch)
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    if patch.hosts is not None:
        wanted = _check_members(findings, patch.hosts, facts, own=group.name)
        added = tuple(host_id for host_id in wanted if host_id not in group.members)
        removed = tuple(host_id for host_id in group.members if host_id not in wanted)
    findings.refuse(f"Host group {group.name} was not changed")
    names = {host_id: name for host_id, name, _ in facts.hosts.values()} | dict(group.members)
    leavers = [names[host_id] for host_id in removed]
    lost = leaving(group.mapped, group.mapped)
    changes += [f"host {names[host_id]} joins" for host_id in added]
    changes += [
        f"host {name} leaves and loses access to {counted(len(lost), 'volume')} of the group" for name in leavers
    ]
    plan = Plan(
        title=f"Change host group {group.name}",
        changes=tuple(
            PlannedChange(action=Action.CHANGE, noun="host group", name=group.name, detail=c) for c in changes
        ),
        steps=(),
    )
    plan = plan.model_copy(update=_cut_off(group, leavers, facts))
    plan = plan.model_copy(update={"warnings": (*plan.warnings, *of_deadline(patch.opens_without_missing_after_s))})
    return PatchedGroup(plan=plan, added=added, removed=removed)


def _cut_off(group: KnownGroup, leavers: Sequence[str], facts: GroupFacts) -> dict[str, object]:
    """The impact of hosts that leave: a host that may be logged in loses the volumes of the group."""
    logged_in = tuple(sorted(name for name in leavers if name in facts.connected))
    unknown = next((why for family, why in facts.unseen.items() if leavers and group.mapped.get(family)), None)
    lost = group.mapped if logged_in else facts.unseen if leavers else ()
    return {
        "hosts_interrupted": logged_in,
        "warnings": Connected(unknown=unknown).warnings(),
        "leaving": leaving(group.mapped, lost),
    }


def plan_delete(group: KnownGroup) -> Plan:
    """Deletes a group. Raises InUse while it has mappings. Its hosts stay."""
    findings = Findings()
    if volumes := [one for family in group.mapped.values() for one in family]:
        names = shorten([one.name for one in volumes])
        message = f"it has {len(volumes)} mappings (volumes {names}); delete them first"
        blockers = [Blocker(noun="volume", id=one.volume_id, name=one.name) for one in volumes]
        findings.add(InUse, "host_group", group.name, message, blockers)
    findings.refuse(f"Host group {group.name} was not deleted")
    detail = f"its {len(group.members)} hosts remain"
    return Plan(
        title=f"Delete host group {group.name}",
        changes=(PlannedChange(action=Action.DESTROY, noun="host group", name=group.name, detail=detail),),
        steps=(),
    )
