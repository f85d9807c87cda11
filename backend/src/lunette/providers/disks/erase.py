"""Has an NVMe drive erase itself by Format NVM or Sanitize. Irreversible, so everything is looked at again just before.

nvme-cli holds the namespace alone while it formats (it is not given --force), so nothing can begin to use it meanwhile.
A sanitize is the drive's own work: it lets no other command in until it is done, and goes on after a power cut.
"""

import json
import re
from contextlib import suppress

from lunette.domain.disk_health import EraseMethod
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.steps import DiskErase
from lunette.providers.disks import smart_parse as parse
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.providers.disks.smart import identify
from lunette.providers.disks.wipe import look_again, refuse
from lunette.system.doorway import System

DONE = "/var/lib/lunette/agent/erased.json"
"""The erasures that are done, the newest last: a repeated step must not erase what somebody wrote since."""
KEPT = 256
SANITIZE_S, LOOK_S = 24 * 3600.0, 2.0
_IN_PROGRESS, _COMPLETED = 2, (1, 4)
_STATE = re.compile(r"\((0x[0-9a-fA-F]+|[0-9]+)\)")
"""nvme-cli 2 prints `(2) Sanitize in Progress.`, its number in hex in some versions."""
FORMAT_S = 3600.0
"""nvme-cli itself gives a format ten minutes, and waits ten seconds before it begins."""


def erase(system: System, step: DiskErase) -> str | None:
    """Erase it; None if this very erasure was done before. A power cut in between: running again erases it all."""
    if step.erase_id in _done(system):
        return None
    settle(system)
    disk = same_disk(observe_disks(system), step.disk_id, step.serial)
    if not (step.method.is_sanitize and _is_sanitizing(system, disk)):  # one under way lets nobody look at the disk
        refuse(system, disk, step)
        if system.is_held(disk.device):
            why = "a program or file system has it open"
            raise InUse(f"disk {step.disk_id} is not erased because {why}: free it first")
        _prove(system, disk, step)
        _begin(system, disk, step.method)
    if step.method.is_sanitize:
        _await_sanitized(system, disk)
        system.run(["blockdev", "--rereadpt", disk.device], ok=(0, 1))  # nothing else tells udev of it
    left = look_again(system, step, disk.device)
    if left.signatures or left.partitions:
        raise ToolFailed(
            f"disk {step.disk_id} is not blank after the erase: {left.occupation()}; look at the job's log"
        )
    kept = [*_done(system), step.erase_id][-KEPT:]
    system.write_durably(DONE, json.dumps(kept).encode())
    return f"disk {step.disk_id} has erased itself"


def _prove(system: System, disk: ObservedDisk, step: DiskErase) -> None:
    """Refuses another drive, and all that would reach further."""
    told = identify(system, disk)
    serial = str(told.get("sn") or "").strip()
    if serial != step.serial:
        raise Conflict(
            f"the controller of disk {step.disk_id} says that its serial is {serial or '(none)'}, the plan was made "
            f"for {step.serial}: make a new plan"
        )
    support = parse.erases(told)
    if not support.offers(step.method):
        raise Conflict(f"disk {step.disk_id} cannot erase itself by {step.method.value}: choose another method")
    others = _namespaces(system, disk) if support.reaches_siblings(step.method) else 1
    if others > 1:
        raise Conflict(
            f"disk {step.disk_id} is one of {others} namespaces of its controller, which erases all of them or none: "
            "wipe its signatures instead, or delete the other namespaces first"
        )


def _begin(system: System, disk: ObservedDisk, method: EraseMethod) -> None:
    """A format is done when this returns, a sanitize has begun. Raises ToolFailed.

    The namespace itself is named to nvme-cli: with native multipath nvme0n1 need not be one of controller nvme0.
    """
    if method.is_sanitize:
        _sanitized(system, disk.device)  # none is begun whose end could not be seen
        system.run(["nvme", "sanitize", disk.device, f"--sanact={method.setting}"])
    else:
        argv = ["nvme", "format", disk.device, f"--lbaf={_block_format(system, disk)}", f"--ses={method.setting}"]
        system.run(argv, timeout_s=FORMAT_S)


def _is_sanitizing(system: System, disk: ObservedDisk) -> bool:
    """A drive without the log has none under way."""
    with suppress(ToolFailed):
        return _sanitized(system, disk.device) == _IN_PROGRESS
    return False


def _await_sanitized(system: System, disk: ObservedDisk) -> None:
    until = system.monotonic() + SANITIZE_S
    while (state := _sanitized(system, disk.device)) == _IN_PROGRESS:
        if system.monotonic() >= until:
            raise ToolFailed(f"disk {disk.id} is still sanitizing after {SANITIZE_S / 3600:.0f} hours, and goes on")
        system.sleep(LOOK_S)
    if state not in _COMPLETED:
        raise ToolFailed(
            f"disk {disk.id} failed to sanitize itself (state {state} of its log) and lets nobody read or write until "
            "a sanitize succeeds: try again, or replace the drive"
        )


def _sanitized(system: System, device: str) -> int:
    """SSTAT of the Sanitize Status log page, bits 2:0 (Base Specification 2.0, 5.16.1.25)."""
    told = parse.document(system.run(["nvme", "sanitize-log", device, "--output-format=json"]).stdout)
    (log,) = told.values()
    found = _STATE.match(str(log["sstat"]["status"]))
    if found is None:
        raise ToolFailed(f"nvme sanitize-log of {device} tells no state", log=json.dumps(told))
    return int(found[1], 0)


def _namespaces(system: System, disk: ObservedDisk) -> int:
    """How many the controller has, also those that are attached to nobody.

    A controller that cannot manage namespaces does not list those (CNS 10h), and has none.
    """
    argv = ["nvme", "list-ns", disk.device, "--output-format=json"]
    found = [parse.document(system.run(argv).stdout)]
    with suppress(ToolFailed):
        found.append(parse.document(system.run([*argv, "--all"]).stdout))
    return max(len(told["nsid_list"]) for told in found)


def _block_format(system: System, disk: ObservedDisk) -> int:
    """Identify Namespace: the low four bits of FLBAS, and two more above (Command Set Specification 1.0, 4.1.5.1)."""
    told = parse.document(system.run(["nvme", "id-ns", disk.device, "--output-format=json"]).stdout)
    flbas = int(told["flbas"])
    number = flbas & 0xF | flbas >> 1 & 0x30
    chosen = told["lbafs"][number]
    if chosen.get("ms") or told.get("dps"):
        raise Conflict(
            f"disk {disk.id} is formatted with metadata or protection information, which a format would lose: erase it "
            "with nvme-cli"
        )
    return number


def _done(system: System) -> list[str]:
    found = system.read_file(DONE)
    with suppress(ValueError):
        return list(json.loads(found)) if found else []
    return []
