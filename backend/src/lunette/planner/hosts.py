"""Plans for hosts: an initiator belongs to one host."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.hosts import HostCreate, HostPatch
from lunette.domain.identity import IdentitySource, KeptIdentity
from lunette.domain.plans import Action, Change, Plan
from lunette.planner.findings import Findings, shorten
from lunette.planner.names import check_name

KINDS = ("iqn", "wwpn", "nqn")


@dataclass(frozen=True)
class NewInitiator:
    id: str
    kind: str
    name: str


@dataclass(frozen=True)
class NewTarget:
    """The names a host or group will be served under, chosen before anything is mapped to it."""

    id: str
    iqn: str
    nqn: str

    @classmethod
    def again(cls, kept: KeptIdentity) -> "NewTarget":
        """The target it had before it was deleted, so that its hosts need not be told of another."""
        return cls(id=kept.target_id, iqn=kept.iqn, nqn=kept.nqn)


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


@dataclass(frozen=True)
class HostFacts:
    """`initiator_owners` gives the host that has an initiator name already; `connected` the names logged in now."""

    name_taken: bool
    initiator_owners: Mapping[str, str]
    connected: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PatchedHost:
    plan: Plan
    added: tuple[NewInitiator, ...]
    removed: frozenset[str]
    """Initiator names that leave."""


def plan_create(wish: HostCreate, facts: HostFacts, identities: IdentitySource, appliance_id: str) -> NewHost:
    """Chooses ids and the target name of a new host. Raises Invalid or Conflict for names that are taken."""
    findings = Findings()
    check_name(findings, "host", wish.name, facts.name_taken)
    wanted = [(kind, list(getattr(wish, f"{kind}s"))) for kind in KINDS]
    for kind, names in wanted:
        _check_initiators(findings, kind, names, facts, own="")
    findings.refuse(f"Host {wish.name} was not created")
    initiators = tuple(NewInitiator(identities.id(), kind, name) for kind, names in wanted for name in names)
    proofs = [word for word, asked in (("CHAP", wish.chap), ("DH-HMAC-CHAP", wish.dhchap)) if asked]
    with_proof = f", with {' and '.join(proofs)}" if proofs else ""
    detail = f"{len(initiators)} initiator{'s' if len(initiators) != 1 else ''}{with_proof}"
    return NewHost(
        id=identities.id(),
        plan=Plan(
            title=f"Create host {wish.name}",
            changes=(Change(action=Action.CREATE, noun="host", name=wish.name, detail=detail),),
            steps=(),
            warnings=tuple(_unproven(wish)),
        ),
        initiators=initiators,
        target=new_target(identities, appliance_id),
    )


def _unproven(wish: HostCreate) -> Iterator[str]:
    if not wish.chap and (wish.iqns or not wish.nqns):
        yield "Without CHAP, whoever claims the host's initiator name gets its volumes."
    if not wish.dhchap and wish.nqns:
        yield "Without DH-HMAC-CHAP, whoever claims the host's NQN gets its NVMe volumes."


def new_target(identities: IdentitySource, appliance_id: str) -> NewTarget:
    """The target of a host or a group."""
    return NewTarget(
        id=identities.id(), iqn=identities.target_iqn(appliance_id), nqn=identities.subsystem_nqn(appliance_id)
    )


def _check_initiators(findings: Findings, kind: str, names: Sequence[str], facts: HostFacts, own: str) -> None:
    for index, name in enumerate(names):
        owner = facts.initiator_owners.get(name)
        if names.index(name) != index:
            findings.add(Invalid, f"{kind}s[{index}]", name, f"{name} is given twice; give each initiator once")
        elif owner is not None and owner != own:
            message = f"initiator {name} belongs to host {owner}; an initiator belongs to one host"
            findings.add(Conflict, f"{kind}s[{index}]", name, message)


def plan_patch(host: KnownHost, patch: HostPatch, facts: HostFacts, identities: IdentitySource) -> PatchedHost:
    """What a change of a host comes to; an initiator that leaves is logged out."""
    findings = Findings()
    changes: list[str] = []
    if patch.name is not None and patch.name != host.name:
        check_name(findings, "host", patch.name, facts.name_taken)
        changes.append(f"name becomes {patch.name}")
    if patch.os_type is not None and patch.os_type.value != host.os_type:
        changes.append(f"operating system becomes {patch.os_type.value}")
    if patch.description is not None and patch.description != host.description:
        changes.append("new description")
    if "chap" in patch.model_fields_set and (patch.chap or host.has_chap):
        changes.append("CHAP is set anew; it is asked for at the next login" if patch.chap else "CHAP is taken away")
    if "dhchap" in patch.model_fields_set and (patch.dhchap or host.has_dhchap):
        set_anew = "DH-HMAC-CHAP is set anew; it is asked for when the host connects next"
        changes.append(set_anew if patch.dhchap else "DH-HMAC-CHAP is taken away")
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
    cut_off = bool(removed & facts.connected)
    plan = Plan(
        title=f"Change host {host.name}",
        changes=tuple(Change(action=Action.CHANGE, noun="host", name=host.name, detail=words) for words in changes),
        steps=(),
        hosts_interrupted=(host.name,) if cut_off else (),
        warnings=(f"{shorten(sorted(removed & facts.connected))} is logged in now.",) if cut_off else (),
    )
    return PatchedHost(plan=plan, added=tuple(added), removed=frozenset(removed))


def plan_delete(host: KnownHost) -> Plan:
    """Raises InUse while the host has mappings or is in a group."""
    findings = Findings()
    if host.mapped:
        message = f"it has {len(host.mapped)} mappings (volumes {shorten(host.mapped)}); delete them first"
        findings.add(InUse, "host", host.name, message)
    if host.group:
        message = f"it is a member of host group {host.group}; take it out of the group first"
        findings.add(InUse, "host", host.name, message)
    findings.refuse(f"Host {host.name} was not deleted")
    detail = "its initiators are forgotten"
    return Plan(
        title=f"Delete host {host.name}",
        changes=(Change(action=Action.DESTROY, noun="host", name=host.name, detail=detail),),
        steps=(),
    )
