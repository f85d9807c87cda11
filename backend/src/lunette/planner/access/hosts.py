"""Plans for hosts: an initiator belongs to one host."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lunette.domain.errors import Blocker, Conflict, InUse, Invalid
from lunette.domain.hosts import HostCreate, HostGroupPatch, HostPatch, InitiatorKind
from lunette.domain.identity import IdentitySource, KeptIdentity
from lunette.domain.mappings import Family
from lunette.domain.plans import Action, Leaving, Plan, PlannedChange
from lunette.domain.units import counted
from lunette.planner.access.connected import Connected
from lunette.planner.access.sharing import Fault
from lunette.planner.checks.batch import Chosen, check_each, titled
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name

KINDS = ("iqn", "wwpn", "nqn")
Volumes = Mapping[Family, tuple[Leaving, ...]]
"""The mapped volumes, by family."""


@dataclass(frozen=True)
class NewInitiator:
    id: str
    kind: str
    name: str


@dataclass(frozen=True)
class NewTarget:
    """The names under which a host or group will be served, chosen before anything is mapped to it."""

    id: str
    iqn: str
    nqn: str
    subsystem: str | None = None
    """As in KeptIdentity."""

    @classmethod
    def again(cls, kept: KeptIdentity) -> "NewTarget":
        """The target it had before it was deleted, so that its hosts do not need a new one."""
        return cls(id=kept.target_id, iqn=kept.iqn, nqn=kept.nqn, subsystem=kept.subsystem)


@dataclass(frozen=True)
class NewHost:
    id: str
    plan: Plan
    initiators: tuple[NewInitiator, ...]
    target: NewTarget


@dataclass(frozen=True)
class KnownHost:
    """A host of the database. `initiators` are (kind, name)."""

    id: str
    name: str
    os_type: str
    description: str
    has_chap: bool
    initiators: frozenset[tuple[str, str]]
    mapped: tuple[str, ...] = ()
    """Names of the volumes mapped to the host itself."""
    group: str | None = None
    has_dhchap: bool = False
    opens_without_missing_after_s: int | None = None
    blockers: tuple[Blocker, ...] = ()
    """The volumes mapped to the host itself, and its group."""


@dataclass(frozen=True)
class HostFacts:
    """`initiator_owners` gives the host that already has an initiator name; `connected` the names logged in now.

    `unseen` are the families whose sessions are unknown, and why; `volumes` is what the host sees, directly or through
    its group. Both are needed only if initiators may be removed.
    """

    name_taken: bool
    initiator_owners: Mapping[str, str]
    connected: frozenset[str] = frozenset()
    unseen: Mapping[Family, str] = field(default_factory=dict)
    volumes: Volumes = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    """The rules that its view would violate with the requested operating system."""


@dataclass(frozen=True)
class PatchedHost:
    plan: Plan
    added: tuple[NewInitiator, ...]
    removed: frozenset[str]
    """Initiator names that are removed."""


def plan_create(spec: HostCreate, facts: HostFacts, identities: IdentitySource, appliance_id: str) -> NewHost:
    """Chooses IDs and the target name of a new host. Raises Invalid or Conflict for names that are taken."""
    findings = Findings()
    check_name(findings, "host", spec.name, facts.name_taken)
    wanted = [(kind, list(getattr(spec, f"{kind}s"))) for kind in KINDS]
    for kind, names in wanted:
        _check_initiators(findings, kind, names, facts, own="")
    findings.refuse(f"Host {spec.name} was not created")
    initiators = tuple(NewInitiator(identities.id(), kind, name) for kind, names in wanted for name in names)
    proofs = [word for word, asked in (("CHAP", spec.chap), ("DH-HMAC-CHAP", spec.dhchap)) if asked]
    with_proof = f", with {' and '.join(proofs)}" if proofs else ""
    detail = f"{counted(len(initiators), 'initiator')}{with_proof}"
    return NewHost(
        id=identities.id(),
        plan=Plan(
            title=f"Create host {spec.name}",
            changes=(PlannedChange(action=Action.CREATE, noun="host", name=spec.name, detail=detail),),
            steps=(),
            warnings=(*_unproven(spec), *of_deadline(spec.opens_without_missing_after_s)),
        ),
        initiators=initiators,
        target=new_target(identities, appliance_id),
    )


def _unproven(spec: HostCreate) -> Iterator[str]:
    if not spec.chap and (spec.iqns or not spec.nqns):
        yield "Without CHAP, any system that uses the host's initiator name can access its volumes."
    if not spec.dhchap and spec.nqns:
        yield "Without DH-HMAC-CHAP, any system that uses the host's NQN can access its NVMe volumes."


def of_deadline(after_s: int | None) -> tuple[str, ...]:
    """Warning about a deadline that is set."""
    if after_s is None:
        return ()
    words = (
        f"After {after_s} s hosts can log in without the missing volumes, and treat these as permanently lost: ESXi "
        "declares a permanent device loss (PDL), Linux deletes an NVMe namespace. Volumes that become available "
        "later are added."
    )
    return (words,)


def new_deadline(known_s: int | None, patch: HostPatch | HostGroupPatch) -> tuple[str, ...]:
    """The change of the deadline, in words."""
    after_s = patch.opens_without_missing_after_s
    if "opens_without_missing_after_s" not in patch.model_fields_set or after_s == known_s:
        return ()
    if after_s is None:
        return ("paths wait for missing volumes without a time limit",)
    return (f"paths open without missing volumes after {after_s} s",)


def new_target(identities: IdentitySource, appliance_id: str) -> NewTarget:
    """The target of a host or a group."""
    return NewTarget(
        id=identities.id(), iqn=identities.target_iqn(appliance_id), nqn=identities.subsystem_nqn(appliance_id)
    )


def _check_initiators(findings: Findings, kind: str, names: Sequence[str], facts: HostFacts, own: str) -> None:
    for index, name in enumerate(names):
        owner = facts.initiator_owners.get(name)
        if names.index(name) != index:
            findings.add(Invalid, f"{kind}s[{index}]", name, f"{name} is listed twice; list each initiator once")
        elif owner is not None and owner != own:
            message = f"initiator {name} already belongs to host {owner}; an initiator can belong to only one host"
            findings.add(Conflict, f"{kind}s[{index}]", name, message)


def plan_patch(host: KnownHost, patch: HostPatch, facts: HostFacts, identities: IdentitySource) -> PatchedHost:
    """Changes a host; a removed initiator is logged out."""
    findings = Findings()
    changes: list[str] = []
    if patch.name is not None and patch.name != host.name:
        check_name(findings, "host", patch.name, facts.name_taken)
        changes.append(f"name becomes {patch.name}")
    if patch.os_type is not None and patch.os_type.value != host.os_type:
        changes.append(f"operating system becomes {patch.os_type.value}")
        for fault in facts.faults:
            findings.add(Conflict, "os_type", patch.os_type.value, fault.words)
    if patch.description is not None and patch.description != host.description:
        changes.append("new description")
    changes += new_deadline(host.opens_without_missing_after_s, patch)
    if "chap" in patch.model_fields_set and (patch.chap or host.has_chap):
        changes.append("CHAP changes; it is required at the next login" if patch.chap else "CHAP is removed")
    if "dhchap" in patch.model_fields_set and (patch.dhchap or host.has_dhchap):
        set_again = "DH-HMAC-CHAP changes; it is required when the host connects next"
        changes.append(set_again if patch.dhchap else "DH-HMAC-CHAP is removed")
    added: list[NewInitiator] = []
    removed: set[str] = set()
    for kind in KINDS:
        names: tuple[str, ...] | None = getattr(patch, f"{kind}s")
        if names is None:
            continue
        _check_initiators(findings, kind, names, facts, own=host.name)
        present = {name for known, name in host.initiators if known == kind}
        added += [NewInitiator(identities.id(), kind, name) for name in names if name not in present]
        removed |= present - set(names)
    findings.refuse(f"Host {host.name} was not changed")
    changes += [f"initiator {new.name} is added" for new in added]
    changes += [f"initiator {name} is removed and logged out" for name in sorted(removed)]
    plan = Plan(
        title=f"Change host {host.name}",
        changes=tuple(
            PlannedChange(action=Action.CHANGE, noun="host", name=host.name, detail=words) for words in changes
        ),
        steps=(),
    )
    plan = plan.model_copy(update=_cut_off(host, removed, facts))
    plan = plan.model_copy(update={"warnings": (*plan.warnings, *of_deadline(patch.opens_without_missing_after_s))})
    return PatchedHost(plan=plan, added=tuple(added), removed=frozenset(removed))


def _cut_off(host: KnownHost, removed: set[str], facts: HostFacts) -> dict[str, object]:
    """The impact of removed initiators: one that may be logged in loses what it sees.

    Another that stays may be another path to the same volumes, or another machine, so it does not count.
    """
    kinds = {name: kind for kind, name in host.initiators}
    families = {name: family_of(kinds[name]) for name in removed}
    logged_in = sorted(removed & facts.connected)
    lost = {families[name] for name in logged_in}
    unknown = next((why for family, why in facts.unseen.items() if family in families.values()), None)
    lost |= facts.unseen.keys() & set(families.values())
    reported = (f"{shorten(logged_in)} is logged in now.",) if logged_in else ()
    return {
        "hosts_interrupted": (host.name,) if logged_in else (),
        "warnings": (*reported, *Connected(unknown=unknown).warnings()),
        "leaving": leaving(facts.volumes, lost),
    }


def family_of(kind: str) -> Family:
    """The family in which an initiator of this kind is served."""
    return Family.NVME if kind == InitiatorKind.NQN else Family.SCSI


def leaving(volumes: Volumes, families: Collection[Family]) -> tuple[Leaving, ...]:
    """The volumes of these families, once each."""
    return tuple(dict.fromkeys(one for family in Family if family in families for one in volumes.get(family, ())))


def plan_delete(host: KnownHost) -> Plan:
    """Deletes a host. Raises InUse while it has mappings or is in a group."""
    findings = Findings()
    _check_deletion(findings, host, "host")
    findings.refuse(f"Host {host.name} was not deleted")
    return _deletion([host])


def plan_delete_batch(chosen: Sequence[Chosen[KnownHost]]) -> Plan:
    """Deletes hosts, all or none. Raises InUse, Conflict or Invalid naming each that prevents it."""
    refusal = ("No host was deleted", "Host {} was not deleted")
    return _deletion(check_each("host", chosen, refusal, _check_deletion))


def _check_deletion(findings: Findings, host: KnownHost, where: str) -> None:
    if host.mapped:
        message = f"it has {len(host.mapped)} mappings (volumes {shorten(host.mapped)}); delete them first"
        findings.add(InUse, where, host.name, message, (one for one in host.blockers if one.noun == "volume"))
    if host.group:
        message = f"it is a member of host group {host.group}; remove it from the group first"
        findings.add(InUse, where, host.name, message, (one for one in host.blockers if one.noun == "host_group"))


def _deletion(hosts: Sequence[KnownHost]) -> Plan:
    detail = "its initiators are deleted"
    return Plan(
        title=titled("Delete {} hosts", "Delete host {}", hosts),
        changes=tuple(
            PlannedChange(action=Action.DESTROY, noun="host", name=host.name, detail=detail) for host in hosts
        ),
        steps=(),
    )
