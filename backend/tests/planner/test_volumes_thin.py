"""Plans for thin volumes, growth and snapshots: what is made, what it costs, and why not."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from backend.tests.planner.test_volumes import known, spec, volume
from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError, NoSpace
from lunette.domain.observations import Observation
from lunette.domain.sizes import GIB, KIB, MIB, TIB
from lunette.domain.snapshots import SnapshotClone, SnapshotCreate
from lunette.domain.steps import ThinPoolCreate, VolumeGrow, VolumeSwap
from lunette.domain.volumes import EXTENT_BYTES, Provisioning
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.volumes import creation, deletion
from lunette.planner.volumes import snapshots as volumes_snapshots
from lunette.planner.volumes.creation import NewVolumes, VolumeFacts
from lunette.planner.volumes.deletion import DoomedSnapshot
from lunette.planner.volumes.snapshots import KnownSnapshot, RollBack
from lunette.providers.volumes.lvm import plan as lvm

THIN = Provisioning.THIN
NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
ROOMY = seen.machine(groups=(seen.pool("g1", 32 * GIB),))
POOLED = seen.machine(groups=(seen.thin("g1", 8 * GIB),))


def plan_thin(machine: Observation, *sizes: int, held: int = 0) -> NewVolumes:
    specs = [spec(f"v{n}", size_bytes=size, provisioning=THIN) for n, size in enumerate(sizes)]
    facts = VolumeFacts({"tank": known()}, frozenset(), {"tank": 0}, {"tank": held})
    return creation.plan_create(specs, machine, facts, identities())


def test_the_first_thin_volume_brings_the_pool_and_the_second_does_not() -> None:
    assert [step.kind for step in plan_thin(ROOMY, GIB, GIB).plan.steps] == [
        "thin_pool.create",
        "volume.cut",
        "volume.cut",
        "volumes.seal",
    ]
    assert [step.kind for step in plan_thin(POOLED, GIB).plan.steps] == ["volume.cut", "volumes.seal"]
    assert list(faults(plan_thin(ROOMY, GIB).plan, ROOMY, Bounds())) == []
    assert list(faults(plan_thin(POOLED, 100 * GIB).plan, POOLED, Bounds())) == []


def test_thin_volumes_may_be_larger_than_their_array_and_the_plan_warns() -> None:
    assert plan_thin(POOLED, 8 * GIB).plan.warnings == ()
    assert "capacity for 9 GiB" in plan_thin(POOLED, 10 * GIB).plan.warnings[0]
    assert "can grow to 12 GiB in total" in plan_thin(POOLED, 8 * GIB, held=4 * GIB).plan.warnings[0]


def test_an_array_too_small_for_a_pool_is_refused() -> None:
    with pytest.raises(NoSpace, match="not enough for the thin pool"):
        plan_thin(seen.machine(groups=(seen.pool("g1", 64 * MIB),)), GIB)


def test_thin_volumes_are_refused_where_their_tools_are_missing() -> None:
    bare = ROOMY.model_copy(update={"engines": (lvm.capability(thin=False),)})
    with pytest.raises(Invalid, match="thin-provisioning-tools"):
        plan_thin(bare, GIB)


def test_a_thin_volume_without_a_pool_is_found_by_the_checker() -> None:
    plan = plan_thin(ROOMY, GIB).plan
    spoiled = plan.model_copy(update={"steps": plan.steps[1:]})
    assert any("has no thin pool" in fault for fault in faults(spoiled, ROOMY, Bounds()))


@given(
    size=st.integers(min_value=32, max_value=2**24),
    free=st.integers(min_value=0, max_value=2**24),
    asked=st.integers(min_value=1, max_value=2**24),
)
def test_a_new_pool_fits_and_leaves_half_to_others(size: int, free: int, asked: int) -> None:
    left = min(size, free) * EXTENT_BYTES
    pool = seen.pool("g1", left).model_copy(update={"size_bytes": size * EXTENT_BYTES})
    step = lvm.pool_create("p", pool, left, asked * EXTENT_BYTES)
    if step is None:
        return
    assert step.data_bytes + 2 * step.metadata_bytes <= left
    assert step.data_bytes <= max(left // 2, lvm.MIN_POOL_BYTES)
    assert not step.data_bytes % EXTENT_BYTES
    assert not step.metadata_bytes % EXTENT_BYTES
    assert step.metadata_bytes >= size * EXTENT_BYTES // step.chunk_bytes * 48
    assert step.metadata_bytes <= 15.8 * GIB or size * EXTENT_BYTES > 200 * TIB


def test_the_chunk_stays_small_until_its_metadata_would_be_large() -> None:
    assert [lvm.chunk_bytes(size) // KIB for size in (GIB, 4 * TIB, 8 * TIB, 64 * TIB, 900 * TIB)] == [
        64,
        64,
        128,
        1024,
        1024,
    ]


def test_a_pool_grows_by_a_quarter_once_it_is_70_percent_full_and_takes_the_last_extent() -> None:
    assert lvm.pool_growth(seen.thin("g1", GIB, used=69, metadata=69)) is None
    grown = lvm.pool_growth(seen.thin("g1", GIB, used=70))
    assert grown
    assert (grown.data_bytes, grown.metadata_bytes) == (GIB + 256 * MIB, 32 * MIB)
    last = lvm.pool_growth(seen.thin("g1", 8 * MIB, used=99))
    assert last
    assert last.data_bytes == GIB + 8 * MIB
    assert lvm.pool_growth(seen.thin("g1", 0, used=99)) is None
    both = lvm.pool_growth(seen.thin("g1", 64 * MIB, used=99, metadata=80))
    assert both
    assert (both.data_bytes, both.metadata_bytes) == (GIB + 48 * MIB, 40 * MIB)


def grow(size: int, machine: Observation = ROOMY, **facts: Any) -> Any:
    return creation.plan_grow(volume(size_bytes=GIB, **facts), size, machine, 0)


def test_growing_is_one_step_that_is_never_undone() -> None:
    plan = grow(2 * GIB, mapped_to=("h1",))
    (step,) = plan.steps
    assert isinstance(step, VolumeGrow)
    assert (step.from_bytes, step.size_bytes, step.pool, step.irreversible) == (GIB, 2 * GIB, None, True)
    assert "h1 see the new size at their next rescan" in plan.changes[0].detail
    assert plan.bytes_destroyed() == 0
    assert grow(GIB).steps == ()


@pytest.mark.parametrize(
    ("error", "size", "machine", "words"),
    [
        (Invalid, GIB // 2, ROOMY, "cannot be shrunk"),
        (Invalid, GIB + 1, ROOMY, "multiple of 4 MiB"),
        (NoSpace, 34 * GIB, ROOMY, "32 GiB free"),
        (Conflict, 2 * GIB, seen.machine(), "not active"),
    ],
)
def test_growth_that_cannot_be_is_refused(
    error: type[LunetteError], size: int, machine: Observation, words: str
) -> None:
    with pytest.raises(error, match=words):
        grow(size, machine)


def test_a_thin_volume_grows_beyond_what_is_free() -> None:
    plan = grow(100 * GIB, POOLED, provisioning=THIN)
    assert list(faults(plan, POOLED, Bounds())) == []


def test_a_volume_of_others_is_not_grown() -> None:
    plan = grow(2 * GIB)
    foreign = ROOMY.model_copy(update={"volumes": (seen.volume(None, "g1", lvm.backing_name("v")),)})
    assert any("does not carry this appliance's mark" in fault for fault in faults(plan, foreign, Bounds()))


def snapshot(**facts: Any) -> KnownSnapshot:
    return KnownSnapshot("s", "before", volume(**{"provisioning": THIN, **facts}), 8 * MIB, "tank", "a")


def take(machine: Observation = POOLED, **facts: Any) -> Any:
    spec = SnapshotCreate(name="before", volume="a")
    return volumes_snapshots.plan_take(spec, volume(**facts), machine, False, identities())


def test_a_thin_volume_has_snapshots_and_a_thick_one_has_none_and_says_why() -> None:
    assert [step.kind for step in take(provisioning=THIN).plan.steps] == ["snapshot.take"]
    with pytest.raises(Invalid, match="each first write by its hosts into several"):
        take()
    with pytest.raises(Conflict, match="not active"):
        take(seen.machine(), provisioning=THIN)


def test_every_clone_has_an_identity_of_its_own_and_the_content_of_the_snapshot() -> None:
    spec = SnapshotClone(name_pattern="vm%02d", count=96)
    new = volumes_snapshots.plan_clone(snapshot(), spec, POOLED, frozenset(), identities())
    assert [v.spec.name for v in new.volumes] == [f"vm{n:02d}" for n in range(1, 97)]
    assert len({v.identity.naa for v in new.volumes}) == 96
    assert {step.source for step in new.plan.steps[:-1] if step.kind == "volume.cut"} == {lvm.snapshot_name("s")}
    assert list(faults(new.plan, POOLED, Bounds())) == []
    with pytest.raises(Conflict, match="vm02"):
        volumes_snapshots.plan_clone(snapshot(), spec, POOLED, frozenset({"vm02"}), identities())


@pytest.mark.parametrize(
    "body", [{}, {"name": "a", "name_pattern": "a%d"}, {"name": "a", "count": 2}, {"name": "a", "first": 2}]
)
def test_clones_are_requested_in_one_of_two_forms(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="name"):
        SnapshotClone.model_validate(body)


def test_a_roll_back_waits_for_the_exports_and_is_refused_while_the_volume_is_mapped() -> None:
    own = snapshot()
    plan = volumes_snapshots.plan_roll_back(
        RollBack(own.volume, own, (DoomedSnapshot("1", "newer"),)), POOLED, identities()
    )
    assert [step.kind for step in plan.steps] == ["exports.gone", "volume.roll_back"]
    assert plan.bytes_destroyed() == own.volume.size_bytes
    assert list(faults(plan, POOLED, Bounds())) == []
    hasty = plan.model_copy(update={"steps": plan.steps[1:]})
    assert any("without waiting" in fault for fault in faults(hasty, POOLED, Bounds()))
    mapped = volume(provisioning=THIN, mapped_to=("h1",))
    with pytest.raises(InUse, match="mapped to h1"):
        volumes_snapshots.plan_roll_back(RollBack(mapped, snapshot(mapped_to=("h1",))), POOLED, identities())
    other = snapshot(id="w", name="other")
    with pytest.raises(Invalid, match="belongs to volume other"):
        volumes_snapshots.plan_roll_back(RollBack(own.volume, other), POOLED, identities())


def test_a_roll_back_that_retains_the_content_destroys_nothing() -> None:
    own = snapshot()
    kept = deletion.VolumeRetention(24, NOW, 3 * MIB)
    plan = volumes_snapshots.plan_roll_back(RollBack(own.volume, own, kept=kept), POOLED, identities())
    (_, step) = plan.steps
    assert isinstance(step, VolumeSwap)
    assert (step.keep_hours, step.held_bytes, step.aside_name) == (24, 3 * MIB, lvm.aside_name(step.kept_id))
    assert len({step.kept_id, step.volume_id, step.roll_back_id}) == 3
    assert plan.bytes_destroyed() == 0
    assert "can be recovered for 24 hours" in str(plan.changes[0].detail)
    hasty = plan.model_copy(update={"steps": plan.steps[1:]})
    assert any("without waiting" in fault for fault in faults(hasty, POOLED, Bounds()))
    volume_there = seen.volume(None, "g1", step.aside_name)
    taken = POOLED.model_copy(update={"volumes": (volume_there,)})
    assert any("exists" in fault for fault in faults(plan, taken, Bounds()))


def test_a_volume_with_snapshots_is_not_deleted_and_the_last_thin_one_takes_the_pool_along() -> None:
    with pytest.raises(InUse, match="snapshots before"):
        deletion.plan_delete(volume(snapshots=("before",)))
    plan = deletion.plan_delete(volume(provisioning=THIN), last_thin=True)
    assert [step.kind for step in plan.steps] == ["exports.gone", "volume.delete", "thin_pool.remove"]


def test_a_pool_takes_its_metadata_twice() -> None:
    plan = plan_thin(ROOMY, GIB).plan
    (pool,) = [step for step in plan.steps if isinstance(step, ThinPoolCreate)]
    needed = pool.data_bytes + 2 * pool.metadata_bytes
    tight = seen.machine(groups=(seen.pool("g1", needed - EXTENT_BYTES),))
    assert any("are to be allocated from g1" in fault for fault in faults(plan, tight, Bounds()))
