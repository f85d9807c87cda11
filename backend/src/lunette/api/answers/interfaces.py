"""Network interfaces as the machine shows them, and what Lunette configures of them."""

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Seen
from lunette.domain.interfaces import (
    BondMode,
    InterfaceKind,
    InterfaceRole,
    InterfaceSettings,
    LacpRate,
    ObservedInterface,
)


class InterfaceAddress(Answer):
    """An address with its prefix; `dynamic`: DHCP or a router gave it. `portals` are those that listen on it."""

    address: str
    dynamic: bool
    portals: tuple[str, ...]


class InterfaceMade(Answer):
    """What a VLAN or a bond of Lunette's consists of."""

    kind: InterfaceKind
    parent: str | None
    """Of a VLAN: the interface that carries it."""
    vlan_id: int | None
    members: tuple[str, ...]
    """Of a bond."""
    mode: BondMode | None
    lacp_rate: LacpRate | None
    miimon_ms: int | None
    """How often the links of the members are looked at."""


class InterfaceConfig(Answer):
    """How Lunette configures it: on trial while `trial_left_s` is not null, else kept."""

    role: InterfaceRole
    dhcp: bool
    addresses: tuple[str, ...]
    gateway: str | None
    dns: tuple[str, ...]
    ntp: tuple[str, ...]
    """Time servers that were chosen; those that DHCP names are used too."""
    mtu_bytes: int | None
    made: InterfaceMade | None
    """Null where Lunette did not make it."""


class Interface(Answer):
    """A network interface. Null is what nobody tells."""

    name: str
    mac: str | None
    kind: str
    """physical, or as the kernel says it: vlan, bond, bridge, dummy, …"""
    parent: str | None
    """The interface that carries it, where it is a VLAN."""
    vlan_id: int | None
    master: str | None
    """The bond or bridge it belongs to."""
    link: bool
    """Whether it has a carrier."""
    state: str
    speed_mbit_s: int | None
    mtu_bytes: int
    addresses: tuple[InterfaceAddress, ...]
    configured_by: str | None
    """The file of systemd-networkd that configures it."""
    wanted: InterfaceConfig | None
    """What Lunette configures; null where it does not."""
    reason: str | None
    """Why Lunette leaves it alone; null if it can be changed."""
    trial_left_s: float | None
    """A change waits to be confirmed, and is taken back in so many seconds."""
    age_s: float


def interface_answer(one: ObservedInterface, portals: dict[str, list[str]], seen: Seen) -> Interface:
    """`portals` are the names of portals by address."""
    addresses = tuple(
        InterfaceAddress(address=a.address, dynamic=a.dynamic, portals=tuple(portals.get(a.ip, ())))
        for a in one.addresses
    )
    return Interface(
        name=one.name,
        mac=one.mac,
        kind=one.kind,
        parent=one.parent,
        vlan_id=one.vlan_id,
        master=one.master,
        link=one.link,
        state=one.state,
        speed_mbit_s=one.speed_mbit_s,
        mtu_bytes=one.mtu_bytes,
        addresses=addresses,
        configured_by=one.configured_by,
        wanted=_wanted(one.settings) if one.settings else None,
        reason=one.reason,
        trial_left_s=max(0.0, round(one.trial.left_s - seen.age_s, 1)) if one.trial else None,
        age_s=seen.age_s,
    )


def _wanted(settings: InterfaceSettings) -> InterfaceConfig:
    return InterfaceConfig(
        role=settings.role,
        dhcp=settings.dhcp,
        addresses=tuple(map(str, settings.addresses)),
        gateway=str(settings.gateway) if settings.gateway else None,
        dns=tuple(map(str, settings.dns)),
        ntp=settings.ntp,
        mtu_bytes=settings.mtu_bytes,
        made=InterfaceMade.model_validate(settings.made.model_dump()) if settings.made else None,
    )
