"""Reads the health of one drive by smartctl (smartmontools 7.3 or later) and nvme-cli, without waking a sleeping
drive.
"""

import re
from collections.abc import Callable

from lunette.domain.disk_health import DriveReading, EraseSupport
from lunette.domain.disks import ObservedDisk, Transport
from lunette.domain.errors import Conflict, LunetteError, ToolFailed, Unavailable
from lunette.providers.disks import erase_ata, erase_scsi
from lunette.providers.disks import smart_parse as parse
from lunette.providers.disks.paths import path_of
from lunette.system.system_port import System

TIMEOUT_S = 20.0
"""A healthy drive takes under a second, one that spins up under 20."""
ASLEEP = 3
"""Requested exit code of smartctl if the drive sleeps: no other one has both of these bits (smartctl(8))."""
_SMART = (
    "smartctl",
    "--json",
    f"--nocheck=standby,{ASLEEP}",
    "--info",
    "--health",
    "--attributes",
    "--log=error",
    "--log=ssd",
    "--log=devstat,1",
    "--log=devstat,5",
    "--log=devstat,6",
    "--log=background",
    "--log=selftest",
)
"""Not `--all`: that reads every log, which takes some drives seconds and adds nothing that is needed."""
_MORE = {Transport.SATA: ("--log=scterc", "--capabilities"), Transport.SAS: ("--log=sasphy",)}
_ERASERS = {Transport.SATA: erase_ata.support, Transport.SAS: erase_scsi.support}
_NO_DRIVE = (Transport.VIRTIO, Transport.UBD)
_CONTROLLER = re.compile(r"^(nvme\d+)(c\d+)?n\d+$")


def reports_health(disk: ObservedDisk) -> bool:
    """True if a drive that can be queried is behind it."""
    return not disk.fabric and disk.other_path_of is None and disk.transport not in _NO_DRIVE


def read(system: System, disk: ObservedDisk, before: DriveReading | None) -> DriveReading:
    """The present health of the drive. What could not be read stays as it was, with the reason."""
    known = before or DriveReading()
    try:
        return _ask(system, disk, known)
    except ToolFailed as error:
        # LocalSystem ends what hangs; smartctl's own refusals are no failures here.
        return known.model_copy(update={"misses": known.misses + 1, "problem": error.detail})
    except LunetteError as error:
        return known.model_copy(update={"problem": error.detail})


def _ask(system: System, disk: ObservedDisk, known: DriveReading) -> DriveReading:
    more = _MORE.get(disk.transport, ())
    answer = system.run([*_SMART, *more, path_of(disk)], timeout_s=TIMEOUT_S, ok=tuple(range(256)))
    if answer.returncode == ASLEEP:
        return known.model_copy(update={"is_asleep": True, "misses": 0, "problem": None})
    reading = parse.reading(answer.stdout, system.now(), answer.returncode)
    if reading.read_at is None and known.read_at is not None:  # a dying drive reports nothing: its last report stays
        return known.model_copy(
            update={"misses": 0, "problem": reading.problem, "unreadable": reading.unreadable, "is_asleep": False}
        )
    if (asked := _ERASERS.get(disk.transport)) is not None:
        reading = reading.model_copy(update={"erases": known.erases or _erases(system, disk, asked)})
    if disk.transport is Transport.SATA:
        return reading.model_copy(update={"recovery": parse.recovery(answer.stdout)})
    if _CONTROLLER.match(disk.kernel_name) is None:
        return reading
    try:
        reported = identify(system, disk)
        values = reading.values.model_copy(update=parse.limits(reported))
        known_now = {"erases": parse.erases(reported), "volatile_cache": parse.volatile_cache(reported)}
    except (ToolFailed, Unavailable):
        return reading
    return reading.model_copy(update={"values": values, **known_now})


def _erases(
    system: System, disk: ObservedDisk, ask: Callable[[System, ObservedDisk], EraseSupport]
) -> EraseSupport | None:
    """The drive's own erase methods; None if it cannot be queried. It is queried once, because they do not change."""
    try:
        return ask(system, disk)
    except (ToolFailed, Unavailable):
        return None


def identify(system: System, disk: ObservedDisk) -> parse.Json:
    """Identify data of the controller of an NVMe disk; smartctl shows its temperature limits only from 7.5 on."""
    controller = _CONTROLLER.match(disk.kernel_name)
    if controller is None:
        raise Conflict(f"disk {disk.id} is not an NVMe drive")
    argv = ["nvme", "id-ctrl", f"/dev/{controller[1]}", "--output-format=json"]
    return parse.document(system.run(argv, timeout_s=TIMEOUT_S).stdout)
