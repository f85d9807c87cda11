"""Starts an array of LVM RAID after a boot, and stops it at shutdown. Only disks that carry its members are used.

dmeventd never repairs anything: etc/lvm/lvmlocal.conf has it warn only, and every change of disks is a job.
"""

from collections.abc import Sequence

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError, NotFound, ToolFailed
from lunette.domain.exports import ExportArray
from lunette.providers.arrays import absent
from lunette.providers.arrays.lvm import observe, parse
from lunette.providers.arrays.lvm.plan import VOLUME, survives
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.providers.volumes.lvm.listing import list_device
from lunette.system.system_port import System

TIMEOUT_S = 300.0
"""Loading raid456 measures checksum speeds: minutes on an emulated CPU."""


def start(system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
    """Start the array if its disks are present; None once it runs, otherwise what it waits for, in words.

    With `allow_degraded` it starts without missing disks, as far as the level survives that. LVM does not start a RAID
    volume with checksums in this way (2.03.31: partial_raid_lv_supports_degraded_activation): a disk that is missing
    then is dropped from the group first, and is rebuilt if it returns.
    """
    disks = observe_disks(system)
    present = observe.members(disks, array.uuid)
    own = [disk.id for disk in present.values()]
    if not present:
        return absent.waits(array, disks, own)
    see(system, list(present.values()))
    found = observe.find(system, array.uuid)
    if found is None or not found.is_whole:
        return f"array {array.name} did not start: LVM shows no RAID volume on its disks"
    if found.is_active:
        return None
    count, missing = len(found.images), _lost(found)
    if missing and not allow_degraded:
        return absent.waits(array, disks, own, f"{count - missing} of {count} disks present")
    try:
        _activate(system, found, degraded=bool(missing))
    except LunetteError as error:
        words = [line.strip() for line in error.log.strip().splitlines() if line.strip()][-1:] or [error.detail]
        return f"array {array.name} did not start with {count - missing} of {count} disks: {words[0]}"
    return None


def shut_down(system: System) -> list[str]:
    """Its volume groups are down already (volumes/lvm/machine.py); the device mapper itself knows what is open."""
    unread: dict[str, str] = {}
    try:
        is_used = system.find_tool("pvs") and observe.members(observe_disks(system))
        found = observe.groups(system, unread) if is_used else ()
    except LunetteError as error:
        return [f"LVM arrays cannot be listed: {error.detail}"]
    refused = [f"array {name or 'of LVM'} cannot be read: {reason}" for name, reason in unread.items()]
    for group in found:
        try:
            system.run(["vgchange", "-an", "--", group.name], timeout_s=TIMEOUT_S)
        except LunetteError as error:
            refused.append(f"array {group.name}: {error.detail}")
    return refused


def running(system: System, uuid: str, *, degraded: bool = False) -> parse.RaidGroup | None:
    """The array, started here if a boot left it down between two steps of a job. None if no disk carries it.

    Raises NotFound if some of its disks are missing, unless it may start `degraded`, ToolFailed if it does not start.
    """
    present = observe.members(observe_disks(system), uuid)
    if not present:
        return None
    see(system, list(present.values()))
    found = observe.find(system, uuid)
    if found is None or not found.is_whole or found.is_active:
        return found
    missing = _lost(found)
    if missing and not degraded:
        raise NotFound(
            f"array {found.name} is not running and {missing} of its disks are missing: attach them, then try again"
        )
    _activate(system, found, degraded=bool(missing))
    return observe.find(system, uuid)


def see(system: System, disks: Sequence[ObservedDisk]) -> None:
    """Let LVM use these disks: its devices file may be lost or from another installation."""
    for disk in disks:
        list_device(system, disk.device)


def _lost(group: parse.RaidGroup) -> int:
    """How many images have no disk."""
    return sum(group.pvs.get(pv, parse.NOWHERE) == parse.NOWHERE for pv in group.images)


def _activate(system: System, group: parse.RaidGroup, *, degraded: bool) -> None:
    left = frozenset(slot for slot, pv in enumerate(group.images) if group.pvs.get(pv, parse.NOWHERE) != parse.NOWHERE)
    if not survives(group.level, len(group.images), left):
        raise ToolFailed(f"array {group.name} is {group.level} and cannot run with {len(left)} of its disks")
    if degraded and group.integrity and group.missing():
        system.run(["vgreduce", "--removemissing", "--force", "--", group.name], timeout_s=TIMEOUT_S)
    mode = "degraded" if degraded else "complete"
    command = ["lvchange", "--activate", "y", "--activationmode", mode, "--", f"{group.name}/{VOLUME}"]
    system.run(command, timeout_s=TIMEOUT_S)
    settle(system)
