"""LVM's devices file: the devices it may look at."""

from lunette.domain.errors import ToolFailed
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.observe import SKIPPED, skipped
from lunette.system.system_port import CommandResult, System

TIMEOUT_S = 180.0


def list_device(system: System, device: str) -> None:
    """Let LVM use the device: its devices file may be lost or from another installation.

    If LVM uses no such file it sees every device, and must not be given one: it would see nothing else then.
    """
    reported = _listed(system)
    if not _shows(system, reported, device) and _uses_file(system):  # harmless if it is listed, and LVM could not tell
        system.run(["lvm", "lvmdevices", "-y", "--adddev", device], timeout_s=TIMEOUT_S)


def unlist_device(system: System, device: str) -> bool:
    """Stop LVM from using the device. False if it did not, or uses all devices.

    Raises ToolFailed if LVM cannot tell.
    """
    if not _uses_file(system):
        return False
    reported = _listed(system)
    if not _shows(system, reported, device):
        if left_out := skipped(reported):
            raise ToolFailed(f"LVM does not report whether it uses {device}: {next(iter(left_out.values()))}")
        return False
    system.run(["lvm", "lvmdevices", "-y", "--deldev", device], timeout_s=TIMEOUT_S)
    return True


def _uses_file(system: System) -> bool:
    """Debian's LVM does not unless a setting says so; the appliance's does."""
    words = ["lvmconfig", "--typeconfig", "full", "--", "devices/use_devicesfile"]
    return system.run(words, timeout_s=TIMEOUT_S).stdout.strip() == "use_devicesfile=1"


def _listed(system: System) -> CommandResult:
    words = ["pvs", "--reportformat", "json_std", "-o", "pv_name,vg_name,vg_tags"]
    return system.run(words, timeout_s=TIMEOUT_S, ok=(0, SKIPPED))


def _shows(system: System, reported: CommandResult, device: str) -> bool:
    shown = {system.realpath(found.device) for found in parse.physical_volumes(reported.stdout)}
    return system.realpath(device) in shown
