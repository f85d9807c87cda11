"""A step that no engine could do as it says is refused before it reaches the machine."""

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from lunette.domain.arrays import Level
from lunette.domain.steps import LvmRaidCreate, MemberDisk, PoolCreate

Make = Callable[[Level, int], PoolCreate | LvmRaidCreate]


def _disks(count: int) -> tuple[MemberDisk, ...]:
    return tuple(MemberDisk(disk_id=f"nvme-D{n}", serial=f"D{n}") for n in range(count))


def _pool(level: Level, count: int) -> PoolCreate:
    pool = "lunette-0123456789ab"
    return PoolCreate(array_id="a1", guid="123", pool=pool, level=level, ashift=12, members=_disks(count))


def _raid(level: Level, count: int) -> LvmRaidCreate:
    return LvmRaidCreate(
        array_id="a1",
        uuid="0123456789abcdef0123456789abcdef",
        raid_group="lunette-0123456789ab",
        level=level,
        size_bytes=1 << 30,
        extent_bytes=1 << 22,
        chunk_bytes=1 << 16,
        integrity=False,
        disk_bytes=1 << 30,
        members=_disks(count),
    )


@pytest.mark.parametrize("make", [_pool, _raid])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 7])
def test_a_raid10_is_of_pairs(make: Make, count: int) -> None:
    with pytest.raises(ValidationError, match="an even number from 4"):
        make(Level.RAID10, count)


@pytest.mark.parametrize("make", [_pool, _raid])
@pytest.mark.parametrize(("level", "count"), [(Level.RAID10, 4), (Level.RAID10, 6), (Level.RAID6, 5)])
def test_other_levels_and_whole_pairs_are_taken(make: Make, level: Level, count: int) -> None:
    assert len(make(level, count).members) == count
