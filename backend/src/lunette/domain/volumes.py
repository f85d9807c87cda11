"""Volumes: slices of an array with a permanent identity."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from lunette.domain.base import Lean, Model
from lunette.domain.names import Description, Name
from lunette.domain.sizes import KIB, MAX_BYTES, MIB, OR_TEXT

EXTENT_BYTES = 4 * MIB
"""LVM's default physical extent. A size that is no multiple of it is refused rather than silently rounded."""
BLOCK_BYTES = 16 * KIB
"""Block size of a zvol (volblocksize): ZFS's own default since 2.2. A volume is a whole number of blocks."""
MAX_BATCH = 1000
"""Most objects of one request."""


class VolumeEngine(StrEnum):
    """Software that creates volumes on an array."""

    LVM = "lvm"
    """LVM: logical volumes on a block device."""
    ZVOL = "zvol"
    """ZFS: zvols in a ZFS pool."""


class Provisioning(StrEnum):
    """When the space of a volume is allocated."""

    THICK = "thick"
    """When the volume is created."""
    THIN = "thin"
    """When hosts write data. The total size of thin volumes can exceed the capacity of the array."""


SizeBytes = Annotated[int, Field(ge=EXTENT_BYTES, le=MAX_BYTES), OR_TEXT]


class VolumeCreate(Model):
    """Volume to create on an array."""

    name: Name
    """Unique name of the volume."""
    array: Annotated[str, Field(min_length=1, max_length=63)]
    """Name or ID of the array."""
    size_bytes: SizeBytes
    """Size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool."""
    provisioning: Provisioning = Provisioning.THICK
    """Whether the space is allocated when the volume is created (`thick`) or when hosts write data (`thin`)."""
    description: Description = ""
    """Description of the volume."""


NamePattern = Annotated[str, Field(min_length=3, max_length=63, pattern=r"^[A-Za-z0-9_.-]*%(0[1-9])?d[A-Za-z0-9_.-]*$")]
"""A printf pattern with one number in it: `lun%02d`."""


def numbered(pattern: str, first: int, count: int) -> tuple[str, ...]:
    """The names of a pattern, in order. Raises ValueError if the longest is not a valid name."""
    longest = pattern % (first + count - 1)
    if len(longest) > 63 or not (longest[0].isalnum() and longest[0].isascii()):
        raise ValueError(
            f"name_pattern gives {longest!r}: a name has 1-63 characters and starts with a letter or digit"
        )
    return tuple(pattern % number for number in range(first, first + count))


class VolumeBatch(Model):
    """Volumes of the same size to create as one job, all or none."""

    array: Annotated[str, Field(min_length=1, max_length=63)]
    """Name or ID of the array."""
    name_pattern: NamePattern
    """Pattern for the names, with one number in the notation of printf: `lun%02d` gives `lun01`, `lun02` and so on. The
    number has up to 9 digits."""
    count: Annotated[int, Field(ge=1, le=MAX_BATCH)]
    """Number of volumes to create."""
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    """Number in the name of the first volume."""
    size_bytes: SizeBytes
    """Size of each volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool."""
    provisioning: Provisioning = Provisioning.THICK
    """Whether the space is allocated when the volumes are created (`thick`) or when hosts write data (`thin`)."""
    description: Description = ""
    """Description of each volume."""

    def expand(self) -> tuple[VolumeCreate, ...]:
        """The single specs of this batch, in order. Raises ValidationError if a name is too long."""
        return tuple(
            VolumeCreate(
                name=name,
                array=self.array,
                size_bytes=self.size_bytes,
                provisioning=self.provisioning,
                description=self.description,
            )
            for name in numbered(self.name_pattern, self.first, self.count)
        )

    @model_validator(mode="after")
    def _names_fit(self) -> "VolumeBatch":
        numbered(self.name_pattern, self.first, self.count)
        return self


VolumeReferences = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(min_length=1, max_length=MAX_BATCH)
]
"""Volumes by id or name."""


class VolumeDeleteBatch(Model):
    """Volumes to delete as one job, all or none."""

    volumes: VolumeReferences
    """Names or IDs of the volumes. Unless `cascade` is set, a volume with mappings or snapshots is refused."""
    cascade: bool = False
    """Whether the mappings and snapshots of the volumes are deleted too."""


class DeletedVolumeBatch(Model):
    """Deleted volumes to recover or erase as one job, all or none."""

    deleted_volumes: VolumeReferences
    """IDs of the deleted volumes, or their names if the names are unique."""


class VolumePatch(Model):
    """Changes to a volume that do not affect its data. Fields that are omitted stay unchanged."""

    name: Name | None = None
    """New name of the volume. If omitted or `null`, the name stays unchanged."""
    description: Description | None = None
    """New description of the volume. If omitted or `null`, the description stays unchanged."""


class VolumeGrow(Model):
    """New size of a volume, which hosts can use meanwhile. A volume cannot be made smaller."""

    size_bytes: SizeBytes
    """New size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool. Must not be less than the
    current size."""


class VolumeRollBack(Model):
    """Rollback of a volume to one of its snapshots."""

    snapshot: Annotated[str, Field(min_length=1, max_length=63)]
    """Name or ID of the snapshot."""
    keep: bool = True
    """Whether the present data of the volume is retained as a deleted volume of the same name, for the hours of the
    setting `deleted_keep_hours`. If `false`, or with 0 hours, the present data is destroyed."""
    delete_newer_snapshots: bool = False
    """Whether newer snapshots that prevent the rollback are erased, which cannot be undone. Only ZFS needs this."""


class VolumeRecover(Model):
    """Recovery of a deleted volume, under its former name or a new one."""

    name: Name | None = None
    """New name of the volume, needed if another volume has the former name. If omitted or `null`, the former name."""


class ObservedVolume(Lean):
    """A logical volume, a snapshot or a zvol as observed on the machine.

    `volume_id` and `snapshot_id` are None if the object does not carry the mark of Lunette.
    """

    volume_id: str | None
    snapshot_id: str | None = None
    group: str
    name: str
    device: str
    size_bytes: int
    active: bool
    open: bool | None
    """Whether a process or the kernel uses the volume. None for a zvol, because the check would open the zvol."""
    sealed: bool
    """Whether the volume is sealed: ready for data of hosts. False while the old content of a new volume has not been
    wiped."""
    used_bytes: int | None = None
    """Data of a thin volume in bytes, including data that its snapshots share. None for a thick volume, and while the
    volume is not active."""
    source: str | None = None
    """Name of the snapshot on which a ZFS clone depends. None without such a dependency."""
    block_bytes: int | None = None
    """Logical block size of the device in bytes, as hosts see it: 512 or 4096. None if no volume of the group is
    active."""


class ObservedThinPool(Model):
    """Space that thin volumes and snapshots share, in bytes. Used sizes are None while the thin pool is not active."""

    name: str
    size_bytes: int
    used_bytes: int | None
    metadata_bytes: int
    metadata_used_bytes: int | None
    volumes: int
    """Number of thin volumes and snapshots in the thin pool."""


class ObservedGroup(Model):
    """Space of an array for volumes, in bytes: an LVM volume group or a ZFS pool."""

    array_uuid: str | None
    group: str
    ours: bool
    size_bytes: int
    free_bytes: int
    extent_bytes: int
    thin: ObservedThinPool | None = None
    """Thin pool in the volume group. None before the first thin volume is created."""
