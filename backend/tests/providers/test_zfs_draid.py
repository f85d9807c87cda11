"""A dRAID's groups, spares and room, as OpenZFS 2.3 computes them (module/zfs/vdev_draid.c, draid_config_by_type)."""

import pytest

from lunette.domain.arrays import Level
from lunette.domain.sizes import GIB, KIB, MIB
from lunette.providers.arrays.zfs import draid, space
from lunette.providers.arrays.zfs.draid import Shape

TB4 = 4 * 10**12


def test_a_name_is_zpools_and_is_read_back() -> None:
    shape = Shape(parity=2, data=4, disks=11, spares=1)
    assert shape.name == "draid2:4d:11c:1s"
    assert draid.read("draid2:4d:11c:1s-0") == shape
    assert draid.read("raidz2-0") is None


def test_a_small_block_takes_a_whole_row() -> None:
    """min_alloc: with 8 data disks and 4 KiB sectors nothing takes less than 32 KiB of data, and the parity."""
    wide, fitting = Shape(parity=2, data=8, disks=24, spares=2), Shape(parity=2, data=4, disks=24, spares=2)
    assert wide.allocated(16 * KIB, 12) == wide.allocated(32 * KIB, 12) == 10 * 4 * KIB
    assert fitting.allocated(16 * KIB, 12) == 6 * 4 * KIB
    assert fitting.allocated(128 * KIB, 12) == 8 * 6 * 4 * KIB


def test_a_vdev_is_whole_rows_and_groups_of_all_disks_but_the_spares() -> None:
    shape = Shape(parity=1, data=2, disks=5, spares=1)
    member = space.member_bytes(GIB)
    rows = (member - 32 * MIB) // (16 * MIB)
    groups = rows * 4 // 3
    assert shape.bytes_of(member) == groups * 3 * 16 * MIB
    assert shape.bytes_of(32 * MIB) == 0


def test_metaslabs_begin_and_end_with_a_row_of_a_group() -> None:
    shape = Shape(parity=1, data=2, disks=5, spares=1)
    whole, metaslab, row = 3 * 2**29, 2**29, 3 << 12
    by_hand = sum((start + metaslab) // row - -(-start // row) for start in range(0, whole, metaslab)) * row
    assert shape.metaslab_bytes(whole, metaslab, 12) == by_hand
    assert whole - 6 * row < by_hand < whole


@pytest.mark.parametrize("level", draid.LEVELS)
@pytest.mark.parametrize("disks", [6, 8, 11, 16, 24, 41, 90, 255])
def test_the_default_gives_volumes_the_most_room_and_is_never_refused(level: Level, disks: int) -> None:
    chosen = draid.shape(level, disks, 12)
    assert chosen.problem() is None
    room = space.volume_bytes(level, [TB4] * disks, 16 * KIB, 12, chosen)
    raw = disks * TB4
    assert 0 < room < raw * chosen.data / chosen.width * (disks - chosen.spares) / disks
    for data in range(1, min(16, disks - chosen.spares - chosen.parity) + 1):
        other = chosen.model_copy(update={"data": data})
        assert space.volume_bytes(level, [TB4] * disks, 16 * KIB, 12, other) <= room * 1.02, other.name


@pytest.mark.parametrize("level", draid.LEVELS)
def test_every_shape_that_fits_has_room_and_more_disks_have_more(level: Level) -> None:
    before = 0
    for disks in range(draid.LEVELS[level] + 2, 60):
        for spares in range(3):
            for data in (1, 2, 4, 8):
                shape = draid.shape(level, disks, 12, data=data, spares=spares)
                fits = data + shape.parity <= disks - spares
                assert (shape.problem() is None) == fits, shape.name
        room = space.volume_bytes(level, [TB4] * disks, 16 * KIB, 12, draid.shape(level, disks, 12, data=1, spares=1))
        assert room > before
        before = room


def test_what_does_not_fit_is_refused_with_what_would() -> None:
    words = draid.shape(Level.DRAID2, 6, 12, data=4, spares=1).problem() or ""
    assert "at most 3 data disks are possible" in words
    assert "255 disks at most" in (draid.shape(Level.DRAID1, 256, 12).problem() or "")
    assert "100 distributed spares" in (draid.shape(Level.DRAID1, 200, 12, spares=101).problem() or "")
