"""Arrays that can be created from given disks: every level of every array engine with its figures."""

from lunette.domain.arrays import ArrayEngine, Level, Raid10Layout, WriteHole
from lunette.domain.base import Model


class LayoutDisk(Model):
    """A disk in the request."""

    id: str
    """Stable ID of the disk."""
    size_bytes: int
    """Size of the disk in bytes."""
    problem: str | None
    """Why the disk cannot be used as it is. `null` if the disk is blank and free."""
    needs_wipe: bool
    """Whether the disk can be used after an explicit wipe, which destroys all data on the disk."""


class Layout(Model):
    """One level of one array engine with these disks, in one arrangement of the copies.

    Disks that need a wipe or are in use do not make a level impossible. See `disks` for these disks.
    """

    engine: ArrayEngine
    """Array engine."""
    level: Level
    """Level of the array."""
    layout: Raid10Layout | None
    """Arrangement of the copies in an `md` RAID 10. `null` for any other level."""
    groups: str | None
    """Groups and distributed spares of a dRAID by default, in the notation of zpool: `draid2:4d:11c:1s`. `null` for any
    other level."""
    possible: bool
    """Whether the array can be created. If `false`, the figures are `null`."""
    problem: str | None
    """Why the array cannot be created. `null` if the array can be created."""
    usable_bytes: int | None
    """Capacity for volumes in bytes, after redundancy, padding and the overhead of the array engine. `null` if the
    array cannot be created."""
    usable_percent: float | None
    """Capacity for volumes in percent of the total size of the disks. `null` if the array cannot be created."""
    survives: str
    """Disk failures that the array survives, in words."""
    survives_disks: int | None
    """Fault tolerance: number of disks, whichever they are, that the array can lose without losing data. `null` if the
    array cannot be created, and for `external` arrays."""
    small_write_ios: float | None
    """Number of disk I/Os, including reads, for one random write of 4 KiB. `null` if the array cannot be created."""
    write_hole: tuple[WriteHole, ...]
    """Available write-hole policies. The first is the default."""
    integrity_usable_bytes: int | None
    """Capacity for volumes in bytes with checksums on each disk. `null` if the array engine offers no optional
    checksums or the array cannot be created."""
    min_rebuild_s: float | None
    """Shortest possible rebuild onto a replacement disk in seconds, at the full write speed of the drive. `null` if the
    array cannot be created, has no redundancy or is external."""
    warnings: tuple[str, ...]
    """Reasons against this level with these disks, such as too many copies or too many disks for one parity."""


class Layouts(Model):
    """Arrays that can be created from one set of disks, with their figures."""

    disks: tuple[LayoutDisk, ...]
    """Disks in the request."""
    total_bytes: int
    """Total size of the disks in bytes."""
    block_bytes: int
    """Block size of volumes in bytes (`volblocksize`) on which the ZFS figures are based."""
    layouts: tuple[Layout, ...]
    """Every level of every array engine with these disks, including levels that are not possible."""
