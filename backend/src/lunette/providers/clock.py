"""Whether a time server has set the clock since the start, according to systemd-timesyncd(8)."""

from lunette.system.system_port import System

RUNNING = "/run/systemd/timesync"
"""The service's own directory: it exists while the service runs."""
SET = f"{RUNNING}/synchronized"
"""Touched each time the clock is set."""


def is_set(system: System) -> bool | None:
    """None if systemd-timesyncd does not run: another daemon sets the clock, or the host of a container."""
    return system.exists(SET) if system.is_dir(RUNNING) else None
