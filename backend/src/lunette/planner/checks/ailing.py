"""What a plan says about unhealthy disks that it uses."""

from collections.abc import Iterable

from lunette.domain.disk_health import findings
from lunette.domain.disks import ObservedDisk

_PASSING = ("temperature", "silent")
"""Findings that say nothing about how long the disk will last."""


def ailing(disks: Iterable[ObservedDisk]) -> tuple[str, ...]:
    """One warning for each disk that is failing, worn, full of errors or unreadable. It is used all the same."""
    return tuple(
        f"Disk {disk.id} {'; it '.join(one.words for one in found)} ({found[0].detail}): use another disk if one is "
        "available."
        for disk in disks
        if disk.health and (found := [one for one in findings(disk.health, {}) if one.kind not in _PASSING])
    )
