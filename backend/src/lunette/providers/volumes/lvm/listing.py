"""LVM's devices file: the devices it may look at."""

from lunette.providers.volumes.lvm import parse
from lunette.system.doorway import System

TIMEOUT_S = 180.0


def list_device(system: System, device: str) -> None:
    """Let LVM see the device: its devices file may be lost or from another installation."""
    listed = system.run(["pvs", "--reportformat", "json_std", "-o", "pv_name,vg_name,vg_tags"], timeout_s=TIMEOUT_S)
    shown = {system.realpath(found.device) for found in parse.physical_volumes(listed.stdout)}
    if system.realpath(device) not in shown:
        system.run(["lvm", "lvmdevices", "-y", "--adddev", device], timeout_s=TIMEOUT_S)


def unlist_device(system: System, device: str) -> bool:
    """Let LVM not look at the device any more. False if it did not."""
    listed = system.run(["pvs", "--reportformat", "json_std", "-o", "pv_name,vg_name,vg_tags"], timeout_s=TIMEOUT_S)
    shown = {system.realpath(found.device) for found in parse.physical_volumes(listed.stdout)}
    if system.realpath(device) not in shown:
        return False
    system.run(["lvm", "lvmdevices", "-y", "--deldev", device], timeout_s=TIMEOUT_S)
    return True
