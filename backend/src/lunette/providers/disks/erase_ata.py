"""Erases a SATA drive by the feature set SANITIZE (ACS-3, 4.18), through hdparm 9.65 or later.

Based on hdparm(8), its sources and ACS-3. No drive of the project supports it: the tests imitate hdparm.
"""

import re

from lunette.domain.disk_health import EraseMethod, EraseSupport
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import DiskErase
from lunette.providers.disks.paths import path_of
from lunette.providers.disks.sanitize import Sanitize
from lunette.system.system_port import System

TIMEOUT_S = 60.0
_WORDS = 256
_SERIAL = slice(10, 20)
_FEATURES = 59
"""Word of IDENTIFY DEVICE: bit 12 is the feature set, 13 crypto scramble, 15 block erase (ACS-3, 7.12.7.17)."""
_SANITIZE, _CRYPTO, _BLOCK = 1 << 12, 1 << 13, 1 << 15
_HOW = {EraseMethod.SANITIZE_BLOCK: "--sanitize-block-erase", EraseMethod.SANITIZE_CRYPTO: "--sanitize-crypto-scramble"}
_LINE = re.compile(r"(?m)^\s*[0-9a-f]{4}(?: [0-9a-f]{4})*\s*$")
_RUNNING, _IDLE = "State:    SD2", "State:    SD0"
_SUCCEEDED = "Last Sanitize Operation Completed Without Error"


def support(system: System, disk: ObservedDisk) -> EraseSupport:
    """What the drive offers. Raises ToolFailed or Unavailable."""
    features = _identify(system, disk)[_FEATURES]
    offered = features if features & _SANITIZE else 0
    return EraseSupport(sanitize_block=bool(offered & _BLOCK), sanitize_crypto=bool(offered & _CRYPTO))


def prove(system: System, disk: ObservedDisk, step: DiskErase) -> None:
    """Raises Conflict for another drive, and for methods it does not offer."""
    serial = _serial(_identify(system, disk))
    if serial != step.serial:
        raise Conflict(
            f"disk {step.disk_id} reports the serial number {serial or '(none)'}, but the plan was made for "
            f"{step.serial}: make a new plan"
        )
    if step.method not in _HOW or not support(system, disk).offers(step.method):
        raise Conflict(f"disk {step.disk_id} cannot erase itself by {step.method.value}: choose another method")
    if "SD1" in _status(system, disk):
        raise Conflict(
            f"disk {step.disk_id} has sanitizing frozen, as some firmware does at every start: reconnect it while "
            "the appliance is running, then try again"
        )


def begin(system: System, disk: ObservedDisk, method: EraseMethod) -> None:
    """Starts the erasure, which the drive continues on its own. Raises ToolFailed."""
    # hdparm(8): the option is required for every destructive command.
    argv = ["hdparm", "--yes-i-know-what-i-am-doing", _HOW[method], path_of(disk)]
    system.run(argv, timeout_s=TIMEOUT_S)


def state(system: System, disk: ObservedDisk) -> Sanitize:
    """Progress of a sanitize. An idle drive reports whether its last one succeeded."""
    said = _status(system, disk)
    if _RUNNING in said:
        return Sanitize.RUNNING
    return Sanitize.DONE if _IDLE in said and _SUCCEEDED in said else Sanitize.FAILED


def _status(system: System, disk: ObservedDisk) -> str:
    """hdparm exits with an error if the last sanitize failed, and if there is none."""
    argv = ["hdparm", "--sanitize-status", path_of(disk)]
    return system.run(argv, timeout_s=TIMEOUT_S, ok=tuple(range(256))).stdout


def _identify(system: System, disk: ObservedDisk) -> list[int]:
    """The words of IDENTIFY DEVICE, as `hdparm --Istdout` prints them: in hex."""
    said = system.run(["hdparm", "--Istdout", path_of(disk)], timeout_s=TIMEOUT_S).stdout
    words = [int(word, 16) for line in _LINE.findall(said) for word in line.split()]
    if len(words) != _WORDS:
        words_in_all = f"{len(words)} words where {_WORDS} were expected"
        raise ToolFailed(f"hdparm --Istdout of {disk.id} printed {words_in_all}", log=said[:1000])
    return words


def _serial(words: list[int]) -> str:
    """Two characters a word, the first in the upper byte."""
    return b"".join(word.to_bytes(2, "big") for word in words[_SERIAL]).decode("ascii", "replace").strip()
