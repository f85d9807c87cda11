"""What the appliance lets in."""

from collections.abc import Sequence
from datetime import UTC, datetime

from lunette.api.answers.base import Answer
from lunette.domain.firewall import FirewallMode, FirewallState, ObservedFirewall, Opening, PortProtocol, openings
from lunette.domain.mappings import Protocol
from lunette.store.resources import Portal


class FirewallOpening(Answer):
    """One port that is let in. `address` is one of this machine's, null every one. `portals` are those that need it."""

    protocol: PortProtocol
    port: int
    address: str | None
    management: bool
    """Web page and API, or SSH: on every interface but those of `closed_on`."""
    portals: tuple[str, ...]
    """None, and no management: something listens there that is not Lunette's."""


class Firewall(Answer):
    """What is let in to the machine, and whether the kernel keeps to it."""

    mode: FirewallMode
    is_default: bool
    """Nobody chose the mode: it is that of how the machine was installed."""
    state: FirewallState
    reason: str | None
    """Why it is unavailable or failed."""
    openings: tuple[FirewallOpening, ...]
    closed_on: tuple[str, ...]
    """Interfaces on which web page, API and SSH do not answer: their role is storage."""
    kept_open_on: tuple[str, ...]
    """Interfaces for storage on which they answer all the same, since no other one has an address."""
    repaired: str | None
    """What somebody else had changed and the agent put right last."""
    repaired_at: datetime | None
    age_s: float


def firewall_answer(found: ObservedFirewall, portals: Sequence[Portal], age_s: float) -> Firewall:
    """What the agent saw, with the names of portals."""
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
