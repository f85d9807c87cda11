"""Disks as they are observed. A disk is known by its stable id, never by /dev/sdX."""

from enum import StrEnum

from lunette.domain.base import Model


class Transport(StrEnum):
    NVME = "nvme"
    SAS = "sas"
    SATA = "sata"
    SCSI = "scsi"
    VIRTIO = "virtio"
    UBD = "ubd"
    OTHER = "other"


class Signature(Model):
    """Something recognised on a disk: a file system, a partition table, an md superblock, an LVM label."""

    type: str
    label: str | None
    uuid: str | None


class ObservedDisk(Model):
    """One physical drive. `id` is the chosen name under /dev/disk/by-id; `links` are all of them.

    `holders` are kernel devices built on it, `mounts` mount points of it or its partitions, `used_by_system` is true
    for the drive that carries the running system. `fabric` is true for a disk reached over a fabric: never a candidate.
    """

    id: str
    device: str
    kernel_name: str
    model: str
    serial: str
    wwn: str | None
    firmware: str | None
    transport: Transport
    rotational: bool
    size_bytes: int
    logical_block_bytes: int
    physical_block_bytes: int
    write_cache: bool
    numa_node: int | None
    links: tuple[str, ...]
    partitions: int
    signatures: tuple[Signature, ...]
    holders: tuple[str, ...]
    mounts: tuple[str, ...]
    is_swap: bool
    used_by_system: bool
    fabric: bool
    array_uuid: str | None
    """UUID of the md array its superblock names, or guid of the ZFS pool, whether or not that is ours or running."""

    def occupation(self) -> str | None:
        """Why this disk cannot be used without being wiped, in words; None if it is blank and free."""
        if self.mounts:
            return f"it is mounted at {', '.join(self.mounts)}"
        if self.is_swap:
            return "it is swap space"
        if self.holders:
            return f"{', '.join(self.holders)} is built on it"
        if self.signatures:
            return f"it carries {', '.join(describe_signature(s) for s in self.signatures)}"
        if self.partitions:
            return f"it has {self.partitions} partitions"
        return None

    def is_busy(self) -> bool:
        """True if the kernel uses it now, so that not even an explicit wipe may touch it."""
        return bool(self.mounts or self.is_swap or self.holders or self.used_by_system or self.fabric)


def describe_signature(signature: Signature) -> str:
    """A signature in words: 'an ext4 signature (label data)'."""
    article = "an" if signature.type[:1].lower() in "aeiou" else "a"
    return f"{article} {signature.type} signature" + (f" (label {signature.label})" if signature.label else "")
