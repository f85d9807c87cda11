"""The firewall of the appliance: its desired mode and its observed state."""

from enum import StrEnum
from ipaddress import ip_address

from lunette.domain.base import Model
from lunette.domain.mappings import Protocol, is_fc_address

API_PORT = 8443
ROCE_PORT = 4791
"""UDP port of RoCE v2 (IANA `roce`). Adapters take such packets before the kernel's filters; rxe does not."""


class FirewallMode(StrEnum):
    """Mode of the firewall of the appliance."""

    MANAGED = "managed"
    """The firewall accepts only traffic to portals, the web page, API and SSH."""
    OFF = "off"
    """The firewall of Lunette filters no traffic."""


class FirewallState(StrEnum):
    """State of the firewall rules in the kernel."""

    IN_FORCE = "in_force"
    """The rules are applied."""
    OFF = "off"
    """The firewall is off and has no rules."""
    UNAVAILABLE = "unavailable"
    """The appliance lacks the software for the firewall."""
    FAILED = "failed"
    """The rules could not be applied. The agent retries automatically."""


class PortProtocol(StrEnum):
    """Transport protocol of a port."""

    TCP = "tcp"
    """TCP."""
    UDP = "udp"
    """UDP, for RoCE v2."""


class Opening(Model):
    """A port on which the firewall accepts traffic. `address` is one of the appliance; None means all addresses."""

    protocol: PortProtocol
    port: int
    address: str | None = None

    @property
    def order(self) -> tuple[str, int, str]:
        return self.address or "", self.port, self.protocol.value


class DesiredFirewall(Model):
    """Request to the agent. `mode` None: as the appliance was installed."""

    mode: FirewallMode | None = None
    api_port: int = API_PORT


class ObservedFirewall(Model):
    """The firewall as the agent last observed it. Times are seconds since the epoch."""

    mode: FirewallMode
    is_asked: bool
    """Whether the settings set the mode; otherwise the mode follows from how the appliance was installed."""
    state: FirewallState
    reason: str | None = None
    """Reason why the firewall is unavailable or failed."""
    lacking: str | None = None
    """What the appliance lacks for the firewall, as far as this is known without a trial."""
    portals: tuple[Opening, ...] = ()
    management: tuple[Opening, ...] = ()
    """Ports of the web page, API and SSH, which are open on all interfaces except those in `closed_on`."""
    closed_on: tuple[str, ...] = ()
    """Interfaces whose only role is storage."""
    kept_open_on: tuple[str, ...] = ()
    """Interfaces of this kind that stay open for management, because no other interface has an address."""
    repaired: str | None = None
    """The last unexpected change that the agent corrected."""
    repaired_at: float | None = None


def openings(protocol: Protocol, address: str, port: int) -> tuple[Opening, ...]:
    """Ports that a portal needs. RDMA arrives as RoCE v2, or as iWARP over TCP; Fibre Channel needs no port."""
    if is_fc_address(address):
        return ()
    plain = ip_address(address.partition("%")[0])
    where = None if plain.is_unspecified else str(plain)
    over_tcp = Opening(protocol=PortProtocol.TCP, port=port, address=where)
    if protocol in (Protocol.ISER, Protocol.NVME_RDMA):
        return over_tcp, Opening(protocol=PortProtocol.UDP, port=ROCE_PORT, address=where)
    return (over_tcp,)
