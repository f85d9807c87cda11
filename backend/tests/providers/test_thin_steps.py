"""Growing, thin pools and snapshots on the machine: what is refused, and what a killed tool leaves."""

import contextlib

import pytest

from backend.tests.fakemachine import When
from backend.tests.providers.shop import Shop
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


class ThinShop(Shop):
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
        self.device = f"/dev/{group}/{self.thin.lv_name}"
        self.take = SnapshotTake(
            engine=VolumeEngine.LVM,
            snapshot_id=SNAPSHOT_ID,
            volume_id=self.thin.volume_id,
            group=group,
            size_bytes=self.thin.size_bytes,
            lv_name=lvm.snapshot_name(SNAPSHOT_ID),
            origin=self.thin.lv_name,
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
            lv_name=cut.lv_name,
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
            lv_name=self.thin.lv_name,
            snapshot_id=SNAPSHOT_ID,
            snapshot=self.take.lv_name,
            size_bytes=self.thin.size_bytes,
        )


@pytest.fixture
def shop() -> ThinShop:
    return ThinShop()


def sizes(shop: Shop) -> dict[str, int]:
    return {volume.name: volume.size_bytes for volume in shop.agent.observe().volumes}


def test_a_volume_grows_while_it_is_open(shop: ThinShop) -> None:
    cut = shop.cut(shop.made)
    shop.do(cut)
    shop.do(shop.seal(cut))
    shop.machine.blocks.open_exclusively(shop.device, "LIO")
    shop.machine.write_data(shop.device, 0, "kept")
    assert shop.do(shop.grow(128 * MIB, cut))
    assert not shop.do(shop.grow(128 * MIB, cut))
    device = shop.machine.blocks.find(shop.device)
    assert device
    assert device.size_bytes == 128 * MIB
    assert shop.machine.read_data(shop.device, 0) == "kept"


def test_a_volume_is_never_made_smaller_and_never_larger_than_what_is_left(shop: ThinShop) -> None:
    cut = shop.cut(shop.made)
    shop.do(cut)
    with pytest.raises(Conflict, match="cannot be shrunk"):
        shop.do(shop.grow(32 * MIB, cut))
    with pytest.raises(NoSpace, match=r"3\.9 GiB free"):
        shop.do(shop.grow(64 * GIB, cut))
    assert sizes(shop) == {cut.lv_name: 64 * MIB}
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(shop.grow(128 * MIB, cut).model_copy(update={"volume_id": "another"}))


def test_a_kernel_that_was_not_told_the_new_size_is_told_by_the_repeated_step(shop: ThinShop) -> None:
    cut = shop.cut(shop.made)
    shop.do(cut)
    step = shop.grow(128 * MIB, cut)
    number = next(n for n in range(1, 20) if _is_extend(shop, step, n))
    assert number
    device = shop.machine.blocks.find(shop.device)
    assert device
    assert (sizes(shop)[cut.lv_name], device.size_bytes) == (128 * MIB, 64 * MIB)
    assert shop.do(step)
    device = shop.machine.blocks.find(shop.device)
    assert device
    assert device.size_bytes == 128 * MIB


def _is_extend(shop: Shop, step: VolumeGrow, number: int) -> bool:
    """Fail the n-th call half-way; whether it was the one that extends."""
    shop.machine.faults.fail_at(number, When.DURING)
    before = len(shop.machine.faults.calls)
    try:
        shop.do(step)
    except Exception:  # noqa: BLE001 whatever the injected failure becomes
        shop.machine.faults.disarm()
        return shop.machine.faults.calls[before + number - 1].detail.startswith("lvextend")
    raise AssertionError("no call of the step extends the volume")


def cut_in_conversion(shop: ThinShop) -> None:
    """The pool's step, broken off while lvconvert makes the spare."""
    for number in range(1, 40):
        before = len(shop.machine.faults.calls)
        shop.machine.faults.fail_at(number, When.DURING)
        with contextlib.suppress(Exception):
            shop.do(shop.pool)
        shop.machine.faults.disarm()
        if shop.machine.faults.calls[before + number - 1].detail.startswith("lvconvert"):
            return
        shop.undo(shop.pool)
    raise AssertionError("no call of the step makes a pool")


@pytest.mark.parametrize("name", ["lvol0", "lvol3"])
def test_a_spare_that_was_not_finished_goes_with_the_pool_and_a_volume_of_others_never(
    shop: ThinShop, name: str
) -> None:
    mine = f"lvol{int(name[4:]) + 1}"
    shop.machine.run(["lvcreate", "-y", "--type", "linear", "--name", name, "--size", f"{4 * MIB}b", shop.made.group])
    cut_in_conversion(shop)
    assert mine in sizes(shop)
    assert shop.undo(shop.pool)
    assert sizes(shop) == {name: 4 * MIB}
    cut_in_conversion(shop)
    assert shop.do(shop.pool)
    assert sizes(shop) == {name: 4 * MIB}
    assert not shop.do(shop.pool)


def test_a_volume_of_others_in_the_place_of_the_spare_stays(shop: ThinShop) -> None:
    """Another size, or a mark: it is not what lvconvert was about to make."""
    cut_in_conversion(shop)
    shop.machine.run(["lvremove", "-y", f"{shop.made.group}/lvol0"])
    shop.machine.run(
        ["lvcreate", "-y", "--type", "linear", "--name", "lvol0", "--size", f"{8 * MIB}b", shop.made.group]
    )
    assert shop.undo(shop.pool)
    assert sizes(shop) == {"lvol0": 8 * MIB}


def test_the_pool_refuses_errors_instead_of_queueing_and_keeps_a_spare(shop: ThinShop) -> None:
    shop.do(shop.pool)
    (command,) = [c.detail for c in shop.machine.faults.calls if "--type thin-pool" in c.detail]
    policy = (
        "activation/error_when_full=1",
        "--poolmetadataspare y",
        "--zero y",
        "--discards passdown",
        "--chunksize 65536b",
    )
    assert [words for words in policy if words not in command] == []
    (pool,) = shop.agent.observe().pools
    assert pool.thin
    assert (pool.thin.size_bytes, pool.thin.metadata_bytes, pool.thin.volumes) == (128 * MIB, 4 * MIB, 0)
    assert [volume.name for volume in shop.agent.observe().volumes] == []


def test_a_thin_volume_tells_what_it_holds(shop: ThinShop) -> None:
    shop.with_thin()
    shop.machine.write_data(shop.device, 0, "x")
    (volume,) = shop.agent.observe().volumes
    assert volume.used_bytes
    assert volume.used_bytes // KIB == 65  # a report has two decimals of a percent
    (pool,) = shop.agent.observe().pools
    assert pool.thin
    assert (pool.thin.volumes, pool.thin.used_bytes) == (1, int(128 * MIB * 0.05 / 100))


def test_a_pool_with_a_volume_is_neither_taken_back_nor_removed(shop: ThinShop) -> None:
    shop.with_thin()
    assert not shop.undo(shop.pool)
    assert not shop.do(ThinPoolRemove(group=shop.made.group, name="pool"))
    assert sizes(shop) == {shop.thin.lv_name: 64 * MIB}


def test_a_pool_of_another_job_is_used_and_not_taken_back(shop: ThinShop) -> None:
    shop.do(shop.pool)
    other = shop.pool.model_copy(update={"pool_id": "other"})
    assert not shop.do(other)
    assert not shop.undo(other)
    assert shop.undo(shop.pool)
    with pytest.raises(NotFound, match="try again"):
        shop.do(shop.thin)


@pytest.mark.parametrize("parts", [["pool-metadata"], ["pool-metadata", "pool"]])
@pytest.mark.parametrize("way", ["again", "back"])
def test_of_a_pool_that_was_cut_short_nothing_is_left(shop: ThinShop, parts: list[str], way: str) -> None:
    """lvm was killed between two of its commands."""
    tags = ["--addtag", "lunette", "--addtag", lvm.pool_tag("p")]
    for name in parts:
        shop.machine.run(["lvcreate", "-y", *tags, "--name", name, "--size", "4m", shop.made.group])
    assert shop.do(shop.pool) if way == "again" else shop.undo(shop.pool)
    assert not (shop.do(shop.pool) if way == "again" else shop.undo(shop.pool))
    assert sizes(shop) == {}
    (pool,) = shop.agent.observe().pools
    assert (pool.thin is not None) == (way == "again")


def test_parts_of_a_pool_that_are_not_ours_are_left_alone(shop: ThinShop) -> None:
    shop.machine.run(["lvcreate", "-y", "--name", "pool-metadata", "--size", "4m", shop.made.group])
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(shop.pool)
    assert not shop.undo(shop.pool)
    assert sizes(shop) == {"pool-metadata": 4 * MIB}


def test_something_else_under_the_name_of_the_pool_is_left_alone(shop: ThinShop) -> None:
    shop.machine.run(["lvcreate", "-y", "--name", "pool", "--size", "8m", shop.made.group])
    for step in (shop.pool, ThinPoolRemove(group=shop.made.group, name="pool")):
        with pytest.raises(Conflict, match="was not changed"):
            shop.do(step)
    assert sizes(shop) == {"pool": 8 * MIB}


def test_an_array_is_taken_down_with_an_empty_pool_but_not_with_one_in_use(shop: ThinShop) -> None:
    shop.with_thin()
    remove = lvm.group_gone(shop.made.array_id, shop.made.md_uuid, ())
    with pytest.raises(InUse, match="volumes"):
        shop.do(remove)
    shop.machine.run(["lvremove", "-y", f"{shop.made.group}/{shop.thin.lv_name}"])
    assert shop.do(remove)


def test_a_pool_grows_in_data_and_metadata(shop: ThinShop) -> None:
    shop.with_thin()
    step = ThinPoolGrow(group=shop.made.group, name="pool", data_bytes=256 * MIB, metadata_bytes=8 * MIB)
    assert shop.do(step)
    assert not shop.do(step)
    (pool,) = shop.agent.observe().pools
    assert pool.thin
    assert (pool.thin.size_bytes, pool.thin.metadata_bytes) == (256 * MIB, 8 * MIB)


def test_a_snapshot_keeps_what_was_and_is_never_active(shop: ThinShop) -> None:
    shop.with_thin()
    shop.machine.write_data(shop.device, 0, "old")
    shop.do(shop.take)
    shop.machine.write_data(shop.device, 0, "new")
    taken = next(v for v in shop.agent.observe().volumes if v.snapshot_id)
    assert (taken.snapshot_id, taken.volume_id, taken.active) == (SNAPSHOT_ID, None, False)
    clone = shop.thin.model_copy(update={"volume_id": "clone", "lv_name": "vclone", "source": shop.take.lv_name})
    shop.do(clone)
    assert shop.machine.read_data(f"/dev/{shop.made.group}/vclone", 0) == "old"
    shop.do(
        SnapshotDelete(
            engine=VolumeEngine.LVM, snapshot_id=SNAPSHOT_ID, group=shop.made.group, lv_name=shop.take.lv_name
        )
    )
    assert shop.machine.read_data(f"/dev/{shop.made.group}/vclone", 0) == "old"
    assert shop.machine.read_data(shop.device, 0) == "new"


def test_a_thick_volume_has_no_snapshot(shop: ThinShop) -> None:
    shop.do(shop.cut(shop.made))
    with pytest.raises(Conflict, match="only thin volumes"):
        shop.do(shop.take)


def test_a_snapshot_of_another_size_or_volume_is_refused(shop: ThinShop) -> None:
    shop.with_thin()
    with pytest.raises(Conflict, match="a different size"):
        shop.do(shop.take.model_copy(update={"size_bytes": 1}))
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(shop.take.model_copy(update={"volume_id": "another"}))
    shop.do(shop.take)
    foreign = SnapshotDelete(
        engine=VolumeEngine.LVM, snapshot_id="another", group=shop.made.group, lv_name=shop.take.lv_name
    )
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(foreign)
    assert shop.take.lv_name in sizes(shop)


def test_a_volume_that_is_open_is_not_rolled_back(shop: ThinShop) -> None:
    shop.with_thin()
    shop.do(shop.take)
    shop.machine.write_data(shop.device, 0, "new")
    shop.machine.blocks.open_exclusively(shop.device, "LIO")
    with pytest.raises(InUse, match="open"):
        shop.do(shop.roll_back())
    assert shop.machine.read_data(shop.device, 0) == "new"


def test_a_roll_back_clears_what_one_that_failed_for_good_has_left(shop: ThinShop) -> None:
    shop.with_thin()
    shop.do(shop.take)
    step = shop.roll_back()
    shop.machine.faults.break_calls(lambda call: call.detail.startswith("lvrename"))
    with pytest.raises(ToolFailed):
        shop.do(step)
    assert shop.thin.lv_name not in sizes(shop)
    shop.machine.faults.disarm()
    assert shop.do(step.model_copy(update={"roll_back_id": "another"}))
    assert set(sizes(shop)) == {shop.thin.lv_name, shop.take.lv_name}


def test_a_roll_back_keeps_the_snapshot_and_the_size(shop: ThinShop) -> None:
    shop.with_thin()
    shop.machine.write_data(shop.device, 0, "old")
    shop.do(shop.take)
    shop.machine.write_data(shop.device, 0, "new")
    shop.do(shop.grow(128 * MIB))
    step = shop.roll_back().model_copy(update={"size_bytes": 128 * MIB})
    assert shop.do(step)
    assert shop.machine.read_data(shop.device, 0) == "old"
    assert sizes(shop) == {shop.thin.lv_name: 128 * MIB, shop.take.lv_name: 64 * MIB}
    shop.machine.write_data(shop.device, 0, "newer")
    assert not shop.do(step)
    assert shop.machine.read_data(shop.device, 0) == "newer"
