"""Keeps the error recovery time of a SATA drive shorter than the kernel's command timeout.

Desktop drives retry a bad sector for up to two minutes. The kernel aborts a command after 30 s (`timeout` of a SCSI
device) and resets the drive, which does not answer meanwhile: md then treats a whole disk as lost because of one
sector. Drives made for arrays have SCT Error Recovery Control (ACS-3, 8.3): they report the sector after a few seconds,
and md rewrites it. Drives lose the setting at power-off, so it is maintained for as long as they are members.
"""

import logging

from lunette.domain.disk_health import ErrorRecovery
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.providers.disks import smart_parse as parse
from lunette.providers.disks.paths import path_of
from lunette.providers.disks.smart import TIMEOUT_S
from lunette.system.system_port import System

log = logging.getLogger(__name__)
LIMIT_S = 7.0
"""The manufacturers' default for drives made for arrays."""
KERNEL_WAIT_S = 30
LONG_WAIT_S = 180
"""Longer than any drive retries."""
_REDUNDANT = ("raid1", "raid4", "raid5", "raid6", "raid10")


def settle(system: System, disk: ObservedDisk, reported: ErrorRecovery) -> ErrorRecovery:
    """Sets the time limits of a member of an array; returns the present ones. Other drives stay unchanged.

    Only members of a redundant md array get a limit: elsewhere the drive's own retries are the last hope for a sector.
    For a drive without the setting, the kernel waits longer. Never raises.
    """
    if disk.array_uuid is None or disk.used_by_system:
        return reported
    if reported.is_limitable and reported.limit_s != LIMIT_S and _is_redundant(system, disk):
        reported = _limit(system, disk, reported)
    return _wait(system, disk, reported)


def _is_redundant(system: System, disk: ObservedDisk) -> bool:
    try:
        levels = [f"/sys/block/{holder}/md/level" for holder in disk.holders]
        return any(system.exists(path) and system.read(path).strip() in _REDUNDANT for path in levels)
    except OSError:  # it stopped meanwhile
        return False


def _limit(system: System, disk: ObservedDisk, reported: ErrorRecovery) -> ErrorRecovery:
    tenths = round(LIMIT_S * 10)
    argv = ["smartctl", "--json", f"--log=scterc,{tenths},{tenths}", path_of(disk)]
    try:
        answer = system.run(argv, timeout_s=TIMEOUT_S, ok=tuple(range(256)))
    except LunetteError as error:
        log.warning("the error recovery limit of disk %s was not set: %s", disk.id, error.detail)
        return reported
    now = parse.recovery(answer.stdout)
    if now is None or now.limit_s != LIMIT_S:
        log.warning("disk %s does not accept an error recovery limit of %s s", disk.id, LIMIT_S)
        return reported.model_copy(update={"is_limitable": False})
    log.info("the error recovery limit of disk %s is %s s", disk.id, LIMIT_S)
    return reported.model_copy(update={"limit_s": now.limit_s})


def _wait(system: System, disk: ObservedDisk, reported: ErrorRecovery) -> ErrorRecovery:
    file = f"/sys/block/{disk.kernel_name}/device/timeout"
    try:
        now = int(system.read(file))
        wanted = _wanted_wait(now, reported.limit_s)
        if wanted != now:
            system.write(file, str(wanted))
            log.info("the kernel's command timeout is %s s for disk %s", wanted, disk.id)
    except (OSError, ValueError) as error:
        log.warning("the kernel's command timeout of disk %s is unknown: %s", disk.id, error)
        return reported.model_copy(update={"wait_s": None})
    return reported.model_copy(update={"wait_s": wanted})


def _wanted_wait(now: int, limit_s: float | None) -> int:
    """A timeout that was configured otherwise stays if it is long enough."""
    if limit_s is None or limit_s >= now:
        return max(now, LONG_WAIT_S)
    return KERNEL_WAIT_S if now == LONG_WAIT_S and limit_s < KERNEL_WAIT_S else now
