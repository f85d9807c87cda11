"""An md raid5 has its partial parity log exactly while none of its disks has a volatile write cache."""

from typing import Any

import pytest

from backend.tests.planner.test_array_changes import known, machine
from lunette.domain.array_changes import ArrayAddSpares, ArrayReplace
from lunette.domain.arrays import ArrayState, SyncProgress, WriteHole
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import MdWriteHole
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.md import changes as md_changes
from lunette.planner.engines.md.write_hole import plan_exchange

CACHE = {"write_cache": True}


def exchange(look: Observation, wanted: WriteHole = WriteHole.PPL) -> Plan | None:
    (found,) = look.arrays
    return plan_exchange(known(), wanted, found, look)


def change(plan: Plan | None) -> tuple[WriteHole, WriteHole]:
    """From what to what."""
    assert plan is not None
    (step,) = plan.steps
    assert isinstance(step, MdWriteHole)
    return step.was, step.policy


@pytest.mark.parametrize("number", [1, 4], ids=["a member", "a spare"])
def test_a_bitmap_takes_the_place_of_the_log(number: int) -> None:
    look = machine("AAAs", disks={number: CACHE})
    plan = exchange(look)
    assert change(plan) == (WriteHole.PPL, WriteHole.BITMAP)
    assert plan is not None
    assert not [*faults(plan, look, Bounds())]


@pytest.mark.parametrize("now", [WriteHole.BITMAP, WriteHole.NONE])
def test_the_log_is_restored_once_no_disk_has_a_cache(now: WriteHole) -> None:
    assert change(exchange(machine("AAAs", write_hole=now))) == (now, WriteHole.PPL)


@pytest.mark.parametrize(
    "look",
    [
        machine("AAAs"),
        machine("AAAs", disks={1: CACHE}, write_hole=WriteHole.BITMAP),
        machine("AAAs", disks={6: CACHE}),
        machine("AAFs", disks={3: CACHE}),
    ],
    ids=["the log is on", "the bitmap is on", "the cache of another disk", "the cache of a faulty disk"],
)
def test_nothing_is_exchanged_that_is_right(look: Observation) -> None:
    assert exchange(look) is None


def test_an_array_that_needs_a_bitmap_retains_it() -> None:
    assert exchange(machine("AAAs", write_hole=WriteHole.BITMAP), WriteHole.BITMAP) is None
    assert exchange(machine("AAAs"), WriteHole.BITMAP) is None


@pytest.mark.parametrize(
    ("states", "facts"),
    [
        ("AA_", {"state": ArrayState.DEGRADED}),
        ("AAR", {"state": ArrayState.REBUILDING}),
        ("AAA", {"state": ArrayState.RESYNCING}),
        ("AAA", {"is_reshaping": True}),
        ("AAA", {"progress": SyncProgress(action="check", percent=1, rate_bytes_s=1, left_s=1)}),
        ("AAA", {"state": ArrayState.MISSING}),
    ],
)
def test_an_array_that_is_not_whole_and_quiet_waits(states: str, facts: dict[str, Any]) -> None:
    assert exchange(machine(states, disks={1: CACHE}, **facts)) is None


@pytest.mark.parametrize("has_cache", [True, False])
def test_a_plan_that_adds_a_disk_says_what_its_cache_means(has_cache: bool) -> None:
    look = machine("AAAs", disks={7: {"write_cache": has_cache}})
    plans = [
        md_changes.plan_add_spares(known(), ArrayAddSpares(disks=("nvme-D7",)), look, {}),
        md_changes.plan_replace(known(), ArrayReplace(disk="nvme-D1", new="nvme-D7"), look, {}),
    ]
    for plan in plans:
        assert any("cache is active on nvme-D7" in warning for warning in plan.warnings) is has_cache
