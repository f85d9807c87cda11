"""Erases a SAS drive by the command SANITIZE (SBC-4, 5.37), through sg3_utils 1.46 or later.

Based on sg_sanitize(8), sg_opcodes(8), sg_requests(8) and SBC-4. No drive of the project supports it: the tests imitate
the tools.
"""

import re

from lunette.domain.disk_health import EraseMethod, EraseSupport
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict
from lunette.domain.steps import DiskErase
from lunette.providers.disks.paths import path_of
from lunette.providers.disks.sanitize import Sanitize
from lunette.system.system_port import System

TIMEOUT_S = 60.0
_ACTIONS = {EraseMethod.SANITIZE_BLOCK: 2, EraseMethod.SANITIZE_CRYPTO: 3}
"""Service actions of the command 48h."""
_HOW = {EraseMethod.SANITIZE_BLOCK: "--block", EraseMethod.SANITIZE_CRYPTO: "--crypto"}
_SUPPORTED = "supported [conforming to SCSI standard]"
_RUNNING, _FAILED = "sanitize in progress", "Sanitize command failed"
"""sg_requests prints the words of T10 for 04h/1Bh and 31h/03h."""
_SERIAL = re.compile(r"(?m)^\s*Unit serial number:\s*(.*?)\s*$")
_ANY = tuple(range(256))
_SENSE = (0, 2, 3, 18, 20, 21)
"""Exit codes of sg_requests if the drive answered: no sense, not ready, medium error, recovered error (sg3_utils(8),
EXIT STATUS). Any other is no answer, and not the end of a sanitize.
"""


def support(system: System, disk: ObservedDisk) -> EraseSupport:
    """The commands that the drive lists; none if it lists none. Raises ToolFailed or Unavailable."""
    offered = {method: _offers(system, disk, action) for method, action in _ACTIONS.items()}
    return EraseSupport(
        sanitize_block=offered[EraseMethod.SANITIZE_BLOCK], sanitize_crypto=offered[EraseMethod.SANITIZE_CRYPTO]
    )


def prove(system: System, disk: ObservedDisk, step: DiskErase) -> None:
    """Raises Conflict for another drive, and for methods it does not offer."""
    said = system.run(["sg_inq", "--page=0x80", path_of(disk)], timeout_s=TIMEOUT_S).stdout
    found = _SERIAL.search(said)
    serial = found[1] if found else ""
    if serial != step.serial:
        raise Conflict(
            f"disk {step.disk_id} reports the serial number {serial or '(none)'}, but the plan was made for "
            f"{step.serial}: make a new plan"
        )
    if step.method not in _ACTIONS or not support(system, disk).offers(step.method):
        raise Conflict(f"disk {step.disk_id} cannot erase itself by {step.method.value}: choose another method")


def begin(system: System, disk: ObservedDisk, method: EraseMethod) -> None:
    """Starts the erasure, which the drive continues on its own. Raises ToolFailed."""
    # --quick: it does not wait 15 s for an operator. --early: it does not wait for the end.
    system.run(["sg_sanitize", _HOW[method], "--early", "--quick", path_of(disk)], timeout_s=TIMEOUT_S)


def state(system: System, disk: ObservedDisk) -> Sanitize:
    """Progress of a sanitize, by REQUEST SENSE. Raises ToolFailed if the drive does not answer."""
    said = system.run(["sg_requests", path_of(disk)], timeout_s=TIMEOUT_S, ok=_SENSE).stdout
    if _RUNNING in said:
        return Sanitize.RUNNING
    return Sanitize.FAILED if _FAILED in said else Sanitize.DONE


def _offers(system: System, disk: ObservedDisk, action: int) -> bool:
    """A drive without REPORT SUPPORTED OPERATION CODES makes sg_opcodes end with an error."""
    argv = ["sg_opcodes", f"--opcode=0x48,{action}", path_of(disk)]
    return _SUPPORTED in system.run(argv, timeout_s=TIMEOUT_S, ok=_ANY).stdout
