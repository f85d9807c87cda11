"""Plans for portals: an address of this machine, on a port that is not in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from lunette.domain import rdma
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import ExportEngine, Family, PortalCreate, Protocol, is_everywhere, is_fc_address
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
    if spec.protocol is Protocol.NVME_FC or is_fc_address(spec.address):
        _check_fc(findings, spec)
    else:
        _check_address(findings, spec, seen, is_served=not unserved)
    where = shown(spec.address, spec.wanted_port)
    for other in present:
        if _overlap(spec, other):
            place = shown(other.address, other.port)
            message = f"portal {other.name} already listens on {place}; use another port"
            findings.add(Conflict, "address", where, message)
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


def _overlap(spec: PortalCreate, other: KnownPortal) -> bool:
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

    LIO closes the listening socket and no connection (iscsit_tpg_del_network_portal, Linux 6.12); nvmet and SPDK end
    every connection of a port with it (nvmet_port_del_ctrls; nvmf_subsystem_remove_listener).
    """
    where, family = shown(portal.address, portal.port), Protocol(portal.protocol).family
    changes = [PlannedChange(action=Action.DESTROY, noun="portal", name=portal.name, detail=f"{where} is closed")]
    action, detail = Action.INTERRUPT, f"loses its connections through {where}"
    if family is Family.SCSI:
        action = Action.CHANGE
        detail = f"remains logged in through {where} until that connection ends, and cannot log in there again"
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
