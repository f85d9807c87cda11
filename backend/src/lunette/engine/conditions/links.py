"""Alerts about network links: an interface without a link that has the address of a portal."""

from collections.abc import Iterable, Iterator

from lunette.domain.alerts import Severity
from lunette.domain.interfaces import ObservedInterface
from lunette.engine.alerts.board import Cause
from lunette.store.resources import Portal

FAMILY = "interface."


def causes_of(interfaces: Iterable[ObservedInterface], portals: Iterable[Portal]) -> Iterator[Cause]:
    """One for each interface without a link that has the address of a portal."""
    listening = [(row.name, row.address) for row in portals]
    for one in interfaces:
        here = {address.ip for address in one.addresses}
        names = [name for name, address in listening if address in here]
        if one.link or not names:
            continue
        yield Cause(
            key=f"interface.link:{one.name}",
            severity=Severity.CRITICAL,
            message=f"Interface {one.name} has no link: hosts cannot reach portal {', '.join(names)}",
            cause=f"The kernel reports no carrier on {one.name} (state {one.state})",
            fix="Check the cable, the transceiver and the switch port. The alert resolves when the link is restored.",
        )
