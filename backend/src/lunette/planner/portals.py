"""Plans for portals: an address this machine has, on a port nobody else listens on."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from lunette.domain import rdma
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import ExportEngine, PortalCreate, Protocol
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Change, Plan
from lunette.planner import firewall
from lunette.planner.connected import Connected
from lunette.planner.engines import unserved_reason
from lunette.planner.findings import Findings
from lunette.planner.names import check_name

SERVED_BY = {
    Protocol.ISCSI: (ExportEngine.LIO,),
    Protocol.ISER: (ExportEngine.LIO,),
    Protocol.NVME_TCP: (ExportEngine.NVMET, ExportEngine.SPDK),
    Protocol.NVME_RDMA: (ExportEngine.NVMET,),
}
"""The engines that serve each protocol, the kernel's own first: that is the one if none is named."""


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
    wish: PortalCreate, seen: Observation, name_taken: bool, present: Sequence[KnownPortal], identities: IdentitySource
) -> NewPortal:
    """Chooses the engine of a new portal. Raises Invalid or Conflict naming the field."""
    findings = Findings()
    check_name(findings, "portal", wish.name, name_taken)
    address = str(wish.address)
    if wish.protocol is Protocol.FC:
        message = "Fibre Channel has no portals: make a port of an HBA a target instead (fc-ports)"
        findings.add(Invalid, "protocol", wish.protocol.value, message)
        findings.refuse(f"Portal {wish.name} was not created")
    engine = wish.engine or SERVED_BY[wish.protocol][0]
    unserved = unserved_reason(seen, engine.value, wish.protocol.value)
    if unserved:
        field, value = ("engine", engine) if wish.engine else ("protocol", wish.protocol)
        findings.add(Invalid, field, value.value, unserved)
    _check_engine(findings, wish, engine, present)
    known = {str(ip_address(text.split("%")[0])) for text in seen.addresses}
    if not wish.address.is_unspecified and address not in known:
        message = f"this machine has no address {address}; it has: {', '.join(sorted(known)) or 'none'}"
        findings.add(Invalid, "address", address, message)
    elif not unserved and (reason := rdma.bar(wish.protocol, address, seen.rdma_devices)):
        findings.add(Invalid, "address", address, reason)
    for other in present:
        if _overlap(wish, other):
            message = f"portal {other.name} listens on {shown(other.address, other.port)} already; take another port"
            findings.add(Conflict, "address", shown(address, wish.wanted_port), message)
    findings.refuse(f"Portal {wish.name} was not created")
    by = f", served by {engine.value}" if wish.engine else ""
    opens = firewall.portal_opens(wish.protocol, address, wish.wanted_port, seen)
    detail = f"{wish.protocol.value} on {shown(address, wish.wanted_port)}{by}{opens}"
    plan = Plan(
        title=f"Create portal {wish.name}",
        changes=(Change(action=Action.CREATE, noun="portal", name=wish.name, detail=detail),),
        steps=(),
    )
    return NewPortal(id=identities.id(), plan=plan, engine=engine)


def _check_engine(findings: Findings, wish: PortalCreate, engine: ExportEngine, present: Sequence[KnownPortal]) -> None:
    """A volume is served by one engine at a time, and every portal of its family leads to it (DESIGN R13)."""
    if engine is ExportEngine.SPDK and wish.address.is_unspecified:
        message = (
            "SPDK tells hosts that ask for its subsystems the address it listens on, so it must be one of this "
            "machine: make a portal for each address"
        )
        findings.add(Invalid, "address", str(wish.address), message)
    for other in present:
        if Protocol(other.protocol).family is wish.protocol.family and other.engine not in ("", engine.value):
            message = (
                f"portal {other.name} is served by {other.engine}, and a volume is served by one engine at a time: "
                f"leave the engine at {other.engine}, or delete the other portals for its protocols first"
            )
            findings.add(Conflict, "engine", engine.value, message)
            return


def _overlap(wish: PortalCreate, other: KnownPortal) -> bool:
    """Two listeners clash on one port if either listens everywhere; `::` takes IPv4 too (net.ipv6.bindv6only=0).

    RDMA has ports of its own, and iSER takes one of either kind.
    """
    if wish.wanted_port != other.port or not wish.protocol.listens_on & Protocol(other.protocol).listens_on:
        return False
    theirs = ip_address(other.address)
    for wide, narrow in ((wish.address, theirs), (theirs, wish.address)):
        if wide.is_unspecified and wide.version in (6, narrow.version):
            return True
    return wish.address == theirs


def shown(address: str, port: int) -> str:
    """An address and port as people write them: brackets around IPv6."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def plan_delete(portal: KnownPortal, others: int, connected: Connected) -> Plan:
    """Stops listening. `connected` are the hosts logged in through it; `others` of its family remain."""
    where = shown(portal.address, portal.port)
    changes = [Change(action=Action.DESTROY, noun="portal", name=portal.name, detail=f"{where} closes")]
    changes += [
        Change(action=Action.INTERRUPT, noun="host", name=host, detail=f"loses its sessions through {where}")
        for host in connected.hosts
    ]
    warnings = list(connected.warnings())
    if others == 0:
        still = f" {len(connected.hosts)} hosts are logged in now." if connected.hosts else ""
        family = Protocol(portal.protocol).family.value.upper().replace("NVME", "NVMe")
        warnings.append(f"This is the last portal for {family}: no host can reach such a volume without it.{still}")
    return Plan(
        title=f"Delete portal {portal.name}",
        changes=tuple(changes),
        steps=(),
        hosts_interrupted=connected.hosts,
        warnings=tuple(warnings),
    )
