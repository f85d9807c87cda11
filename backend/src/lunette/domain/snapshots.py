"""Snapshots: a volume as it was at one moment, and what can be made of it."""

from typing import Annotated

from pydantic import Field, model_validator

from lunette.domain.base import Model
from lunette.domain.names import Description, Name
from lunette.domain.schedules import SnapshotPattern
from lunette.domain.volumes import MAX_BATCH, NamePattern, VolumeReferences, numbered


class SnapshotCreate(Model):
    """The wish for a snapshot of one volume, named by the volume's id or name."""

    name: Name
    volume: Annotated[str, Field(min_length=1, max_length=63)]
    description: Description = ""


class SnapshotBatch(Model):
    """A snapshot of each of many volumes, all or nothing.

    Those on one ZFS pool are taken at one moment, others one after the other; with `atomic`, all at one moment or none.
    `{volume}`, `{date}` and `{time}` in the name are filled in for each; a long volume's name is cut.
    """

    volumes: VolumeReferences
    name: SnapshotPattern = "{volume}.{date}-{time}"
    description: Description = ""
    atomic: bool = False
    """Refused unless all volumes are on one array whose engine takes snapshots at one moment."""


class SnapshotRecover(Model):
    """The wish to have a deleted snapshot back; under another name where its own was given to a snapshot since."""

    name: Name | None = None


class SnapshotClone(Model):
    """Writable volumes that begin as a snapshot, all or nothing: one by `name`, or `count` by `name_pattern`."""

    name: Name | None = None
    name_pattern: NamePattern | None = None
    count: Annotated[int, Field(ge=1, le=MAX_BATCH)] = 1
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    description: Description = ""

    def names(self) -> tuple[str, ...]:
        """The names of the clones, in order."""
        if self.name is not None:
            return (self.name,)
        return numbered(self.name_pattern or "", self.first, self.count)

    @model_validator(mode="after")
    def _one_form(self) -> "SnapshotClone":
        if (self.name is None) == (self.name_pattern is None):
            raise ValueError("give either name, for one clone, or name_pattern and count")
        if self.name is not None and self.count != 1:
            raise ValueError("several clones need a name_pattern such as clone%02d")
        self.names()
        return self
