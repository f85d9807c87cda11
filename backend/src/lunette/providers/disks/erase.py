"""Lets a drive erase itself. Irreversible, so everything is checked again immediately before.

A sanitize is the drive's own work: it admits no other command until it is done, and continues after a power failure.
"""

import json
from contextlib import suppress
from types import ModuleType

from lunette.domain.disks import ObservedDisk, Transport
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.steps import DiskErase
from lunette.providers.disks import erase_ata, erase_nvme, erase_scsi
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.providers.disks.sanitize import Sanitize
from lunette.providers.disks.wipe import look_again, refuse
from lunette.system.system_port import System

DONE = "/var/lib/lunette/agent/erased.json"
"""The completed erasures, the newest last: a repeated step must not erase later data."""
KEPT = 256
SANITIZE_S, LOOK_S = 24 * 3600.0, 2.0
_DRIVES: dict[Transport | None, ModuleType] = {
    Transport.NVME: erase_nvme,
    Transport.SATA: erase_ata,
    Transport.SAS: erase_scsi,
}
"""How drives are erased, by their protocol."""


def erase(system: System, step: DiskErase) -> str | None:
    """Erase it; None if this very erasure was done before. After a power failure in between, a repeated call erases
    everything again.
    """
    if step.erase_id in _done(system):
        return None
    settle(system)
    disk = same_disk(observe_disks(system), step.disk_id, step.serial)
    drive = _DRIVES.get(disk.transport)
    if drive is None:
        raise Conflict(f"disk {step.disk_id} cannot erase itself: wipe its signatures instead")
    # During a sanitize, the disk cannot be read.
    if not (step.method.is_sanitize and _is_sanitizing(system, drive, disk)):
        refuse(system, disk, step)
        if system.is_held(disk.device):
            why = "a program or file system has it open"
            raise InUse(f"disk {step.disk_id} is not erased because {why}: free it first")
        drive.prove(system, disk, step)
        drive.begin(system, disk, step.method)
    if step.method.is_sanitize:
        _await_sanitized(system, drive, disk)
        system.run(["blockdev", "--rereadpt", disk.device], ok=(0, 1))  # nothing else tells udev of it
    left = look_again(system, step, disk.device)
    if left.signatures or left.partitions:
        raise ToolFailed(f"disk {step.disk_id} is not blank after the erase: {left.occupation()}; see the job's log")
    kept = [*_done(system), step.erase_id][-KEPT:]
    system.write_durably(DONE, json.dumps(kept).encode())
    return f"disk {step.disk_id} has erased itself"


def _is_sanitizing(system: System, drive: ModuleType, disk: ObservedDisk) -> bool:
    """A drive that cannot be queried has none running."""
    with suppress(ToolFailed):
        return bool(drive.state(system, disk) is Sanitize.RUNNING)
    return False


def _await_sanitized(system: System, drive: ModuleType, disk: ObservedDisk) -> None:
    until = system.monotonic() + SANITIZE_S
    while (state := drive.state(system, disk)) is Sanitize.RUNNING:
        if system.monotonic() >= until:
            raise ToolFailed(f"disk {disk.id} is still sanitizing after {SANITIZE_S / 3600:.0f} hours, and continues")
        system.sleep(LOOK_S)
    if state is Sanitize.FAILED:
        raise ToolFailed(
            f"disk {disk.id} failed to sanitize itself and refuses reads and writes until a sanitize succeeds: try "
            "again, or replace the drive"
        )


def _done(system: System) -> list[str]:
    found = system.read_file(DONE)
    with suppress(ValueError):
        return list(json.loads(found)) if found else []
    return []
