"""Disks: what the machine shows, joined with the arrays of ours they belong to."""

from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Seen
from lunette.domain.disks import ObservedDisk, Transport
from lunette.store.resources import ArrayDisk


class DiskState(StrEnum):
    """free: blank and ready for an array. member: in one of our arrays. system: carries the running system.

    occupied: carries data or is in use by something else. missing: in one of our arrays, and not seen any more.
    unknown: in one of our arrays, and the agent does not answer.
    """

    FREE = "free"
    MEMBER = "member"
    OCCUPIED = "occupied"
    SYSTEM = "system"
    MISSING = "missing"
    UNKNOWN = "unknown"


class DiskSignature(Answer):
    """Something recognised on a disk: a file system, a partition table, an md superblock, an LVM label."""

    type: str
    label: str | None
    uuid: str | None


class DiskHardware(Answer):
    """What the drive says about itself, and what is on it."""

    device: str
    wwn: str | None
    firmware: str | None
    rotational: bool
    logical_block_bytes: int
    physical_block_bytes: int
    write_cache: bool
    numa_node: int | None
    links: tuple[str, ...]
    partitions: int
    signatures: tuple[DiskSignature, ...]
    holders: tuple[str, ...]
    mounts: tuple[str, ...]
    fabric: bool


class Disk(Answer):
    """One physical drive, by its stable id. `occupied_by` tells why it cannot be used without being wiped."""

    id: str
    state: DiskState
    serial: str
    model: str | None
    transport: Transport | None
    size_bytes: int | None
    array: str | None
    array_id: str | None
    slot: int | None
    occupied_by: str | None
    wipeable: bool
    """True if an explicit wipe in a request may clear what occupies it."""
    observed: DiskHardware | None
    age_s: float | None


def observed_disk(disk: ObservedDisk, row: ArrayDisk | None, array: str | None, seen: Seen) -> Disk:
    """A disk the machine shows; `row` is its place in one of our arrays, `array` that array's name."""
    occupation = disk.occupation() or ("it carries the running system" if disk.used_by_system else None)
    if disk.fabric:
        occupation = "it is reached over a fabric: another array's volume"
    return Disk(
        id=disk.id, state=_state(disk, row, occupation), serial=disk.serial, model=disk.model,
        transport=disk.transport, size_bytes=disk.size_bytes, array=array, array_id=row.array_id if row else None,
        slot=row.slot if row else None, occupied_by=None if row else occupation,
        wipeable=bool(not row and occupation and not disk.is_busy()), observed=_hardware(disk), age_s=seen.age_s,
    )  # fmt: skip


def absent_disk(row: ArrayDisk, array: str, seen: Seen) -> Disk:
    """A member of one of our arrays that the machine does not show."""
    return Disk(
        id=row.disk_id, state=DiskState.MISSING if seen.observation else DiskState.UNKNOWN, serial=row.serial,
        model=None, transport=None, size_bytes=None, array=array, array_id=row.array_id, slot=row.slot,
        occupied_by=None, wipeable=False, observed=None, age_s=seen.age_s if seen.observation else None,
    )  # fmt: skip


def _state(disk: ObservedDisk, row: ArrayDisk | None, occupation: str | None) -> DiskState:
    if row:
        return DiskState.MEMBER
    if disk.used_by_system:
        return DiskState.SYSTEM
    return DiskState.OCCUPIED if occupation else DiskState.FREE


def _hardware(disk: ObservedDisk) -> DiskHardware:
    return DiskHardware(
        device=disk.device, wwn=disk.wwn, firmware=disk.firmware, rotational=disk.rotational,
        logical_block_bytes=disk.logical_block_bytes, physical_block_bytes=disk.physical_block_bytes,
        write_cache=disk.write_cache, numa_node=disk.numa_node, links=disk.links, partitions=disk.partitions,
        signatures=tuple(DiskSignature(type=s.type, label=s.label, uuid=s.uuid) for s in disk.signatures),
        holders=disk.holders, mounts=disk.mounts, fabric=disk.fabric,
    )  # fmt: skip
