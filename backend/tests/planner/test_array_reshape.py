"""Plans for another level: what is chosen, every reason to refuse, and what remains when it is over."""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_array_changes import known, machine, refused
from backend.tests.planner.test_array_growth import EXT4, kinds
from lunette.domain.array_changes import ArrayReshape
from lunette.domain.arrays import ArrayState, Level, SyncProgress, WriteHole
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.steps import DiskWipe, MdAdd, MdRelevel, MdWriteHole
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.md.growth import plan_finish
from lunette.planner.engines.md.reshape import plan_reshape
from lunette.providers.volumes.lvm.plan import room_bytes

CHECK = SyncProgress(action="check", percent=1, rate_bytes_s=1, left_s=1)
RAID6 = ArrayReshape(level=Level.RAID6, disks=("nvme-D7",))


def test_a_raid5_becomes_a_raid6_only_when_its_disk_is_there_and_says_what_becomes_of_the_hole() -> None:
    look = machine("AAA")
    plan = plan_reshape(known(3), RAID6, look, {})
    assert kinds(plan) == [MdAdd, MdWriteHole, MdRelevel]
    hole, last = plan.steps[1:]
    assert isinstance(hole, MdWriteHole)
    assert isinstance(last, MdRelevel)
    assert (hole.policy, hole.was) == (WriteHole.BITMAP, WriteHole.PPL)
    assert (last.from_level, last.to_level, last.from_disks) == (Level.RAID5, Level.RAID6, 3)
    assert "write hole is open, as on every raid6" in plan.warnings[0]
    assert "tolerates the loss of one disk, as before" in plan.warnings[1]
    assert "on the new disk" in plan.warnings[2]
    assert "raid5 of 3 disks becomes raid6 of 4" in plan.changes[-1].detail
    assert not [*faults(plan, look, Bounds())]


@pytest.mark.parametrize("policy", [WriteHole.BITMAP, WriteHole.NONE])
def test_without_a_log_the_write_hole_is_treated_as_before(policy: WriteHole) -> None:
    plan = plan_reshape(known(3), RAID6, machine("AAA", write_hole=policy), {})
    assert kinds(plan) == [MdAdd, MdRelevel]
    assert not any("write hole" in warning for warning in plan.warnings)


def test_a_spare_is_taken_where_no_disk_is_named() -> None:
    plan = plan_reshape(known(), ArrayReshape(level=Level.RAID6), machine("AAAs"), {})
    assert kinds(plan) == [MdWriteHole, MdRelevel]
    assert "a spare of the array" in plan.changes[0].detail


def test_a_disk_that_carries_something_is_wiped_only_if_it_is_named() -> None:
    look = machine("AAA", disks={7: EXT4})
    assert "wipe" in refused(InUse, lambda: plan_reshape(known(3), RAID6, look, {}))
    spec = RAID6.model_copy(update={"wipe": ("nvme-D7",)})
    plan = plan_reshape(known(3), spec, look, {})
    assert kinds(plan) == [DiskWipe, MdAdd, MdWriteHole, MdRelevel]
    assert not [*faults(plan, look, Bounds(wipe=frozenset({"nvme-D7"})))]


@pytest.mark.parametrize(
    ("level", "spec", "word"),
    [
        ("raid6", RAID6, "is already raid6"),
        ("raid1", RAID6, "can be changed to no other level"),
        ("raid4", RAID6, "can be changed to no other level"),
        ("raid5", ArrayReshape(level=Level.RAID1, disks=("nvme-D7",)), "a raid5 can be changed to raid6"),
        ("raid5", ArrayReshape(level=Level.RAID6), "has no spare: specify a disk"),
        ("raid5", ArrayReshape(level=Level.RAID6, disks=("nvme-D7", "nvme-D8")), "grow the array by the others"),
    ],
)
def test_what_md_cannot_change_to_is_refused_with_what_to_do(level: str, spec: ArrayReshape, word: str) -> None:
    look = machine("AAA", level=level)
    assert word in refused(Invalid, lambda: plan_reshape(known(3), spec, look, {}))


@pytest.mark.parametrize(
    ("states", "facts", "word"),
    [
        ("AA_", {}, "replace the lost disk"),
        ("AAR", {}, "wait for the rebuild"),
        ("AAA", {"state": ArrayState.RESYNCING}, "busy"),
        ("AAA", {"is_reshaping": True}, "being reshaped"),
        ("AAA", {"progress": CHECK}, "stop a scrub"),
        ("AAA", {"uuid": "f" * 32}, "missing"),
    ],
)
def test_what_is_not_whole_and_quiet_is_not_changed(states: str, facts: dict[str, Any], word: str) -> None:
    assert word in refused(Conflict, lambda: plan_reshape(known(3), RAID6, machine(states, **facts), {}))


def test_a_raid6_gets_no_log() -> None:
    (found,) = machine("AAA", level="raid6", write_hole=WriteHole.BITMAP, state=ArrayState.REBUILDING).arrays
    pool = seen.pool("g", 0, found.uuid).model_copy(update={"size_bytes": room_bytes(found.size_bytes)})
    plan = plan_finish(known(3), WriteHole.PPL, found, pool)
    assert plan is not None
    assert not plan.steps
