"""Network interfaces: the observed state, and the configuration that an administrator requests.

A change is on trial until it is confirmed: an administrator who loses access to the appliance regains it by waiting.
"""

from enum import StrEnum
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from lunette.domain.base import Model

TRIAL_S = 60
"""How long a change waits to be confirmed; image/server's lunette-network-revert.timer says the same."""
INTERFACE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$"
"""What the kernel takes as the name of an interface (15 bytes), as far as it is safe in a file name."""


def _written(value: object) -> object:
    """Python's own types take numbers, and even truth values, for addresses."""
    if isinstance(value, int | float):
        raise ValueError("expected an address as text, such as 192.0.2.10")
    return value


IpAddress = Annotated[IPv4Address | IPv6Address, BeforeValidator(_written)]
Address = Annotated[IPv4Interface | IPv6Interface, BeforeValidator(_written)]
"""An address and the length of its network's prefix: 192.0.2.10/24."""
InterfaceName = Annotated[str, Field(pattern=INTERFACE_PATTERN)]
NTP_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9.:-]*$"
NtpServer = Annotated[str, Field(max_length=253, pattern=NTP_PATTERN)]
"""An address, or a name that DNS knows."""
Addresses = Annotated[tuple[Address, ...], Field(max_length=16)]
DnsServers = Annotated[tuple[IpAddress, ...], Field(max_length=3)]
NtpServers = Annotated[tuple[NtpServer, ...], Field(max_length=4)]
MtuBytes = Annotated[int, Field(ge=68, le=65535)]


class InterfaceRole(StrEnum):
    """Role of a network interface."""

    MANAGEMENT = "management"
    """Access to the web page and the API. The gateway is the default route of the appliance."""
    STORAGE = "storage"
    """Access of hosts to volumes. The gateway is used only for replies to hosts.

    With the firewall mode `managed`, the web page, API and SSH do not respond on the interface, unless only interfaces
    of this role have an address.
    """
    BOTH = "both"
    """Management and storage. The gateway is the default route of the appliance."""

    @property
    def serves(self) -> bool:
        """Whether hosts reach volumes through it."""
        return self is not InterfaceRole.MANAGEMENT


class InterfaceKind(StrEnum):
    """Kind of a network interface that Lunette can create."""

    VLAN = "vlan"
    """VLAN on another interface."""
    BOND = "bond"
    """Several interfaces that act as one."""


class BondMode(StrEnum):
    """Mode of a bond, as the Linux kernel names it."""

    ACTIVE_BACKUP = "active-backup"
    """One interface carries all traffic, and another replaces it after a failure. Any switch is suitable."""
    LACP = "802.3ad"
    """Link aggregation with LACP (IEEE 802.3ad). The switch needs a matching LACP group."""
    XOR = "balance-xor"
    """A hash of the addresses selects the interface for each packet. The switch needs a static group."""
    ROUND_ROBIN = "balance-rr"
    """Packets are sent over all interfaces in turn. The switch needs a static group."""
    TLB = "balance-tlb"
    """Outgoing traffic is distributed by load, and one interface receives. Any switch is suitable."""
    ALB = "balance-alb"
    """Outgoing traffic and incoming IPv4 traffic are distributed by load. Any switch is suitable."""


class LacpRate(StrEnum):
    """Rate at which the switch is asked to send LACP packets."""

    SLOW = "slow"
    """Every 30 seconds."""
    FAST = "fast"
    """Every second."""


class Made(Model):
    """Composition of a VLAN or bond that Lunette created."""

    kind: InterfaceKind
    parent: InterfaceName | None = None
    vlan_id: int | None = None
    members: tuple[InterfaceName, ...] = ()
    mode: BondMode | None = None
    lacp_rate: LacpRate | None = None
    """LACP rate for 802.3ad. None for the kernel's default (slow)."""
    miimon_ms: int | None = None
    """Interval of the link checks of a bond in milliseconds."""


class InterfaceSettings(Model):
    """Configuration of an interface as Lunette stores it. `mtu_bytes` None leaves the driver's default."""

    role: InterfaceRole = InterfaceRole.MANAGEMENT
    dhcp: bool = False
    addresses: tuple[Address, ...] = ()
    gateway: IpAddress | None = None
    dns: tuple[IpAddress, ...] = ()
    ntp: tuple[NtpServer, ...] = ()
    mtu_bytes: int | None = None
    table: int | None = None
    """Number of the routing table for replies from the interface's own addresses. None if none is needed."""
    made: Made | None = None
    """Composition of a VLAN or bond that Lunette created."""
    vlans: tuple[InterfaceName, ...] = ()
    """Names of the VLANs of Lunette that the interface carries."""
    bond: InterfaceName | None = None
    """Name of the bond of Lunette to which the interface belongs. All other settings are then the bond's."""


class Configured(Model):
    """Complete configuration of an interface. If neither `addresses` nor `dhcp` is set, it has no addresses."""

    role: InterfaceRole = InterfaceRole.MANAGEMENT
    """Role of the interface."""
    dhcp: bool = False
    """Whether DHCP and, for IPv6, router advertisements assign addresses."""
    addresses: Addresses = ()
    """Static IP addresses with prefix length, such as `192.0.2.10/24`."""
    gateway: IpAddress | None = None
    """IP address of the gateway, in the network of one of `addresses`. If omitted, no gateway is set."""
    dns: DnsServers = ()
    """IP addresses of DNS servers."""
    ntp: NtpServers = ()
    """Names or IP addresses of time servers, used in addition to those that DHCP assigns."""
    mtu_bytes: MtuBytes | None = None
    """MTU in bytes. If omitted, the driver's default applies."""

    def settings(self, made: Made | None = None) -> InterfaceSettings:
        """The stored form of these settings."""
        return InterfaceSettings(made=made, **{name: getattr(self, name) for name in Configured.model_fields})


class InterfaceCreate(Configured):
    """VLAN or bond to create."""

    name: InterfaceName
    """Name of the interface, of at most 15 characters."""
    kind: InterfaceKind
    """Kind of the interface."""
    parent: InterfaceName | None = None
    """Name of the interface that carries the VLAN. Required for a VLAN only."""
    vlan_id: Annotated[int, Field(ge=1, le=4094)] | None = None
    """VLAN ID. Required for a VLAN only."""
    members: Annotated[tuple[InterfaceName, ...], Field(max_length=16)] = ()
    """Names of the interfaces that form the bond. Required for a bond only. The interfaces lose their own addresses."""
    mode: BondMode | None = None
    """Mode of a bond. If omitted, `active-backup`."""
    lacp_rate: LacpRate | None = None
    """LACP rate of a bond in mode `802.3ad`. If omitted, the kernel's default (`slow`) applies."""
    miimon_ms: Annotated[int, Field(ge=10, le=10_000)] | None = None
    """Interval of the link checks of a bond in milliseconds. If omitted, 100."""


class InterfaceChange(Model):
    """Changes to an interface. An omitted field does not change; `null` is refused except where it has a meaning.

    The first change to an interface that Lunette does not configure yet must set `addresses` or `dhcp`.
    """

    role: InterfaceRole | None = None
    """Role of the interface."""
    dhcp: bool | None = None
    """Whether DHCP and, for IPv6, router advertisements assign addresses."""
    addresses: Addresses | None = None
    """Static IP addresses with prefix length. Replaces all static addresses of the interface."""
    gateway: IpAddress | None = None
    """IP address of the gateway, in the network of one of the static addresses. `null` removes the gateway."""
    dns: DnsServers | None = None
    """IP addresses of DNS servers. Replaces the current list."""
    ntp: NtpServers | None = None
    """Names or IP addresses of time servers. Replaces the current list.

    They are used in addition to those that DHCP assigns.
    """
    mtu_bytes: MtuBytes | None = None
    """MTU in bytes. `null` restores the driver's default at the next start."""
    members: Annotated[tuple[InterfaceName, ...], Field(min_length=1, max_length=16)] | None = None
    """Names of all interfaces that form the bond. Only for a bond that Lunette created.

    Interfaces that join lose their own addresses.
    """
    portals: Annotated[tuple[str, ...], Field(max_length=256)] = ()
    """Names of the portals that may lose their address.

    The change is refused if any other portal would lose its address.
    """

    @model_validator(mode="after")
    def _says_what_cannot_be_without(self) -> "InterfaceChange":
        self._refuse_null("gateway", "mtu_bytes")
        return self

    def applied(self, before: InterfaceSettings) -> InterfaceSettings:
        """The settings with this change; null empties a gateway or an MTU."""
        update = {name: getattr(self, name) for name in self.model_fields_set - {"portals", "members"}}
        if self.members is not None and before.made is not None:
            update["made"] = before.made.model_copy(update={"members": self.members})
        return before.model_copy(update=update)


class InterfaceTrial(Model):
    """Change on trial, reverted in `left_s` seconds unless confirmed."""

    id: str
    left_s: float


class ObservedAddress(Model):
    """IP address of an interface. `dynamic`: assigned by DHCP or a router."""

    address: str
    """IP address with prefix length, such as 192.0.2.10/24."""
    dynamic: bool

    @property
    def ip(self) -> str:
        return self.address.partition("/")[0]


class ObservedInterface(Model):
    """Network interface as the kernel and systemd-networkd report it. None if a value is not reported."""

    name: str
    mac: str | None
    kind: str
    """Kind of the interface: physical, or as the kernel names it, such as vlan, bond, bridge or dummy."""
    link: bool
    """Whether the interface has a link: a cable with a device at its other end."""
    state: str
    speed_mbit_s: int | None
    mtu_bytes: int
    mtu_min_bytes: int | None
    mtu_max_bytes: int | None
    addresses: tuple[ObservedAddress, ...]
    configured_by: str | None
    """Path of the systemd-networkd file that configures the interface. None if there is none."""
    settings: InterfaceSettings | None
    """Current configuration by Lunette, on trial or confirmed. None if Lunette does not configure it."""
    reason: str | None
    """Reason why Lunette does not change the interface."""
    trial: InterfaceTrial | None
    parent: str | None = None
    """Name of the interface that carries the VLAN. None if the interface is not a VLAN."""
    vlan_id: int | None = None
    master: str | None = None
    """Name of the bond or bridge to which the interface belongs."""
