"""Network interfaces as observed on the machine, and their configuration by Lunette."""

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Observed
from lunette.domain.interfaces import (
    BondMode,
    InterfaceKind,
    InterfaceRole,
    InterfaceSettings,
    LacpRate,
    ObservedInterface,
)


class InterfaceAddress(Answer):
    """IP address of a network interface."""

    address: str
    """IP address with prefix length, such as `192.0.2.10/24`."""
    dynamic: bool
    """Whether DHCP or a router assigned the address."""
    portals: tuple[str, ...]
    """Names of the portals with this address. Portals that listen on all addresses are not included."""


class InterfaceMade(Answer):
    """Composition of a VLAN or bond that Lunette created."""

    kind: InterfaceKind
    """Kind of the interface."""
    parent: str | None
    """Name of the interface that carries the VLAN. `null` for a bond."""
    vlan_id: int | None
    """VLAN ID. `null` for a bond."""
    members: tuple[str, ...]
    """Names of the interfaces that form the bond. Empty for a VLAN."""
    mode: BondMode | None
    """Mode of the bond. `null` for a VLAN."""
    lacp_rate: LacpRate | None
    """LACP rate of a bond in mode `802.3ad`. `null` if not set; the kernel's default is `slow`."""
    miimon_ms: int | None
    """Interval of the link checks of a bond in milliseconds. `null` for a VLAN."""


class InterfaceConfig(Answer):
    """Configuration of a network interface by Lunette.

    The configuration is on trial while `trial_left_s` of the interface is not `null`.
    """

    role: InterfaceRole
    """Role of the interface."""
    dhcp: bool
    """Whether DHCP and, for IPv6, router advertisements assign addresses."""
    addresses: tuple[str, ...]
    """Static IP addresses with prefix length."""
    gateway: str | None
    """IP address of the gateway. `null` if no gateway is set."""
    dns: tuple[str, ...]
    """IP addresses of DNS servers."""
    ntp: tuple[str, ...]
    """Names or IP addresses of time servers, used in addition to those that DHCP assigns."""
    mtu_bytes: int | None
    """MTU in bytes. `null` if the driver's default applies."""
    made: InterfaceMade | None
    """Composition of a VLAN or bond. `null` if Lunette did not create the interface."""


class Interface(Answer):
    """Network interface of the appliance."""

    name: str
    """Name of the interface."""
    mac: str | None
    """MAC address. `null` if the kernel reports none."""
    kind: str
    """Kind of the interface: `physical`, or as the kernel names it, such as `vlan` or `bond`.

    `removed` while the removal of a VLAN or bond is on trial.
    """
    parent: str | None
    """Name of the interface that carries the VLAN. `null` if the interface is not a VLAN."""
    vlan_id: int | None
    """VLAN ID. `null` if the interface is not a VLAN."""
    master: str | None
    """Name of the bond or bridge to which the interface belongs. `null` if it belongs to none."""
    link: bool
    """Whether the interface has a link."""
    state: str
    """Operational state as the kernel reports it, such as `up` or `down`.

    `removed` while the removal of a VLAN or bond is on trial.
    """
    speed_mbit_s: int | None
    """Speed of the link in Mbit/s. `null` if the driver does not report a speed."""
    mtu_bytes: int
    """Current MTU in bytes."""
    addresses: tuple[InterfaceAddress, ...]
    """Current IP addresses, without link-local addresses."""
    configured_by: str | None
    """Path of the systemd-networkd file that configures the interface. `null` if there is none."""
    wanted: InterfaceConfig | None
    """Configuration by Lunette. `null` if Lunette does not configure the interface."""
    reason: str | None
    """Reason why Lunette does not change the interface. `null` if the interface can be changed."""
    trial_left_s: float | None
    """Seconds until the change on trial is reverted unless confirmed. `null` if no change is on trial."""
    age_s: float
    """Age of the data in seconds."""


def interface_answer(one: ObservedInterface, portals: dict[str, list[str]], seen: Observed) -> Interface:
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
