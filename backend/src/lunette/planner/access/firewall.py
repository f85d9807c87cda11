"""What plans say about the firewall: who loses access, and what opens. Pure."""

from collections.abc import Iterator
from ipaddress import ip_address

from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.firewall import FirewallMode, FirewallState, openings
from lunette.domain.interfaces import InterfaceRole, InterfaceSettings, ObservedInterface
from lunette.domain.mappings import Protocol
from lunette.domain.observations import Observation


def is_in_force(seen: Observation) -> bool:
    return seen.firewall is not None and seen.firewall.state is FirewallState.IN_FORCE


def words(mode: FirewallMode | None, seen: Observation) -> tuple[str, ...]:
    """The effect of the setting on this machine. Raises Invalid if it is not possible."""
    if mode is FirewallMode.OFF:
        return ("Every service that listens on this appliance can be reached over every interface.",)
    if mode is None:
        return ("The firewall is then active only on an appliance installed from the ISO.",)
    found = seen.firewall
    if found is not None and found.lacking is not None:
        message = f"it is not available on this appliance: {found.lacking}"
        problem = FieldProblem(field="firewall", value=mode.value, message=message)
        raise Invalid(f"The settings were not changed: firewall: {message}.", errors=(problem,))
    return tuple(_closing(seen))


def _closing(seen: Observation) -> Iterator[str]:
    yield "Only portals, the web page, the API and SSH remain reachable from outside."
    storage = [one for one in seen.interfaces if one.settings and one.settings.role is InterfaceRole.STORAGE]
    names = {one.name for one in storage}
    if any(one.addresses for one in seen.interfaces if one.name not in names):
        closed = sorted(name for name in names)
        if closed:
            yield f"Web page, API and SSH are no longer reachable on {', '.join(closed)}: the role is storage."
    elif names:
        yield (
            "Web page, API and SSH remain reachable on all interfaces: only interfaces with the role storage have "
            "an address."
        )


def portal_opens(protocol: Protocol, address: str, port: int, seen: Observation) -> str:
    """The end of a plan's line about a portal; empty if nothing is filtered."""
    if not is_in_force(seen):
        return ""
    ports = " and ".join(f"{one.protocol.value.upper()} {one.port}" for one in openings(protocol, address, port))
    return f"; {ports} is opened in the firewall" if ports else ""


def role_changes(
    interface: ObservedInterface, settings: InterfaceSettings, caller: str | None, seen: Observation
) -> Iterator[str]:
    """The effect of an interface's role on access to the web page and the API."""
    was = interface.settings.role if interface.settings else InterfaceRole.MANAGEMENT
    if not is_in_force(seen) or (was is InterfaceRole.STORAGE) == (settings.role is InterfaceRole.STORAGE):
        return
    if was is InterfaceRole.STORAGE:
        yield f"Web page, API and SSH become reachable on {interface.name}."
        return
    others = [
        one.name
        for one in seen.interfaces
        if one.name != interface.name
        and one.addresses
        and (one.settings is None or one.settings.role is not InterfaceRole.STORAGE)
    ]
    if not others:
        yield (
            "No other interface with the role management has an address: web page, API and SSH remain reachable on "
            f"{interface.name}, and an alert reports this."
        )
        return
    yield f"Web page, API and SSH are no longer reachable on {interface.name}, only on {', '.join(others)}."
    if caller is not None and caller in {str(ip_address(one.ip)) for one in interface.addresses}:
        yield (
            f"You reach this appliance through {interface.name}: confirm through {others[0]}, or the change is "
            "reverted."
        )
