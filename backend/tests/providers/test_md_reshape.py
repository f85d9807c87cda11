"""Another level of a standing array: what is refused, and what kills and lost disks leave."""

import pytest

from backend.tests.fakemachine.faults import Crash, When
from backend.tests.providers.rig import Rig
from backend.tests.providers.test_md_growth import array, log_off, ours, tend
from backend.tests.providers.test_md_members import SYNCED_S, adding, stand, which
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, WriteHole
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import MdCreate, MdRelevel, MdReshape, MdWriteHole
from lunette.providers.arrays.machines import ARRAY_MACHINES


@pytest.fixture
def rig() -> Rig:
    return Rig(6)


def relevel(create: MdCreate, disks: int = 3) -> MdRelevel:
    array_id, uuid, name = which(create)
    return MdRelevel(
        array_id=array_id, uuid=uuid, md_name=name, from_level=Level.RAID5, to_level=Level.RAID6, from_disks=disks
    )


def bitmap_for_log(create: MdCreate) -> MdWriteHole:
    return log_off(create).model_copy(update={"policy": WriteHole.BITMAP})


def device(rig: Rig) -> str:
    return f"/dev/{next(iter(rig.machine.md.arrays))}"


def written(rig: Rig) -> None:
    rig.machine.write_data(device(rig), 0, "a host's")


def becoming(rig: Rig) -> MdCreate:
    """A raid5 with data that was taken over as a raid6, and whose new disk is being filled."""
    create = stand(rig)
    written(rig)
    rig.do(adding(rig, create, 3))
    rig.do(bitmap_for_log(create))
    assert rig.do(relevel(create))
    return create


def starts_after(rig: Rig, create: MdCreate) -> None:
    assert ARRAY_MACHINES[ArrayEngine.MD].start(rig.machine, ours(create), allow_degraded=False) is None
    tend(rig, create)


def test_a_raid5_becomes_a_raid6_and_retains_its_data_and_its_size(rig: Rig) -> None:
    create = becoming(rig)
    during = array(rig)
    assert (during.level, during.raid_disks, during.state) == ("raid6", 4, ArrayState.REBUILDING)
    assert (during.layout, during.write_hole) == ("left-symmetric-6", WriteHole.BITMAP)
    assert during.progress is not None
    assert during.progress.action == "recover"
    assert not rig.do(relevel(create)), "it recognises its own work"
    rig.machine.advance(SYNCED_S)
    after = array(rig)
    assert (after.state, after.is_reshaping, after.size_bytes) == (ArrayState.CLEAN, False, during.size_bytes)
    assert not rig.do(relevel(create)), "also when it is over"
    rig.machine.pull(rig.disks[0])
    rig.machine.pull(rig.disks[1])
    assert array(rig).state is ArrayState.DEGRADED
    assert rig.machine.read_data(device(rig), 0) == "a host's"


def test_one_disk_may_be_lost_while_the_second_parity_is_written_as_before(rig: Rig) -> None:
    becoming(rig)
    rig.machine.pull(rig.disks[0])
    assert array(rig).state is not ArrayState.FAILED
    assert rig.machine.read_data(device(rig), 0) == "a host's"


def test_a_rebuild_onto_the_new_disk_continues_after_a_boot(rig: Rig) -> None:
    create = becoming(rig)
    rig.machine.reboot()
    starts_after(rig, create)
    assert (array(rig).level, array(rig).state) == ("raid6", ArrayState.REBUILDING)
    assert rig.machine.read_data(device(rig), 0) == "a host's"
    rig.machine.advance(SYNCED_S)
    assert array(rig).state is ArrayState.CLEAN


@pytest.mark.parametrize("when", list(When))
def test_a_kill_while_the_log_becomes_a_bitmap_is_completed_or_undone_later(rig: Rig, when: When) -> None:
    create = stand(rig)
    before = len(rig.machine.faults.calls)
    rig.do(bitmap_for_log(create))
    calls = [call.detail for call in rig.machine.faults.calls[before:]]
    steps = [n for n, call in enumerate(calls, 1) if "--consistency-policy=resync" in call or "--bitmap=" in call]
    assert len(steps) == 2
    for at in steps:
        assert rig.undo(bitmap_for_log(create))
        assert array(rig).write_hole is WriteHole.PPL
        assert not rig.undo(bitmap_for_log(create))
        rig.machine.faults.crash_at(at, when)
        with pytest.raises(Crash):
            rig.do(bitmap_for_log(create))
        rig.machine.restart_process()
        tend(rig, create)
        rig.do(bitmap_for_log(create))
        assert array(rig).write_hole is WriteHole.BITMAP


def test_an_array_without_raid5_or_all_disks_is_not_adopted(rig: Rig) -> None:
    create = stand(rig)
    with pytest.raises(Conflict, match="spares, which is too few"):
        rig.do(relevel(create))
    rig.do(adding(rig, create, 3))
    with pytest.raises(Conflict, match="ppl log"):
        rig.do(relevel(create))
    with pytest.raises(Conflict, match="make a new plan"):
        rig.do(relevel(create, 4))
    rig.machine.pull(rig.disks[0])
    with pytest.raises(Conflict, match="lost a disk"):
        rig.do(relevel(create))
    other = Rig(6)
    create = stand(other, Level.RAID4)
    with pytest.raises(Conflict, match="only raid5 can be changed to raid6"):
        other.do(relevel(create))


def test_growth_leaves_the_second_parity_on_its_disk(rig: Rig) -> None:
    """Another layout is what a power cut in the middle would lose: decision 0048. The fake kernel refuses it."""
    create = becoming(rig)
    rig.machine.advance(SYNCED_S)
    array_id, uuid, name = which(create)
    rig.do(adding(rig, create, 4))
    rig.do(MdReshape(array_id=array_id, uuid=uuid, md_name=name, from_disks=4, to_disks=5))
    rig.machine.power_cut()
    starts_after(rig, create)
    rig.machine.advance(SYNCED_S)
    tend(rig, create)
    found = array(rig)
    assert (found.layout, found.state, found.raid_disks) == ("left-symmetric-6", ArrayState.CLEAN, 5)
    assert rig.machine.read_data(device(rig), 0) == "a host's"


def test_a_tool_that_refuses_leaves_the_array_as_it_was(rig: Rig) -> None:
    create = stand(rig)
    rig.do(adding(rig, create, 3))
    rig.do(log_off(create))
    rig.machine.faults.break_calls(lambda call: "--level" in call.detail)
    with pytest.raises(ToolFailed):
        rig.do(relevel(create))
    assert (array(rig).level, array(rig).progress) == ("raid5", None)
