"""Changes of existing arrays: disks, scrubs, speed limits and tuning."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from lunette.domain.arrays import DiskId, HealthCommand, Level, MemberRole, Pace, SpareGroup, check_pace
from lunette.domain.base import Model
from lunette.domain.tuning import ArrayTuning

MAX_JOINING = 64
"""So many disks join an array at once."""
Wipe = Annotated[tuple[DiskId, ...], Field(max_length=256)]


class ArrayAddSpares(Model):
    """Spares to add to an MD RAID array or a ZFS pool."""

    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=MAX_JOINING)]
    """IDs of the disks to add as spares. On a degraded array, the rebuild onto the first disk starts immediately."""
    wipe: Wipe = ()
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is not listed is
    refused."""


class ArrayAddDisks(Model):
    """Log, cache or special disks to add to a ZFS pool."""

    role: Literal[MemberRole.LOG, MemberRole.CACHE, MemberRole.SPECIAL]
    """Role of the new disks."""
    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=MAX_JOINING)]
    """IDs of the disks to add. Log and special disks join the existing mirror of their role, which has 4 disks at
    most."""
    wipe: Wipe = ()
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is not listed is
    refused."""


class ArrayGrow(Model):
    """Disks to add to an MD RAID array as members."""

    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=MAX_JOINING)]
    """IDs of the disks to add. A mirror gains copies; any other level gains capacity."""
    wipe: Wipe = ()
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is not listed is
    refused."""


class ArrayReshape(Model):
    """Change of an MD RAID array to another level, with one more disk."""

    level: Level
    """New level of the array. `raid5` can be changed to `raid6`; the list of engines shows the possible levels
    (`becomes`)."""
    disks: Annotated[tuple[DiskId, ...], Field(max_length=64)] = ()
    """ID of the disk that the new level needs in addition. If omitted, a spare of the array is used."""
    wipe: Wipe = ()
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is not listed is
    refused."""


class ArrayReplace(Model):
    """Replacement of a disk of an array by another disk."""

    disk: DiskId
    """ID of the disk to replace. The disk can be working, faulty or missing."""
    new: DiskId
    """ID of the new disk."""
    wipe: Wipe = ()
    """ID of the new disk if it may be wiped, which destroys its data. A disk with signatures that is not listed is
    refused."""


class ArrayDiskChoice(Model):
    """One disk of an array."""

    disk: DiskId
    """ID of the disk. A missing disk has the ID that the array shows for it."""


class ArrayForceStart(Model):
    """Confirmation to start an MD RAID array that is dirty and degraded."""

    confirm: str = Field(min_length=1, max_length=255)
    """Name of the array, as confirmation. Blocks can be corrupt afterward, and nothing shows which ones."""


class ArrayRelease(Model):
    """Confirmation to release an MD RAID array, without changing its data."""

    confirm: str = Field(min_length=1, max_length=255)
    """Name of the array, as confirmation. Hosts cannot access the volumes of the array afterward."""


class ArrayForget(Model):
    """Confirmation to delete the records of a permanently lost array and of its volumes, snapshots and mappings."""

    confirm: str = Field(min_length=1, max_length=255)
    """Name of the array, as confirmation. The records cannot be restored."""


class ScrubAction(StrEnum):
    """Scrub of an array to start or stop."""

    CHECK = "check"
    """Read all data and count the mismatches. ZFS, and LVM RAID with checksums, also repair what is wrong."""
    REPAIR = "repair"
    """Read all data and overwrite mismatches: parity is computed again from the data, and the first copy of a mirror is
    written to the others. ZFS, and LVM RAID with checksums, run a check."""
    STOP = "stop"
    """Stop the running scrub."""


class ArrayScrub(Model):
    """Scrub of an array to start or stop."""

    action: ScrubAction = ScrubAction.CHECK
    """Whether to start a check or a repair, or to stop the running scrub."""


class ArrayPatch(ArrayTuning):
    """Changes to the speed limits, the tuning and other settings of an array. Fields that are omitted stay unchanged.

    The settings apply to MD RAID arrays, except `health_command`, which applies to external arrays.
    """

    sync_speed_min_bytes_s: Pace | None = None
    """MD RAID only: minimum speed of a resync, rebuild or scrub in bytes per second and disk, even under load. `null`
    restores the default of the kernel."""
    sync_speed_max_bytes_s: Pace | None = None
    """MD RAID only: maximum speed of a resync, rebuild or scrub in bytes per second and disk, even without load. `null`
    restores the default of the kernel."""
    write_mostly: Annotated[tuple[DiskId, ...], Field(max_length=256)] | None = None
    """MD RAID `raid1` only: IDs of all disks of the array that are read only if no other disk has the data. Replaces
    the current list; `null` or an empty list clears the list."""
    spare_group: SpareGroup | None = None
    """MD RAID only, except `raid0`: name of the spare group, whose arrays share their spares. `null` removes the array
    from its spare group."""
    health_command: HealthCommand | None = None
    """External arrays only: name of the command on the appliance that reports the health of the array. With `null`, the
    health is unknown."""

    @model_validator(mode="after")
    def _ordered(self) -> "ArrayPatch":
        check_pace(self.sync_speed_min_bytes_s, self.sync_speed_max_bytes_s)
        return self
