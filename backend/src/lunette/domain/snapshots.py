"""Snapshots: point-in-time copies of volumes, and the clones that are created from them."""

from typing import Annotated

from pydantic import Field, model_validator

from lunette.domain.base import Model
from lunette.domain.names import Description, Name
from lunette.domain.schedules import SnapshotPattern
from lunette.domain.volumes import MAX_BATCH, NamePattern, VolumeReferences, numbered


class SnapshotCreate(Model):
    """Snapshot to take of one volume."""

    name: Name
    """Unique name of the snapshot."""
    volume: Annotated[str, Field(min_length=1, max_length=63)]
    """Name or ID of the volume. On arrays other than ZFS pools, only thin volumes can have snapshots."""
    description: Description = ""
    """Description of the snapshot."""


class SnapshotBatch(Model):
    """Snapshots to take of many volumes as one job, all or none.

    Snapshots of volumes on one ZFS pool are taken at the same moment, others one after the other.
    """

    volumes: VolumeReferences
    """Names or IDs of the volumes. On arrays other than ZFS pools, only thin volumes can have snapshots."""
    name: SnapshotPattern = "{volume}.{date}-{time}"
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and `{time}`. Long
    names of volumes are shortened."""
    description: Description = ""
    """Description of each snapshot."""
    atomic: bool = False
    """Whether all snapshots must be taken at the same moment. Refused unless all volumes are on one ZFS pool."""


class SnapshotDeleteBatch(Model):
    """Snapshots to delete as one job, all or none."""

    snapshots: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(min_length=1, max_length=MAX_BATCH)
    ]
    """Names or IDs of the snapshots. On ZFS, a snapshot from which volumes were cloned is refused."""


class DeletedSnapshotBatch(Model):
    """Deleted snapshots to recover or erase as one job, all or none."""

    deleted_snapshots: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(min_length=1, max_length=MAX_BATCH)
    ]
    """IDs of the deleted snapshots, or their names if the names are unique."""


class SnapshotRecover(Model):
    """Recovery of a deleted snapshot, under its former name or a new one."""

    name: Name | None = None
    """New name of the snapshot, needed if another snapshot has the former name. If omitted or `null`, the former
    name."""


class SnapshotClone(Model):
    """Clones to create from a snapshot, all or none: one with `name`, or several with `name_pattern` and `count`."""

    name: Name | None = None
    """Name of the only clone. Required unless `name_pattern` is set."""
    name_pattern: NamePattern | None = None
    """Pattern for the names, with one number in the notation of printf: `clone%02d` gives `clone01`, `clone02` and so
    on. The number has up to 9 digits. Required unless `name` is set."""
    count: Annotated[int, Field(ge=1, le=MAX_BATCH)] = 1
    """Number of clones to create with `name_pattern`."""
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    """Number in the name of the first clone. Only with `name_pattern`."""
    description: Description = ""
    """Description of each clone."""

    def names(self) -> tuple[str, ...]:
        """The names of the clones, in order."""
        if self.name is not None:
            return (self.name,)
        return numbered(self.name_pattern or "", self.first, self.count)

    @model_validator(mode="after")
    def _one_form(self) -> "SnapshotClone":
        if (self.name is None) == (self.name_pattern is None):
            raise ValueError("specify either name, for one clone, or name_pattern and count")
        if self.name is not None and self.count != 1:
            raise ValueError("several clones require a name_pattern such as clone%02d")
        if self.name is not None and self.first != 1:
            raise ValueError("first requires a name_pattern such as clone%02d")
        self.names()
        return self
