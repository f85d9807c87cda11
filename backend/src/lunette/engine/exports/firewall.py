"""The firewall: what is asked of the agent, and what a person must look at."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.firewall import API_PORT, FirewallMode, FirewallState, FirewallWish
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause
from lunette.store.resources import Meta
from lunette.store.settings import read_settings

FAMILY = "firewall."
GRACE_S = 30.0
TOLD_S = 3600.0
"""How long an alert says that the rules were put right."""
_PORT = "api_port"


def wish(tx: Session) -> FirewallWish:
    """What the agent is to let in for the appliance itself."""
    row = tx.get(Meta, _PORT)
    return FirewallWish(mode=read_settings(tx).firewall, api_port=int(row.value) if row else API_PORT)


def listens_on(tx: Session, port: int) -> bool:
    """The API listens on this port from now on; whether it was another one until now."""
    if wish(tx).api_port == port:
        return False
    tx.merge(Meta(key=_PORT, value=str(port)))
    return True


def causes_of(seen: Observation) -> Iterator[Cause]:
    """Filtering that is wanted and is not done, interfaces that stay open, and rules that somebody else changed."""
    found = seen.firewall
    if found is None or (found.mode is FirewallMode.OFF and found.state is not FirewallState.FAILED):
        return
    if found.state is FirewallState.FAILED or (found.state is FirewallState.UNAVAILABLE and found.is_asked):
        words = "is still in force" if found.mode is FirewallMode.OFF else "is not as it is to be"
        yield Cause(
            key="firewall.failed",
            severity=Severity.CRITICAL,
            message=f"The firewall {words}",
            cause=found.reason or "The agent gave no reason",
            fix="Volumes are served all the same, and the rules stay as they were. It is tried again by itself; "
            "`lunette firewall show` tells what is in force.",
            grace_s=GRACE_S,
        )
    if found.kept_open_on:
        yield Cause(
            key="firewall.open",
            severity=Severity.WARNING,
            message="Web page and API answer on every interface, also on those for storage alone",
            cause=f"Only {', '.join(found.kept_open_on)} has an address, and nobody is to be shut out",
            fix="Give an interface with the role management an address: the others close by themselves.",
            grace_s=GRACE_S,
        )
    if found.repaired_at is not None and seen.taken_at - found.repaired_at < TOLD_S:
        yield Cause(
            key="firewall.repaired",
            severity=Severity.WARNING,
            message="The rules of the firewall were put right",
            cause=f"Seen by the agent: {found.repaired}",
            fix="Nothing needs to be done now. Look for what else changes nftables on this machine, such as "
            "nftables.service, whose file begins by removing all tables.",
        )
