"""Why LVM is not available on this machine, in words."""

from lunette.providers.hindrance import hindrance
from lunette.providers.volumes.lvm.plan import PACKAGE
from lunette.system.doorway import System


def lvm_hindrance(system: System) -> str | None:
    """What is missing for volume groups; None if nothing is."""
    return hindrance(system, "lvcreate", "/dev/mapper/control", "dm_mod", PACKAGE)
