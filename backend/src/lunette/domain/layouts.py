"""What could be built of given disks: every level of every engine with its figures, before anything is decided."""

from lunette.domain.arrays import ArrayEngine, Level, Raid10Layout, WriteHole
from lunette.domain.base import Model


class LayoutDisk(Model):
    """A disk that was asked about. `problem` says why it cannot be used as it is; None if it is blank and free."""

    id: str
    size_bytes: int
    problem: str | None
    needs_wipe: bool
    """True if a wipe that the request names would clear the way; everything on the disk is lost then."""


class Layout(Model):
    """One level of one engine with these disks, in one of its layouts.

    Where `possible` is false the figures are null and `problem` says why.

    Disks that need a wipe or are in use do not make a level impossible here: that is told for each disk.
    """

    engine: ArrayEngine
    level: Level
    layout: Raid10Layout | None
    """Where the copies lie; null for a level that knows only one way."""
    groups: str | None
    """Of a draid: its groups and distributed spares by default, in zpool's words, draid2:4d:11c:1s."""
    possible: bool
    problem: str | None
    usable_bytes: int | None
    """What volumes can hold together: after redundancy, padding and what the engine keeps for itself."""
    usable_percent: float | None
    """Of the sum of the disks."""
    survives: str
    survives_disks: int | None
    """How many disks may fail, whichever they are; null also where what presents the device knows it alone."""
    small_write_ios: float | None
    """Disk I/Os of one random write of 4 KiB, reads included."""
    write_hole: tuple[WriteHole, ...]
    """The policies to choose from; the first is the default."""
    integrity_usable_bytes: int | None
    """The same as `usable_bytes` with checksums under each disk's copy; null where the engine has none to choose."""
    min_rebuild_s: float | None
    """The least time to fill a replacement disk: all it must hold, written at the drive's full speed."""
    warnings: tuple[str, ...]
    """What speaks against it with these disks: too many copies, too wide, too large for one parity."""


class Layouts(Model):
    """The answer for one set of disks. `block_bytes` is the block size (volblocksize) the ZFS figures are for."""

    disks: tuple[LayoutDisk, ...]
    total_bytes: int
    block_bytes: int
    layouts: tuple[Layout, ...]
