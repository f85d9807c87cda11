"""Alerts about a clock that no time server sets."""

from collections.abc import Iterator

from lunette.domain.alerts import Severity
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause

FAMILY = "clock."
GRACE_S = 3600.0
"""A time server that is unreachable for some minutes after a start is no alert: clocks drift by seconds a day."""


def causes_of(seen: Observation) -> Iterator[Cause]:
    """An alert if systemd-timesyncd runs and has not reached a time server since the start."""
    if seen.clock_is_set is False:
        yield Cause(
            key="clock.unset",
            severity=Severity.WARNING,
            message="No time server has set the clock since the appliance started",
            cause=(
                "No time server responded: neither those of an interface nor those from DHCP or those of Debian on the "
                "Internet"
            ),
            fix=(
                "Specify a time server that the appliance can reach: `lunette interface change INTERFACE --ntp "
                "SERVER`. Until then the times of schedules, events and certificates depend on the system's own clock."
            ),
            grace_s=GRACE_S,
        )
