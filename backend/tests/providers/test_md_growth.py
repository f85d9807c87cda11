"""Growth of a standing array: what is refused, what a restart leaves, and that the log is back when it is over."""

import pytest

from backend.tests.fakemachine.faults import Crash, When
from backend.tests.providers.rig import Rig
from backend.tests.providers.test_md_members import SYNCED_S, adding, stand, which
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, Raid10Layout, WriteHole
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import KIB
from lunette.domain.steps import GroupGrow, MdCreate, MdReshape, MdWriteHole
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.arrays.md.reshape import room_sectors


@pytest.fixture
def rig() -> Rig:
    return Rig(6)


def growing(create: MdCreate, before: int = 3, after: int = 4) -> MdReshape:
    array_id, uuid, name = which(create)
    return MdReshape(array_id=array_id, uuid=uuid, md_name=name, from_disks=before, to_disks=after)


def log_off(create: MdCreate) -> MdWriteHole:
    array_id, uuid, name = which(create)
    return MdWriteHole(array_id=array_id, uuid=uuid, md_name=name, policy=WriteHole.NONE, was=WriteHole.PPL)


def log_on(create: MdCreate) -> MdWriteHole:
    return log_off(create).model_copy(update={"policy": WriteHole.PPL, "was": WriteHole.NONE})


def array(rig: Rig) -> ObservedArray:
    (found,) = rig.agent.observe().arrays
    return found


def ours(create: MdCreate) -> ExportArray:
    return ExportArray(
        array_id=create.array_id, name="tank", engine=ArrayEngine.MD, uuid=create.uuid, group="g", members=()
    )


def test_no_log_is_put_on_disks_with_a_volatile_write_cache() -> None:
    rig = Rig(4)
    step = rig.create()
    rig.disks[1].has_write_cache = True
    rig.machine.changed()
    with pytest.raises(Conflict, match="active volatile write cache"):
        rig.do(step)
    assert not rig.agent.observe().arrays
    rig.disks[1].has_write_cache = False
    rig.machine.changed()
    rig.do(step)
    rig.machine.advance(SYNCED_S)
    rig.do(log_off(step))
    rig.disks[1].has_write_cache = True
    rig.machine.changed()
    with pytest.raises(Conflict, match="active volatile write cache"):
        rig.do(log_on(step))
    assert array(rig).write_hole is WriteHole.NONE
    rig.undo(log_off(step))
    assert array(rig).write_hole is WriteHole.PPL, "an undo restores what was"


def tend(rig: Rig, create: MdCreate) -> None:
    """What the agent does for an array that is up, again and again."""
    ARRAY_MACHINES[ArrayEngine.MD].tend(rig.machine, ours(create))


def begun(rig: Rig, level: Level = Level.RAID5, disks: int = 3) -> MdCreate:
    """An array that is being reshaped over one disk more."""
    create = stand(rig, level, disks)
    rig.do(adding(rig, create, disks))
    if level is Level.RAID5:
        rig.do(log_off(create))
    assert rig.do(growing(create, disks, disks + 1))
    return create


def test_a_reshape_shows_progress_and_gives_its_room_when_it_is_over(rig: Rig) -> None:
    create = begun(rig)
    found = array(rig)
    assert (found.state, found.raid_disks, found.write_hole) == (ArrayState.RESHAPING, 4, WriteHole.NONE)
    assert found.progress is not None
    assert found.progress.action == "reshape"
    assert {member.state for member in found.members} == {"in_sync"}
    before = found.size_bytes
    assert not rig.do(growing(create)), "it recognises its own work"
    rig.machine.advance(SYNCED_S)
    after = array(rig)
    assert (after.state, after.progress) == (ArrayState.CLEAN, None)
    assert after.size_bytes * 2 == before * 3
    assert not rig.do(growing(create)), "also when it is over"


@pytest.mark.parametrize(
    ("level", "disks", "ratio"),
    [(Level.RAID6, 4, (3, 2)), (Level.RAID10, 4, (5, 4)), (Level.RAID1, 2, (1, 1))],
)
def test_every_level_with_copies_or_parity_grows(level: Level, disks: int, ratio: tuple[int, int]) -> None:
    rig = Rig(6)
    create = stand(rig, level, disks)
    before = array(rig).size_bytes
    rig.do(adding(rig, create, disks))
    rig.do(growing(create, disks, disks + 1))
    rig.machine.advance(SYNCED_S)
    after = array(rig)
    assert (after.state, after.raid_disks) == (ArrayState.CLEAN, disks + 1)
    assert after.size_bytes * ratio[1] == before * ratio[0]
    assert after.write_hole is WriteHole.BITMAP, "a bitmap stays through all of it"


def test_the_log_is_removed_before_and_not_restored_during_a_reshape(rig: Rig) -> None:
    create = stand(rig)
    rig.do(adding(rig, create, 3))
    with pytest.raises(Conflict, match="ppl log"):
        rig.do(growing(create))
    assert rig.do(log_off(create))
    assert not rig.do(log_off(create))
    rig.do(growing(create))
    with pytest.raises(InUse, match="being reshaped"):
        rig.do(log_on(create))
    with pytest.raises(InUse, match="being reshaped"):
        rig.undo(log_off(create))
    rig.machine.advance(SYNCED_S)
    assert rig.do(log_on(create))
    assert array(rig).write_hole is WriteHole.PPL
    assert not rig.do(log_on(create))


def test_the_log_is_not_restored_while_parity_is_corrected_after_an_unclean_stop(rig: Rig) -> None:
    create = stand(rig)
    rig.do(log_off(create))
    (running,) = rig.machine.md.arrays.values()
    running.sync_action, running.sync_started = "resync", rig.machine.clock
    rig.machine.changed()
    with pytest.raises(InUse, match="not consistent everywhere"):
        rig.do(log_on(create))
    assert not rig.undo(log_off(create)), "the growth that is left to finish does it"
    assert array(rig).write_hole is WriteHole.NONE
    rig.machine.advance(SYNCED_S)
    assert rig.undo(log_off(create))
    assert array(rig).write_hole is WriteHole.PPL


@pytest.mark.parametrize("when", list(When))
def test_writes_continue_after_the_log_was_removed_despite_a_kill(rig: Rig, when: When) -> None:
    """They wait while the log is dropped: the fake kernel falls where they do not."""
    create = stand(rig, Level.RAID5)
    at = f"/sys/block/{next(iter(rig.machine.md.arrays))}/md/suspend_hi"
    before = len(rig.machine.faults.calls)
    rig.do(log_off(create))
    assert rig.machine.read(at).strip() == "0"
    calls = [call.detail for call in rig.machine.faults.calls[before:]]
    dropped = 1 + next(n for n, call in enumerate(calls) if "--consistency-policy=resync" in call)
    rig.do(log_on(create))
    rig.machine.faults.crash_at(dropped, when)
    with pytest.raises(Crash):
        rig.do(log_off(create))
    rig.machine.restart_process()
    assert rig.machine.read(at).strip() != "0", "hosts wait"
    tend(rig, create)
    assert rig.machine.read(at).strip() == "0"
    rig.do(log_off(create))
    assert array(rig).write_hole is WriteHole.NONE


def test_what_is_not_whole_or_has_too_few_disks_does_not_grow(rig: Rig) -> None:
    create = stand(rig)
    rig.do(log_off(create))
    with pytest.raises(Conflict, match="spares, which is too few"):
        rig.do(growing(create))
    with pytest.raises(Conflict, match="make a new plan"):
        rig.do(growing(create, 4, 5))
    rig.machine.pull(rig.disks[0])
    with pytest.raises(Conflict, match="lost a disk"):
        rig.do(growing(create))


def test_without_room_ahead_of_the_data_it_is_refused_rather_than_needing_a_backup_file(rig: Rig) -> None:
    create = stand(rig)
    rig.do(adding(rig, create, 3))
    rig.do(log_off(create))
    block = rig.disks[2].media.superblock
    assert block is not None
    block.data_offset = 80 + 383
    rig.machine.changed()
    with pytest.raises(Conflict, match=r"192 KiB forward on every disk"):
        rig.do(growing(create))
    assert array(rig).raid_disks == 3
    block.data_offset = 80 + 384
    rig.machine.changed()
    assert rig.do(growing(create))


def test_the_space_a_reshape_needs_is_what_mdadm_requires() -> None:
    """mdadm, Grow.c: compute_backup_blocks over the data disks; for raid10 one chunk."""
    assert room_sectors("raid5", 64 * KIB, 3, 4) == 3 * 128
    assert room_sectors("raid5", 64 * KIB, 4, 5) == 4 * 128
    assert room_sectors("raid5", 64 * KIB, 3, 5) == 2 * 128
    assert room_sectors("raid6", 512 * KIB, 4, 5) == 3 * 1024
    assert room_sectors("raid10", 64 * KIB, 4, 6) == 128
    assert room_sectors("raid10", 64 * KIB, 4, 6, "o3") == 3 * 128


def test_offset_copies_grow_and_far_ones_are_refused_before_anything_is_touched() -> None:
    rig = Rig(6)
    create = rig.create(Level.RAID10, 4, layout=Raid10Layout.O2)
    assert rig.do(create)
    rig.machine.advance(SYNCED_S)
    before = array(rig).size_bytes
    rig.do(adding(rig, create, 4))
    assert rig.do(growing(create, 4, 5))
    rig.machine.advance(SYNCED_S)
    assert array(rig).size_bytes * 4 == before * 5
    far = Rig(6)
    create = far.create(Level.RAID10, 4, layout=Raid10Layout.F2)
    assert far.do(create)
    far.machine.advance(SYNCED_S)
    far.do(adding(far, create, 4))
    with pytest.raises(Conflict, match="cannot reshape a far layout"):
        far.do(growing(create, 4, 5))
    assert array(far).raid_disks == 4


def test_a_member_of_a_reshape_is_not_taken_out_again(rig: Rig) -> None:
    create = begun(rig)
    with pytest.raises(InUse, match="takes part in a reshape"):
        rig.undo(adding(rig, create, 3))
    assert array(rig).state is ArrayState.RESHAPING


def test_a_disk_lost_during_a_reshape_leaves_it_going_on(rig: Rig) -> None:
    begun(rig)
    rig.machine.pull(rig.disks[0])
    found = array(rig)
    assert found.state is ArrayState.DEGRADED
    assert found.progress is not None
    assert found.progress.action == "reshape"
    rig.machine.advance(SYNCED_S)
    assert array(rig).state is ArrayState.DEGRADED
    assert array(rig).progress is None


def test_a_reshape_continues_after_a_boot_as_soon_as_the_array_is_maintained(rig: Rig) -> None:
    """The kernel starts an array read-only until the first write, and does nothing to it before."""
    create = begun(rig)
    rig.machine.reboot()
    assert ARRAY_MACHINES[ArrayEngine.MD].start(rig.machine, ours(create), allow_degraded=False) is None
    rig.machine.advance(SYNCED_S)
    assert (array(rig).state, array(rig).progress) == (ArrayState.RESHAPING, None)
    tend(rig, create)
    found = array(rig).progress
    assert found is not None
    assert found.action == "reshape"
    rig.machine.advance(SYNCED_S)
    cut = array(rig)
    assert (cut.state, cut.raid_disks, cut.is_reshaping) == (ArrayState.CLEAN, 4, True), "its size does not show yet"
    tend(rig, create)
    whole = array(rig)
    assert (whole.size_bytes * 2, whole.is_reshaping) == (cut.size_bytes * 3, False)


def test_an_mdadm_that_was_killed_does_not_leave_the_array_frozen(rig: Rig) -> None:
    create = stand(rig)
    rig.do(adding(rig, create, 3))
    rig.do(log_off(create))
    running = next(iter(rig.machine.md.arrays.values()))
    running.is_frozen = True
    rig.machine.changed()
    assert rig.do(growing(create)) or array(rig).raid_disks == 4
    rig.machine.advance(SYNCED_S)
    assert array(rig).state is ArrayState.CLEAN


def test_the_group_grows_only_after_the_kernel_shows_the_room(rig: Rig) -> None:
    create = stand(rig)
    group = rig.group(create)
    rig.do(group)
    before = rig.agent.observe().groups[0].size_bytes
    wanted = array(rig).size_bytes * 3 // 2
    grow = GroupGrow(array_id=create.array_id, array_uuid=create.uuid, group=group.group, size_bytes=wanted)
    rig.do(adding(rig, create, 3))
    rig.do(log_off(create))
    rig.do(growing(create))
    with pytest.raises(Conflict, match="wait for the reshape"):
        rig.do(grow)
    rig.machine.advance(SYNCED_S)
    assert rig.do(grow)
    assert rig.agent.observe().groups[0].size_bytes > before * 14 // 10
    assert not rig.do(grow)


def test_a_tool_that_refuses_leaves_the_array_as_it_was(rig: Rig) -> None:
    create = stand(rig)
    rig.do(adding(rig, create, 3))
    rig.do(log_off(create))
    rig.machine.faults.break_calls(lambda call: "--raid-devices" in call.detail)
    with pytest.raises(ToolFailed):
        rig.do(growing(create))
    assert (array(rig).raid_disks, array(rig).progress) == (3, None)
