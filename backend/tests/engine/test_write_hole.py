"""What an array is worth telling that lacks its partial parity log, or has it over volatile write caches."""

from typing import Any

import pytest

from backend.tests.planner.test_array_changes import machine
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, SyncProgress, WriteHole
from lunette.engine.conditions.write_hole import HOLE_GRACE_S, causes_of
from lunette.store.resources import Array

CACHE = {2: {"write_cache": True}}
RESHAPE = SyncProgress(action="reshape", percent=42, rate_bytes_s=1, left_s=1)


def reported(policy: WriteHole = WriteHole.PPL, *, growing: bool = False, **facts: Any) -> list[tuple[str, str, float]]:
    """Severity, message and grace of each alert, for an array that is to have this policy."""
    look = machine("AAAs", **facts)
    row = Array(
        id="a1", name="tank", engine=ArrayEngine.MD.value, level="raid5", write_hole=policy.value, growing=growing
    )
    return [(one.severity.value, one.message, one.grace_s) for one in causes_of(row, look.arrays[0], look)]


def test_a_log_over_volatile_caches_is_critical_if_it_stays() -> None:
    ((severity, message, grace),) = reported(disks=CACHE, state=ArrayState.DEGRADED)
    assert (severity, message) == ("critical", "Array tank could lose flushed data in a power cut")
    assert grace == HOLE_GRACE_S, "a clean array is given time to exchange it"


def test_an_array_that_cannot_have_its_log_has_an_open_write_hole() -> None:
    ((severity, message, _),) = reported(disks=CACHE, write_hole=WriteHole.BITMAP)
    assert severity == "warning"
    assert "cannot have its partial parity log" in message


def test_a_log_that_a_growth_removed_is_restored_in_time() -> None:
    ((severity, message, grace),) = reported(growing=True, write_hole=WriteHole.NONE)
    assert (severity, grace) == ("warning", HOLE_GRACE_S)
    assert "not restored yet" in message
    assert reported(growing=True, write_hole=WriteHole.NONE, progress=RESHAPE) == []


@pytest.mark.parametrize(
    ("policy", "facts"),
    [
        (WriteHole.PPL, {}),
        (WriteHole.BITMAP, {"disks": CACHE, "write_hole": WriteHole.BITMAP}),
        (WriteHole.PPL, {"disks": CACHE, "state": ArrayState.MISSING}),
        (WriteHole.PPL, {"disks": CACHE, "level": Level.RAID6.value, "write_hole": WriteHole.BITMAP}),
    ],
)
def test_nothing_is_reported_about_a_correct_state(policy: WriteHole, facts: dict[str, Any]) -> None:
    assert reported(policy, **facts) == []
