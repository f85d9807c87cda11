"""The machine's power: an orderly restart, and switching it off."""

from enum import StrEnum

from lunette.domain.base import Model


class PowerAction(StrEnum):
    RESTART = "restart"
    OFF = "off"


class ObservedPower(Model):
    """What can be done about the power of this machine. `reason`: why nothing can."""

    boot_id: str
    """The kernel's name for this start (Documentation/admin-guide/sysctl/kernel.rst, random/boot_id)."""
    reason: str | None = None
    outage_s: float | None = None
    """Seconds from closing the exports at the last restart until all were open again; None before there was one."""
