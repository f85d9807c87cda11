"""The sealed copies of all arrays that carry Lunette's mark."""

from lunette.domain.sealed_copies import FoundCopy
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.volumes.lvm import sealed_copy
from lunette.system.system_port import System


def read(system: System, *, degraded: bool) -> tuple[FoundCopy, ...]:
    """Starts arrays of Lunette that are down. Arrays under foreign names show their mark only while they run."""
    if system.find_tool("pvs") is None:
        return ()
    disks = observe_disks(system)
    return tuple(
        sealed_copy.read(system, array, degraded=degraded)
        for machine in ARRAY_MACHINES.values()
        for array in machine.with_copies(system, disks)
    )
