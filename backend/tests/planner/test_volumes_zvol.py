"""Plans for volumes on arrays whose engine is not LVM: only what its record says it can do is planned."""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from backend.tests.planner.test_volumes import known, spec, volume
from lunette.domain.arrays import ArrayEngine, EngineAbility
from lunette.domain.errors import Blocker, Conflict, InUse, Invalid, NoSpace
from lunette.domain.observations import Observation
from lunette.domain.sizes import GIB, MIB
from lunette.domain.snapshots import SnapshotCreate
from lunette.domain.steps import ThinPoolCreate, VolumeCut, VolumesSeal
from lunette.domain.volumes import BLOCK_BYTES, Provisioning, VolumeEngine
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines import volume_engines
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.volumes import creation, deletion
from lunette.planner.volumes import snapshots as volumes_snapshots
from lunette.planner.volumes.creation import NewVolumes, VolumeFacts
from lunette.planner.volumes.deletion import DoomedSnapshot
from lunette.planner.volumes.snapshots import KnownSnapshot, RollBack, SnapshotToDelete
from lunette.providers.volumes.zvol import plan as zvol

THIN, THICK = Provisioning.THIN, Provisioning.THICK
POOL = seen.pool("z1", 8 * GIB).model_copy(update={"extent_bytes": BLOCK_BYTES})
MACHINE = seen.machine(groups=(POOL, seen.pool("g1", 32 * GIB)))


def zfs_array(name: str = "tank", group: str = "z1") -> KnownArray:
    return replace(known(name, group=group), engine=ArrayEngine.ZFS)


def plan(*kinds: tuple[Provisioning, int], machine: Observation = MACHINE, held: int = 0) -> NewVolumes:
    specs = [spec(f"v{n}", size_bytes=size, provisioning=kind) for n, (kind, size) in enumerate(kinds)]
    facts = VolumeFacts({"tank": zfs_array()}, frozenset(), {"tank": 0}, {"tank": held})
    return creation.plan_create(specs, machine, facts, identities())


def _having(part: str) -> set[VolumeEngine]:
    return {engine for engine, planning in volume_engines.VOLUME_ENGINES.items() if getattr(planning, part)}


def test_an_engine_offers_what_the_planner_can_plan() -> None:
    machine = seen.machine()
    offered = {name: volume_engines.capabilities(machine, "volume")[name.value] for name in VolumeEngine}
    assert {name for name, record in offered.items() if record.can_grow} == _having("growing")
    assert {name for name, record in offered.items() if record.can_snapshot} == _having("snapshotting")
    assert {name for name, record in offered.items() if record.can_thin} >= _having("thin_pooling")
    assert volume_engines.VOLUME_ENGINES.keys() == set(VolumeEngine)


def test_a_reason_names_the_engine_and_what_it_lacks() -> None:
    machine = seen.machine()
    assert volume_engines.unable_reason(machine, ArrayEngine.ZFS) is None
    assert volume_engines.unable_reason(machine, ArrayEngine.ZFS, EngineAbility.THIN) is None
    old = seen.machine(engines=(zvol.capability().model_copy(update={"can_grow": False}),))
    assert "zvol, which arrays of engine zfs use, does not offer growth" in (
        volume_engines.unable_reason(old, ArrayEngine.ZFS, EngineAbility.GROW) or ""
    )
    absent = seen.machine(engines=(zvol.capability("the kernel module zfs is not loaded"),))
    assert "not loaded" in (volume_engines.unable_reason(absent, ArrayEngine.ZFS, EngineAbility.THIN) or "")


def test_a_thin_zvol_needs_no_pool_and_may_be_larger_than_what_is_free() -> None:
    new = plan((THIN, 100 * GIB), (THICK, GIB))
    thick, thin, seal = new.plan.steps
    assert isinstance(thick, VolumeCut)
    assert isinstance(thin, VolumeCut)
    assert (thick.engine, thick.provisioning, thick.pool) == (VolumeEngine.ZVOL, THICK, None)
    assert (thin.engine, thin.provisioning, thin.pool) == (VolumeEngine.ZVOL, THIN, None)
    assert isinstance(seal, VolumesSeal)
    assert (seal.engine, len(seal.volumes)) == (VolumeEngine.ZVOL, 2)
    assert list(faults(new.plan, MACHINE, Bounds())) == []


def test_the_warning_counts_what_thin_zvols_hold_already() -> None:
    assert plan((THIN, 8 * GIB)).plan.warnings == ()
    assert "capacity for 8 GiB" in plan((THIN, 9 * GIB)).plan.warnings[0]
    written = seen.volume("v", "z1", "v1", 8 * GIB).model_copy(update={"used_bytes": 4 * GIB})
    half_full = seen.machine(groups=(POOL.model_copy(update={"free_bytes": 4 * GIB}),), volumes=(written,))
    assert plan((THIN, 2 * GIB), machine=half_full, held=6 * GIB).plan.warnings == ()
    assert "capacity for 8 GiB" in plan((THIN, 3 * GIB), machine=half_full, held=6 * GIB).plan.warnings[0]


def test_one_request_cuts_from_arrays_of_both_engines() -> None:
    arrays = {"tank": zfs_array(), "two": known("two", group="g1")}
    specs = [spec("a", provisioning=THIN), spec("b", array="two", provisioning=THIN)]
    facts = VolumeFacts(arrays, frozenset(), {"tank": 0, "two": 0})
    steps = creation.plan_create(specs, MACHINE, facts, identities()).plan.steps
    assert [step.group for step in steps if isinstance(step, ThinPoolCreate)] == ["g1"]
    cuts = [step for step in steps if isinstance(step, VolumeCut)]
    assert [(cut.engine, cut.pool) for cut in cuts] == [(VolumeEngine.ZVOL, None), (VolumeEngine.LVM, "pool")]
    assert [step.engine for step in steps if isinstance(step, VolumesSeal)] == [VolumeEngine.ZVOL, VolumeEngine.LVM]


def test_a_thick_volume_that_takes_from_a_thin_pool_is_found_by_the_checker() -> None:
    cut = VolumeCut(engine=VolumeEngine.LVM, volume_id="v", group="g1", backing_name="v1", size_bytes=GIB, pool="pool")
    spoiled = plan((THICK, GIB)).plan.model_copy(update={"steps": (cut, VolumesSeal.of([cut]))})
    machine = seen.machine(groups=(seen.thin("g1", GIB),))
    assert [fault for fault in faults(spoiled, machine, Bounds()) if "is thick and takes from thin pool" in fault]


def on_zfs(**facts: Any) -> creation.KnownVolume:
    return volume(**{"array_engine": ArrayEngine.ZFS, "group": "z1", **facts})


def test_zvols_grow_and_have_snapshots_thick_ones_too() -> None:
    (grow,) = creation.plan_grow(on_zfs(), 16 * MIB, MACHINE, 0).steps
    assert (grow.kind, grow.engine) == ("volume.grow", VolumeEngine.ZVOL)  # type: ignore[union-attr]
    wanted = SnapshotCreate(name="before", volume="a")
    for provisioning in Provisioning:
        of = on_zfs(provisioning=provisioning)
        step = volumes_snapshots.plan_take(wanted, of, MACHINE, False, identities()).step
        assert (step.engine, step.backing_name.split("@")[0]) == (VolumeEngine.ZVOL, step.origin)
    with pytest.raises(Invalid, match="only thin volumes"):
        volumes_snapshots.plan_take(wanted, volume(provisioning=THICK, group="g1"), MACHINE, False, identities())


def test_a_thick_zvol_grows_into_what_is_free_with_what_zfs_adds() -> None:
    with pytest.raises(NoSpace, match="free"):
        creation.plan_grow(on_zfs(provisioning=THICK, size_bytes=GIB), 9 * GIB, MACHINE, 0)
    assert creation.plan_grow(on_zfs(provisioning=THIN, size_bytes=GIB), 90 * GIB, MACHINE, 0).steps


def test_a_zvol_rolls_back_to_its_newest_snapshot_only() -> None:
    snapshot = KnownSnapshot("s", "before", on_zfs(provisioning=THIN), 8 * MIB, "tank", "a")
    with pytest.raises(Conflict, match="newer snapshots later, latest"):
        volumes_snapshots.plan_roll_back(
            RollBack(snapshot.volume, snapshot, (DoomedSnapshot("1", "later"), DoomedSnapshot("2", "latest"))),
            MACHINE,
            identities(),
        )
    steps = volumes_snapshots.plan_roll_back(RollBack(snapshot.volume, snapshot), MACHINE, identities()).steps
    assert [step.kind for step in steps] == ["exports.gone", "volume.roll_back"]


def test_to_keep_what_a_thick_zvol_holds_takes_its_size_once_more() -> None:
    snapshot = KnownSnapshot("s", "before", on_zfs(provisioning=THICK, size_bytes=5 * GIB), 5 * GIB, "tank", "a")
    kept = deletion.VolumeRetention(24, dt.datetime(2026, 11, 1, tzinfo=dt.UTC), 5 * GIB)
    wanted = RollBack(snapshot.volume, snapshot, kept=kept)
    assert volumes_snapshots.plan_roll_back(wanted, MACHINE, identities()).steps[1].kind == "volume.swap"
    with pytest.raises(NoSpace, match="without retaining it"):
        volumes_snapshots.plan_roll_back(replace(wanted, promised=3 * GIB), MACHINE, identities())
    for_good = replace(wanted, promised=3 * GIB, kept=None)
    assert volumes_snapshots.plan_roll_back(for_good, MACHINE, identities()).steps[1].kind == "volume.roll_back"


def test_a_snapshot_stays_for_as_long_as_a_clone_of_it_is_there() -> None:
    snapshot = KnownSnapshot("s", "before", on_zfs(provisioning=THIN), 8 * MIB, "tank", "a")
    clones = (Blocker(noun="volume", id="1", name="c1"), Blocker(noun="deleted_volume", id="2", name="c2"))
    with pytest.raises(InUse, match="its clones depend on it: volume c1, deleted volume c2"):
        volumes_snapshots.plan_delete(SnapshotToDelete(snapshot, clones))
    (step,) = volumes_snapshots.plan_delete(SnapshotToDelete(snapshot)).steps
    assert step.kind == "snapshot.delete"


def test_the_last_thin_zvol_takes_no_pool_along() -> None:
    plan = deletion.plan_delete(on_zfs(provisioning=THIN), last_thin=True)
    assert [step.kind for step in plan.steps] == ["exports.gone", "volume.delete"]
