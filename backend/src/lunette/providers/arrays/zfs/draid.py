"""A dRAID: RAID-Z groups spread over more disks than one is wide, with spares spread the same way. Pure arithmetic.

Source: module/zfs/vdev_draid.c of OpenZFS 2.3 (vdev_draid_asize, vdev_draid_open, vdev_draid_metaslab_init) and
draid_config_by_type in cmd/zpool/zpool_vdev.c.
"""

import re

from lunette.domain.arrays import Level
from lunette.domain.base import Model
from lunette.domain.sizes import MIB
from lunette.domain.volumes import BLOCK_BYTES

LEVELS = {Level.DRAID1: 1, Level.DRAID2: 2, Level.DRAID3: 3}
"""Disks' worth of parity of each group."""
MAX_DISKS = 255
MAX_SPARES = 100
DISKS_PER_SPARE = 20
ROW_BYTES = 16 * MIB
"""VDEV_DRAID_ROWHEIGHT: the part of a group on one disk at one offset."""
RESERVE_BYTES = 2 * ROW_BYTES
"""VDEV_DRAID_REFLOW_RESERVE, at the end of each disk."""
_NAME = re.compile(r"draid([123]):(\d+)d:(\d+)c:(\d+)s")


class Shape(Model):
    """The layout of one dRAID. `data` and `parity` are disks of a group, `disks` and `spares` of the whole."""

    parity: int
    data: int
    disks: int
    spares: int

    @property
    def name(self) -> str:
        """zpool's word for it: draid2:4d:11c:1s."""
        return f"draid{self.parity}:{self.data}d:{self.disks}c:{self.spares}s"

    @property
    def width(self) -> int:
        """Disks of a group."""
        return self.data + self.parity

    def problem(self) -> str | None:
        """Why zpool refuses it; None if it does not."""
        room = self.disks - self.spares - self.parity
        if not 1 <= self.disks <= MAX_DISKS:
            return f"a draid has {MAX_DISKS} disks at most, not {self.disks}"
        if not 0 <= self.spares <= MAX_SPARES:
            return f"a draid has {MAX_SPARES} distributed spares at most, not {self.spares}"
        if not 1 <= self.data <= room:
            return (
                f"a group of {self.data} data and {self.parity} parity disks does not fit on {self.disks} disks with "
                f"{self.spares} distributed spares: at most {max(0, room)} data disks are possible"
            )
        return None

    def allocated(self, block_bytes: int, shift: int) -> int:
        """Space of one block on all disks together: always whole rows of a group, however small it is."""
        rows = (block_bytes - 1) // (self.data << shift) + 1
        return rows * self.width << shift

    def bytes_of(self, member_bytes: int) -> int:
        """Capacity of the vdev, parity included, with disks of this data area: whole rows, whole groups."""
        rows = max(0, member_bytes - RESERVE_BYTES) // ROW_BYTES * ROW_BYTES
        group = self.width * ROW_BYTES
        return rows * (self.disks - self.spares) // group * group

    def metaslab_bytes(self, vdev_bytes: int, metaslab: int, shift: int) -> int:
        """Total capacity of the metaslabs of this size: each begins and ends with a row of a group."""
        row = self.width << shift
        total = 0
        for start in range(0, vdev_bytes // metaslab * metaslab, metaslab):
            first = -(-start // row) * row
            total += (start + metaslab - first) // row * row
        return total


def default_data(level: Level, disks: int, spares: int, shift: int) -> int:
    """Data disks of a group: the number of sectors in a volume's block, or on few disks a half or a quarter of that.

    So no row of a block is padded. OpenZFS uses 8, which suits blocks of 128 KiB: one of 16 KiB would use as much as
    one of 32 KiB.
    """
    room = max(1, min(disks - spares - LEVELS[level], BLOCK_BYTES >> shift))
    return 1 << room.bit_length() - 1


def default_spares(disks: int) -> int:
    """One, and one more for each further 20 disks."""
    return -(-disks // DISKS_PER_SPARE)


def shape(level: Level, disks: int, shift: int, data: int | None = None, spares: int | None = None) -> Shape:
    """The layout, with defaults for what was not chosen. It may be one that is refused."""
    held = default_spares(disks) if spares is None else spares
    width = default_data(level, disks, held, shift) if data is None else data
    return Shape(parity=LEVELS[level], data=width, disks=disks, spares=held)


def read(name: str) -> Shape | None:
    """The layout from zpool's word; None for a word that is not a dRAID's."""
    found = _NAME.match(name)
    if found is None:
        return None
    parity, data, disks, spares = map(int, found.groups())
    return Shape(parity=parity, data=data, disks=disks, spares=spares)
