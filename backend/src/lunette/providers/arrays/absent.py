"""Messages for an array that waits: for a missing disk, or for a disk that is present without the array."""

from collections.abc import Collection, Sequence

from lunette.domain.disks import ObservedDisk
from lunette.domain.exports import ExportArray

_MOST = 3
"""At most this many disks are named; the others are counted."""


def waits(array: ExportArray, disks: Sequence[ObservedDisk], own: Collection[str], found: str = "") -> str:
    """What the array waits for. `disks`: those that are present. `own`: the IDs of those that carry it. `found`: how
    many of how many these are; empty for none.
    """
    there = [disk for disk in disks if not {disk.id, *disk.links}.isdisjoint(array.members) and disk.id not in own]
    others = [f"disk {disk.id} {disk.stranger()}" for disk in there]
    more = [f"{len(others) - _MOST} more disks are in the same state"] if len(others) > _MOST else []
    none = f"none of its {len(array.members)} disks {'carries it' if others else 'is present'}"
    return "; ".join([f"waiting for array {array.name}: {found or none}", *others[:_MOST], *more])
