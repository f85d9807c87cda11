"""Every plan that takes a disk warns of one that is not well; it is taken all the same."""

from collections.abc import Callable

import pytest

from backend.tests import seen
from backend.tests.planner import test_array_changes as md
from backend.tests.planner import test_arrays as made
from backend.tests.planner import test_pool_roles as pool
from lunette.domain.array_changes import ArrayAddSpares, ArrayGrow, ArrayReplace
from lunette.domain.disk_health import DriveReading, HealthValues
from lunette.domain.plans import Plan
from lunette.planner.checks.ailing import ailing
from lunette.planner.engines.md import changes as md_changes
from lunette.planner.engines.md.growth import plan_grow
from lunette.planner.engines.zfs import changes as pool_changes
from lunette.planner.engines.zfs import roles as pool_roles

FAILS = DriveReading(read_at=1.0, passed=False)
WARNING = (
    "Disk nvme-D7 predicts its own failure (Its SMART self-assessment is: failed): use another disk if one is "
    "available."
)
ILL = {7: {"health": FAILS}}
SPECS: dict[str, Callable[[], Plan]] = {
    "create": lambda: made.plan(made.spec(disks=(*made.FOUR[:3], "nvme-D7")), made.with_disk(7, health=FAILS)).plan,
    "create with a spare": lambda: made.plan(made.spec(spares=("nvme-D7",)), made.with_disk(7, health=FAILS)).plan,
    "spare": lambda: md_changes.plan_add_spares(
        md.known(), ArrayAddSpares(disks=("nvme-D7",)), md.machine(disks=ILL), {}
    ),
    "replace": lambda: md_changes.plan_replace(
        md.known(), ArrayReplace(disk="nvme-D1", new="nvme-D7"), md.machine(disks=ILL), {}
    ),
    "grow": lambda: plan_grow(md.known(), ArrayGrow(disks=("nvme-D7",)), md.machine(disks=ILL), {}),
    "replace in a pool": lambda: pool_changes.plan_replace(
        pool.known("ddd"), ArrayReplace(disk="nvme-D1", new="nvme-D7"), pool.machine("ddd", disks=ILL), {}
    ),
    "log of a pool": lambda: pool.add("ddd", "log", 7, look=pool.machine("ddd", disks=ILL)),
    "spare of a pool": lambda: pool_roles.plan_spares(
        pool.known("ddd"), ArrayAddSpares(disks=("nvme-D7",)), pool.machine("ddd", disks=ILL), {}
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_a_failing_disk_is_warned_of_where_it_is_taken(name: str) -> None:
    assert WARNING in SPECS[name]().warnings


def test_a_plan_of_sound_disks_warns_of_none() -> None:
    assert not [words for words in made.plan(made.spec()).plan.warnings if "nvme-D" in words]


def test_worn_and_unreadable_disks_are_warned_of_and_hot_ones_are_not() -> None:
    worn = HealthValues(used_percent=99, media_errors=40)
    hot = HealthValues(temperature_c=90, temperature_warning_c=70)
    reported = (
        DriveReading(read_at=1.0, passed=True, values=worn),
        DriveReading(read_at=1.0, passed=True, values=hot),
        DriveReading(read_at=1.0, unreadable=("smart_status",)),
        None,
    )
    first, second = ailing(seen.disk(number, health=health) for number, health in enumerate(reported, 1))
    assert first.startswith("Disk nvme-D1 is worn out; it has too many media errors (99 % of its rated write")
    assert second.startswith("Disk nvme-D3 reports health data that cannot be read")
