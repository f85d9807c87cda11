"""Disks as they are observed. A disk is known by its stable id, never by /dev/sdX."""

from enum import StrEnum

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.disk_health import DriveReading


class Transport(StrEnum):
    NVME = "nvme"
    SAS = "sas"
    SATA = "sata"
    SCSI = "scsi"
    VIRTIO = "virtio"
    UBD = "ubd"
    OTHER = "other"


class WipeMethod(StrEnum):
    """signatures: what tells what is on the disk goes, its data stays readable. format: the drive erases all data
    (NVMe Format NVM). crypto: the drive throws the key of its data away (the same command, where it can).
    sanitize_block, sanitize_crypto: the same of everything the drive holds, what it set aside and keeps in caches too
    (Sanitize of NVMe, SATA and SAS drives); it goes on after a power cut."""

    SIGNATURES = "signatures"
    FORMAT = "format"
    CRYPTO = "crypto"
    SANITIZE_BLOCK = "sanitize_block"
    SANITIZE_CRYPTO = "sanitize_crypto"


class DiskWipeWish(Model):
    """The disk is emptied for good. `confirm`: its serial. `signatures`: types of those that are part of somebody's
    array, pool or volume group and may be destroyed, such as linux_raid_member."""

    method: WipeMethod
    confirm: str = Field(min_length=1, max_length=255)
    signatures: tuple[str, ...] = Field(default=(), max_length=32)


class DiskLocateWish(Model):
    """The light of the bay the disk sits in is switched on, or with `off` off again."""

    off: bool = False


class DiskPlace(Model):
    """Where a drive sits; None is what the machine does not tell."""

    pci_address: str | None = None
    """Of an NVMe drive itself, of others that of their controller: 0000:3b:00.0."""
    pci_slot: str | None = None
    """The board's slot with that address."""
    enclosure: str | None = None
    """Logical id of the SCSI enclosure."""
    bay: str | None = None
    """What the enclosure calls the bay."""
    is_located: bool | None = None
    """Whether the bay's light is on; None if there is none to switch."""


_NOT_KNOWN = "no WWN and no serial tells it from other drives, so after a restart another drive could be taken for it"
UNIDENTIFIED = "unidentified:"
"""The word before the name of a disk that a request takes although nothing tells it from others."""
_NO_WRITE_CACHE = ("write through", "none")


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
    """Whether the kernel takes it to have a volatile write cache that is on, and flushes it."""
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
    health: DriveReading | None = None
    """What it said of itself last; None until it was asked, and where there is no drive to ask."""
    place: DiskPlace = DiskPlace()
    cache_type: str | None = None
    """Of a SCSI, SAS or SATA disk: what the kernel read from its caching mode page (drivers/scsi/sd.c)."""
    tells_health: bool = False
    """Whether there is a drive behind it that can be asked."""
    other_path_of: str | None = None
    """The disk that this is a second path of: one drive with two ports, which must not count as two disks."""
    paths: tuple[str, ...] = ()
    """The devices it is reached over, `device` aside if that is a multipath device over them."""
    barred: tuple[str, ...] = ()
    """Why it can be neither used nor wiped as it is, each in words: zoned, read-only, exported by somebody else."""
    is_usb: bool = False
    is_known: bool = True
    """Whether something that stays tells it from all other drives, also after a restart with other kernel names."""

    def power_loss_protection(self) -> bool | None:
        """True if what it acknowledged is safe from a power cut without a flush; None if that is not known.

        Known of an NVMe drive whose controller has no volatile write cache, and of a SAS or SATA drive whose caching
        mode page says that its write cache is off. A drive with a cache may be able to save it; none tells.
        """
        if self.transport is Transport.NVME:
            return True if self.health and self.health.volatile_cache is False else None
        tells = self.transport in (Transport.SAS, Transport.SATA)
        return True if tells and self.cache_type in _NO_WRITE_CACHE else None

    def hindrance(self, reference: str = "") -> str | None:
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
            found.append(f"it has {self.partitions} partition{'s' if self.partitions != 1 else ''}")
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
