"""Attributes of the kernel that come and go with the array or the disk they belong to."""

from lunette.system.doorway import System


def attribute(system: System, path: str) -> str:
    """An attribute's text; "" where there is none, because a level lacks it, or what it tells of went meanwhile."""
    try:
        return system.read(path).strip()
    except OSError:
        return ""
