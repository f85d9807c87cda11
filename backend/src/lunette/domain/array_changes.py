"""What can be asked of an array once it stands: its disks, its scrubs, its pace."""

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
    """Disks that stand by: the first takes the place of a member that is lost. `wipe` as at creation."""

    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=MAX_JOINING)]
    wipe: Wipe = ()


class ArrayAddDisks(Model):
    """Disks that stand beside the data disks of a pool. Log and special disks join the mirror that is there.

    Spares are added by a call of their own. `wipe` as at creation.
    """

    role: Literal[MemberRole.LOG, MemberRole.CACHE, MemberRole.SPECIAL]
    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=MAX_JOINING)]
    wipe: Wipe = ()


class ArrayGrow(Model):
    """Disks that become members: of a mirror further copies, of any other level more room. `wipe` as at creation."""

    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=MAX_JOINING)]
    wipe: Wipe = ()


class ArrayReshape(Model):
    """Another level, with a disk more. `wipe` as at creation."""

    level: Level
    """What it is to become: see `becomes` of its level among the engines. raid5 becomes raid6."""
    disks: Annotated[tuple[DiskId, ...], Field(max_length=64)] = ()
    """Disks that the new level needs beside those it has; a spare of the array is taken if none is named."""
    wipe: Wipe = ()


class ArrayReplace(Model):
    """Put the disk `new` in the place of `disk`, which may be working, faulty or gone."""

    disk: DiskId
    new: DiskId
    wipe: Wipe = ()


class ArrayDiskChoice(Model):
    """One disk of the array, by its id; one that is gone is named by the id it had."""

    disk: DiskId


class ArrayForceStart(Model):
    """Starts an array that was being written to when it stopped, and that lacks a disk. `confirm`: its name."""

    confirm: str = Field(min_length=1, max_length=255)


class ArrayRelease(Model):
    """Lets go of an array: it stays on its disks with its volumes and their data, and is Lunette's no more. `confirm`:
    its name."""

    confirm: str = Field(min_length=1, max_length=255)


class ArrayForget(Model):
    """Forgets an array whose disks are lost for good, with all that was on it. `confirm`: its name."""

    confirm: str = Field(min_length=1, max_length=255)


class ScrubAction(StrEnum):
    """check: read everything and count what does not agree. repair: also make it agree. stop: end a running one."""

    CHECK = "check"
    REPAIR = "repair"
    STOP = "stop"


class ArrayScrub(Model):
    action: ScrubAction = ScrubAction.CHECK


class ArrayPatch(ArrayTuning):
    """How fast a resync, rebuild or scrub runs, per disk, how the array is tuned, and what tells its health.

    null leaves a pace to the kernel, makes a tuning automatic, and leaves the health of an external array unknown; what
    is left out stays as it is.
    """

    sync_speed_min_bytes_s: Pace | None = None
    """As much is done even while hosts use the array."""
    sync_speed_max_bytes_s: Pace | None = None
    """No more is done even while nobody does."""
    write_mostly: Annotated[tuple[DiskId, ...], Field(max_length=256)] | None = None
    """raid1 of md only: ids of all its disks that are read only if no other holds the data; null for none."""
    spare_group: SpareGroup | None = None
    """md only: arrays of one group lend each other their spares; null takes it out of its group."""
    health_command: HealthCommand | None = None
    """External arrays only: the command that tells their health, by its name."""

    @model_validator(mode="after")
    def _ordered(self) -> "ArrayPatch":
        check_pace(self.sync_speed_min_bytes_s, self.sync_speed_max_bytes_s)
        return self
