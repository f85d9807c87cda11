"""Erases an NVMe drive by Format NVM or Sanitize.

nvme-cli holds the namespace exclusively while it formats (without --force), so no process can begin to use it
meanwhile.
"""

import json
import re
from contextlib import suppress

from lunette.domain.disk_health import EraseMethod
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import DiskErase
from lunette.providers.disks import smart_parse as parse
from lunette.providers.disks.sanitize import Sanitize
from lunette.providers.disks.smart import identify
from lunette.system.system_port import System

FORMAT_S = 3600.0
"""nvme-cli itself gives a format ten minutes, and waits ten seconds before it begins."""
_STATES = {1: Sanitize.DONE, 2: Sanitize.RUNNING, 4: Sanitize.DONE}
_STATE = re.compile(r"\((0x[0-9a-fA-F]+|[0-9]+)\)")
"""nvme-cli 2 prints `(2) Sanitize in Progress.`, its number in hex in some versions."""


def prove(system: System, disk: ObservedDisk, step: DiskErase) -> None:
    """Raises Conflict for another drive, and for everything that would affect more than the disk."""
    reported = identify(system, disk)
    serial = str(reported.get("sn") or "").strip()
    if serial != step.serial:
        raise Conflict(
            f"the controller of disk {step.disk_id} reports the serial number {serial or '(none)'}, but the plan was "
            f"made for {step.serial}: make a new plan"
        )
    support = parse.erases(reported)
    if not support.offers(step.method):
        raise Conflict(f"disk {step.disk_id} cannot erase itself by {step.method.value}: choose another method")
    others = _namespaces(system, disk) if support.reaches_siblings(step.method) else 1
    if others > 1:
        raise Conflict(
            f"disk {step.disk_id} is one of {others} namespaces of its controller, which erases all of them or none: "
            "wipe its signatures instead, or delete the other namespaces first"
        )


def begin(system: System, disk: ObservedDisk, method: EraseMethod) -> None:
    """A format is done when this returns, a sanitize has begun. Raises ToolFailed.

    nvme-cli gets the namespace itself: with native multipath nvme0n1 need not belong to controller nvme0.
    """
    if method.is_sanitize:
        _state(system, disk.device)  # none is started whose end could not be observed
        system.run(["nvme", "sanitize", disk.device, f"--sanact={method.setting}"])
    else:
        argv = ["nvme", "format", disk.device, f"--lbaf={_block_format(system, disk)}", f"--ses={method.setting}"]
        system.run(argv, timeout_s=FORMAT_S)


def state(system: System, disk: ObservedDisk) -> Sanitize:
    """Progress of a sanitize. Raises ToolFailed for a drive without the log, which has none running."""
    return _STATES.get(_state(system, disk.device), Sanitize.FAILED)


def _state(system: System, device: str) -> int:
    """SSTAT of the Sanitize Status log page, bits 2:0 (Base Specification 2.0, 5.16.1.25)."""
    reported = parse.document(system.run(["nvme", "sanitize-log", device, "--output-format=json"]).stdout)
    (log,) = reported.values()
    found = _STATE.match(str(log["sstat"]["status"]))
    if found is None:
        raise ToolFailed(f"nvme sanitize-log of {device} reports no state", log=json.dumps(reported))
    return int(found[1], 0)


def _namespaces(system: System, disk: ObservedDisk) -> int:
    """The number of namespaces of the controller, including those that are not attached.

    A controller that cannot manage namespaces does not list those (CNS 10h), and has none.
    """
    argv = ["nvme", "list-ns", disk.device, "--output-format=json"]
    found = [parse.document(system.run(argv).stdout)]
    with suppress(ToolFailed):
        found.append(parse.document(system.run([*argv, "--all"]).stdout))
    return max(len(reported["nsid_list"]) for reported in found)


def _block_format(system: System, disk: ObservedDisk) -> int:
    """Identify Namespace: the low four bits of FLBAS, and two more above (Command Set Specification 1.0, 4.1.5.1)."""
    reported = parse.document(system.run(["nvme", "id-ns", disk.device, "--output-format=json"]).stdout)
    flbas = int(reported["flbas"])
    number = flbas & 0xF | flbas >> 1 & 0x30
    chosen = reported["lbafs"][number]
    if chosen.get("ms") or reported.get("dps"):
        raise Conflict(
            f"disk {disk.id} is formatted with metadata or protection information, which a format would lose: erase "
            "it "
            "with nvme-cli"
        )
    return number
