"""Warns about arrays that are possible but rarely useful: too many copies, too wide, too large for one parity."""

import math
from collections.abc import Sequence

from lunette.domain.arrays import Level
from lunette.domain.disks import ObservedDisk
from lunette.domain.sizes import format_size

USUAL_COPIES = 3
WIDEST_RAIDZ = 12
"""Disks of one RAID-Z group. The manual recommends 3 to 9 (zpoolconcepts(7), OpenZFS 2.3); a few more are common."""
BITS_PER_ERROR = 1e15
"""Bits that a rotating server drive reads per unreadable sector, as the minimum that data sheets promise."""
WORTH_A_WARNING = 0.1
_ONE_PARITY = {
    Level.RAID4: Level.RAID6,
    Level.RAID5: Level.RAID6,
    Level.RAIDZ1: Level.RAIDZ2,
    Level.DRAID1: Level.DRAID2,
}
"""Levels with one parity, and what survives a second loss."""
_RAIDZ = (Level.RAIDZ1, Level.RAIDZ2, Level.RAIDZ3)
_STRIPED = {Level.RAID1: "raid10 stripes over mirrors", Level.MIRROR: "raid10 stripes over mirrors of two"}


def warnings(level: Level, disks: Sequence[ObservedDisk]) -> tuple[str, ...]:
    """Arguments against this level over these data disks, with the reason and an alternative."""
    found = (_copies(level, len(disks)), _wide(level, len(disks)), _unreadable(level, disks))
    return tuple(one for one in found if one is not None)


def _copies(level: Level, count: int) -> str | None:
    if level not in _STRIPED or count <= USUAL_COPIES:
        return None
    return (
        f"A mirror of {count} disks stores {count} copies of all data and has the capacity of one disk. "
        f"{_STRIPED[level]}; or create several arrays of 2 or 3 disks."
    )


def _wide(level: Level, count: int) -> str | None:
    if level not in _RAIDZ or count <= WIDEST_RAIDZ:
        return None
    draid = level.value.replace("raidz", "draid")
    return (
        f"{level.value} of {count} disks is wide: every small read or write waits for all disks, and a rebuild reads "
        f"all of them. Create several arrays of up to {WIDEST_RAIDZ} disks, or {draid}, which rebuilds onto all of "
        "its disks in parallel."
    )


def _unreadable(level: Level, disks: Sequence[ObservedDisk]) -> str | None:
    """Solid-state drives promise a hundred times more, so they cause no warning."""
    if level not in _ONE_PARITY or not any(disk.rotational for disk in disks):
        return None
    read = (len(disks) - 1) * min(disk.size_bytes for disk in disks)
    chance = 1 - math.exp(-8 * read / BITS_PER_ERROR)
    if chance < WORTH_A_WARNING:
        return None
    return (
        f"Replacing a disk reads all others: {format_size(read)}. With one unreadable sector in 10^15 bits, which "
        f"data sheets specify, the probability that a sector cannot be rebuilt is {chance:.0%}. "
        f"{_ONE_PARITY[level].value} tolerates this."
    )
