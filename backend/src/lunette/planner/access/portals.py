"""Plans for portals: an address of this machine, on a port that is not in use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address

from lunette.domain import rdma
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import (
    NO_PORT,
    ExportEngine,
    Family,
    PortalCreate,
    PortalPatch,
    Protocol,
    is_everywhere,
    is_fc_address,
)
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.planner.access import firewall
from lunette.planner.access.connected import Connected
from lunette.planner.checks.findings import Findings
from lunette.planner.checks.names import check_name
from lunette.planner.engines.volume_engines import unserved_reason

SERVED_BY = {
    Protocol.ISCSI: (ExportEngine.LIO,),
    Protocol.ISER: (ExportEngine.LIO,),
    Protocol.NVME_TCP: (ExportEngine.NVMET, ExportEngine.SPDK),
    Protocol.NVME_RDMA: (ExportEngine.NVMET,),
    Protocol.NVME_FC: (ExportEngine.NVMET,),
}
"""The engines that serve each protocol, the kernel's own first: that is the default."""


@dataclass(frozen=True)
class KnownPortal:
    id: str
    name: str
    protocol: str
    address: str
    port: int
    engine: str = ""
    is_former: bool = False
    """The portal is moving away from there, and does not listen at its new place yet."""


@dataclass(frozen=True)
class NewPortal:
    id: str
    plan: Plan
    engine: ExportEngine


def plan_create(
    spec: PortalCreate,
    seen: Observation,
    name_taken: bool,
    present: Sequence[KnownPortal],
    identities: IdentitySource,
    adopted: str | None = None,
) -> NewPortal:
    """Chooses the engine of a new portal. Raises Invalid or Conflict naming the field.

    `adopted` is an NVMe subsystem that was adopted from nvmet, if there is one.
    """
    findings = Findings()
    check_name(findings, "portal", spec.name, name_taken)
    if spec.protocol is Protocol.FC:
        message = (
            "SCSI over Fibre Channel has no portals: set an HBA port to target mode instead (fc-ports). NVMe over "
            "Fibre Channel has portals: nvme-fc"
        )
        findings.add(Invalid, "protocol", spec.protocol.value, message)
        findings.refuse(f"Portal {spec.name} was not created")
    engine = spec.engine or SERVED_BY[spec.protocol][0]
    unserved = unserved_reason(seen, engine.value, spec.protocol.value)
    if unserved:
        field, value = ("engine", engine) if spec.engine else ("protocol", spec.protocol)
        findings.add(Invalid, field, value.value, unserved)
    _check_engine(findings, spec, engine, present)
    _check_adopted(findings, engine, adopted)
    _check_place(findings, spec, seen, present, is_served=not unserved)
    where = shown(spec.address, spec.wanted_port)
    findings.refuse(f"Portal {spec.name} was not created")
    by = f", served by {engine.value}" if spec.engine else ""
    opens = firewall.portal_opens(spec.protocol, spec.address, spec.wanted_port, seen)
    detail = f"{spec.protocol.value} on {where}{by}{opens}"
    plan = Plan(
        title=f"Create portal {spec.name}",
        changes=(PlannedChange(action=Action.CREATE, noun="portal", name=spec.name, detail=detail),),
        steps=(),
    )
    return NewPortal(id=identities.id(), plan=plan, engine=engine)


@dataclass(frozen=True)
class ChangedPortal:
    """The portal as it will be. `overlaps` are its own listeners that must close before it can listen there."""

    plan: Plan
    portal: KnownPortal
    is_moved: bool
    overlaps: frozenset[str]


def plan_patch(
    before: Sequence[KnownPortal],
    spec: PortalPatch,
    seen: Observation,
    name_taken: bool,
    others: Sequence[KnownPortal],
    connected: Connected,
) -> ChangedPortal:
    """Renames or moves a portal. `before` is the portal, then its former listeners with their own IDs; `connected` are
    the hosts logged in through it. Raises Invalid or Conflict naming the field.

    Unless they overlap, the new listener opens before the old one closes, so a host that knows both places loses
    nothing.
    """
    portal, findings = before[0], Findings()
    values = spec.model_dump(exclude_unset=True)
    after = replace(portal, **values)
    protocol = Protocol(portal.protocol)
    is_moved = (after.address, after.port) != (portal.address, portal.port)
    if after.name != portal.name:
        check_name(findings, "portal", after.name, name_taken)
    wanted = PortalCreate(
        name=after.name,
        protocol=protocol,
        address=after.address,
        port=after.port if after.port != NO_PORT else None,
        engine=ExportEngine(portal.engine),
    )
    if is_moved:
        _check_engine(findings, wanted, ExportEngine(portal.engine), ())
        _check_place(findings, wanted, seen, others, is_served=True)
    findings.refuse(f"Portal {portal.name} was not changed")
    same = {one.id for one in before if (one.address, one.port) == (after.address, after.port)}
    overlaps = frozenset(one.id for one in before if is_moved and one.id not in same and overlap(wanted, one))
    changes: list[PlannedChange] = []
    if after.name != portal.name:
        renamed = f"becomes {after.name}; hosts do not notice it"
        changes.append(PlannedChange(action=Action.CHANGE, noun="portal", name=portal.name, detail=renamed))
    warnings: list[str] = []
    if is_moved:
        opens = firewall.portal_opens(protocol, after.address, after.port, seen)
        changes += _moving(portal, after, connected, opens, is_closed_first=portal.id in overlaps)
        warnings += connected.warnings()
        warnings += _move_warnings(portal, after, is_closed_first=portal.id in overlaps)
    is_cut = any(change.action is Action.INTERRUPT for change in changes)
    plan = Plan(
        title=f"Change portal {portal.name}",
        changes=tuple(changes),
        steps=(),
        hosts_interrupted=connected.hosts if is_cut else (),
        warnings=tuple(warnings),
    )
    return ChangedPortal(plan=plan, portal=after, is_moved=is_moved, overlaps=overlaps)


def _moving(
    portal: KnownPortal, after: KnownPortal, connected: Connected, opens: str, *, is_closed_first: bool
) -> list[PlannedChange]:
    old, new = shown(portal.address, portal.port), shown(after.address, after.port)
    order = f"{old} is closed, then {new} opens" if is_closed_first else f"{new} opens, then {old} is closed"
    changes = [PlannedChange(action=Action.CHANGE, noun="portal", name=portal.name, detail=f"{order}{opens}")]
    action, detail = _lost(Protocol(portal.protocol).family, old)
    changes += [PlannedChange(action=action, noun="host", name=host, detail=detail) for host in connected.hosts]
    return changes


def _lost(family: Family, where: str) -> tuple[Action, str]:
    """What becomes of hosts that are logged in through a listener that closes.

    LIO closes the listening socket and no connection (iscsit_tpg_del_network_portal, Linux 6.12); nvmet and SPDK end
    every connection of a port with it (nvmet_port_del_ctrls; nvmf_subsystem_remove_listener).
    """
    if family is Family.NVME:
        return Action.INTERRUPT, f"loses its connections through {where}"
    return Action.CHANGE, f"remains logged in through {where} until that connection ends, and cannot log in there again"


def _move_warnings(portal: KnownPortal, after: KnownPortal, *, is_closed_first: bool) -> Iterator[str]:
    old, new = shown(portal.address, portal.port), shown(after.address, after.port)
    yield f"Hosts log in at {new} only when they know it: apply their setup kits again."
    if is_closed_first:
        yield (
            f"{new} and {old} overlap: the portal does not listen for a moment, and if it cannot listen on {new}, it "
            "does not listen until it is changed back."
        )


def _check_place(
    findings: Findings, spec: PortalCreate, seen: Observation, others: Sequence[KnownPortal], *, is_served: bool
) -> None:
    """Checks the address and the port, on this machine and against the listeners of other portals."""
    if spec.protocol is Protocol.NVME_FC or is_fc_address(spec.address):
        _check_fc(findings, spec)
    else:
        _check_address(findings, spec, seen, is_served=is_served)
    for other in others:
        if overlap(spec, other):
            where, wanted = shown(other.address, other.port), shown(spec.address, spec.wanted_port)
            message = f"portal {other.name} already listens on {where}; use another port"
            if other.is_former:
                message = f"portal {other.name} listens on {where} until its move ends; use another port, or try later"
            findings.add(Conflict, "address", wanted, message)


def _check_address(findings: Findings, spec: PortalCreate, seen: Observation, *, is_served: bool) -> None:
    """Checks that it is an address of this machine, and over RDMA of an RDMA device."""
    known = {str(ip_address(text.split("%")[0])) for text in seen.addresses}
    if not is_everywhere(spec.address) and spec.address not in known:
        message = (
            f"this appliance does not have the address {spec.address}; it has: {', '.join(sorted(known)) or 'none'}"
        )
        findings.add(Invalid, "address", spec.address, message)
    elif is_served and (reason := rdma.bar(spec.protocol, spec.address, seen.rdma_devices)):
        findings.add(Invalid, "address", spec.address, reason)


def _check_fc(findings: Findings, spec: PortalCreate) -> None:
    """Checks that the names of an FC port are used with its protocol, and no port number is. The engine reports whether
    the port exists: the kernel lists no ports that can be NVMe targets, and one may appear later.
    """
    if spec.protocol is not Protocol.NVME_FC:
        message = f"{spec.protocol.value} listens on an IP address; Fibre Channel port names are for nvme-fc"
        findings.add(Invalid, "address", spec.address, message)
    elif not is_fc_address(spec.address):
        message = "nvme-fc listens on a Fibre Channel port: specify its names in the form nn-0x<WWNN>:pn-0x<WWPN>"
        findings.add(Invalid, "address", spec.address, message)
    elif spec.port is not None:
        findings.add(Invalid, "port", str(spec.port), "a Fibre Channel port has no port number: omit it")


def _check_engine(findings: Findings, spec: PortalCreate, engine: ExportEngine, present: Sequence[KnownPortal]) -> None:
    """Checks the rule that a volume is served by one engine at a time, and every portal of its family leads to it
    (DESIGN R13).
    """
    if engine is ExportEngine.SPDK and is_everywhere(spec.address):
        message = (
            "SPDK reports the address it listens on to hosts that discover its subsystems, so it must be an address "
            "of this appliance: create a portal for each address"
        )
        findings.add(Invalid, "address", spec.address, message)
    for other in present:
        if Protocol(other.protocol).family is spec.protocol.family and other.engine not in ("", engine.value):
            message = (
                f"portal {other.name} is served by {other.engine}, and a volume is served by one engine at a time: "
                f"use the engine {other.engine}, or delete the other portals for its protocols first"
            )
            findings.add(Conflict, "engine", engine.value, message)
            return


def _check_adopted(findings: Findings, engine: ExportEngine, adopted: str | None) -> None:
    """SPDK has its own values for what nvmet showed."""
    if engine is ExportEngine.SPDK and adopted:
        message = (
            f"subsystem {adopted} was adopted from nvmet with identifiers that SPDK cannot present: create an nvmet "
            "portal, or map its volumes to new hosts and delete its own first"
        )
        findings.add(Conflict, "engine", engine.value, message)


def overlap(spec: PortalCreate, other: KnownPortal) -> bool:
    """Two listeners clash on one port if either listens everywhere; `::` includes IPv4 (net.ipv6.bindv6only=0).

    RDMA has ports of its own, and iSER uses one of either kind.
    """
    if spec.wanted_port != other.port or not spec.protocol.listens_on & Protocol(other.protocol).listens_on:
        return False
    if spec.address == other.address:
        return True
    if is_fc_address(spec.address) or is_fc_address(other.address):
        return False
    ours, theirs = ip_address(spec.address), ip_address(other.address)
    return any(
        wide.is_unspecified and wide.version in (6, narrow.version) for wide, narrow in ((ours, theirs), (theirs, ours))
    )


def shown(address: str, port: int) -> str:
    """An address and port in the usual notation: brackets around IPv6. A Fibre Channel port has no number."""
    if is_fc_address(address):
        return address
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def plan_delete(portal: KnownPortal, others: int, connected: Connected) -> Plan:
    """Deletes a portal. `connected` are the hosts logged in through it; `others` are the remaining portals of its
    family.
    """
    where, family = shown(portal.address, portal.port), Protocol(portal.protocol).family
    changes = [PlannedChange(action=Action.DESTROY, noun="portal", name=portal.name, detail=f"{where} is closed")]
    action, detail = _lost(family, where)
    changes += [PlannedChange(action=action, noun="host", name=host, detail=detail) for host in connected.hosts]
    warnings = list(connected.warnings())
    if others == 0:
        still = f" Currently logged in: {', '.join(connected.hosts)}." if connected.hosts else ""
        title = family.value.upper().replace("NVME", "NVMe")
        warnings.append(f"This is the last portal for {title}: no host can access such a volume without it.{still}")
    return Plan(
        title=f"Delete portal {portal.name}",
        changes=tuple(changes),
        steps=(),
        hosts_interrupted=connected.hosts if action is Action.INTERRUPT else (),
        warnings=tuple(warnings),
    )
