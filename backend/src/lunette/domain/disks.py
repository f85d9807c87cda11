"""Disks as observed on the machine. A disk is identified by its stable ID, never by /dev/sdX."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.disk_health import DriveReading
from lunette.domain.units import counted


class Transport(StrEnum):
    """How a disk is attached."""

    NVME = "nvme"
    """NVMe."""
    SAS = "sas"
    """SAS."""
    SATA = "sata"
    """SATA."""
    SCSI = "scsi"
    """Any other device of the kernel's SCSI disk driver, such as a USB disk or a virtual SCSI disk."""
    VIRTIO = "virtio"
    """Virtio block device of a virtual machine."""
    UBD = "ubd"
    """Block device of User-mode Linux."""
    OTHER = "other"
    """Any other transport."""


class WipeMethod(StrEnum):
    """How a disk is wiped or erased."""

    SIGNATURES = "signatures"
    """Removes the signatures only. The data stays on the disk and can still be read."""
    FORMAT = "format"
    """Erases all data with NVMe Format."""
    CRYPTO = "crypto"
    """Destroys the encryption key of the data with NVMe Format. Requires an NVMe drive that supports cryptographic
    erase."""
    SANITIZE_BLOCK = "sanitize_block"
    """Erases all blocks of the drive with Sanitize, including spare areas and caches. A power cut does not stop the
    erase. Requires support by the NVMe, SATA or SAS drive."""
    SANITIZE_CRYPTO = "sanitize_crypto"
    """Destroys the encryption key of all data on the drive with Sanitize, including spare areas and caches. A power cut
    does not stop the erase. Requires support by the NVMe, SATA or SAS drive."""


class DiskWipeRequest(Model):
    """A request to wipe or erase a disk. This is irreversible."""

    method: WipeMethod
    """How the disk is wiped or erased."""
    confirm: str = Field(min_length=1, max_length=255)
    """Serial number of the disk, as confirmation."""
    signatures: tuple[str, ...] = Field(default=(), max_length=32)
    """Types of signatures to destroy although the disk may be part of an array, pool or volume group or be encrypted,
    such as `linux_raid_member`. A disk with such a signature that is not listed is refused."""


class DiskLocateRequest(Model):
    """A request to switch the locate light of the disk's bay on or off."""

    off: bool = False
    """Whether the light is switched off. If omitted, the light is switched on."""


class DiskPlace(Model):
    """Physical location of a drive. None for a value that the machine does not report."""

    pci_address: str | None = None
    """PCI address of an NVMe drive, or of the controller of any other drive: 0000:3b:00.0."""
    pci_slot: str | None = None
    """Mainboard slot with this PCI address."""
    enclosure: str | None = None
    """Logical ID of the SCSI enclosure."""
    bay: str | None = None
    """Name of the enclosure bay."""
    is_located: bool | None = None
    """Whether the locate light of the bay is on. None if the bay has no light that can be switched."""


_NOT_KNOWN = "it has neither a WWN nor a serial number, so another drive could be mistaken for it after a restart"
UNIDENTIFIED = "unidentified:"
"""Prefix of the name of a disk that a request accepts although nothing distinguishes it from others."""
_NO_WRITE_CACHE = ("write through", "none")


class Signature(Model):
    """A signature on a disk, such as a file system, a partition table, an MD superblock or an LVM label."""

    type: str
    label: str | None
    uuid: str | None


class ObservedDisk(Model):
    """One physical drive. `id` is the chosen name under /dev/disk/by-id; `links` are all of its names there.

    `holders` are the kernel devices built on the disk, `mounts` the mount points of the disk and its partitions.
    `used_by_system` is true for the drive that carries the running system. `fabric` is true for a disk reached over a
    fabric, which is never a candidate for an array.
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
    """Whether the drive has an active volatile write cache according to the kernel, which flushes that cache."""
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
    """UUID of the MD array that the superblock names, no matter which system created the array and whether the array
    runs."""
    health: DriveReading | None = None
    """Last health report of the drive. None until the drive was queried, and if no drive can be queried."""
    place: DiskPlace = DiskPlace()
    cache_type: str | None = None
    """For a SCSI, SAS or SATA disk: what the kernel read from the caching mode page of the disk (drivers/scsi/sd.c)."""
    tells_health: bool = False
    """Whether a drive exists behind the disk that can be queried."""
    other_path_of: str | None = None
    """Disk of which this disk is a second path: one drive with two ports, which must not count as two disks."""
    paths: tuple[str, ...] = ()
    """Devices through which the drive is reached, without `device` if that is a multipath device over them."""
    barred: tuple[str, ...] = ()
    """Why the disk can be neither used nor wiped as it is, each reason in words: zoned, read-only, exported by another
    system."""
    is_usb: bool = False
    is_known: bool = True
    """Whether a permanent property identifies the disk, also after a restart with other kernel names."""

    def power_loss_protection(self) -> bool | None:
        """True if acknowledged writes survive a power failure without a flush; None if unknown.

        Known for an NVMe drive whose controller has no volatile write cache, and for a SAS or SATA drive whose caching
        mode page says that its write cache is off. A drive with a cache may be able to save it; none reports that.
        """
        if self.transport is Transport.NVME:
            return True if self.health and self.health.volatile_cache is False else None
        tells = self.transport in (Transport.SAS, Transport.SATA)
        return True if tells and self.cache_type in _NO_WRITE_CACHE else None

    def blocker(self, reference: str = "") -> str | None:
        """Why it is nothing to build upon, even if it is blank, in words. `reference`: what the request calls it."""
        if self.other_path_of or self.barred:
            return self.occupation()
        return None if self.is_known or reference.startswith(UNIDENTIFIED) else _NOT_KNOWN

    def occupations(self) -> tuple[str, ...]:
        """Everything that shows a disk is used, in words; empty for a blank and free one."""
        found = [*self.barred]
        if self.other_path_of:
            found.append(f"it is the second path of disk {self.other_path_of}")
        if self.mounts:
            found.append(f"it is mounted at {', '.join(self.mounts)}")
        if self.is_swap:
            found.append("it is swap space")
        if self.holders:
            found.append(f"{', '.join(self.holders)} is built on it")
        if self.signatures:
            found.append(f"it carries {', '.join(describe_signature(s) for s in self.signatures)}")
        if self.partitions:
            found.append(f"it has {counted(self.partitions, 'partition')}")
        return tuple(found)

    def occupation(self) -> str | None:
        """The first reason why this disk cannot be used without being wiped; None if it is blank and free."""
        return next(iter(self.occupations()), None)

    def stranger(self) -> str:
        """What it is, in words, where a disk with something else on it was expected."""
        found = self.occupation()
        return f"is present, but {found}" if found else "is present but blank"

    def is_busy(self) -> bool:
        """True if it is in use now, or can never be used, so that not even an explicit wipe may touch it."""
        held = self.mounts or self.is_swap or self.holders or self.used_by_system or self.fabric
        return bool(held or self.other_path_of or self.barred)


def describe_signature(signature: Signature) -> str:
    """A signature in words: 'an ext4 signature (label data)'."""
    article = "an" if signature.type[:1].lower() in "aeiou" else "a"
    return f"{article} {signature.type} signature" + (f" (label {signature.label})" if signature.label else "")


def cached(disks: Iterable[ObservedDisk]) -> tuple[str, ...]:
    """IDs of those disks that have an active volatile write cache according to the kernel (queue/write_cache)."""
    return tuple(disk.id for disk in disks if disk.write_cache)
