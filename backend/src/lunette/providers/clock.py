"""Whether a time server has set the clock since the start: what systemd-timesyncd(8) tells of it."""

from lunette.system.doorway import System

RUNNING = "/run/systemd/timesync"
"""The service's own folder: it is there while it runs."""
SET = f"{RUNNING}/synchronized"
"""Touched each time the clock was set."""


def is_set(system: System) -> bool | None:
    """None where systemd-timesyncd does not run: another daemon sets the clock, or the host of a container."""
    return system.exists(SET) if system.is_dir(RUNNING) else None
