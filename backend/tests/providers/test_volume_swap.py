"""A rollback that retains what the volume held, on both engines: where each of the two is, and how it is undone."""

from dataclasses import dataclass
from typing import Any

import pytest

from backend.tests.providers.test_thin_steps import ThinRig
from backend.tests.providers.test_zvol_steps import FIRST, SECOND, SnapshotFarm
from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.sizes import MIB
from lunette.domain.steps import VolumeDelete, VolumeRollBack, VolumeSwap
from lunette.planner.volumes.retained import swap_step

KEPT_ID = "abababab-0000-4000-8000-000000000007"
BEFORE_WRITES = "what it held before"


@dataclass
class Setup:
    """A thin volume with a snapshot that says "old", written with BEFORE_WRITES since, and the step that swaps them."""

    rig: Any
    step: VolumeSwap

    @property
    def device(self) -> str:
        return str(self.rig.device)

    def says(self) -> str | None:
        return str(self.rig.machine.read_data(self.device, 0))

    def volumes(self) -> dict[str, tuple[str | None, str | None]]:
        """Volume and snapshot id of all that is there, by name."""
        return {one.name: (one.volume_id, one.snapshot_id) for one in self.rig.agent.observe().volumes}

    def undo(self) -> bool:
        return bool(self.rig.agent.undo_step("job", self.step).changed)


def on_lvm() -> Setup:
    rig = ThinRig()
    rig.with_thin()
    return written(rig, rig.take, rig.roll_back(), ArrayEngine.MD)


def on_zfs() -> Setup:
    farm = SnapshotFarm()
    return written(farm, farm.take(), farm.roll_back(), ArrayEngine.ZFS)


def written(rig: Any, take: Any, back: VolumeRollBack, engine: ArrayEngine) -> Setup:
    rig.machine.write_data(rig.device, 0, "old")
    rig.do(take)
    rig.machine.write_data(rig.device, 0, BEFORE_WRITES)
    return Setup(rig, swap_step(engine, back, KEPT_ID, held_bytes=MIB, keep_hours=24))


@pytest.fixture(params=[on_lvm, on_zfs], ids=["lvm", "zfs"])
def setup(request: pytest.FixtureRequest) -> Setup:
    made: Setup = request.param()
    return made


def test_the_volume_is_as_it_was_and_its_content_is_retained_without_a_device(setup: Setup) -> None:
    step = setup.step
    assert setup.rig.do(step)
    assert not setup.rig.do(step)
    assert setup.says() == "old"
    there = setup.volumes()
    assert there[step.backing_name] == (step.volume_id, None)
    assert there[step.aside_name] == (KEPT_ID, None)
    assert there[step.snapshot] == (None, step.snapshot_id)
    assert len(there) == 3
    assert not setup.rig.machine.exists(setup.device.replace(step.backing_name, step.aside_name))


def test_it_is_undone_to_the_letter(setup: Setup) -> None:
    before = setup.volumes()
    setup.rig.do(setup.step)
    assert setup.undo()
    assert (setup.volumes(), setup.says()) == (before, BEFORE_WRITES)
    assert not setup.undo()
    assert setup.rig.do(setup.step)
    assert setup.says() == "old"


def test_a_volume_that_is_open_stays_as_it_is_and_so_does_one_that_is_opened_before_it_is_undone(
    setup: Setup,
) -> None:
    kernel_name = setup.rig.machine.blocks.open_exclusively(setup.device, "LIO")
    with pytest.raises(InUse, match="open"):
        setup.rig.do(setup.step)
    assert setup.says() == BEFORE_WRITES
    setup.rig.machine.blocks.release(kernel_name, "LIO")
    setup.rig.do(setup.step)
    setup.rig.machine.blocks.open_exclusively(setup.device, "LIO")
    with pytest.raises(InUse, match="open"):
        setup.undo()
    assert setup.says() == "old"


def test_if_the_content_is_lost_nothing_is_undone(setup: Setup) -> None:
    step = setup.step
    setup.rig.do(step)
    erase = VolumeDelete(
        volume_id=KEPT_ID,
        group=step.group,
        backing_name=step.aside_name,
        size_bytes=step.size_bytes,
        engine=step.engine,
    )
    assert setup.rig.do(erase)
    with pytest.raises(Conflict, match="no longer exists"):
        setup.undo()
    assert setup.says() == "old"


def test_a_volume_and_a_snapshot_of_others_are_left_alone(setup: Setup) -> None:
    before = setup.volumes()
    for odd in ("volume_id", "snapshot_id"):
        foreign = setup.step.model_copy(update={odd: "99999999-0000-4000-8000-000000000009"})
        with pytest.raises(Conflict, match="was not changed"):
            setup.rig.do(foreign)
    with pytest.raises(NotFound, match="removed meanwhile"):
        setup.rig.do(setup.step.model_copy(update={"backing_name": "v999999999999"}))
    assert (setup.volumes(), setup.says()) == (before, BEFORE_WRITES)


def test_a_volume_removed_elsewhere_leaves_nothing_to_undo(setup: Setup) -> None:
    """A refusal of the undo would leave the job stuck."""
    gone = setup.step.model_copy(update={"backing_name": "v999999999999"})
    with pytest.raises(NotFound, match="removed meanwhile"):
        setup.rig.do(gone)
    assert not setup.rig.agent.undo_step("job", gone).changed
    assert setup.says() == BEFORE_WRITES


def test_a_second_roll_back_retains_the_content_of_that_time(setup: Setup) -> None:
    setup.rig.do(setup.step)
    setup.rig.machine.write_data(setup.device, 0, "newer")
    another = setup.step.model_copy(
        update={
            "roll_back_id": "eeeeeeee-1111-4000-8000-000000000005",
            "kept_id": "abababab-1111-4000-8000-000000000008",
            "aside_name": "dabababab1111",
        }
    )
    assert setup.rig.do(another)
    assert setup.says() == "old"
    assert {setup.step.aside_name, another.aside_name} < set(setup.volumes())


def test_clones_of_the_snapshot_and_a_larger_size_stay() -> None:
    farm = SnapshotFarm()
    farm.machine.write_data(farm.device, 0, "old")
    farm.do(farm.take())
    farm.do(farm.clone())
    farm.do(farm.grow(128 * MIB))
    step = swap_step(ArrayEngine.ZFS, farm.roll_back(), KEPT_ID, held_bytes=MIB, keep_hours=24)
    farm.do(step)
    assert farm.size() == 128 * MIB
    origins = {one.name: one.source for one in farm.agent.observe().volumes if one.source}
    assert origins == {farm.clone().backing_name: step.snapshot, step.aside_name: step.snapshot}
    assert farm.agent.undo_step("job", step).changed
    origins = {one.name: one.source for one in farm.agent.observe().volumes if one.source}
    assert origins == {farm.clone().backing_name: step.snapshot}


def test_a_zvol_with_a_newer_snapshot_is_not_swapped() -> None:
    farm = SnapshotFarm()
    farm.do(farm.take(FIRST))
    farm.do(farm.take(SECOND))
    step = swap_step(ArrayEngine.ZFS, farm.roll_back(FIRST), KEPT_ID, held_bytes=MIB, keep_hours=24)
    with pytest.raises(Conflict, match="newer"):
        farm.do(step)


def test_a_thick_zvol_without_room_for_both_stays_as_it_is() -> None:
    """The pool may have filled up since the plan: the refusal leaves nothing behind that is not undone."""
    farm = SnapshotFarm()
    farm.machine.write_data(farm.device, 0, BEFORE_WRITES)
    farm.do(farm.take())
    step = swap_step(ArrayEngine.ZFS, farm.roll_back(), KEPT_ID, held_bytes=MIB, keep_hours=24)
    farm.machine.faults.break_calls(lambda call: "refreservation=auto" in call.detail)
    with pytest.raises(ToolFailed):
        farm.do(step)
    farm.machine.faults.disarm()
    assert farm.agent.undo_step("job", step).changed
    assert {one.name for one in farm.agent.observe().volumes} == {step.backing_name, step.snapshot}
    assert farm.machine.read_data(farm.device, 0) == BEFORE_WRITES
