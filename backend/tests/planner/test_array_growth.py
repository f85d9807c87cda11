"""Plans for arrays that get more members: what is chosen, every reason to refuse, and what remains when it is over."""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_array_changes import UUID, known, machine, refused
from lunette.domain.array_changes import ArrayGrow
from lunette.domain.arrays import ArrayState, SyncProgress, WriteHole
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.plans import Plan
from lunette.domain.sizes import GIB
from lunette.domain.steps import DiskWipe, GroupGrow, MdAdd, MdReshape, MdScrub, MdWriteHole
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.md.growth import plan_finish, plan_grow
from lunette.providers.volumes.lvm.plan import room_bytes

EXT4 = {"signatures": (seen.EXT4,)}
RESHAPE = SyncProgress(action="reshape", percent=42, rate_bytes_s=1, left_s=1)


def spec(*numbers: int, wipe: tuple[int, ...] = ()) -> ArrayGrow:
    return ArrayGrow(disks=tuple(f"nvme-D{n}" for n in numbers), wipe=tuple(f"nvme-D{n}" for n in wipe))


def kinds(plan: Plan) -> list[type]:
    return [type(step) for step in plan.steps]


def test_the_log_is_removed_only_with_all_disks_and_the_hole_is_reported() -> None:
    look = machine("AAA")
    plan = plan_grow(known(3), spec(7, 8), look, {})
    assert kinds(plan) == [MdAdd, MdAdd, MdWriteHole, MdReshape]
    reshape = plan.steps[-1]
    assert isinstance(reshape, MdReshape)
    assert (reshape.from_disks, reshape.to_disks) == (3, 5)
    assert "write hole is open" in plan.warnings[0]
    assert "write hole is open" in plan.steps[2].describe()
    assert "20 GiB become about 40 GiB" in plan.changes[-1].detail
    assert not [*faults(plan, look, Bounds())]


@pytest.mark.parametrize("level", ["raid4", "raid6", "raid10", "raid5"])
def test_a_bitmap_stays(level: str) -> None:
    plan = plan_grow(known(3), spec(7), machine("AAA", level=level, write_hole=WriteHole.BITMAP), {})
    assert kinds(plan) == [MdAdd, MdReshape]
    assert not any("write hole" in warning for warning in plan.warnings)


def test_a_far_layout_never_grows_and_the_reason_is_the_kernel() -> None:
    look = machine("AAA", level="raid10", layout="f2", write_hole=WriteHole.BITMAP)
    assert "the kernel can reshape near and offset" in refused(Invalid, lambda: plan_grow(known(3), spec(7), look, {}))
    near = machine("AAA", level="raid10", layout="o2", write_hole=WriteHole.BITMAP)
    assert kinds(plan_grow(known(3), spec(7), near, {})) == [MdAdd, MdReshape]


def test_a_new_disk_with_a_volatile_cache_removes_the_log_and_the_plan_says_so() -> None:
    plan = plan_grow(known(3), spec(7), machine("AAA", disks={7: {"write_cache": True}}), {})
    assert any("cache is active on nvme-D7" in warning for warning in plan.warnings)
    bare = machine("AAA", write_hole=WriteHole.BITMAP, disks={7: {"write_cache": True}})
    assert not any("cache" in warning for warning in plan_grow(known(3), spec(7), bare, {}).warnings)


def test_a_mirror_gets_copies_and_no_room() -> None:
    plan = plan_grow(known(3), spec(7), machine("AAA", level="raid1", write_hole=WriteHole.BITMAP), {})
    assert kinds(plan) == [MdAdd, MdReshape]
    assert "become about" not in plan.changes[-1].detail


def test_disks_that_are_wiped_come_after_those_that_are_blank() -> None:
    look = machine("AAA", disks={6: EXT4, 8: EXT4})
    plan = plan_grow(known(3), spec(6, 7, 8, wipe=(6, 8)), look, {})
    assert kinds(plan) == [MdAdd, DiskWipe, DiskWipe, MdAdd, MdAdd, MdWriteHole, MdReshape]
    assert not [*faults(plan, look, Bounds(wipe=frozenset({"nvme-D6", "nvme-D8"})))]


@pytest.mark.parametrize(
    ("states", "facts", "word"),
    [
        ("AA_", {}, "replace the lost disk"),
        ("AAR", {}, "wait for the rebuild"),
        ("AAA", {"state": ArrayState.RESYNCING}, "busy"),
        ("AAA", {"is_reshaping": True}, "being reshaped"),
        ("AA_", {"is_reshaping": True, "progress": RESHAPE}, "42 % done"),
        ("AAA", {"progress": SyncProgress(action="check", percent=1, rate_bytes_s=1, left_s=1)}, "stop a scrub"),
    ],
)
def test_what_is_not_whole_and_quiet_does_not_grow(states: str, facts: dict[str, Any], word: str) -> None:
    assert word in refused(Conflict, lambda: plan_grow(known(3), spec(7), machine(states, **facts), {}))


def test_a_stripe_is_refused_with_the_reason() -> None:
    words = refused(Invalid, lambda: plan_grow(known(3), spec(7), machine("AAA", level="raid0"), {}))
    assert "raid4 without a parity" in words
    assert "Create a new array" in words


def test_a_log_reaches_sixty_four_disks() -> None:
    look = machine("AAA", raid_disks=64)
    assert "64 disks" in refused(Invalid, lambda: plan_grow(known(3), spec(7), look, {}))


@pytest.mark.parametrize(
    ("disk", "error", "word"),
    [
        ({"size_bytes": 8 * GIB}, Invalid, "use a larger disk"),
        ({"logical_block_bytes": 4096}, Invalid, "4096-byte sectors"),
        ({"mounts": ("/srv",)}, InUse, "/srv"),
        ({"signatures": (seen.EXT4,)}, InUse, "List it in wipe"),
        ({"fabric": True}, Invalid, "over a fabric"),
    ],
)
def test_an_unfit_disk_is_refused_by_name(disk: dict[str, Any], error: Any, word: str) -> None:
    words = refused(error, lambda: plan_grow(known(3), spec(7), machine("AAA", disks={7: disk}), {}))
    assert word in words
    assert "nvme-D7" in words


def finish(group_size: int, *, caches: tuple[str, ...] = (), **facts: Any) -> Plan | None:
    (found,) = machine("AAA", size_bytes=30 * GIB, **facts).arrays
    pool = seen.pool("g", 0, UUID).model_copy(update={"size_bytes": group_size})
    return plan_finish(known(3), WriteHole.PPL, found, pool, caches)


def test_a_bitmap_replaces_the_log_if_a_disk_has_a_volatile_write_cache() -> None:
    plan = finish(room_bytes(30 * GIB), caches=("nvme-D1",), write_hole=WriteHole.NONE)
    assert plan is not None
    (step,) = plan.steps
    assert isinstance(step, MdWriteHole)
    assert (step.was, step.policy) == (WriteHole.NONE, WriteHole.BITMAP)
    done = finish(room_bytes(30 * GIB), caches=("nvme-D1",), write_hole=WriteHole.BITMAP)
    assert done is not None
    assert not done.steps


def test_what_remains_is_done_once_the_reshape_is_over() -> None:
    small, whole = room_bytes(20 * GIB), room_bytes(30 * GIB)
    assert finish(small, state=ArrayState.RESHAPING, is_reshaping=True, progress=RESHAPE) is None
    stands_still: dict[str, Any] = {"state": ArrayState.DEGRADED, "is_reshaping": True, "write_hole": WriteHole.PPL}
    assert finish(room_bytes(30 * GIB), **stands_still) is None, "a disk is lost, and nothing goes on yet"
    both = finish(small, write_hole=WriteHole.NONE)
    assert both is not None
    assert kinds(both) == [MdWriteHole, MdScrub, GroupGrow]
    assert not [*faults(both, machine("AAA"), Bounds())]
    rest = finish(small, write_hole=WriteHole.PPL)
    assert rest is not None
    assert kinds(rest) == [MdScrub, GroupGrow]
    done = finish(whole, write_hole=WriteHole.PPL)
    assert done is not None
    assert not done.steps


def test_the_log_is_not_restored_while_parity_is_not_correct_everywhere() -> None:
    resync = SyncProgress(action="resync", percent=1, rate_bytes_s=None, left_s=None)
    assert finish(room_bytes(30 * GIB), state=ArrayState.RESYNCING, progress=resync, write_hole=WriteHole.NONE) is None
