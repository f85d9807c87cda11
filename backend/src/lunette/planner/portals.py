"""Plans for portals: an address this machine has, on a port nobody else listens on."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from lunette.domain.errors import Conflict, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import ExportEngine, PortalCreate, Protocol
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Change, Plan
from lunette.planner.connected import Connected
from lunette.planner.engines import unserved_reason
from lunette.planner.findings import Findings
from lunette.planner.names import check_name

SERVED_BY = {
    Protocol.ISCSI: ExportEngine.LIO,
    Protocol.NVME_TCP: ExportEngine.NVMET,
    Protocol.NVME_RDMA: ExportEngine.NVMET,
}
"""The engine that serves each protocol offered today."""
RDMA = (Protocol.ISER, Protocol.NVME_RDMA)


@dataclass(frozen=True)
class KnownPortal:
    id: str
    name: str
    protocol: str
    address: str
    port: int


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
    engine = SERVED_BY.get(wish.protocol)
    if engine is None:
        offered = ", ".join(protocol.value for protocol in SERVED_BY)
        message = f"protocol {wish.protocol.value} is not served by this appliance; it serves: {offered}"
        findings.add(Invalid, "protocol", wish.protocol.value, message)
    elif reason := unserved_reason(seen, engine.value, wish.protocol.value):
        findings.add(Invalid, "protocol", wish.protocol.value, reason)
    known = {str(ip_address(text.split("%")[0])) for text in seen.addresses}
    if not wish.address.is_unspecified and address not in known:
        message = f"this machine has no address {address}; it has: {', '.join(sorted(known)) or 'none'}"
        findings.add(Invalid, "address", address, message)
    for other in present:
        if _overlap(wish, other):
            message = f"portal {other.name} listens on {shown(other.address, other.port)} already; take another port"
            findings.add(Conflict, "address", shown(address, wish.wanted_port), message)
    findings.refuse(f"Portal {wish.name} was not created")
    detail = f"{wish.protocol.value} on {shown(address, wish.wanted_port)}"
    plan = Plan(
        title=f"Create portal {wish.name}",
        changes=(Change(action=Action.CREATE, noun="portal", name=wish.name, detail=detail),),
        steps=(),
    )
    return NewPortal(id=identities.id(), plan=plan, engine=engine or ExportEngine.LIO)


def _overlap(wish: PortalCreate, other: KnownPortal) -> bool:
    """Two listeners clash on one port if either listens everywhere; `::` takes IPv4 too (net.ipv6.bindv6only=0).

    RDMA has ports of its own.
    """
    if wish.wanted_port != other.port or (wish.protocol in RDMA) != (other.protocol in RDMA):
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
