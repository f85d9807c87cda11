"""Network interfaces: what the machine shows of one, and how an administrator wants it.

A change is on trial until it is confirmed: whoever cut off their own way to the appliance gets it back by waiting.
"""

from enum import StrEnum
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Annotated

from pydantic import BeforeValidator, Field

from lunette.domain.base import Model

TRIAL_S = 60
"""How long a change waits to be confirmed; image/server's lunette-network-revert.timer says the same."""
INTERFACE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$"
"""What the kernel takes as the name of an interface (15 bytes), as far as it is safe in a file name."""


def _written(value: object) -> object:
    """Python's own types take numbers, and even truth values, for addresses."""
    if isinstance(value, int | float):
        raise ValueError("an address is written as text, such as 192.0.2.10")
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
    """management: the way to the web page. storage: the way of hosts to volumes; its gateway only takes answers."""

    MANAGEMENT = "management"
    STORAGE = "storage"
    BOTH = "both"

    @property
    def serves(self) -> bool:
        """Whether hosts reach volumes through it."""
        return self is not InterfaceRole.MANAGEMENT


class InterfaceKind(StrEnum):
    """What Lunette makes itself: a VLAN of an interface, or several interfaces as one."""

    VLAN = "vlan"
    BOND = "bond"


class BondMode(StrEnum):
    """How a bond uses its members, as the kernel names it (networking/bonding.rst). 802.3ad is LACP."""

    ACTIVE_BACKUP = "active-backup"
    LACP = "802.3ad"
    XOR = "balance-xor"
    ROUND_ROBIN = "balance-rr"
    TLB = "balance-tlb"
    ALB = "balance-alb"


class LacpRate(StrEnum):
    """How often the switch is asked to tell that it is there: every 30 seconds, or every second."""

    SLOW = "slow"
    FAST = "fast"


class Made(Model):
    """What a VLAN or a bond of Lunette's consists of."""

    kind: InterfaceKind
    parent: InterfaceName | None = None
    vlan_id: int | None = None
    members: tuple[InterfaceName, ...] = ()
    mode: BondMode | None = None
    lacp_rate: LacpRate | None = None
    """For 802.3ad; the kernel's (slow) if None."""
    miimon_ms: int | None = None
    """How often the links of the members are looked at."""


class InterfaceSettings(Model):
    """How an interface is to be. `mtu_bytes` None leaves what its driver takes."""

    role: InterfaceRole = InterfaceRole.MANAGEMENT
    dhcp: bool = False
    addresses: tuple[Address, ...] = ()
    gateway: IpAddress | None = None
    dns: tuple[IpAddress, ...] = ()
    ntp: tuple[NtpServer, ...] = ()
    mtu_bytes: int | None = None
    table: int | None = None
    """Number of the routing table for answers from its own addresses, chosen once; None if it needs none."""
    made: Made | None = None
    """For a VLAN or a bond that Lunette made."""
    vlans: tuple[InterfaceName, ...] = ()
    """The VLANs of Lunette's that it carries."""
    bond: InterfaceName | None = None
    """The bond of Lunette's that it belongs to; then all else is the bond's."""


class Configured(Model):
    """How an interface that is described as a whole is to be. It has no addresses unless they, or DHCP, are given."""

    role: InterfaceRole = InterfaceRole.MANAGEMENT
    dhcp: bool = False
    addresses: Addresses = ()
    gateway: IpAddress | None = None
    dns: DnsServers = ()
    ntp: NtpServers = ()
    """Time servers; beside them those that DHCP names."""
    mtu_bytes: MtuBytes | None = None

    def settings(self, made: Made | None = None) -> InterfaceSettings:
        """The same as it is kept."""
        return InterfaceSettings(made=made, **{name: getattr(self, name) for name in Configured.model_fields})


class InterfaceCreate(Configured):
    """The wish for a VLAN or a bond."""

    name: InterfaceName
    kind: InterfaceKind
    parent: InterfaceName | None = None
    """Of a VLAN: the interface that carries it."""
    vlan_id: Annotated[int, Field(ge=1, le=4094)] | None = None
    members: Annotated[tuple[InterfaceName, ...], Field(max_length=16)] = ()
    """Of a bond."""
    mode: BondMode | None = None
    """Of a bond; active-backup if not given."""
    lacp_rate: LacpRate | None = None
    miimon_ms: Annotated[int, Field(ge=10, le=10_000)] | None = None
    """Of a bond; 100 if not given."""


class InterfaceChange(Model):
    """Another way for an interface to be; an absent field stays. The first one says where its addresses come from."""

    role: InterfaceRole | None = None
    dhcp: bool | None = None
    addresses: Addresses | None = None
    gateway: IpAddress | None = None
    dns: DnsServers | None = None
    ntp: NtpServers | None = None
    mtu_bytes: MtuBytes | None = None
    members: Annotated[tuple[InterfaceName, ...], Field(min_length=1, max_length=16)] | None = None
    """Of a bond of Lunette's: those it is to have from now on."""
    portals: Annotated[tuple[str, ...], Field(max_length=256)] = ()
    """Names of portals whose address may go."""

    def applied(self, before: InterfaceSettings) -> InterfaceSettings:
        """The settings with this change; null empties a gateway or an MTU, and leaves the rest as it is."""
        given = {name: getattr(self, name) for name in self.model_fields_set - {"portals", "members"}}
        update = {name: value for name, value in given.items() if value is not None or name in _EMPTIES}
        if self.members is not None and before.made is not None:
            update["made"] = before.made.model_copy(update={"members": self.members})
        return before.model_copy(update=update)


_EMPTIES = ("gateway", "mtu_bytes")


class InterfaceTrial(Model):
    """A change that waits to be confirmed, `left_s` seconds more."""

    id: str
    left_s: float


class ObservedAddress(Model):
    """`dynamic`: DHCP or a router gave it."""

    address: str
    """With its prefix: 192.0.2.10/24."""
    dynamic: bool

    @property
    def ip(self) -> str:
        return self.address.partition("/")[0]


class ObservedInterface(Model):
    """A network interface as the kernel and systemd-networkd show it. None is what nobody tells."""

    name: str
    mac: str | None
    kind: str
    """physical, or as the kernel says it: vlan, bond, bridge, dummy, …"""
    link: bool
    """Whether it has a carrier: a cable, and something at its other end."""
    state: str
    speed_mbit_s: int | None
    mtu_bytes: int
    mtu_min_bytes: int | None
    mtu_max_bytes: int | None
    addresses: tuple[ObservedAddress, ...]
    configured_by: str | None
    """The file of systemd-networkd that configures it, None if none does."""
    settings: InterfaceSettings | None
    """What Lunette configures now, on trial or confirmed; None if it does not."""
    reason: str | None
    """Why Lunette leaves it alone."""
    trial: InterfaceTrial | None
    parent: str | None = None
    """The interface that carries this one, where it is a VLAN."""
    vlan_id: int | None = None
    master: str | None = None
    """The bond or bridge it belongs to."""
