"""Which arrays of LVM RAID exist: disks whose physical volume is marked as a member show them, then LVM is asked."""

from collections.abc import Sequence

from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import ToolFailed
from lunette.providers.arrays.lvm import parse
from lunette.providers.arrays.lvm.plan import TAG, array_of_pv, carried_pv
from lunette.providers.volumes.lvm.observe import SKIPPED, skipped
from lunette.system.system_port import System

_REPORT = ("--reportformat", "json_std", "--units", "b", "--nosuffix")
TIMEOUT_S = 120.0


def members(disks: Sequence[ObservedDisk], uuid: str | None = None) -> dict[str, ObservedDisk]:
    """The disks that carry a member of an array of Lunette, or of this one, by the UUID of their physical volume."""
    found = {pv: disk for disk in disks if not disk.fabric and (pv := carried_pv(disk))}
    return {pv: disk for pv, disk in found.items() if uuid is None or array_of_pv(pv) == uuid}


def groups(system: System, unread: dict[str, str]) -> tuple[parse.RaidGroup, ...]:
    """Lunette's groups over disks that LVM's devices file lets it use; what cannot be read goes into `unread`."""
    pvs = system.run(["pvs", *_REPORT, "-o", parse.PV_FIELDS], timeout_s=TIMEOUT_S, ok=(0, SKIPPED))
    unread |= skipped(pvs)
    if not any(TAG in line for line in pvs.stdout.splitlines()):
        return ()
    command = ["lvs", "--all", *_REPORT, "-o", parse.VOLUME_FIELDS, "--", f"@{TAG}"]
    volumes = system.run(command, timeout_s=TIMEOUT_S, ok=(0, SKIPPED))
    unread |= skipped(volumes)
    return parse.groups(pvs.stdout, volumes.stdout, unread)


def find(system: System, uuid: str) -> parse.RaidGroup | None:
    """The group of this array; None if LVM shows none. Raises ToolFailed if LVM cannot tell."""
    unread: dict[str, str] = {}
    found = next((group for group in groups(system, unread) if group.uuid == uuid), None)
    if found is None and unread:
        raise ToolFailed(f"LVM does not report every array: {next(iter(unread.values()))}")
    return found


def status(system: System) -> str:
    """Kernel status of every mapped device."""
    return system.run(["dmsetup", "status"], timeout_s=30).stdout


def observe_arrays(
    system: System, disks: Sequence[ObservedDisk], unread: dict[str, str], *, all_disks: bool = True
) -> tuple[ObservedArray, ...]:
    """All completely created arrays of Lunette; costs nothing on a machine without them.

    `all_disks` is False if `disks` may lack some that are present.
    """
    if not members(disks):
        return ()
    reported = status(system)
    found = groups(system, unread)
    return tuple(parse.array(group, reported, disks, all_disks=all_disks) for group in found if group.is_whole)
