"""The firewall: the request to the agent, and alerts."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.firewall import API_PORT, DesiredFirewall, FirewallMode, FirewallState
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause
from lunette.store.resources import Meta
from lunette.store.settings import read_settings

FAMILY = "firewall."
GRACE_S = 30.0
REPORTED_S = 3600.0
"""How long an alert reports a repair of the rules."""
_PORT = "api_port"


def spec(tx: Session) -> DesiredFirewall:
    """What the agent is to open for the appliance itself."""
    row = tx.get(Meta, _PORT)
    return DesiredFirewall(mode=read_settings(tx).firewall, api_port=int(row.value) if row else API_PORT)


def listens_on(tx: Session, port: int) -> bool:
    """The API listens on this port from now on. Returns whether it was another one until now."""
    if spec(tx).api_port == port:
        return False
    tx.merge(Meta(key=_PORT, value=str(port)))
    return True


def causes_of(seen: Observation) -> Iterator[Cause]:
    """Alerts: filtering that is configured but not active, interfaces that stay open, and rules that another program
    changed.
    """
    found = seen.firewall
    if found is None or (found.mode is FirewallMode.OFF and found.state is not FirewallState.FAILED):
        return
    if found.state is FirewallState.FAILED or (found.state is FirewallState.UNAVAILABLE and found.is_asked):
        words = "is still active" if found.mode is FirewallMode.OFF else "does not match its settings"
        yield Cause(
            key="firewall.failed",
            severity=Severity.CRITICAL,
            message=f"The firewall {words}",
            cause=found.reason or "The agent gave no reason",
            fix=(
                "Volumes are still served, and the rules stay unchanged. This is retried automatically; `lunette "
                "firewall show` shows the active rules."
            ),
            grace_s=GRACE_S,
        )
    if found.kept_open_on:
        yield Cause(
            key="firewall.open",
            severity=Severity.WARNING,
            message="The web page and the API are reachable on every interface, including those for storage only",
            cause=f"Only {', '.join(found.kept_open_on)} has an address, so management access stays open there",
            fix="Give an interface with the management role an address: the others then close automatically.",
            grace_s=GRACE_S,
        )
    if found.repaired_at is not None and seen.taken_at - found.repaired_at < REPORTED_S:
        yield Cause(
            key="firewall.repaired",
            severity=Severity.WARNING,
            message="The firewall rules were restored",
            cause=f"Detected by the agent: {found.repaired}",
            fix=(
                "No action is required now. Find out what else changes nftables on this system, such as "
                "nftables.service, whose file begins by removing all tables."
            ),
        )
