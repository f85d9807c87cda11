"""Removes the requested signatures from one disk. Irreversible, so everything is checked again first."""

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.steps import DiskErase, DiskWipe
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.providers.disks.running import user_of
from lunette.system.system_port import System

REREADS, REREAD_S = 20, 0.5


def wipe(system: System, step: DiskWipe) -> str | None:
    """Wipe it; None if the disk was blank already. Refuses a disk that is in use or has signatures that the plan did
    not name.

    A power failure in between leaves some of the named signatures: a repeated call removes the rest.
    """
    settle(system)
    disk = same_disk(observe_disks(system), step.disk_id, step.serial)
    if disk.other_path_of:
        raise InUse(f"disk {step.disk_id} is not wiped because {disk.occupation()}: name this signature in the request")
    if not disk.signatures and not disk.partitions:
        return None
    refuse(system, disk, step)
    if system.is_held(disk.device):
        # The kernel knows every user, including mounts that cannot be seen from here. A held partition holds the disk.
        raise InUse(f"disk {step.disk_id} is not wiped because a program or file system has it open: free it first")
    parts = [f"/dev/{name}" for name in system.listdir(f"/sys/block/{disk.kernel_name}") if _is_part(disk, name)]
    # Partitions first: their own signatures would reappear under the next partition table.
    for device in (*parts, disk.device):
        system.run(["wipefs", "--all", "--", device])
    left = look_again(system, step, disk.device)
    if left.signatures or left.partitions:
        raise ToolFailed(f"disk {step.disk_id} is not blank after the wipe: {left.occupation()}; see the job's log")
    return f"disk {step.disk_id} is blank"


def look_again(system: System, step: DiskWipe | DiskErase, device: str) -> ObservedDisk:
    """The disk once the kernel shows no partition of it any more, or as it is after some tries.

    The kernel does not drop partitions while udev probes one of them: BLKRRPART is refused with EBUSY (block/ioctl.c).
    """
    for attempt in range(REREADS):
        settle(system)
        left = same_disk(observe_disks(system), step.disk_id, step.serial)
        if left.signatures or not left.partitions or attempt == REREADS - 1:
            break
        system.run(["blockdev", "--rereadpt", device], ok=(0, 1))
        system.sleep(REREAD_S)
    return left


def refuse(system: System, disk: ObservedDisk, step: DiskWipe | DiskErase) -> None:
    """Raises Conflict for another drive, InUse for one that is used, has signatures that the plan did not name, or is
    in use under another name.
    """
    if disk.size_bytes != step.size_bytes:
        raise Conflict(
            f"disk {step.disk_id} has {disk.size_bytes} bytes, but the plan was made for {step.size_bytes}: "
            "make a new plan"
        )
    if disk.is_busy():
        why = disk.occupation() if not disk.used_by_system else "it carries the running system"
        raise InUse(f"disk {step.disk_id} is not wiped because {why or 'it is reached over a fabric'}: free it first")
    unnamed = [signature.type for signature in disk.signatures if signature not in step.signatures]
    if unnamed:
        raise InUse(
            f"disk {step.disk_id} now carries {', '.join(unnamed)}, which the plan did not name: make a new plan"
        )
    user = user_of(system, disk)
    if user is not None:
        raise InUse(
            f"disk {step.disk_id} is not wiped because {user}: stop using that first, or remove the disk if it is a "
            "copy"
        )


def _is_part(disk: ObservedDisk, name: str) -> bool:
    return name.startswith(disk.kernel_name) and name != disk.kernel_name
