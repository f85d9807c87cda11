"""Foreign arrays: arrays on this machine that other systems created."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.adopting import ForeignGroup, ForeignVolume
from lunette.domain.arrays import ObservedArray
from lunette.domain.base import Model
from lunette.domain.names import Name

MAX_VOLUMES = 10_000
VOLUME_NAME_PATTERN = r"^[A-Za-z0-9+_.][A-Za-z0-9+_.-]*$"
LogicalVolume = Annotated[str, Field(min_length=1, max_length=127, pattern=VOLUME_NAME_PATTERN)]
"""The name of a logical volume, as LVM takes it."""


class FoundArray(Model):
    """A foreign array as the agent finds it. Of an array that does not run, only the superblocks or labels are read."""

    seen: ObservedArray
    engine_name: str
    """Name in its engine: in MD RAID with the home host as prefix if there is one; for ZFS, the name of the pool."""
    read_only: bool = False
    """Whether the array runs read-only."""
    carries: tuple[str, ...] = ()
    """Signatures on the array other than LVM, as wipefs names them."""
    group: ForeignGroup | None = None
    """Volume group on the array, if the array runs."""
    problem: str | None = None
    """Why the content of the array could not be read."""


class NextStep(StrEnum):
    """Next possible step for a foreign array."""

    START = "start"
    """Start the array read-only, to show its content."""
    ADOPT = "adopt"
    """Adopt the array, or its logical volumes if the array belongs to Lunette already."""
    REBUILD = "rebuild"
    """Rebuild the array and its volumes from the sealed copy, because the array carries the mark of an appliance."""
    NONE = "none"
    """No step is possible. The reason explains why."""


@dataclass(frozen=True)
class Judged:
    """Result for a foreign array and for each logical volume in its group: None, or why the volume cannot be
    adopted."""

    found: FoundArray
    next: NextStep
    reason: str | None
    volumes: tuple[tuple[ForeignVolume, str | None], ...] = ()
    own: str | None = None
    """Name of the array in Lunette, if the array belongs to Lunette and has logical volumes that do not."""
    home_host: str = ""
    """Home host of the array in MD RAID; empty if it has none."""
    name: str = ""
    """Name of the array without the home host; empty if it has none."""


class ForeignArrayAdopt(Model):
    """Adoption of a foreign array, and of its logical volumes as volumes."""

    name: Name | None = None
    """Name of the array in Lunette. If omitted or `null`, the name in MD RAID, changed if another array has this
    name."""
    volumes: Annotated[tuple[LogicalVolume, ...], Field(max_length=MAX_VOLUMES)] | None = None
    """Names of the logical volumes to adopt as volumes. If omitted or `null`, all that can be adopted. Other logical
    volumes stay unchanged."""
    make_group: bool = False
    """Whether a volume group is created on an array that has none. Data at the beginning of the array without a known
    signature is overwritten."""
