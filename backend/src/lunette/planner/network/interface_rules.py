"""Rules for every interface, existing or new: addresses, MTU, who loses a path, and the messages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from lunette.domain.errors import Conflict, Invalid
from lunette.domain.interfaces import (
    TRIAL_S,
    InterfaceKind,
    InterfaceRole,
    InterfaceSettings,
    Made,
    ObservedInterface,
)
from lunette.domain.mappings import is_everywhere
from lunette.domain.observations import Observation
from lunette.planner.access.connected import Connected
from lunette.planner.access.portals import KnownPortal
from lunette.planner.checks.findings import Findings, shorten

FIRST_TABLE = 1001
"""Routing tables from here on belong to Lunette; the kernel's own are below 256."""
IPV6_MTU = 1280


@dataclass(frozen=True)
class Paths:
    """Present access: the portals, the hosts logged in through each by its name, and the appliance's address that
    received the request (None if from the machine itself).
    """

    portals: Sequence[KnownPortal]
    connected: Mapping[str, Connected]
    caller: str | None


def words(settings: InterfaceSettings) -> str:
    """'192.0.2.10/24, gateway 192.0.2.1, MTU 9000, for storage'."""
    places = [
        *([_consists(settings.made)] if settings.made else []),
        *(["DHCP"] if settings.dhcp else []),
        *map(str, settings.addresses),
    ]
    parts = [*places, *([f"gateway {settings.gateway}"] if settings.gateway else [])]
    parts += [f"DNS {', '.join(map(str, settings.dns))}"] if settings.dns else []
    parts += [f"NTP {', '.join(settings.ntp)}"] if settings.ntp else []
    parts += [f"MTU {settings.mtu_bytes}"] if settings.mtu_bytes else []
    return ", ".join(
        [*parts, "for storage and management" if settings.role is InterfaceRole.BOTH else f"for {settings.role.value}"]
    )


def _consists(made: Made) -> str:
    if made.kind is InterfaceKind.VLAN:
        return f"VLAN {made.vlan_id} of {made.parent}"
    return f"bond of {', '.join(made.members)} ({made.mode.value if made.mode else ''})"


def listening(interface: ObservedInterface, paths: Paths) -> list[KnownPortal]:
    """The portals on an address of this interface."""
    here = {str(ip_address(one.ip)) for one in interface.addresses}
    return [portal for portal in paths.portals if portal.address in here]


def check_waiting(findings: Findings, name: str, seen: Observation) -> None:
    """One change is on trial at a time."""
    waiting = next((one.name for one in seen.interfaces if one.trial is not None), None)
    if waiting is not None:
        message = f"a change of interface {waiting} is not confirmed yet: confirm or revert it first"
        findings.add(Conflict, "interface", name, message)


def check(
    findings: Findings,
    interface: ObservedInterface,
    settings: InterfaceSettings,
    seen: Observation,
    joining: frozenset[str] = frozenset(),
) -> None:
    """Checks the settings of an interface. `joining`: interfaces that become its members, and lose their addresses."""
    if not (settings.dhcp or settings.addresses or settings.made or settings.vlans):
        findings.add(Invalid, "addresses", None, "an interface needs an address, or DHCP")
    elsewhere = {
        str(ip_address(one.ip)): other.name
        for other in seen.interfaces
        if other.name != interface.name and other.name not in joining
        for one in other.addresses
    }
    for index, address in enumerate(settings.addresses):
        text, ip = str(address), address.ip
        if ip.is_multicast or ip.is_unspecified or ip.is_loopback or ip.is_link_local:
            findings.add(Invalid, "addresses", text, f"{ip} is not a valid interface address")
        if ip.version == 4 and address.network.prefixlen < 31 and ip in (address.network[0], address.network[-1]):
            findings.add(Invalid, "addresses", text, f"{ip} is the network address or broadcast address of its network")
        if str(ip) in elsewhere:
            findings.add(Conflict, "addresses", text, f"{ip} is already an address of interface {elsewhere[str(ip)]}")
        if ip in [other.ip for other in settings.addresses[:index]]:
            findings.add(Invalid, "addresses", text, f"{ip} is listed twice")
    gateway = settings.gateway
    if gateway is not None and not any(gateway in address.network for address in settings.addresses):
        message = f"gateway {gateway} is not in the network of any of its addresses"
        findings.add(Invalid, "gateway", gateway, message)
    _check_mtu(findings, interface, settings, seen)


def _check_mtu(
    findings: Findings, interface: ObservedInterface, settings: InterfaceSettings, seen: Observation
) -> None:
    mtu, least, most = settings.mtu_bytes, interface.mtu_min_bytes, interface.mtu_max_bytes
    if mtu is None:
        return
    least = max(least or 0, IPV6_MTU)
    if mtu < least or (most is not None and mtu > most):
        message = f"interface {interface.name} supports an MTU of {least} to {most or 'any'} bytes"
        findings.add(Invalid, "mtu_bytes", mtu, message)
    for other in seen.interfaces:
        above = other.settings.mtu_bytes if other.settings and other.parent == interface.name else None
        if above is not None and above > mtu:
            message = f"VLAN {other.name} on this interface has an MTU of {above} bytes: lower that first"
            findings.add(Conflict, "mtu_bytes", mtu, message)
        if other.name == interface.parent and mtu > other.mtu_bytes:
            message = f"its parent {other.name} has an MTU of {other.mtu_bytes} bytes: a VLAN cannot have a larger one"
            findings.add(Invalid, "mtu_bytes", mtu, message)


def table_for(interface: ObservedInterface, settings: InterfaceSettings, seen: Observation) -> int | None:
    """The routing table for answers: the present one, or the lowest that no other interface has."""
    if not settings.role.serves or not settings.addresses:
        return None
    if settings.table is not None:
        return settings.table
    taken = {one.settings.table for one in seen.interfaces if one.settings is not None and one.name != interface.name}
    return next(number for number in range(FIRST_TABLE, FIRST_TABLE + len(taken) + 1) if number not in taken)


def leaving(interface: ObservedInterface, settings: InterfaceSettings) -> frozenset[str]:
    """Addresses that are removed. Those from DHCP stay if DHCP stays; what it would assign is not known before."""
    kept = {str(address.ip) for address in settings.addresses}
    return frozenset(
        ip
        for one in interface.addresses
        if (ip := str(ip_address(one.ip))) not in kept and not (one.dynamic and settings.dhcp)
    )


def warnings(
    interface: ObservedInterface, settings: InterfaceSettings, going: frozenset[str], paths: Paths
) -> Iterator[str]:
    """Warnings: the trial, the connection of the user, what pauses."""
    caller = paths.caller
    yield f"It is reverted automatically unless it is confirmed within {TRIAL_S} s."
    here = {str(ip_address(one.ip)) for one in interface.addresses}
    if caller in going:
        new = shorten([str(address.ip) for address in settings.addresses]) or "the address that DHCP assigns"
        yield f"You reach this appliance through {caller}, which is removed: confirm through {new}."
    elif caller in here:
        yield f"You reach this appliance through this interface ({caller})."
    if interface.settings is None and interface.configured_by is not None:
        yield (
            f"The gateway and DNS servers that {interface.configured_by} configured are removed unless they are "
            "specified here."
        )
    everywhere = [one.name for one in paths.portals if is_everywhere(one.address)]
    if going and everywhere:
        yield (
            f"Portal {shorten(everywhere)} listens on all addresses: hosts that connect through this address lose "
            "the path."
        )
    wanted = settings.mtu_bytes
    on_it = [portal.name for portal in paths.portals if portal.address in here - going]
    if wanted is not None and wanted != interface.mtu_bytes and on_it:
        yield f"Traffic of portal {shorten(on_it)} pauses while the MTU changes; switches and hosts need the same MTU."
