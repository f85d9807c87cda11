"""Arrays that are not made by Lunette, or not known to it: what lies on them, without writing or starting anything."""

from lunette.domain.foreign_arrays import FoundArray
from lunette.providers.arrays.md import found as md
from lunette.providers.arrays.zfs import foreign as zfs
from lunette.providers.disks.inventory import observe_disks
from lunette.system.doorway import System


def found(system: System) -> tuple[FoundArray, ...]:
    """Every md array but the mirrors of the system itself, and every pool. The database may know some of them."""
    disks = observe_disks(system)
    return (*md.found(system, disks), *zfs.found(system, disks))
