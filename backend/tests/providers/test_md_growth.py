"""Growth of a standing array: what is refused, what a restart leaves, and that the log is back when it is over."""

import pytest

from backend.tests.fakemachine.faults import Crash, When
from backend.tests.providers.shop import Shop
from backend.tests.providers.test_md_members import SYNCED_S, adding, stand, which
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, Raid10Layout, WriteHole
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import KIB
from lunette.domain.steps import GroupGrow, MdCreate, MdReshape, MdWriteHole
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.arrays.md.reshape import room_sectors


@pytest.fixture
def shop() -> Shop:
    return Shop(6)


def growing(create: MdCreate, before: int = 3, after: int = 4) -> MdReshape:
    array_id, uuid, name = which(create)
    return MdReshape(array_id=array_id, uuid=uuid, md_name=name, from_disks=before, to_disks=after)


def log_off(create: MdCreate) -> MdWriteHole:
    array_id, uuid, name = which(create)
    return MdWriteHole(array_id=array_id, uuid=uuid, md_name=name, policy=WriteHole.NONE, was=WriteHole.PPL)


def log_on(create: MdCreate) -> MdWriteHole:
    return log_off(create).model_copy(update={"policy": WriteHole.PPL, "was": WriteHole.NONE})


def array(shop: Shop) -> ObservedArray:
    (found,) = shop.agent.observe().arrays
    return found


def ours(create: MdCreate) -> ExportArray:
    return ExportArray(
        array_id=create.array_id, name="tank", engine=ArrayEngine.MD, uuid=create.uuid, group="g", members=()
    )


def test_no_log_is_put_on_disks_with_a_volatile_write_cache() -> None:
    shop = Shop(4)
    step = shop.create()
    shop.disks[1].has_write_cache = True
    shop.machine.changed()
    with pytest.raises(Conflict, match="active volatile write cache"):
        shop.do(step)
    assert not shop.agent.observe().arrays
    shop.disks[1].has_write_cache = False
    shop.machine.changed()
    shop.do(step)
    shop.machine.advance(SYNCED_S)
    shop.do(log_off(step))
    shop.disks[1].has_write_cache = True
    shop.machine.changed()
    with pytest.raises(Conflict, match="active volatile write cache"):
        shop.do(log_on(step))
    assert array(shop).write_hole is WriteHole.NONE
    shop.undo(log_off(step))
    assert array(shop).write_hole is WriteHole.PPL, "an undo restores what was"


def tend(shop: Shop, create: MdCreate) -> None:
    """What the agent does for an array that is up, again and again."""
    ARRAY_MACHINES[ArrayEngine.MD].tend(shop.machine, ours(create))


def begun(shop: Shop, level: Level = Level.RAID5, disks: int = 3) -> MdCreate:
    """An array that is being reshaped over one disk more."""
    create = stand(shop, level, disks)
    shop.do(adding(shop, create, disks))
    if level is Level.RAID5:
        shop.do(log_off(create))
    assert shop.do(growing(create, disks, disks + 1))
    return create


def test_a_reshape_shows_progress_and_gives_its_room_when_it_is_over(shop: Shop) -> None:
    create = begun(shop)
    found = array(shop)
    assert (found.state, found.raid_disks, found.write_hole) == (ArrayState.RESHAPING, 4, WriteHole.NONE)
    assert found.progress is not None
    assert found.progress.action == "reshape"
    assert {member.state for member in found.members} == {"in_sync"}
    before = found.size_bytes
    assert not shop.do(growing(create)), "it recognises its own work"
    shop.machine.advance(SYNCED_S)
    after = array(shop)
    assert (after.state, after.progress) == (ArrayState.CLEAN, None)
    assert after.size_bytes * 2 == before * 3
    assert not shop.do(growing(create)), "also when it is over"


@pytest.mark.parametrize(
    ("level", "disks", "ratio"),
    [(Level.RAID6, 4, (3, 2)), (Level.RAID10, 4, (5, 4)), (Level.RAID1, 2, (1, 1))],
)
def test_every_level_with_copies_or_parity_grows(level: Level, disks: int, ratio: tuple[int, int]) -> None:
    shop = Shop(6)
    create = stand(shop, level, disks)
    before = array(shop).size_bytes
    shop.do(adding(shop, create, disks))
    shop.do(growing(create, disks, disks + 1))
    shop.machine.advance(SYNCED_S)
    after = array(shop)
    assert (after.state, after.raid_disks) == (ArrayState.CLEAN, disks + 1)
    assert after.size_bytes * ratio[1] == before * ratio[0]
    assert after.write_hole is WriteHole.BITMAP, "a bitmap stays through all of it"


def test_the_log_comes_off_before_and_is_not_put_back_during_a_reshape(shop: Shop) -> None:
    create = stand(shop)
    shop.do(adding(shop, create, 3))
    with pytest.raises(Conflict, match="ppl log"):
        shop.do(growing(create))
    assert shop.do(log_off(create))
    assert not shop.do(log_off(create))
    shop.do(growing(create))
    with pytest.raises(InUse, match="being reshaped"):
        shop.do(log_on(create))
    with pytest.raises(InUse, match="being reshaped"):
        shop.undo(log_off(create))
    shop.machine.advance(SYNCED_S)
    assert shop.do(log_on(create))
    assert array(shop).write_hole is WriteHole.PPL
    assert not shop.do(log_on(create))


def test_the_log_is_not_put_back_while_parity_is_made_right_after_an_unclean_stop(shop: Shop) -> None:
    create = stand(shop)
    shop.do(log_off(create))
    (running,) = shop.machine.md.arrays.values()
    running.sync_action, running.sync_started = "resync", shop.machine.clock
    shop.machine.changed()
    with pytest.raises(InUse, match="not consistent everywhere"):
        shop.do(log_on(create))
    assert not shop.undo(log_off(create)), "the growth that is left to finish does it"
    assert array(shop).write_hole is WriteHole.NONE
    shop.machine.advance(SYNCED_S)
    assert shop.undo(log_off(create))
    assert array(shop).write_hole is WriteHole.PPL


@pytest.mark.parametrize("when", list(When))
def test_writes_are_let_go_on_after_the_log_came_off_whoever_was_killed(shop: Shop, when: When) -> None:
    """They wait while the log is dropped: the fake kernel falls where they do not."""
    create = stand(shop, Level.RAID5)
    at = f"/sys/block/{next(iter(shop.machine.md.arrays))}/md/suspend_hi"
    before = len(shop.machine.faults.calls)
    shop.do(log_off(create))
    assert shop.machine.read(at).strip() == "0"
    calls = [call.detail for call in shop.machine.faults.calls[before:]]
    dropped = 1 + next(n for n, call in enumerate(calls) if "--consistency-policy=resync" in call)
    shop.do(log_on(create))
    shop.machine.faults.crash_at(dropped, when)
    with pytest.raises(Crash):
        shop.do(log_off(create))
    shop.machine.restart_process()
    assert shop.machine.read(at).strip() != "0", "hosts wait"
    tend(shop, create)
    assert shop.machine.read(at).strip() == "0"
    shop.do(log_off(create))
    assert array(shop).write_hole is WriteHole.NONE


def test_what_is_not_whole_or_has_too_few_disks_does_not_grow(shop: Shop) -> None:
    create = stand(shop)
    shop.do(log_off(create))
    with pytest.raises(Conflict, match="spares, which is too few"):
        shop.do(growing(create))
    with pytest.raises(Conflict, match="make a new plan"):
        shop.do(growing(create, 4, 5))
    shop.machine.pull(shop.disks[0])
    with pytest.raises(Conflict, match="lost a disk"):
        shop.do(growing(create))


def test_without_room_ahead_of_the_data_it_is_refused_rather_than_needing_a_backup_file(shop: Shop) -> None:
    create = stand(shop)
    shop.do(adding(shop, create, 3))
    shop.do(log_off(create))
    block = shop.disks[2].media.superblock
    assert block is not None
    block.data_offset = 80 + 383
    shop.machine.changed()
    with pytest.raises(Conflict, match=r"192 KiB forward on every disk"):
        shop.do(growing(create))
    assert array(shop).raid_disks == 3
    block.data_offset = 80 + 384
    shop.machine.changed()
    assert shop.do(growing(create))


def test_the_room_a_reshape_needs_is_what_mdadm_asks_for() -> None:
    """mdadm, Grow.c: compute_backup_blocks over the data disks; for raid10 one chunk."""
    assert room_sectors("raid5", 64 * KIB, 3, 4) == 3 * 128
    assert room_sectors("raid5", 64 * KIB, 4, 5) == 4 * 128
    assert room_sectors("raid5", 64 * KIB, 3, 5) == 2 * 128
    assert room_sectors("raid6", 512 * KIB, 4, 5) == 3 * 1024
    assert room_sectors("raid10", 64 * KIB, 4, 6) == 128
    assert room_sectors("raid10", 64 * KIB, 4, 6, "o3") == 3 * 128


def test_offset_copies_grow_and_far_ones_are_refused_before_anything_is_touched() -> None:
    shop = Shop(6)
    create = shop.create(Level.RAID10, 4, layout=Raid10Layout.O2)
    assert shop.do(create)
    shop.machine.advance(SYNCED_S)
    before = array(shop).size_bytes
    shop.do(adding(shop, create, 4))
    assert shop.do(growing(create, 4, 5))
    shop.machine.advance(SYNCED_S)
    assert array(shop).size_bytes * 4 == before * 5
    far = Shop(6)
    create = far.create(Level.RAID10, 4, layout=Raid10Layout.F2)
    assert far.do(create)
    far.machine.advance(SYNCED_S)
    far.do(adding(far, create, 4))
    with pytest.raises(Conflict, match="cannot reshape a far layout"):
        far.do(growing(create, 4, 5))
    assert array(far).raid_disks == 4


def test_a_member_of_a_reshape_is_not_taken_out_again(shop: Shop) -> None:
    create = begun(shop)
    with pytest.raises(InUse, match="takes part in a reshape"):
        shop.undo(adding(shop, create, 3))
    assert array(shop).state is ArrayState.RESHAPING


def test_a_disk_lost_during_a_reshape_leaves_it_going_on(shop: Shop) -> None:
    begun(shop)
    shop.machine.pull(shop.disks[0])
    found = array(shop)
    assert found.state is ArrayState.DEGRADED
    assert found.progress is not None
    assert found.progress.action == "reshape"
    shop.machine.advance(SYNCED_S)
    assert array(shop).state is ArrayState.DEGRADED
    assert array(shop).progress is None


def test_a_reshape_goes_on_after_a_boot_as_soon_as_the_array_is_tended(shop: Shop) -> None:
    """The kernel starts an array read-only until the first write, and does nothing to it before."""
    create = begun(shop)
    shop.machine.reboot()
    assert ARRAY_MACHINES[ArrayEngine.MD].start(shop.machine, ours(create), allow_degraded=False) is None
    shop.machine.advance(SYNCED_S)
    assert (array(shop).state, array(shop).progress) == (ArrayState.RESHAPING, None)
    tend(shop, create)
    found = array(shop).progress
    assert found is not None
    assert found.action == "reshape"
    shop.machine.advance(SYNCED_S)
    cut = array(shop)
    assert (cut.state, cut.raid_disks, cut.is_reshaping) == (ArrayState.CLEAN, 4, True), "its size does not show yet"
    tend(shop, create)
    whole = array(shop)
    assert (whole.size_bytes * 2, whole.is_reshaping) == (cut.size_bytes * 3, False)


def test_an_mdadm_that_was_killed_does_not_leave_the_array_frozen(shop: Shop) -> None:
    create = stand(shop)
    shop.do(adding(shop, create, 3))
    shop.do(log_off(create))
    running = next(iter(shop.machine.md.arrays.values()))
    running.is_frozen = True
    shop.machine.changed()
    assert shop.do(growing(create)) or array(shop).raid_disks == 4
    shop.machine.advance(SYNCED_S)
    assert array(shop).state is ArrayState.CLEAN


def test_the_group_grows_only_after_the_kernel_shows_the_room(shop: Shop) -> None:
    create = stand(shop)
    group = shop.group(create)
    shop.do(group)
    before = shop.agent.observe().pools[0].size_bytes
    wanted = array(shop).size_bytes * 3 // 2
    grow = GroupGrow(array_id=create.array_id, md_uuid=create.uuid, group=group.group, size_bytes=wanted)
    shop.do(adding(shop, create, 3))
    shop.do(log_off(create))
    shop.do(growing(create))
    with pytest.raises(Conflict, match="wait for the reshape"):
        shop.do(grow)
    shop.machine.advance(SYNCED_S)
    assert shop.do(grow)
    assert shop.agent.observe().pools[0].size_bytes > before * 14 // 10
    assert not shop.do(grow)


def test_a_tool_that_refuses_leaves_the_array_as_it_was(shop: Shop) -> None:
    create = stand(shop)
    shop.do(adding(shop, create, 3))
    shop.do(log_off(create))
    shop.machine.faults.break_calls(lambda call: "--raid-devices" in call.detail)
    with pytest.raises(ToolFailed):
        shop.do(growing(create))
    assert (array(shop).raid_disks, array(shop).progress) == (3, None)
