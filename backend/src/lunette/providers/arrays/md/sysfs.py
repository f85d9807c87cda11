"""Attributes of the kernel that appear and disappear with the array or the disk they belong to."""

from lunette.system.system_port import System


def attribute(system: System, path: str) -> str:
    """An attribute's text; "" if there is none, because a level lacks it, or its subject disappeared meanwhile."""
    try:
        return system.read(path).strip()
    except OSError:
        return ""
