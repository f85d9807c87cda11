"""The name under which a drive itself is queried, not the device built over it."""

from lunette.domain.disks import ObservedDisk
from lunette.providers.disks.inventory import BY_ID


def path_of(disk: ObservedDisk) -> str:
    """Its stable name in /dev, so that a query never reaches another drive; a multipath device answers none."""
    if disk.paths and disk.device not in disk.paths:
        return disk.paths[0]
    return f"{BY_ID}/{disk.id}" if disk.id in disk.links else disk.device
