"""Growing, thin pools and snapshots on the machine: what is refused, and what a killed tool leaves."""

import contextlib

import pytest

from backend.tests.fakemachine import When
from backend.tests.providers.rig import Rig
from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound, ToolFailed
from lunette.domain.sizes import GIB, KIB, MIB
from lunette.domain.steps import (
    SnapshotDelete,
    SnapshotTake,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeCut,
    VolumeGrow,
    VolumeRollBack,
)
from lunette.domain.volumes import VolumeEngine
from lunette.providers.volumes.lvm import plan as lvm

SNAPSHOT_ID, ROLL_BACK_ID = "dddddddd-0000-4000-8000-000000000004", "eeeeeeee-0000-4000-8000-000000000005"


class ThinRig(Rig):
    """A shop with an array and its group; `pool` and `thin` are steps that were not done yet."""

    def __init__(self) -> None:
        super().__init__()
        create = self.create()
        self.made = self.group(create)
        self.do(create)
        self.do(self.made)
        group = self.made.group
        self.pool = ThinPoolCreate(
            pool_id="p", group=group, name="pool", data_bytes=128 * MIB, metadata_bytes=4 * MIB, chunk_bytes=64 * KIB
        )
        self.thin = self.cut(self.made).model_copy(update={"pool": "pool"})
        self.device = f"/dev/{group}/{self.thin.backing_name}"
        self.take = SnapshotTake(
            engine=VolumeEngine.LVM,
            snapshot_id=SNAPSHOT_ID,
            volume_id=self.thin.volume_id,
            group=group,
            size_bytes=self.thin.size_bytes,
            backing_name=lvm.snapshot_name(SNAPSHOT_ID),
            origin=self.thin.backing_name,
        )

    def with_thin(self) -> None:
        for step in (self.pool, self.thin, self.seal(self.thin)):
            assert self.do(step)

    def grow(self, size: int, cut: VolumeCut | None = None) -> VolumeGrow:
        cut = cut or self.thin
        return VolumeGrow(
            engine=VolumeEngine.LVM,
            volume_id=cut.volume_id,
            group=cut.group,
            backing_name=cut.backing_name,
            from_bytes=cut.size_bytes,
            size_bytes=size,
            pool=cut.pool,
        )

    def roll_back(self) -> VolumeRollBack:
        return VolumeRollBack(
            engine=VolumeEngine.LVM,
            roll_back_id=ROLL_BACK_ID,
            volume_id=self.thin.volume_id,
            group=self.made.group,
            backing_name=self.thin.backing_name,
            snapshot_id=SNAPSHOT_ID,
            snapshot=self.take.backing_name,
            size_bytes=self.thin.size_bytes,
        )


@pytest.fixture
def rig() -> ThinRig:
    return ThinRig()


def sizes(rig: Rig) -> dict[str, int]:
    return {volume.name: volume.size_bytes for volume in rig.agent.observe().volumes}


def test_a_volume_grows_while_it_is_open(rig: ThinRig) -> None:
    cut = rig.cut(rig.made)
    rig.do(cut)
    rig.do(rig.seal(cut))
    rig.machine.blocks.open_exclusively(rig.device, "LIO")
    rig.machine.write_data(rig.device, 0, "kept")
    assert rig.do(rig.grow(128 * MIB, cut))
    assert not rig.do(rig.grow(128 * MIB, cut))
    device = rig.machine.blocks.find(rig.device)
    assert device
    assert device.size_bytes == 128 * MIB
    assert rig.machine.read_data(rig.device, 0) == "kept"


def test_a_volume_is_never_made_smaller_and_never_larger_than_what_is_left(rig: ThinRig) -> None:
    cut = rig.cut(rig.made)
    rig.do(cut)
    with pytest.raises(Conflict, match="cannot be shrunk"):
        rig.do(rig.grow(32 * MIB, cut))
    with pytest.raises(NoSpace, match=r"3\.9 GiB free"):
        rig.do(rig.grow(64 * GIB, cut))
    assert sizes(rig) == {cut.backing_name: 64 * MIB}
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(rig.grow(128 * MIB, cut).model_copy(update={"volume_id": "another"}))


def test_the_repeated_step_reports_the_new_size_to_the_kernel(rig: ThinRig) -> None:
    cut = rig.cut(rig.made)
    rig.do(cut)
    step = rig.grow(128 * MIB, cut)
    number = next(n for n in range(1, 20) if _is_extend(rig, step, n))
    assert number
    device = rig.machine.blocks.find(rig.device)
    assert device
    assert (sizes(rig)[cut.backing_name], device.size_bytes) == (128 * MIB, 64 * MIB)
    assert rig.do(step)
    device = rig.machine.blocks.find(rig.device)
    assert device
    assert device.size_bytes == 128 * MIB


def _is_extend(rig: Rig, step: VolumeGrow, number: int) -> bool:
    """Fail the n-th call half-way; whether it was the one that extends."""
    rig.machine.faults.fail_at(number, When.DURING)
    before = len(rig.machine.faults.calls)
    try:
        rig.do(step)
    except Exception:  # noqa: BLE001 whatever the injected failure becomes
        rig.machine.faults.disarm()
        return rig.machine.faults.calls[before + number - 1].detail.startswith("lvextend")
    raise AssertionError("no call of the step extends the volume")


def cut_in_conversion(rig: ThinRig) -> None:
    """The pool's step, broken off while lvconvert makes the spare."""
    for number in range(1, 40):
        before = len(rig.machine.faults.calls)
        rig.machine.faults.fail_at(number, When.DURING)
        with contextlib.suppress(Exception):
            rig.do(rig.pool)
        rig.machine.faults.disarm()
        if rig.machine.faults.calls[before + number - 1].detail.startswith("lvconvert"):
            return
        rig.undo(rig.pool)
    raise AssertionError("no call of the step makes a pool")


@pytest.mark.parametrize("name", ["lvol0", "lvol3"])
def test_an_unfinished_spare_is_deleted_with_the_pool_and_a_foreign_volume_never(rig: ThinRig, name: str) -> None:
    mine = f"lvol{int(name[4:]) + 1}"
    rig.machine.run(["lvcreate", "-y", "--type", "linear", "--name", name, "--size", f"{4 * MIB}b", rig.made.group])
    cut_in_conversion(rig)
    assert mine in sizes(rig)
    assert rig.undo(rig.pool)
    assert sizes(rig) == {name: 4 * MIB}
    cut_in_conversion(rig)
    assert rig.do(rig.pool)
    assert sizes(rig) == {name: 4 * MIB}
    assert not rig.do(rig.pool)


def test_a_volume_of_others_in_the_place_of_the_spare_stays(rig: ThinRig) -> None:
    """Another size, or a mark: it is not what lvconvert was about to make."""
    cut_in_conversion(rig)
    rig.machine.run(["lvremove", "-y", f"{rig.made.group}/lvol0"])
    rig.machine.run(["lvcreate", "-y", "--type", "linear", "--name", "lvol0", "--size", f"{8 * MIB}b", rig.made.group])
    assert rig.undo(rig.pool)
    assert sizes(rig) == {"lvol0": 8 * MIB}


def test_the_pool_returns_errors_instead_of_queueing_and_has_a_spare(rig: ThinRig) -> None:
    rig.do(rig.pool)
    (command,) = [c.detail for c in rig.machine.faults.calls if "--type thin-pool" in c.detail]
    policy = (
        "activation/error_when_full=1",
        "--poolmetadataspare y",
        "--zero y",
        "--discards passdown",
        "--chunksize 65536b",
    )
    assert [words for words in policy if words not in command] == []
    (pool,) = rig.agent.observe().groups
    assert pool.thin
    assert (pool.thin.size_bytes, pool.thin.metadata_bytes, pool.thin.volumes) == (128 * MIB, 4 * MIB, 0)
    assert [volume.name for volume in rig.agent.observe().volumes] == []


def test_a_thin_volume_reports_its_usage(rig: ThinRig) -> None:
    rig.with_thin()
    rig.machine.write_data(rig.device, 0, "x")
    (volume,) = rig.agent.observe().volumes
    assert volume.used_bytes
    assert volume.used_bytes // KIB == 65  # a report has two decimals of a percent
    (pool,) = rig.agent.observe().groups
    assert pool.thin
    assert (pool.thin.volumes, pool.thin.used_bytes) == (1, int(128 * MIB * 0.05 / 100))


def test_a_pool_with_a_volume_is_neither_undone_nor_removed(rig: ThinRig) -> None:
    rig.with_thin()
    assert not rig.undo(rig.pool)
    assert not rig.do(ThinPoolRemove(group=rig.made.group, name="pool"))
    assert sizes(rig) == {rig.thin.backing_name: 64 * MIB}


def test_a_pool_of_another_job_is_used_and_not_undone(rig: ThinRig) -> None:
    rig.do(rig.pool)
    other = rig.pool.model_copy(update={"pool_id": "other"})
    assert not rig.do(other)
    assert not rig.undo(other)
    assert rig.undo(rig.pool)
    with pytest.raises(NotFound, match="try again"):
        rig.do(rig.thin)


@pytest.mark.parametrize("parts", [["pool-metadata"], ["pool-metadata", "pool"]])
@pytest.mark.parametrize("way", ["again", "back"])
def test_of_a_pool_that_was_cut_short_nothing_is_left(rig: ThinRig, parts: list[str], way: str) -> None:
    """lvm was killed between two of its commands."""
    tags = ["--addtag", "lunette", "--addtag", lvm.pool_tag("p")]
    for name in parts:
        rig.machine.run(["lvcreate", "-y", *tags, "--name", name, "--size", "4m", rig.made.group])
    assert rig.do(rig.pool) if way == "again" else rig.undo(rig.pool)
    assert not (rig.do(rig.pool) if way == "again" else rig.undo(rig.pool))
    assert sizes(rig) == {}
    (pool,) = rig.agent.observe().groups
    assert (pool.thin is not None) == (way == "again")


def test_parts_of_a_pool_that_are_not_ours_are_left_alone(rig: ThinRig) -> None:
    rig.machine.run(["lvcreate", "-y", "--name", "pool-metadata", "--size", "4m", rig.made.group])
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(rig.pool)
    assert not rig.undo(rig.pool)
    assert sizes(rig) == {"pool-metadata": 4 * MIB}


def test_something_else_under_the_name_of_the_pool_is_left_alone(rig: ThinRig) -> None:
    rig.machine.run(["lvcreate", "-y", "--name", "pool", "--size", "8m", rig.made.group])
    for step in (rig.pool, ThinPoolRemove(group=rig.made.group, name="pool")):
        with pytest.raises(Conflict, match="was not changed"):
            rig.do(step)
    assert sizes(rig) == {"pool": 8 * MIB}


def test_an_array_is_taken_down_with_an_empty_pool_but_not_with_one_in_use(rig: ThinRig) -> None:
    rig.with_thin()
    remove = lvm.group_gone(rig.made.array_id, rig.made.array_uuid, ())
    with pytest.raises(InUse, match="volumes"):
        rig.do(remove)
    rig.machine.run(["lvremove", "-y", f"{rig.made.group}/{rig.thin.backing_name}"])
    assert rig.do(remove)


def test_a_pool_grows_in_data_and_metadata(rig: ThinRig) -> None:
    rig.with_thin()
    step = ThinPoolGrow(group=rig.made.group, name="pool", data_bytes=256 * MIB, metadata_bytes=8 * MIB)
    assert rig.do(step)
    assert not rig.do(step)
    (pool,) = rig.agent.observe().groups
    assert pool.thin
    assert (pool.thin.size_bytes, pool.thin.metadata_bytes) == (256 * MIB, 8 * MIB)


def test_a_snapshot_retains_the_content_and_is_never_active(rig: ThinRig) -> None:
    rig.with_thin()
    rig.machine.write_data(rig.device, 0, "old")
    rig.do(rig.take)
    rig.machine.write_data(rig.device, 0, "new")
    taken = next(v for v in rig.agent.observe().volumes if v.snapshot_id)
    assert (taken.snapshot_id, taken.volume_id, taken.active) == (SNAPSHOT_ID, None, False)
    clone = rig.thin.model_copy(
        update={"volume_id": "clone", "backing_name": "vclone", "source": rig.take.backing_name}
    )
    rig.do(clone)
    assert rig.machine.read_data(f"/dev/{rig.made.group}/vclone", 0) == "old"
    rig.do(
        SnapshotDelete(
            engine=VolumeEngine.LVM, snapshot_id=SNAPSHOT_ID, group=rig.made.group, backing_name=rig.take.backing_name
        )
    )
    assert rig.machine.read_data(f"/dev/{rig.made.group}/vclone", 0) == "old"
    assert rig.machine.read_data(rig.device, 0) == "new"


def test_a_thick_volume_has_no_snapshot(rig: ThinRig) -> None:
    rig.do(rig.cut(rig.made))
    with pytest.raises(Conflict, match="only thin volumes"):
        rig.do(rig.take)


def test_a_snapshot_of_another_size_or_volume_is_refused(rig: ThinRig) -> None:
    rig.with_thin()
    with pytest.raises(Conflict, match="a different size"):
        rig.do(rig.take.model_copy(update={"size_bytes": 1}))
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(rig.take.model_copy(update={"volume_id": "another"}))
    rig.do(rig.take)
    foreign = SnapshotDelete(
        engine=VolumeEngine.LVM, snapshot_id="another", group=rig.made.group, backing_name=rig.take.backing_name
    )
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(foreign)
    assert rig.take.backing_name in sizes(rig)


def test_a_volume_that_is_open_is_not_rolled_back(rig: ThinRig) -> None:
    rig.with_thin()
    rig.do(rig.take)
    rig.machine.write_data(rig.device, 0, "new")
    rig.machine.blocks.open_exclusively(rig.device, "LIO")
    with pytest.raises(InUse, match="open"):
        rig.do(rig.roll_back())
    assert rig.machine.read_data(rig.device, 0) == "new"


def test_a_roll_back_clears_what_one_that_failed_for_good_has_left(rig: ThinRig) -> None:
    rig.with_thin()
    rig.do(rig.take)
    step = rig.roll_back()
    rig.machine.faults.break_calls(lambda call: call.detail.startswith("lvrename"))
    with pytest.raises(ToolFailed):
        rig.do(step)
    assert rig.thin.backing_name not in sizes(rig)
    rig.machine.faults.disarm()
    assert rig.do(step.model_copy(update={"roll_back_id": "another"}))
    assert set(sizes(rig)) == {rig.thin.backing_name, rig.take.backing_name}


def test_a_roll_back_retains_the_snapshot_and_the_size(rig: ThinRig) -> None:
    rig.with_thin()
    rig.machine.write_data(rig.device, 0, "old")
    rig.do(rig.take)
    rig.machine.write_data(rig.device, 0, "new")
    rig.do(rig.grow(128 * MIB))
    step = rig.roll_back().model_copy(update={"size_bytes": 128 * MIB})
    assert rig.do(step)
    assert rig.machine.read_data(rig.device, 0) == "old"
    assert sizes(rig) == {rig.thin.backing_name: 128 * MIB, rig.take.backing_name: 64 * MIB}
    rig.machine.write_data(rig.device, 0, "newer")
    assert not rig.do(step)
    assert rig.machine.read_data(rig.device, 0) == "newer"
