"""Another level of a standing array: what is refused, and what kills and lost disks leave."""

import pytest

from backend.tests.fakemachine.faults import Crash, When
from backend.tests.providers.shop import Shop
from backend.tests.providers.test_md_growth import array, log_off, ours, tend
from backend.tests.providers.test_md_members import SYNCED_S, adding, stand, which
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, WriteHole
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import MdCreate, MdRelevel, MdReshape, MdWriteHole
from lunette.providers.arrays.machines import ARRAY_MACHINES


@pytest.fixture
def shop() -> Shop:
    return Shop(6)


def relevel(create: MdCreate, disks: int = 3) -> MdRelevel:
    array_id, uuid, name = which(create)
    return MdRelevel(
        array_id=array_id, uuid=uuid, md_name=name, from_level=Level.RAID5, to_level=Level.RAID6, from_disks=disks
    )


def bitmap_for_log(create: MdCreate) -> MdWriteHole:
    return log_off(create).model_copy(update={"policy": WriteHole.BITMAP})


def device(shop: Shop) -> str:
    return f"/dev/{next(iter(shop.machine.md.arrays))}"


def written(shop: Shop) -> None:
    shop.machine.write_data(device(shop), 0, "a host's")


def becoming(shop: Shop) -> MdCreate:
    """A raid5 with data that was taken over as a raid6, and whose new disk is being filled."""
    create = stand(shop)
    written(shop)
    shop.do(adding(shop, create, 3))
    shop.do(bitmap_for_log(create))
    assert shop.do(relevel(create))
    return create


def starts_after(shop: Shop, create: MdCreate) -> None:
    assert ARRAY_MACHINES[ArrayEngine.MD].start(shop.machine, ours(create), allow_degraded=False) is None
    tend(shop, create)


def test_a_raid6_comes_of_a_raid5_and_keeps_its_data_and_its_size(shop: Shop) -> None:
    create = becoming(shop)
    during = array(shop)
    assert (during.level, during.raid_disks, during.state) == ("raid6", 4, ArrayState.REBUILDING)
    assert (during.layout, during.write_hole) == ("left-symmetric-6", WriteHole.BITMAP)
    assert during.progress is not None
    assert during.progress.action == "recover"
    assert not shop.do(relevel(create)), "it recognises its own work"
    shop.machine.advance(SYNCED_S)
    after = array(shop)
    assert (after.state, after.is_reshaping, after.size_bytes) == (ArrayState.CLEAN, False, during.size_bytes)
    assert not shop.do(relevel(create)), "also when it is over"
    shop.machine.pull(shop.disks[0])
    shop.machine.pull(shop.disks[1])
    assert array(shop).state is ArrayState.DEGRADED
    assert shop.machine.read_data(device(shop), 0) == "a host's"


def test_one_disk_may_be_lost_while_the_second_parity_is_written_as_before(shop: Shop) -> None:
    becoming(shop)
    shop.machine.pull(shop.disks[0])
    assert array(shop).state is not ArrayState.FAILED
    assert shop.machine.read_data(device(shop), 0) == "a host's"


def test_a_boot_goes_on_filling_the_new_disk(shop: Shop) -> None:
    create = becoming(shop)
    shop.machine.reboot()
    starts_after(shop, create)
    assert (array(shop).level, array(shop).state) == ("raid6", ArrayState.REBUILDING)
    assert shop.machine.read_data(device(shop), 0) == "a host's"
    shop.machine.advance(SYNCED_S)
    assert array(shop).state is ArrayState.CLEAN


@pytest.mark.parametrize("when", list(When))
def test_whoever_is_killed_while_the_log_becomes_a_bitmap_it_is_done_or_undone_later(shop: Shop, when: When) -> None:
    create = stand(shop)
    before = len(shop.machine.faults.calls)
    shop.do(bitmap_for_log(create))
    calls = [call.detail for call in shop.machine.faults.calls[before:]]
    steps = [n for n, call in enumerate(calls, 1) if "--consistency-policy=resync" in call or "--bitmap=" in call]
    assert len(steps) == 2
    for at in steps:
        assert shop.undo(bitmap_for_log(create))
        assert array(shop).write_hole is WriteHole.PPL
        assert not shop.undo(bitmap_for_log(create))
        shop.machine.faults.crash_at(at, when)
        with pytest.raises(Crash):
            shop.do(bitmap_for_log(create))
        shop.machine.restart_process()
        tend(shop, create)
        shop.do(bitmap_for_log(create))
        assert array(shop).write_hole is WriteHole.BITMAP


def test_what_is_no_raid5_or_not_whole_or_has_no_disk_is_not_taken_over(shop: Shop) -> None:
    create = stand(shop)
    with pytest.raises(Conflict, match="spares, which is too few"):
        shop.do(relevel(create))
    shop.do(adding(shop, create, 3))
    with pytest.raises(Conflict, match="ppl log"):
        shop.do(relevel(create))
    with pytest.raises(Conflict, match="make a new plan"):
        shop.do(relevel(create, 4))
    shop.machine.pull(shop.disks[0])
    with pytest.raises(Conflict, match="lost a disk"):
        shop.do(relevel(create))
    other = Shop(6)
    create = stand(other, Level.RAID4)
    with pytest.raises(Conflict, match="only raid5 can be changed to raid6"):
        other.do(relevel(create))


def test_growth_leaves_the_second_parity_on_its_disk(shop: Shop) -> None:
    """Another layout is what a power cut in the middle would lose: decision 0048. The fake kernel refuses it."""
    create = becoming(shop)
    shop.machine.advance(SYNCED_S)
    array_id, uuid, name = which(create)
    shop.do(adding(shop, create, 4))
    shop.do(MdReshape(array_id=array_id, uuid=uuid, md_name=name, from_disks=4, to_disks=5))
    shop.machine.power_cut()
    starts_after(shop, create)
    shop.machine.advance(SYNCED_S)
    tend(shop, create)
    found = array(shop)
    assert (found.layout, found.state, found.raid_disks) == ("left-symmetric-6", ArrayState.CLEAN, 5)
    assert shop.machine.read_data(device(shop), 0) == "a host's"


def test_a_tool_that_refuses_leaves_the_array_as_it_was(shop: Shop) -> None:
    create = stand(shop)
    shop.do(adding(shop, create, 3))
    shop.do(log_off(create))
    shop.machine.faults.break_calls(lambda call: "--level" in call.detail)
    with pytest.raises(ToolFailed):
        shop.do(relevel(create))
    assert (array(shop).level, array(shop).progress) == ("raid5", None)
