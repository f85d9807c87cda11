"""Arrays that run here, or could, and are not Lunette's: what is found, what is asked, what is answered (0042)."""

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
    """An array as the agent finds it. Of one that does not run only the superblocks were read."""

    seen: ObservedArray
    md_name: str
    """md's own name, with the home host before it where it has one; of a ZFS pool its name."""
    read_only: bool = False
    """It runs, and nothing can be written to it."""
    carries: tuple[str, ...] = ()
    """What lies on it beside LVM, as wipefs calls it."""
    group: ForeignGroup | None = None
    """The volume group on it, if it runs."""
    problem: str | None = None
    """Why it could not be looked into."""


class NextStep(StrEnum):
    """What can be done with a foreign array. none: its reason says what stands in the way."""

    START = "start"
    ADOPT = "adopt"
    REBUILD = "rebuild"
    NONE = "none"


@dataclass(frozen=True)
class Judged:
    """What can be done with an array, and with each logical volume of its group: None, or why it stays as it is."""

    found: FoundArray
    next: NextStep
    reason: str | None
    volumes: tuple[tuple[ForeignVolume, str | None], ...] = ()
    own: str | None = None
    """The name of the array of ours that it is, with logical volumes in it that are not."""


class ForeignArrayAdopt(Model):
    """How an array becomes ours."""

    name: Name | None = None
    """What it is called here. None: as md calls it."""
    volumes: Annotated[tuple[LogicalVolume, ...], Field(max_length=MAX_VOLUMES)] | None = None
    """Names of the logical volumes that become volumes. None: all that can; the others stay as they are."""
    make_group: bool = False
    """An array without a volume group: make one on it. What is on it without a signature is written over."""
