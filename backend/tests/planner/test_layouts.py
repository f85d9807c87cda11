"""What could be built of given disks: figures that hold for every set of disks, and those that were counted."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import seen
from lunette.domain.arrays import ArrayCreate, ArrayEngine, Level, Raid10Layout, WriteHole
from lunette.domain.errors import Invalid
from lunette.domain.layouts import Layout, Layouts
from lunette.domain.observations import Observation
from lunette.domain.sizes import GIB, KIB, MIB, TIB
from lunette.engine.conditions import disk_health
from lunette.planner.arrays.layouts import plan_layouts
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.providers.arrays.md import plan as md
from lunette.providers.arrays.zfs import plan as zfs
from lunette.providers.arrays.zfs import space

BLOCKS = st.sampled_from([4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB])
SIZES = st.lists(st.integers(min_value=256 * MIB, max_value=30 * TIB), min_size=1, max_size=24)


def machine(sizes: Sequence[int], **changes: Any) -> Observation:
    disks = tuple(seen.disk(n, size_bytes=size, **changes) for n, size in enumerate(sizes, 1))
    return seen.machine(disks=disks)


def layouts(sizes: Sequence[int], block_bytes: int = 16 * KIB, **changes: Any) -> Layouts:
    ids = [f"nvme-D{n}" for n in range(1, len(sizes) + 1)]
    return plan_layouts(ids, block_bytes, machine(sizes, **changes), {})


_OF_MD = {facts.level for facts in md.LEVELS}


def one(found: Layouts, level: Level) -> Layout:
    return next(layout for layout in of_own_names(found) if layout.level is level)


def of_own_names(found: Layouts) -> list[Layout]:
    """Without those of LVM and ZFS that have the names of md's."""
    return [one for one in found.layouts if one.engine is ArrayEngine.MD or one.level not in _OF_MD]


@given(SIZES, BLOCKS)
def test_every_level_of_every_engine_is_reported_with_figures_or_with_a_reason(sizes: list[int], block: int) -> None:
    found = layouts(sizes, block)
    offered = [
        (e, f.level, layout)
        for e, engine in ARRAY_ENGINES.items()
        for f in engine.capability().levels
        for layout in f.layouts or (None,)
    ]
    assert [(layout.engine, layout.level, layout.layout) for layout in found.layouts] == offered
    for layout in found.layouts:
        assert layout.possible == (layout.problem is None) == (layout.usable_bytes is not None)
        if layout.usable_bytes is not None and layout.usable_percent is not None:
            assert 0 < layout.usable_bytes < found.total_bytes
            assert layout.usable_percent == pytest.approx(100 * layout.usable_bytes / found.total_bytes, abs=0.01)


@given(SIZES, BLOCKS)
def test_what_is_reported_to_be_possible_is_what_the_planner_makes(sizes: list[int], block: int) -> None:
    disks = machine(sizes).disks
    for layout in layouts(sizes, block).layouts:
        spec = ArrayCreate(
            name="a",
            engine=layout.engine,
            level=layout.level,
            layout=layout.layout,
            disks=tuple(disk.id for disk in disks),
        )
        engine = ARRAY_ENGINES[layout.engine]
        assert layout.possible == (not engine.problems(spec, disks))
        if layout.possible:
            made = engine.blueprint("a" * 32, "b" * 32, spec, disks)
            assert layout.write_hole[0] is made.write_hole
            assert layout.usable_bytes is not None
            assert layout.usable_bytes <= made.size_bytes or block > 16 * KIB


@given(SIZES, BLOCKS)
def test_more_redundancy_never_gives_more_room_nor_survives_less(sizes: list[int], block: int) -> None:
    found = layouts(sizes, block)
    for family in (
        (Level.RAID0, Level.RAID4, Level.RAID6),
        (Level.RAID0, Level.RAID5, Level.RAID6),
        (Level.RAIDZ1, Level.RAIDZ2, Level.RAIDZ3),
    ):
        possible = [one(found, level) for level in family if one(found, level).possible]
        room = [layout.usable_bytes or 0 for layout in possible]
        losses = [layout.survives_disks or 0 for layout in possible]
        # ZFS counts free space by an integer ratio of 1/512, so equal ones may differ by that.
        assert all(more * 1.01 >= less for more, less in itertools.pairwise(room))
        assert losses == sorted(losses)


@given(
    st.integers(min_value=3, max_value=24), st.sampled_from([1, 2, 3]), BLOCKS, st.integers(min_value=9, max_value=13)
)
def test_a_block_holds_its_data_its_parity_and_whole_groups(disks: int, parity: int, block: int, shift: int) -> None:
    if disks <= parity:
        return
    taken, sector = space.allocated(block, disks, parity, shift), 1 << shift
    data = -(-block // sector)
    rows = -(-data // (disks - parity))
    assert taken % (sector * (parity + 1)) == 0
    assert (data + parity * rows) * sector <= taken < (data + parity * (rows + 1) + 1) * sector


def test_eight_kib_on_an_eight_wide_raidz2_cost_three_times_their_size() -> None:
    assert space.cost(Level.RAIDZ2, 8, 8 * KIB, 12) == 3.0
    assert space.cost(Level.RAIDZ2, 8, 128 * KIB, 12) == pytest.approx(1.40625)
    small, large = layouts([TIB] * 8, 8 * KIB), layouts([TIB] * 8, 128 * KIB)
    assert one(small, Level.RAIDZ2).usable_percent == pytest.approx(100 / 3, rel=0.05)
    assert one(large, Level.RAIDZ2).usable_percent == pytest.approx(100 / 1.40625, rel=0.05)


def test_sectors_of_512_bytes_are_treated_as_4_kib_and_larger_ones_as_they_are() -> None:
    assert [space.ashift(size) for size in (0, 512, 4096, 8192, 65536, 2**20)] == [12, 12, 12, 13, 16, 16]
    disks = [seen.disk(1, physical_block_bytes=512), seen.disk(2, physical_block_bytes=8192)]
    assert zfs.shift_of(disks) == 13


def test_small_writes_cost_what_was_counted() -> None:
    found = layouts([TIB] * 8)
    costs = {layout.level: layout.small_write_ios for layout in of_own_names(found) if layout.layout in (None, "n2")}
    of_md = (Level.RAID0, Level.RAID1, Level.RAID4, Level.RAID5, Level.RAID6, Level.RAID10)
    assert [costs[level] for level in of_md] == [1, 8, 4, 4, 6, 2]
    assert one(layouts([TIB] * 3), Level.RAID5).small_write_ios == 3
    # A block of 16 KiB lies on four data disks: all are read, all and the parity are written.
    assert (costs[Level.RAIDZ1], costs[Level.RAIDZ2], costs[Level.STRIPE], costs[Level.MIRROR]) == (9, 10, 2, 9)
    assert one(layouts([TIB] * 8, 4 * KIB), Level.RAIDZ2).small_write_ios == 3


def test_failures_survived_and_the_time_of_a_rebuild() -> None:
    found = layouts([TIB] * 6, rotational=True)
    survived = {layout.level: layout.survives_disks for layout in of_own_names(found) if layout.layout in (None, "n2")}
    assert survived == {
        Level.RAID0: 0,
        Level.RAID1: 5,
        Level.RAID4: 1,
        Level.RAID5: 1,
        Level.RAID6: 2,
        Level.RAID10: 1,
        Level.STRIPE: 0,
        Level.MIRROR: 5,
        Level.RAIDZ1: 1,
        Level.RAIDZ2: 2,
        Level.RAIDZ3: 3,
        Level.DRAID1: 1,
        Level.DRAID2: 2,
        Level.DRAID3: 3,
        Level.EXTERNAL: None,
    }
    assert {level for level, disks in survived.items() if not disks} == set(disk_health.WITHOUT_REDUNDANCY)
    assert one(found, Level.RAID6).min_rebuild_s == pytest.approx(TIB / (200 * MIB), abs=0.1)
    assert one(found, Level.RAID0).min_rebuild_s is None


def test_a_draid_is_reported_with_its_groups_and_less_room_than_raidz_for_its_spare() -> None:
    found = layouts([TIB] * 8)
    wide, narrow = one(found, Level.DRAID2), one(found, Level.RAIDZ2)
    assert (wide.groups, narrow.groups) == ("draid2:4d:8c:1s", None)
    assert wide.usable_bytes is not None
    assert 4 / 6 * 7 * TIB * 0.9 < wide.usable_bytes < 4 / 6 * 7 * TIB


def test_raid10_is_reported_in_each_of_its_layouts_with_what_its_copies_cost() -> None:
    reported = [x for x in of_own_names(layouts([TIB] * 6)) if x.level is Level.RAID10]
    assert [(x.layout, x.survives_disks, x.small_write_ios) for x in reported] == [
        ("n2", 1, 2),
        ("f2", 1, 2),
        ("o2", 1, 2),
        ("n3", 2, 3),
        ("f3", 2, 3),
        ("o3", 2, 3),
    ]
    assert [x.usable_percent for x in reported] == pytest.approx([50] * 3 + [100 / 3] * 3, rel=0.01)
    two = {x.layout: x.problem for x in of_own_names(layouts([TIB] * 2)) if x.level is Level.RAID10}
    assert two[Raid10Layout.F2] is None
    assert "there are only 2 disks" in (two[Raid10Layout.F3] or "")


def test_zfs_stripes_over_mirrors_of_two() -> None:
    def raid10(sizes: list[int]) -> Layout:
        found = layouts(sizes).layouts
        return next(one for one in found if (one.engine, one.level) == (ArrayEngine.ZFS, Level.RAID10))

    reported = raid10([TIB] * 6)
    assert (reported.survives, reported.survives_disks, reported.small_write_ios) == ("one disk of each pair", 1, 3)
    assert reported.usable_percent == pytest.approx(50, rel=0.05)
    pairs = raid10([TIB, TIB, 2 * TIB, 2 * TIB])
    assert pairs.usable_percent == pytest.approx(50, rel=0.05), "each pair has the room of its smaller disk"
    assert "an even number of disks, not 3" in (raid10([TIB] * 3).problem or "") or "requires 4" in (
        raid10([TIB] * 3).problem or ""
    )
    assert (
        raid10([TIB] * 5).problem
        == "zfs raid10 consists of two-disk mirrors and requires an even number of disks, not 5"
    )


def test_lvm_raid_is_reported_with_what_its_checksums_take() -> None:
    reported = {x.level: x for x in layouts([TIB] * 6).layouts if x.engine is ArrayEngine.LVM}
    assert [(level, x.survives_disks, x.small_write_ios) for level, x in reported.items()] == [
        (Level.RAID1, 5, 6),
        (Level.RAID5, 1, 4),
        (Level.RAID6, 2, 6),
        (Level.RAID10, 1, 2),
    ]
    for found in reported.values():
        assert found.usable_bytes is not None
        assert found.integrity_usable_bytes == pytest.approx(found.usable_bytes * (1 - 4 / 500), rel=0.001)
        assert found.write_hole == (WriteHole.BITMAP,)
    assert {x.integrity_usable_bytes for x in layouts([TIB] * 6).layouts if x.engine is not ArrayEngine.LVM} == {None}


def test_the_default_write_hole_policy_comes_first() -> None:
    found = layouts([TIB] * 4)
    assert one(found, Level.RAID5).write_hole == (WriteHole.PPL, WriteHole.BITMAP, WriteHole.NONE)
    assert one(found, Level.RAID4).write_hole == (WriteHole.BITMAP, WriteHole.NONE)
    assert one(found, Level.RAIDZ1).write_hole == (WriteHole.COPY_ON_WRITE,)


def test_no_partial_parity_log_is_offered_where_a_disk_has_a_volatile_write_cache() -> None:
    disks = tuple(seen.disk(number, write_cache=number == 2) for number in range(1, 5))
    found = plan_layouts([disk.id for disk in disks], 16 * KIB, seen.machine(disks=disks), {})
    assert one(found, Level.RAID5).write_hole == (WriteHole.BITMAP, WriteHole.NONE)


def test_too_few_disks_mixed_sectors_and_a_missing_module_are_reasons() -> None:
    assert "requires 4 to 256 disks, not 3" in (one(layouts([TIB] * 3), Level.RAID6).problem or "")
    disks = (seen.disk(1), seen.disk(2, logical_block_bytes=4096), seen.disk(3))
    mixed = plan_layouts([disk.id for disk in disks], 16 * KIB, seen.machine(disks=disks), {})
    assert {layout.problem for layout in mixed.layouts} == {"the disks have different sector sizes: 512 and 4096 bytes"}
    without = seen.machine(engines=tuple(e for e in seen.machine().engines if e.engine not in ("zfs", "zvol")))
    reported = [
        x for x in plan_layouts(["nvme-D1", "nvme-D2"], 16 * KIB, without, {}).layouts if x.engine is ArrayEngine.ZFS
    ]
    assert all("has no array engine zfs" in (layout.problem or "") for layout in reported)
    assert {one.level for one in reported} == {facts.level for facts in zfs.LEVELS}


def test_an_unsuitable_disk_is_reported_and_the_figures_are_still_shown() -> None:
    disks = (
        seen.disk(1, signatures=(seen.EXT4,)),
        seen.disk(2),
        seen.disk(3, mounts=("/srv",)),
        seen.disk(4, used_by_system=True, partitions=2),
        seen.disk(5, fabric=True),
    )
    found = plan_layouts([d.id for d in disks], 16 * KIB, seen.machine(disks=disks), {"nvme-D2": "tank"})
    assert [(disk.problem, disk.needs_wipe) for disk in found.disks] == [
        ("it carries an ext4 signature (label data)", True),
        ("it belongs to array tank", False),
        ("it is mounted at /srv", False),
        ("it carries the running system", False),
        ("it is attached over a fabric: an array is never built on another appliance's volume", False),
    ]
    assert one(found, Level.RAID5).usable_bytes == pytest.approx(4 * 10 * GIB, rel=0.01)


@pytest.mark.parametrize(
    ("disks", "block", "field"),
    [
        (["nope"], 16 * KIB, "disks[0]"),
        (["nvme-D1", "nvme-eui.1"], 16 * KIB, "disks[1]"),
        (["nvme-D1"], 3 * KIB, "block_bytes"),
        (["nvme-D1"], 0, "block_bytes"),
        (["nvme-D1"], 256 * KIB, "block_bytes"),
    ],
)
def test_an_impossible_request_is_refused_by_field(disks: list[str], block: int, field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        plan_layouts(disks, block, seen.machine(), {})
    assert [problem.field for problem in refusal.value.errors] == [field]
