"""Plans for network interfaces: what would be, whose address goes, and which hosts lose a path."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.interfaces import TRIAL_S, InterfaceChange, InterfaceRole, InterfaceSettings, ObservedInterface
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Change, Plan
from lunette.domain.steps import InterfaceTry
from lunette.planner.connected import Connected
from lunette.planner.findings import Findings, shorten
from lunette.planner.portals import KnownPortal, shown

FIRST_TABLE = 1001
"""Routing tables from here on are ours; the kernel's own are below 256."""
IPV6_MTU = 1280


@dataclass(frozen=True)
class Paths:
    """Who comes in where: the portals, the hosts logged in through each by its name, and the address of ours that the
    request came to (None from the machine itself)."""

    portals: Sequence[KnownPortal]
    connected: Mapping[str, Connected]
    caller: str | None


def plan_change(
    interface: ObservedInterface, wish: InterfaceChange, seen: Observation, paths: Paths, trial_id: str
) -> Plan:
    """Another way for an interface to be. Raises Invalid, Conflict or InUse naming the field."""
    findings = Findings()
    _check_free(findings, interface, seen)
    before = interface.settings
    if before is None and wish.dhcp is None and not wish.addresses:
        message = "say where its addresses come from: Lunette does not configure it yet"
        findings.add(Invalid, "addresses", None, message)
    settings = wish.applied(before or InterfaceSettings())
    settings = settings.model_copy(update={"table": _table(interface, settings, seen)})
    _check(findings, interface, settings, seen)
    leaving = _leaving(interface, settings)
    losing = [one for one in paths.portals if one.address in leaving]
    for portal in losing:
        if portal.name not in wish.portals:
            where = shown(portal.address, portal.port)
            message = f"portal {portal.name} listens on {where}, which goes: name the portal, or delete it first"
            findings.add(InUse, "portals", portal.name, message)
    findings.refuse(f"Interface {interface.name} was not changed")
    title = f"Change interface {interface.name}"
    if settings == before:
        return Plan(title=title, changes=(), steps=())
    hosts = sorted({host for portal in losing for host in paths.connected[portal.name].hosts})
    changes = [Change(action=Action.CHANGE, noun="interface", name=interface.name, detail=words(settings))]
    changes += [
        Change(action=Action.INTERRUPT, noun="portal", name=portal.name, detail=f"loses its address {portal.address}")
        for portal in losing
    ]
    changes += [
        Change(action=Action.INTERRUPT, noun="host", name=host, detail=f"loses its paths through {interface.name}")
        for host in hosts
    ]
    step = InterfaceTry(trial_id=trial_id, interface=interface.name, settings=settings)
    warnings = [
        *_warnings(interface, settings, leaving, paths),
        *(text for portal in losing for text in paths.connected[portal.name].warnings()),
    ]
    return Plan(
        title=title, changes=tuple(changes), steps=(step,), hosts_interrupted=tuple(hosts),
        warnings=tuple(dict.fromkeys(warnings)),
    )  # fmt: skip


def plan_end(interface: ObservedInterface, *, keep: bool) -> Plan:
    """Ends a trial: what is tried stays, or goes. Raises Conflict if nothing waits."""
    words_ = "stays as it is now, also after a boot" if keep else "becomes as it was before"
    if interface.trial is None:
        raise Conflict(
            f"No change of interface {interface.name} waits to be confirmed: it was confirmed or taken back already."
        )
    return Plan(
        title=f"{'Confirm' if keep else 'Take back'} the change of interface {interface.name}",
        changes=(Change(action=Action.CHANGE, noun="interface", name=interface.name, detail=words_),), steps=(),
    )  # fmt: skip


def words(settings: InterfaceSettings) -> str:
    """'192.0.2.10/24, gateway 192.0.2.1, MTU 9000, for storage'."""
    places = [*(["DHCP"] if settings.dhcp else []), *map(str, settings.addresses)]
    parts = [*places, *([f"gateway {settings.gateway}"] if settings.gateway else [])]
    parts += [f"DNS {', '.join(map(str, settings.dns))}"] if settings.dns else []
    parts += [f"MTU {settings.mtu_bytes}"] if settings.mtu_bytes else []
    return ", ".join([*parts, "for storage and management" if settings.role is InterfaceRole.BOTH else
                      f"for {settings.role.value}"])  # fmt: skip


def _check_free(findings: Findings, interface: ObservedInterface, seen: Observation) -> None:
    if interface.reason is not None:
        message = f"Lunette leaves it alone: {interface.reason}"
        findings.add(Conflict, "interface", interface.name, message)
    waiting = next((one.name for one in seen.interfaces if one.trial is not None), None)
    if waiting is not None:
        message = f"a change of interface {waiting} waits to be confirmed: confirm it or take it back first"
        findings.add(Conflict, "interface", interface.name, message)


def _check(findings: Findings, interface: ObservedInterface, settings: InterfaceSettings, seen: Observation) -> None:
    if not settings.dhcp and not settings.addresses:
        findings.add(Invalid, "addresses", None, "an interface needs an address, or DHCP")
    elsewhere = {
        str(ip_address(one.ip)): other.name
        for other in seen.interfaces
        if other.name != interface.name
        for one in other.addresses
    }
    for index, address in enumerate(settings.addresses):
        text, ip = str(address), address.ip
        if ip.is_multicast or ip.is_unspecified or ip.is_loopback or ip.is_link_local:
            findings.add(Invalid, "addresses", text, f"{ip} is no address for an interface")
        if ip.version == 4 and address.network.prefixlen < 31 and ip in (address.network[0], address.network[-1]):
            findings.add(Invalid, "addresses", text, f"{ip} is the network's own or its broadcast address")
        if str(ip) in elsewhere:
            findings.add(Conflict, "addresses", text, f"{ip} is an address of interface {elsewhere[str(ip)]}")
        if ip in [other.ip for other in settings.addresses[:index]]:
            findings.add(Invalid, "addresses", text, f"{ip} is given twice")
    gateway = settings.gateway
    if gateway is not None and not any(gateway in address.network for address in settings.addresses):
        message = f"gateway {gateway} is in the network of none of its addresses"
        findings.add(Invalid, "gateway", gateway, message)
    _check_mtu(findings, interface, settings)


def _check_mtu(findings: Findings, interface: ObservedInterface, settings: InterfaceSettings) -> None:
    mtu, least, most = settings.mtu_bytes, interface.mtu_min_bytes, interface.mtu_max_bytes
    if mtu is None:
        return
    least = max(least or 0, IPV6_MTU)
    if mtu < least or (most is not None and mtu > most):
        message = f"interface {interface.name} takes an MTU of {least} to {most or 'any'} bytes"
        findings.add(Invalid, "mtu_bytes", mtu, message)


def _table(interface: ObservedInterface, settings: InterfaceSettings, seen: Observation) -> int | None:
    """The table for answers: the one it has, or the lowest that no other interface has."""
    if not settings.role.serves or not settings.addresses:
        return None
    if settings.table is not None:
        return settings.table
    taken = {one.settings.table for one in seen.interfaces if one.settings is not None and one.name != interface.name}
    return next(number for number in range(FIRST_TABLE, FIRST_TABLE + len(taken) + 1) if number not in taken)


def _leaving(interface: ObservedInterface, settings: InterfaceSettings) -> frozenset[str]:
    """Addresses that go. What DHCP gave stays where DHCP does; what it would give is not known before."""
    kept = {str(address.ip) for address in settings.addresses}
    return frozenset(
        ip
        for one in interface.addresses
        if (ip := str(ip_address(one.ip))) not in kept and not (one.dynamic and settings.dhcp)
    )


def _warnings(
    interface: ObservedInterface, settings: InterfaceSettings, leaving: frozenset[str], paths: Paths
) -> Iterator[str]:
    caller = paths.caller
    yield f"It is taken back by itself unless it is confirmed within {TRIAL_S} s."
    here = {str(ip_address(one.ip)) for one in interface.addresses}
    if caller in leaving:
        new = shorten([str(address.ip) for address in settings.addresses]) or "the one that DHCP gives"
        yield f"You reach this appliance through {caller}, which goes: confirm through {new}."
    elif caller in here:
        yield f"You reach this appliance through this interface ({caller})."
    if interface.settings is None and interface.configured_by is not None:
        yield f"Gateway and DNS servers that {interface.configured_by} gave it go, unless they are given here."
    everywhere = [one.name for one in paths.portals if ip_address(one.address).is_unspecified]
    if leaving and everywhere:
        yield f"Portal {shorten(everywhere)} listens on every address: hosts that come through this one lose the path."
    wanted = settings.mtu_bytes
    on_it = [portal.name for portal in paths.portals if portal.address in here - leaving]
    if wanted is not None and wanted != interface.mtu_bytes and on_it:
        yield f"Traffic of portal {shorten(on_it)} pauses while the MTU changes; switch and hosts need the same one."
