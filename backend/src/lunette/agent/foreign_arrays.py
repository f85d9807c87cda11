"""Arrays that Lunette did not create or does not know, and their content. Nothing is written or started."""

from lunette.domain.foreign_arrays import FoundArray
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.inventory import observe_disks
from lunette.system.system_port import System


def found(system: System) -> tuple[FoundArray, ...]:
    """Every md array except the mirrors of the system, and every pool. The database may know some of them."""
    disks = observe_disks(system)
    return tuple(array for machine in ARRAY_MACHINES.values() for array in machine.foreign(system, disks))
