"""Which arrays of LVM RAID there are: disks whose physical volume is marked as a member's tell, then LVM is asked."""

from collections.abc import Sequence

from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.providers.arrays.lvm import parse
from lunette.providers.arrays.lvm.plan import TAG, array_of_pv, carried_pv
from lunette.system.doorway import System

_REPORT = ("--reportformat", "json_std", "--units", "b", "--nosuffix")
TIMEOUT_S = 120.0


def members(disks: Sequence[ObservedDisk], uuid: str | None = None) -> dict[str, ObservedDisk]:
    """The disks that carry a member of an array of ours, or of this one, by the UUID of their physical volume."""
    found = {pv: disk for disk in disks if not disk.fabric and (pv := carried_pv(disk))}
    return {pv: disk for pv, disk in found.items() if uuid is None or array_of_pv(pv) == uuid}


def groups(system: System) -> tuple[parse.RaidGroup, ...]:
    """Our groups over disks, as the devices file lets LVM see them."""
    pvs = system.run(["pvs", *_REPORT, "-o", parse.PV_FIELDS], timeout_s=TIMEOUT_S)
    if not any(TAG in line for line in pvs.stdout.splitlines()):
        return ()
    volumes = system.run(["lvs", "--all", *_REPORT, "-o", parse.VOLUME_FIELDS, "--", f"@{TAG}"], timeout_s=TIMEOUT_S)
    return parse.groups(pvs.stdout, volumes.stdout)


def find(system: System, uuid: str) -> parse.RaidGroup | None:
    """The group of this array; None if LVM shows none."""
    return next((group for group in groups(system) if group.uuid == uuid), None)


def status(system: System) -> str:
    """What the kernel says of every mapped device."""
    return system.run(["dmsetup", "status"], timeout_s=30).stdout


def observe_arrays(system: System, disks: Sequence[ObservedDisk]) -> tuple[ObservedArray, ...]:
    """All of ours whose creation came to an end; costs nothing on a machine without them."""
    if not members(disks):
        return ()
    told = status(system)
    return tuple(parse.array(group, told, disks) for group in groups(system) if group.is_whole)
