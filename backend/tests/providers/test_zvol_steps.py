"""Growing, snapshots and clones of zvols on the machine: what is refused, and what is never destroyed along."""

import pytest

from backend.tests.fakemachine.faults import Crash, When
from backend.tests.providers.rig import VOLUME_ID
from backend.tests.providers.test_zfs_steps import Farm
from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound, ToolFailed
from lunette.domain.sizes import GIB, MIB
from lunette.domain.steps import SnapshotDelete, SnapshotsTake, SnapshotTake, VolumeCut, VolumeGrow, VolumeRollBack
from lunette.domain.volumes import Provisioning
from lunette.providers.volumes.zvol import plan as zvol

FIRST, SECOND = "dddddddd-0000-4000-8000-000000000004", "dddddddd-1111-4000-8000-000000000004"
ROLL_BACK_ID, CLONE_ID = "eeeeeeee-0000-4000-8000-000000000005", "ffffffff-0000-4000-8000-000000000006"


class SnapshotFarm(Farm):
    """Its zvol is sealed."""

    def __init__(self) -> None:
        super().__init__()
        self.do(self.seal(self.cut_step).model_copy(update={"engine": self.cut_step.engine}))
        self.pool_name = self.cut_step.group

    def take(self, snapshot_id: str = FIRST) -> SnapshotTake:
        return zvol.snapshot_step(self.pool_name, snapshot_id, VOLUME_ID, self.size())

    def grow(self, size: int) -> VolumeGrow:
        return zvol.grow_step(self.pool_name, VOLUME_ID, self.size(), size, Provisioning.THICK)

    def clone(self, snapshot_id: str = FIRST) -> VolumeCut:
        (step,) = zvol.clone_steps(self.pool_name, snapshot_id, VOLUME_ID, [(CLONE_ID, 64 * MIB)])
        return step

    def roll_back(self, snapshot_id: str = FIRST, roll_back_id: str = ROLL_BACK_ID) -> VolumeRollBack:
        _, step = zvol.roll_back_steps(self.pool_name, VOLUME_ID, snapshot_id, roll_back_id, self.size())
        assert isinstance(step, VolumeRollBack)
        return step

    def sizes(self) -> dict[str, int]:
        return {volume.name: volume.size_bytes for volume in self.agent.observe().volumes}

    def size(self) -> int:
        return self.sizes()[self.cut_step.backing_name]


@pytest.fixture
def farm() -> SnapshotFarm:
    return SnapshotFarm()


def delete(farm: SnapshotFarm) -> SnapshotDelete:
    return zvol.snapshot_delete_step(farm.pool_name, FIRST, VOLUME_ID)


def test_a_zvol_grows_while_it_is_open(farm: SnapshotFarm) -> None:
    farm.machine.blocks.open_exclusively(farm.device, "LIO")
    farm.machine.write_data(farm.device, 0, "kept")
    step = farm.grow(128 * MIB)
    assert farm.do(step)
    assert not farm.do(step)
    device = farm.machine.blocks.find(farm.device)
    assert device
    assert device.size_bytes == 128 * MIB
    assert farm.machine.read_data(farm.device, 0) == "kept"


def test_a_zvol_is_never_made_smaller_and_a_thick_one_never_larger_than_what_is_left(farm: SnapshotFarm) -> None:
    with pytest.raises(Conflict, match="cannot be shrunk"):
        farm.do(farm.grow(32 * MIB))
    with pytest.raises(NoSpace, match=r"3\.9 GiB free"):
        farm.do(farm.grow(640 * GIB))
    with pytest.raises(Conflict, match="was not changed"):
        farm.do(farm.grow(128 * MIB).model_copy(update={"volume_id": "another"}))
    with pytest.raises(NotFound, match="removed meanwhile"):
        farm.do(farm.grow(128 * MIB).model_copy(update={"backing_name": "gone"}))
    assert farm.sizes() == {farm.cut_step.backing_name: 64 * MIB}


def test_a_snapshot_of_a_zvol_has_no_device_and_a_clone_holds_on_to_it(farm: SnapshotFarm) -> None:
    farm.machine.write_data(farm.device, 0, "old")
    take = farm.take()
    assert farm.do(take)
    assert not farm.do(take)
    farm.machine.write_data(farm.device, 0, "new")
    found = {volume.name: volume for volume in farm.agent.observe().volumes}
    shown = found[take.backing_name]
    assert (shown.snapshot_id, shown.volume_id, shown.active) == (FIRST, None, False)
    assert found[farm.cut_step.backing_name].snapshot_id is None
    clone = farm.clone()
    assert farm.do(clone)
    assert not farm.do(clone)
    assert farm.machine.read_data(f"/dev/zvol/{farm.pool_name}/{clone.backing_name}", 0) == "old"
    found = {volume.name: volume for volume in farm.agent.observe().volumes}
    assert (found[clone.backing_name].source, found[clone.backing_name].volume_id) == (take.backing_name, CLONE_ID)
    with pytest.raises(InUse, match=clone.backing_name):
        farm.undo(take)
    with pytest.raises(InUse, match=clone.backing_name):
        farm.do(delete(farm))
    assert farm.undo(clone)
    assert farm.do(delete(farm))
    assert not farm.do(delete(farm))
    assert farm.machine.read_data(farm.device, 0) == "new"


class PairFarm(SnapshotFarm):
    """It has a second zvol, and snapshots of both are wanted at one moment."""

    def __init__(self) -> None:
        super().__init__()
        (other,) = zvol.cut_steps(self.pool_name, [(CLONE_ID, 64 * MIB)])
        self.do(other)
        parts = [self.take(), zvol.snapshot_step(self.pool_name, SECOND, CLONE_ID, 64 * MIB)]
        self.both = zvol.snapshots_step(self.pool_name, ROLL_BACK_ID, parts)

    def shown(self) -> set[str | None]:
        return {volume.snapshot_id for volume in self.agent.observe().volumes if "@" in volume.name}

    def commands(self) -> list[str]:
        return [call.detail for call in self.machine.faults.calls if call.detail.startswith("zfs snapshot")]


@pytest.fixture
def pair() -> PairFarm:
    return PairFarm()


def test_snapshots_at_one_moment_are_one_command_and_each_has_its_id(pair: PairFarm) -> None:
    assert pair.do(pair.both)
    assert pair.shown() == {FIRST, SECOND}
    assert not pair.do(pair.both)
    (command,) = pair.commands()
    assert all(f"{pair.pool_name}/{one.backing_name}" in command for one in pair.both.snapshots)
    assert pair.do(delete(pair)), "each can go by itself"
    with pytest.raises(Conflict, match="1 of 2 snapshots exist"):
        pair.do(pair.both)
    assert pair.shown() == {SECOND}
    assert pair.undo(pair.both)
    assert not pair.undo(pair.both)
    assert pair.shown() == set()


def test_where_one_volume_changed_no_snapshot_is_taken(pair: PairFarm) -> None:
    first, second = pair.both.snapshots
    step = SnapshotsTake.model_validate(
        pair.both.model_dump() | {"snapshots": (first, second.model_copy(update={"size_bytes": 1}))}
    )
    with pytest.raises(Conflict, match="a different size"):
        pair.do(step)
    assert pair.shown() == set()


def test_simultaneous_snapshots_stay_while_a_clone_needs_one(pair: PairFarm) -> None:
    pair.do(pair.both)
    (clone,) = zvol.clone_steps(pair.pool_name, FIRST, VOLUME_ID, [("aaaaaaaa-2222-4000-8000-000000000007", 64 * MIB)])
    pair.do(clone)
    with pytest.raises(InUse, match=clone.backing_name):
        pair.undo(pair.both)
    assert pair.shown() == {FIRST, SECOND}


def test_a_foreign_snapshot_under_one_of_the_names_is_left_alone(pair: PairFarm) -> None:
    pair.machine.run(["zfs", "snapshot", f"{pair.pool_name}/{pair.both.snapshots[1].backing_name}"])
    for attempt in (pair.do, pair.undo):
        with pytest.raises(Conflict, match="was not changed"):
            attempt(pair.both)
    assert pair.shown() == {None}


def test_what_carries_another_mark_is_left_alone(farm: SnapshotFarm) -> None:
    take = farm.take()
    with pytest.raises(Conflict, match="a different size"):
        farm.do(take.model_copy(update={"size_bytes": 1}))
    with pytest.raises(Conflict, match="was not changed"):
        farm.do(take.model_copy(update={"volume_id": "another"}))
    farm.machine.run(["zfs", "snapshot", f"{farm.pool_name}/{take.backing_name}"])
    for step in (take, delete(farm), farm.roll_back()):
        with pytest.raises(Conflict, match="was not changed"):
            farm.do(step)
    assert take.backing_name in farm.sizes()


def test_a_roll_back_uses_the_newest_snapshot_retains_the_size_and_is_done_once(farm: SnapshotFarm) -> None:
    farm.machine.write_data(farm.device, 0, "old")
    farm.do(farm.take())
    farm.machine.write_data(farm.device, 0, "new")
    farm.do(farm.grow(128 * MIB))
    step = farm.roll_back()
    assert farm.do(step)
    assert farm.machine.read_data(farm.device, 0) == "old"
    assert farm.size() == 128 * MIB
    farm.machine.write_data(farm.device, 0, "newer")
    assert not farm.do(step)
    assert farm.machine.read_data(farm.device, 0) == "newer"
    farm.do(farm.take(SECOND))
    with pytest.raises(ToolFailed, match="zfs refused"):
        farm.do(farm.roll_back(FIRST, "another"))
    assert farm.machine.read_data(farm.device, 0) == "newer"
    assert farm.do(farm.roll_back(SECOND, "another"))


def test_a_zvol_that_is_open_is_not_rolled_back(farm: SnapshotFarm) -> None:
    farm.do(farm.take())
    farm.machine.write_data(farm.device, 0, "new")
    farm.machine.blocks.open_exclusively(farm.device, "LIO")
    with pytest.raises(InUse, match="open"):
        farm.do(farm.roll_back())
    assert farm.machine.read_data(farm.device, 0) == "new"


@pytest.mark.parametrize("when", list(When))
def test_a_roll_back_that_was_cut_short_ends_with_the_size_it_had(farm: SnapshotFarm, when: When) -> None:
    """Between the roll back and the size, the zvol has the size of the snapshot: no host is let in before the end."""
    farm.machine.write_data(farm.device, 0, "old")
    farm.do(farm.take())
    farm.do(farm.grow(128 * MIB))
    step = farm.roll_back()
    before = len(farm.machine.faults.calls)
    farm.do(step)
    rollback = 1 + next(
        n for n, call in enumerate(farm.machine.faults.calls[before:]) if call.detail.startswith("zfs rollback")
    )
    farm.machine.write_data(farm.device, 0, "new")
    again = step.model_copy(update={"roll_back_id": "another"})
    farm.machine.faults.crash_at(rollback, when)
    with pytest.raises(Crash):
        farm.do(again)
    farm.machine.restart_process()
    assert farm.do(again)
    assert (farm.machine.read_data(farm.device, 0), farm.size()) == ("old", 128 * MIB)
