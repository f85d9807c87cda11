"""Arrays that can be made and are seldom wanted are warned of, with the reason and what to make instead."""

import pytest

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from backend.tests.planner.test_layouts import layouts, one
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.sizes import TIB
from lunette.planner.arrays import proportions
from lunette.planner.arrays.creation import plan_create

TB = 10**12


def said(level: str, count: int, size: int = TIB, *, rotational: bool = False) -> tuple[str, ...]:
    disks = [seen.disk(number, size_bytes=size, rotational=rotational) for number in range(1, count + 1)]
    return proportions.warnings(Level(level), disks)


@pytest.mark.parametrize("level", ["raid1", "mirror"])
def test_a_mirror_of_more_than_three_disks_is_warned_of_and_stripes_over_mirrors_are_named(level: str) -> None:
    assert said(level, 3) == ()
    (warning,) = said(level, 8)
    assert "stores 8 copies of all data and has the capacity of one disk" in warning
    assert "raid10 stripes over mirrors" in warning
    assert "md's" not in warning, "the same engine has it"


@pytest.mark.parametrize(("level", "other"), [("raidz1", "draid1"), ("raidz2", "draid2"), ("raidz3", "draid3")])
def test_a_very_wide_raidz_is_warned_of(level: str, other: str) -> None:
    assert said(level, 12) == ()
    (warning,) = said(level, 60)
    assert "of 60 disks is wide" in warning
    assert f"or {other}" in warning


@pytest.mark.parametrize(
    ("level", "safer"), [("raid4", "raid6"), ("raid5", "raid6"), ("raidz1", "raidz2"), ("draid1", "draid2")]
)
def test_one_parity_over_large_rotating_disks_is_warned_of_with_the_chance(level: str, safer: str) -> None:
    (warning,) = said(level, 9, 20 * TB, rotational=True)
    assert "Replacing a disk reads all others: 145.52 TiB" in warning
    assert "is 72%" in warning, "1 - exp(-8 drives * 20e12 bytes * 8 bits / 1e15)"
    assert f"{safer} tolerates this" in warning
    assert said(level, 4, 4 * TB, rotational=True) == ()
    assert said(level, 9, 20 * TB) == (), "solid-state drives"
    assert said(safer, 9, 20 * TB, rotational=True) == ()


def test_levels_without_such_trouble_say_nothing() -> None:
    for level in ("raid0", "raid6", "raid10", "stripe", "draid2"):
        assert said(level, 24, 20 * TB, rotational=True) == ()
    assert said("external", 1, 200 * TB, rotational=True) == ()


def test_the_plan_and_the_layouts_carry_the_warning() -> None:
    disks = tuple(seen.disk(number) for number in range(1, 6))
    spec = ArrayCreate(name="tank", level=Level.RAID1, disks=tuple(disk.id for disk in disks))
    new = plan_create(spec, seen.machine(disks=disks), False, {}, identities())
    assert any("stores 5 copies" in warning for warning in new.plan.warnings)
    found = layouts([TIB] * 5)
    assert "stores 5 copies" in one(found, Level.MIRROR).warnings[0]
    assert one(found, Level.RAIDZ2).warnings == ()
