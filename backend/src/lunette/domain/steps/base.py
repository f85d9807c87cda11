"""The base of all steps."""

from typing import ClassVar

from lunette.domain.arrays import Level
from lunette.domain.base import Model


class Step(Model):
    """Base of all steps. An irreversible step has no undo and is named as such in the plan."""

    irreversible: ClassVar[bool] = False

    def describe(self) -> str:
        """The step in words, for the plan."""
        raise NotImplementedError

    def devices(self) -> tuple[str, ...]:
        """The devices that it changes."""
        return ()

    def bytes_destroyed(self) -> int:
        """How much data is permanently lost once it has run."""
        return 0


def check_pairs(level: Level, disks: int) -> None:
    """Raises ValueError for a raid10 of an odd number of disks or only one pair: ZFS would make one pair a mirror, and
    LVM would leave an odd disk out."""
    if level is Level.RAID10 and (disks < 4 or disks % 2):
        raise ValueError(f"raid10 consists of pairs of disks: expected an even number from 4, not {disks}")
