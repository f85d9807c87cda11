"""Why LVM is not available on this machine, in words."""

from lunette.providers.blocker import blocker
from lunette.providers.volumes.lvm.plan import PACKAGE
from lunette.system.system_port import System


def lvm_blocker(system: System) -> str | None:
    """What is missing for volume groups; None if nothing is."""
    return blocker(system, "lvcreate", "/dev/mapper/control", "dm_mod", PACKAGE)
