"""The firewall of the appliance."""

from collections.abc import Sequence
from datetime import UTC, datetime

from lunette.api.answers.base import Answer
from lunette.domain.firewall import FirewallMode, FirewallState, ObservedFirewall, Opening, PortProtocol, openings
from lunette.domain.mappings import Protocol
from lunette.store.resources import Portal


class FirewallOpening(Answer):
    """A port on which the firewall accepts traffic."""

    protocol: PortProtocol
    """Transport protocol of the port."""
    port: int
    """Port number."""
    address: str | None
    """IP address of the appliance on which the port is open, or null for all addresses."""
    management: bool
    """Whether the port serves the web page, API or SSH. Management ports are blocked on interfaces in `closed_on`."""
    portals: tuple[str, ...]
    """Names of the portals that need the port. Empty for management ports and foreign exports."""


class Firewall(Answer):
    """Mode and state of the firewall, and the ports that are open."""

    mode: FirewallMode
    """Mode of the firewall."""
    is_default: bool
    """Whether the mode follows from how the appliance was installed, because the settings do not set one."""
    state: FirewallState
    """State of the firewall rules in the kernel."""
    reason: str | None
    """Reason why the firewall is unavailable or failed, or why `managed` is not possible. Null if there is none."""
    openings: tuple[FirewallOpening, ...]
    """Ports on which the firewall accepts traffic. Empty while the firewall is off, unavailable or failed."""
    closed_on: tuple[str, ...]
    """Interfaces with the role storage, on which the web page, API and SSH are blocked."""
    kept_open_on: tuple[str, ...]
    """Interfaces with the role storage on which the web page, API and SSH stay open, because no other interface has an
    address.
    """
    repaired: str | None
    """Description of the last unexpected change of the rules that the agent corrected, or null if there was none."""
    repaired_at: datetime | None
    """When the agent last corrected the rules, in UTC. Null if the agent never did."""
    age_s: float
    """Age of the observed state in seconds."""


def firewall_answer(found: ObservedFirewall, portals: Sequence[Portal], age_s: float) -> Firewall:
    """The observed state, with the names of portals."""
    needed: dict[Opening, list[str]] = {}
    for row in portals:
        for one in openings(Protocol(row.protocol), row.address, row.port):
            needed.setdefault(one, []).append(row.name)
    return Firewall(
        mode=found.mode,
        is_default=not found.is_asked,
        state=found.state,
        reason=found.reason or found.lacking,
        openings=(
            *(_opening(one, True, ()) for one in found.management),
            *(_opening(one, False, needed.get(one, ())) for one in found.portals),
        ),
        closed_on=found.closed_on,
        kept_open_on=found.kept_open_on,
        repaired=found.repaired,
        repaired_at=datetime.fromtimestamp(found.repaired_at, UTC) if found.repaired_at is not None else None,
        age_s=age_s,
    )


def _opening(one: Opening, management: bool, names: Sequence[str]) -> FirewallOpening:
    return FirewallOpening(
        protocol=one.protocol, port=one.port, address=one.address, management=management, portals=tuple(names)
    )
