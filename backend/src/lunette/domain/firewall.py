"""The firewall of the appliance: what it lets in, and what became of that."""

from enum import StrEnum
from ipaddress import ip_address

from lunette.domain.base import Model
from lunette.domain.mappings import Protocol, is_fc_address

API_PORT = 8443
ROCE_PORT = 4791
"""UDP port of RoCE v2 (IANA `roce`). Adapters take such packets before the kernel's filters; rxe does not."""


class FirewallMode(StrEnum):
    """managed: Lunette lets in what its portals, web page and API need, and nothing else. off: it filters nothing."""

    MANAGED = "managed"
    OFF = "off"


class FirewallState(StrEnum):
    """in_force: the kernel filters as wanted. unavailable: this machine cannot. failed: it can, and did not."""

    IN_FORCE = "in_force"
    OFF = "off"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"


class PortProtocol(StrEnum):
    TCP = "tcp"
    UDP = "udp"


class Opening(Model):
    """What is let in. `address` is one of this machine's; None is every one."""

    protocol: PortProtocol
    port: int
    address: str | None = None

    @property
    def order(self) -> tuple[str, int, str]:
        return self.address or "", self.port, self.protocol.value


class FirewallWish(Model):
    """What is asked of the agent. `mode` None: by how the machine was installed."""

    mode: FirewallMode | None = None
    api_port: int = API_PORT


class ObservedFirewall(Model):
    """What the agent's last look at the kernel came to. Times are seconds since the epoch."""

    mode: FirewallMode
    is_asked: bool
    """Somebody chose the mode; else it is that of how the machine was installed."""
    state: FirewallState
    reason: str | None = None
    """Why it is unavailable or failed."""
    lacking: str | None = None
    """What this machine lacks for it, as far as that is seen without trying."""
    portals: tuple[Opening, ...] = ()
    management: tuple[Opening, ...] = ()
    """Web page, API and SSH: let in on every interface but those of `closed_on`."""
    closed_on: tuple[str, ...] = ()
    """Interfaces whose role is storage alone."""
    kept_open_on: tuple[str, ...] = ()
    """Such interfaces that stay open for management, since no other one has an address."""
    repaired: str | None = None
    """What was found changed and put right last."""
    repaired_at: float | None = None


def openings(protocol: Protocol, address: str, port: int) -> tuple[Opening, ...]:
    """What a portal needs. RDMA comes as RoCE v2, or as iWARP over the TCP port; Fibre Channel is no network."""
    if is_fc_address(address):
        return ()
    plain = ip_address(address.partition("%")[0])
    where = None if plain.is_unspecified else str(plain)
    over_tcp = Opening(protocol=PortProtocol.TCP, port=port, address=where)
    if protocol in (Protocol.ISER, Protocol.NVME_RDMA):
        return over_tcp, Opening(protocol=PortProtocol.UDP, port=ROCE_PORT, address=where)
    return (over_tcp,)
