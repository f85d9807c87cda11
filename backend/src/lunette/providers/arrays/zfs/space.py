"""The capacity of a pool, as OpenZFS 2.3 itself computes it: pure arithmetic on bytes.

Sources: vdev_raidz_asize and vdev_metaslab_set_size (module/zfs/vdev_raidz.c, vdev.c), spa_get_slop_space (spa_misc.c),
volsize_from_vdevs and zvol_volsize_to_reservation (lib/libzfs/libzfs_dataset.c), and the partitions that libzfs creates
on a whole disk (lib/libzfs/os/linux/libzfs_pool_os.c).
"""

from lunette.domain.arrays import Level
from lunette.domain.sizes import GIB, KIB, MIB
from lunette.domain.volumes import BLOCK_BYTES
from lunette.providers.arrays.zfs import draid

RECORD_BYTES = 128 * KIB
"""The block size for which ZFS computes its own figures of free space."""
MIN_ASHIFT = 12
"""4 KiB: drives that emulate 512-byte sectors are slow below it, and a replacement with 4 KiB sectors would not fit."""
MAX_ASHIFT = 16
_PARITY = {Level.RAIDZ1: 1, Level.RAIDZ2: 2, Level.RAIDZ3: 3, **draid.LEVELS}
PAIR = 2
"""Disks of each mirror of a raid10, neighbors as they are given."""
_LABELS = 4 * MIB + 512 * KIB
"""Two labels and the boot area in front, two labels behind."""
_RESERVED = 8 * MIB
"""The ninth partition."""
_INDIRECT_BYTES, _POINTERS = 128 * KIB, 1024


def parity(level: Level) -> int:
    """Disks' worth of parity of a RAID-Z or dRAID level, of its groups; 0 for the others."""
    return _PARITY.get(level, 0)


def copies(level: Level, disks: int) -> int:
    """The number of disks with each block in a mirror of this many disks, or in mirrors of two; 0 for other levels."""
    return {Level.MIRROR: disks, Level.RAID10: PAIR}.get(level, 0)


def ashift(physical_block_bytes: int) -> int:
    """The sector size that a pool uses on such disks, as a power of two: the largest physical one, at least 4 KiB."""
    return min(MAX_ASHIFT, max(MIN_ASHIFT, (max(1, physical_block_bytes) - 1).bit_length()))


def allocated(block_bytes: int, disks: int, parities: int, shift: int) -> int:
    """Space of one block on all disks of a RAID-Z together, with parity and padding, in bytes."""
    sectors = (block_bytes - 1 >> shift) + 1
    data = disks - parities
    sectors += parities * -(-sectors // data)
    return -(-sectors // (parities + 1)) * (parities + 1) << shift


def cost(level: Level, disks: int, block_bytes: int, shift: int, shape: draid.Shape | None = None) -> float:
    """Bytes on disk per byte of a volume with this block size: 3.0 for an 8-wide raidz2 with 8 KiB on 4 KiB sectors.

    `shape` is that of a dRAID.
    """
    if shape is not None:
        return shape.allocated(block_bytes, shift) / block_bytes
    if parities := parity(level):
        return allocated(block_bytes, disks, parities, shift) / block_bytes
    on_disk = max(block_bytes, 1 << shift) / block_bytes
    return on_disk * (copies(level, disks) or 1)


def dilution(level: Level, disks: int, block_bytes: int, shift: int, shape: draid.Shape | None = None) -> float:
    """Space that a byte of a volume uses of what ZFS shows as free: more than 1 if small blocks are padded."""
    return cost(level, disks, block_bytes, shift, shape) / cost(level, disks, RECORD_BYTES, shift, shape)


def member_bytes(disk_bytes: int) -> int:
    """The data area of ZFS on a disk: without the partition table, the reserved partition and the labels."""
    end = (disk_bytes - _RESERVED - 34 * 512) // MIB * MIB
    return max(0, (end - MIB - _LABELS) // (256 * KIB) * (256 * KIB))


def pool_bytes(level: Level, disk_bytes: list[int], shift: int, shape: draid.Shape | None = None) -> int:
    """What ZFS shows as usable in a new pool, in bytes of 128 KiB blocks.

    A stripe has as many vdevs as disks, a raid10 one for each pair; other levels use the smallest disk's size of each.
    """
    if level in (Level.STRIPE, Level.RAID10):
        each = PAIR if level is Level.RAID10 else 1
        vdevs = [disk_bytes[at : at + each] for at in range(0, len(disk_bytes), each)]
        space = sum(_metaslabs(member_bytes(min(sizes))) for sizes in vdevs)
        return max(0, space - _slop(space))
    smallest, disks = member_bytes(min(disk_bytes)), len(disk_bytes)
    if shape is not None:
        whole = shape.bytes_of(smallest)
        space = shape.metaslab_bytes(whole, 1 << _metaslab_shift(whole), shift)
        space = (space >> 9) * (RECORD_BYTES // (shape.allocated(RECORD_BYTES, shift) >> 9))
        return max(0, space - _slop(space))
    space = _metaslabs(smallest if level is Level.MIRROR else smallest * disks)
    if parity(level):
        ratio = RECORD_BYTES // (allocated(RECORD_BYTES, disks, parity(level), shift) >> 9)
        space = (space >> 9) * ratio
    return max(0, space - _slop(space))


def volume_bytes(
    level: Level, disk_bytes: list[int], block_bytes: int, shift: int, shape: draid.Shape | None = None
) -> int:
    """Total capacity of volumes with this block size, padding included, without their own metadata."""
    usable = pool_bytes(level, disk_bytes, shift, shape)
    return int(usable / dilution(level, len(disk_bytes), block_bytes, shift, shape)) if usable else 0


def metadata_bytes(size_bytes: int, block_bytes: int = BLOCK_BYTES) -> int:
    """What ZFS reserves in addition to the data of a reserved volume, for its own block pointers."""
    blocks, count = size_bytes // block_bytes, 7
    while blocks > 1:
        blocks = (blocks + _POINTERS - 1) // _POINTERS
        count += blocks
    return count * 2 * _INDIRECT_BYTES


def _metaslabs(space: int) -> int:
    """Whole metaslabs only: the rest at the end of a vdev stays unused, so that a smaller replacement may still fit."""
    shift = _metaslab_shift(space)
    return space >> shift << shift


def _metaslab_shift(space: int) -> int:
    """The size of the metaslabs of a vdev with this capacity, as a power of two."""
    shift = 29
    if space >> 29 < 16:
        shift = (space // 16).bit_length()
    elif space >> 29 > 200:
        shift = (space // 200).bit_length()
    return max(24, min(34, shift))


def _slop(space: int) -> int:
    """The reserve with which a full pool can still delete: 1/32, at least 128 MiB, at most 128 GiB."""
    return min(max(space >> 5, min(space >> 1, 128 * MIB)), 128 * GIB)
