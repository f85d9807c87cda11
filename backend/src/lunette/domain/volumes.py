"""Volumes: slices of an array, with an identity for life."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from lunette.domain.base import Model
from lunette.domain.names import Description, Name
from lunette.domain.sizes import KIB, MAX_BYTES, MIB, OR_TEXT

EXTENT_BYTES = 4 * MIB
"""LVM's default physical extent. A size that is no multiple of it is refused rather than silently rounded."""
BLOCK_BYTES = 16 * KIB
"""Block size of a zvol (volblocksize): ZFS's own default since 2.2. A volume is a whole number of blocks."""
MAX_BATCH = 1000


class VolumeEngine(StrEnum):
    """What cuts volumes from an array: lvm from a block device, zvol from a ZFS pool."""

    LVM = "lvm"
    ZVOL = "zvol"


class Provisioning(StrEnum):
    THICK = "thick"
    THIN = "thin"


SizeBytes = Annotated[int, Field(ge=EXTENT_BYTES, le=MAX_BYTES), OR_TEXT]


class VolumeCreate(Model):
    """The wish for one volume on an array, named by the array's id or name."""

    name: Name
    array: Annotated[str, Field(min_length=1, max_length=63)]
    size_bytes: SizeBytes
    provisioning: Provisioning = Provisioning.THICK
    description: Description = ""


NamePattern = Annotated[str, Field(min_length=3, max_length=63, pattern=r"^[A-Za-z0-9_.-]*%(0[1-9])?d[A-Za-z0-9_.-]*$")]
"""A printf pattern with one number in it: `lun%02d`."""


def numbered(pattern: str, first: int, count: int) -> tuple[str, ...]:
    """The names a pattern stands for, in order. Raises ValueError if the longest is no name."""
    longest = pattern % (first + count - 1)
    if len(longest) > 63 or not (longest[0].isalnum() and longest[0].isascii()):
        raise ValueError(
            f"name_pattern gives {longest!r}: a name has 1-63 characters and starts with a letter or digit"
        )
    return tuple(pattern % number for number in range(first, first + count))


class VolumeBatch(Model):
    """Many volumes in one transaction, all or nothing. Names follow a printf pattern: `lun%02d` -> lun01, lun02 …"""

    array: Annotated[str, Field(min_length=1, max_length=63)]
    name_pattern: NamePattern
    count: Annotated[int, Field(ge=1, le=MAX_BATCH)]
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    size_bytes: SizeBytes
    provisioning: Provisioning = Provisioning.THICK
    description: Description = ""

    def expand(self) -> tuple[VolumeCreate, ...]:
        """The single wishes this batch stands for, in order. Raises ValidationError if a name gets too long."""
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
    """The wish to delete many volumes in one plan, all or nothing."""

    volumes: VolumeReferences


class VolumePatch(Model):
    """Changes of a volume that touch no data."""

    name: Name | None = None
    description: Description | None = None


class VolumeGrow(Model):
    """The wish to make a volume larger. Hosts keep using it meanwhile; a volume never gets smaller."""

    size_bytes: SizeBytes


class VolumeRollBack(Model):
    """The wish to have a volume as it was in one of its snapshots, by id or name."""

    snapshot: Annotated[str, Field(min_length=1, max_length=63)]
    keep: bool = True
    """Keep what the volume holds now as a deleted volume of the same name; false destroys it.

    It is kept for the hours of the setting `deleted_keep_hours`; with 0 hours it is destroyed either way.
    """


class VolumeRecover(Model):
    """The wish to have a deleted volume back; under another name where its own was given to a volume since."""

    name: Name | None = None


class ObservedVolume(Model):
    """A logical volume, a snapshot or a zvol the machine has. Both ids are None where it does not carry our mark."""

    volume_id: str | None
    snapshot_id: str | None = None
    group: str
    name: str
    device: str
    size_bytes: int
    active: bool
    open: bool | None
    """None where the engine does not tell: to ask for a zvol would be to open it."""
    sealed: bool
    """False while a volume is freshly cut and its old content has not been wiped yet."""
    used_bytes: int | None = None
    """What a thin volume holds, shared with its snapshots or not; None: it is thick, or not active."""
    source: str | None = None
    """The snapshot in its group that a clone on ZFS cannot be without, by name; None where there is no such tie."""
    block_bytes: int | None = None
    """The logical block of its device, which is what hosts address: 512 or 4096. None where nothing of its group is
    active."""


class ObservedThinPool(Model):
    """The space thin volumes and snapshots share. Used sizes are None while it is not active. Sizes in bytes."""

    name: str
    size_bytes: int
    used_bytes: int | None
    metadata_bytes: int
    metadata_used_bytes: int | None
    volumes: int
    """How many thin volumes and snapshots are in it."""


class ObservedPool(Model):
    """The space of an array that volumes are cut from: an LVM volume group, a ZFS pool. Sizes in bytes."""

    array_uuid: str | None
    group: str
    ours: bool
    size_bytes: int
    free_bytes: int
    extent_bytes: int
    thin: ObservedThinPool | None = None
    """The thin pool in it; None until the first thin volume asks for one."""
