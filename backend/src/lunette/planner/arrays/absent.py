"""Disks of an array that are present without it: emptied, overwritten, or other drives with their identifiers."""

from collections.abc import Iterable, Mapping

from lunette.domain.arrays import ArrayEngine
from lunette.domain.disks import ObservedDisk
from lunette.domain.observations import Observation
from lunette.planner.engines.array_engines import ARRAY_ENGINES

_OPAQUE = ("unreadable", "crypto_LUKS")
"""Signatures that hide the content of a disk."""
_MOST = 3


def strangers(engine: ArrayEngine, uuid: str, disk_ids: Iterable[str], seen: Observation) -> dict[str, str]:
    """What these disks of an array contain instead, in words, by the ID in the record. A disk that is not present is
    omitted, and so is one that carries the array, or may do so.
    """
    members = {member.disk_id for array in seen.arrays if array.uuid == uuid for member in array.members}
    found = {disk_id: seen.disk(disk_id) for disk_id in disk_ids if disk_id not in members}
    return {disk_id: disk.stranger() for disk_id, disk in found.items() if disk and not _may_carry(engine, uuid, disk)}


def describe(others: Mapping[str, str], gone: int) -> str:
    """Such disks, in words, and the number of missing ones."""
    words = [f"disk {disk_id} {what}" for disk_id, what in [*others.items()][:_MOST]]
    words += [f"{len(others) - _MOST} more are in the same state"] if len(others) > _MOST else []
    words += [f"{gone} of its disks {'is' if gone == 1 else 'are'} not detected"] if gone else []
    return "; ".join(words)


def _may_carry(engine: ArrayEngine, uuid: str, disk: ObservedDisk) -> bool:
    types = {signature.type for signature in disk.signatures}
    return not types.isdisjoint(_OPAQUE) or ARRAY_ENGINES[engine].may_carry(uuid, disk)
