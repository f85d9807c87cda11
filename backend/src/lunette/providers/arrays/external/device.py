"""Finds the device of an external array, and accepts it only as it was planned."""

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import InUse
from lunette.domain.steps import MemberDisk
from lunette.providers.arrays.external.plan import carried_uuid
from lunette.providers.disks.inventory import BY_ID, observe_disks, same_disk
from lunette.system.system_port import System


def path(system: System, disk_id: str) -> str:
    """The stable path of a device, whether it is present or not. A device without a link is identified by its kernel
    name, which its vendor's driver derives from the name of its RAID.
    """
    link = f"{BY_ID}/{disk_id}"
    return f"/dev/{disk_id}" if not system.exists(link) and system.is_block_device(f"/dev/{disk_id}") else link


def is_there(system: System, disk_id: str) -> bool:
    return system.is_block_device(path(system, disk_id))


def take(system: System, member: MemberDisk, uuid: str) -> str:
    """The path of a device that carries array `uuid`, or is blank and unused.

    Raises NotFound if it is absent, Conflict if another device has its ID, InUse if it carries anything else.
    """
    disk = same_disk(observe_disks(system), member.disk_id, member.serial)
    if disk.fabric or disk.used_by_system:
        whose = "it is reached over a fabric" if disk.fabric else "it carries the running system"
        raise InUse(f"disk {disk.id} cannot be used because {whose}: choose another disk")
    if carried_uuid(disk) == uuid and not disk.mounts:
        return path(system, disk.id)
    if (why := disk.occupation()) is not None:
        raise InUse(f"disk {disk.id} cannot be used because {why}: allow wiping it, or choose another disk")
    if system.is_held(disk.device):
        raise InUse(f"disk {disk.id} is in use by another program: free it first")
    return path(system, disk.id)


def find(system: System, disk_id: str, uuid: str) -> ObservedDisk | None:
    """The device with this ID if it carries array `uuid`; None if it is absent, blank, or belongs to something else."""
    disk = next((one for one in observe_disks(system) if disk_id in (one.id, *one.links)), None)
    return disk if disk is not None and not disk.fabric and carried_uuid(disk) == uuid else None
