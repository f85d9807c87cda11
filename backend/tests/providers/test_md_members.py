"""What the steps that change a standing array refuse and leave alone. The fault harness covers the rest."""

import pytest

from backend.tests.fakemachine import FakeSignature
from backend.tests.providers.shop import Shop
from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ScrubOutcome
from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import GIB
from lunette.domain.steps import MdAdd, MdCreate, MdFail, MdMember, MdRemove, MdReplace, MdScrub, MdSpareOut
from lunette.providers.arrays.md.assemble import assemble

SYNCED_S = 40


@pytest.fixture
def shop() -> Shop:
    return Shop(6)


def which(create: MdCreate) -> tuple[str, str, str]:
    return create.array_id, create.uuid, create.md_name


def member(shop: Shop, number: int) -> MdMember:
    disk = shop.observed(shop.disks[number])
    return MdMember(disk_id=disk.id, serial=disk.serial)


def stand(shop: Shop, level: Level = Level.RAID5, disks: int = 3) -> MdCreate:
    create = shop.create(level, disks)
    assert shop.do(create)
    shop.machine.advance(SYNCED_S)
    return create


def adding(shop: Shop, create: MdCreate, number: int, least: int = GIB, *, returns: bool = False) -> MdAdd:
    array_id, uuid, name = which(create)
    return MdAdd(
        array_id=array_id, uuid=uuid, md_name=name, member=member(shop, number), disk_bytes=least, returns=returns
    )


def failing(shop: Shop, create: MdCreate, number: int) -> MdFail:
    array_id, uuid, name = which(create)
    return MdFail(array_id=array_id, uuid=uuid, md_name=name, member=member(shop, number))


def removing(shop: Shop, create: MdCreate, number: int) -> MdRemove:
    array_id, uuid, name = which(create)
    return MdRemove(array_id=array_id, uuid=uuid, md_name=name, member=member(shop, number))


def replacing(shop: Shop, create: MdCreate, old: int, new: int) -> MdReplace:
    array_id, uuid, name = which(create)
    return MdReplace(
        array_id=array_id, uuid=uuid, md_name=name, old=member(shop, old), new=member(shop, new), disk_bytes=GIB
    )


def state(shop: Shop, number: int) -> str | None:
    disk = shop.observed(shop.disks[number])
    (array,) = shop.agent.observe().arrays
    return next((place.state for place in array.members if place.disk_id == disk.id), None)


def health(shop: Shop) -> ArrayState:
    (array,) = shop.agent.observe().arrays
    return array.state


def test_a_member_is_failed_only_while_the_kernel_has_redundancy(shop: Shop) -> None:
    create = stand(shop)
    first, second = failing(shop, create, 0), failing(shop, create, 1)
    assert shop.do(first)
    with pytest.raises(InUse, match="no redundancy left"):
        shop.do(second)
    assert health(shop) is ArrayState.DEGRADED


def test_a_member_is_not_failed_while_parity_is_first_made(shop: Shop) -> None:
    create = shop.create()
    shop.do(create)
    with pytest.raises(InUse, match="not redundant yet"):
        shop.do(failing(shop, create, 0))


def test_what_lies_on_a_disk_is_looked_at_again_before_it_joins(shop: Shop) -> None:
    create = stand(shop)
    step = adding(shop, create, 4)
    shop.disks[4].media.signatures = [FakeSignature("ext4", 1080, "photos", "u1")]
    shop.machine.changed()
    with pytest.raises(InUse, match=r"ext4.*photos"):
        shop.do(step)
    with pytest.raises(Conflict, match="larger"):
        shop.do(adding(shop, create, 5, 3 * GIB))
    with pytest.raises(Conflict, match="the drive was replaced"):
        shop.do(step.model_copy(update={"member": MdMember(disk_id=step.member.disk_id, serial="X")}))


def test_a_disk_with_data_is_not_removed(shop: Shop) -> None:
    create = stand(shop)
    with pytest.raises(InUse, match="contains data"):
        shop.do(removing(shop, create, 0))
    shop.do(failing(shop, create, 0))
    assert shop.do(removing(shop, create, 0))
    assert shop.observed(shop.disks[0]).occupation() is None


def test_a_foreign_array_under_our_uuid_is_left_alone(shop: Shop) -> None:
    create = stand(shop)
    with pytest.raises(NotFound, match="is not running"):
        shop.do(adding(shop, create, 4).model_copy(update={"uuid": "d" * 32}))
    disks = [f"/dev/{disk.kernel_name}" for disk in shop.disks[4:]]
    shop.machine.run(
        [
            "mdadm",
            "--create",
            "/dev/md/x",
            "--run",
            f"--uuid={'e' * 32}",
            "--homehost=other",
            "--name=x",
            "--level=raid1",
            "--raid-devices=2",
            *disks,
        ]
    )
    with pytest.raises(Conflict, match="does not belong to this appliance"):
        shop.do(failing(shop, create, 4).model_copy(update={"uuid": "e" * 32}))


def test_a_replacement_waits_for_nothing_and_loses_nothing(shop: Shop) -> None:
    create = stand(shop)
    step = replacing(shop, create, 0, 4)
    assert shop.do(step)
    assert (state(shop, 0), state(shop, 4), health(shop)) == ("in_sync", "replacing", ArrayState.CLEAN)
    shop.machine.advance(SYNCED_S)
    assert (state(shop, 0), state(shop, 4)) == ("faulty", "in_sync")
    assert not shop.do(step)
    with pytest.raises(InUse, match="has already replaced"):
        shop.undo(step)


def test_the_old_disk_may_die_while_it_is_copied(shop: Shop) -> None:
    create = stand(shop)
    shop.do(replacing(shop, create, 0, 4))
    shop.machine.pull(shop.disks[0])
    assert state(shop, 4) == "rebuilding"
    shop.machine.advance(SYNCED_S)
    assert health(shop) is ArrayState.CLEAN


@pytest.mark.parametrize("pulled", [False, True])
def test_a_disk_that_came_after_the_record_counts_at_a_start(shop: Shop, pulled: bool) -> None:
    """The power failed after the copy and before the record: the old disk, if it is there, is not taken for the new."""
    create = stand(shop)
    shop.do(replacing(shop, create, 0, 4))
    shop.machine.advance(SYNCED_S)
    assert state(shop, 4) == "in_sync"
    shop.machine.power_cut()
    if pulled:
        shop.machine.pull(shop.disks[0])
    recorded = ExportArray(
        array_id=create.array_id,
        name="tank",
        engine=ArrayEngine.MD,
        uuid=create.uuid,
        group="g",
        members=tuple(one.disk_id for one in create.members),
    )
    assert assemble(shop.machine, recorded, allow_degraded=False) is None
    assert (state(shop, 4), health(shop)) == ("in_sync", ArrayState.CLEAN)


def test_a_replacement_waits_until_md_is_idle_but_not_for_its_own_copy(shop: Shop) -> None:
    create = stand(shop)
    array_id, uuid, name = which(create)
    step = replacing(shop, create, 0, 4)
    shop.do(MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK))
    with pytest.raises(Conflict, match=r"is busy \(check\)"):
        shop.do(step)
    assert state(shop, 4) is None
    shop.machine.advance(SYNCED_S)
    assert shop.do(step)
    assert not shop.do(step)
    assert state(shop, 4) == "replacing"


def test_a_replacement_is_not_begun_where_the_new_disk_would_be_taken_for_a_lost_one(shop: Shop) -> None:
    create = stand(shop, Level.RAID6, 4)
    step = replacing(shop, create, 0, 5)
    shop.machine.pull(shop.disks[1])
    with pytest.raises(Conflict, match="make a new plan"):
        shop.do(step)
    assert state(shop, 5) is None


def test_a_disk_that_is_back_is_filled_anew_where_no_bitmap_knows_what_changed(shop: Shop) -> None:
    create = stand(shop)
    step = adding(shop, create, 1, returns=True)
    shop.machine.pull(shop.disks[1])
    shop.machine.insert(shop.disks[1])
    assert "is being rebuilt" in shop.agent.do_step("job", step).detail
    assert state(shop, 1) == "rebuilding"


def test_a_disk_that_is_back_is_caught_up_by_a_bitmap(shop: Shop) -> None:
    create = stand(shop, Level.RAID1)
    step = adding(shop, create, 1, returns=True)
    shop.machine.pull(shop.disks[1])
    shop.machine.insert(shop.disks[1])
    assert "data that changed meanwhile" in shop.agent.do_step("job", step).detail
    shop.machine.advance(5)
    assert health(shop) is ArrayState.CLEAN


def test_a_scrub_does_not_disturb_a_rebuild(shop: Shop) -> None:
    create = stand(shop)
    array_id, uuid, name = which(create)
    step = MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK)
    shop.do(failing(shop, create, 0))
    shop.do(adding(shop, create, 4))
    for action in ScrubAction:
        with pytest.raises(Conflict, match="recover"):
            shop.do(step.model_copy(update={"action": action}))


def scrubbed(shop: Shop) -> ScrubOutcome | None:
    (array,) = shop.agent.observe().arrays
    return array.scrubbed


def test_what_a_scrub_found_is_told_when_it_is_over(shop: Shop) -> None:
    create = stand(shop)
    array_id, uuid, name = which(create)
    step = MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK)
    (running,) = shop.machine.md.arrays.values()
    assert scrubbed(shop) is None
    shop.do(step)
    running.overrides["mismatch_cnt"] = "128"
    assert scrubbed(shop) is None, "it still runs"
    shop.machine.advance(SYNCED_S)
    assert scrubbed(shop) == ScrubOutcome(mismatches=128, repaired=False, is_whole=True)


def test_a_scrub_that_was_stopped_begins_anew(shop: Shop) -> None:
    create = stand(shop)
    array_id, uuid, name = which(create)
    step = MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK)
    shop.do(step)
    shop.machine.advance(SYNCED_S / 4)
    shop.do(step.model_copy(update={"action": ScrubAction.STOP}))
    assert scrubbed(shop) == ScrubOutcome(mismatches=0, repaired=False, is_whole=False)
    shop.do(step)
    shop.machine.advance(SYNCED_S)
    assert scrubbed(shop) == ScrubOutcome(mismatches=0, repaired=False, is_whole=True)


def test_a_spare_is_taken_out_only_while_its_array_does_not_need_it_and_comes_back(shop: Shop) -> None:
    create = stand(shop)
    array_id, uuid, name = which(create)
    shop.do(adding(shop, create, 4))
    step = MdSpareOut(array_id=array_id, uuid=uuid, md_name=name, member=member(shop, 4), disk_bytes=GIB)
    assert shop.do(step)
    assert not shop.do(step)
    assert shop.observed(shop.disks[4]).occupation() is None
    assert shop.undo(step)
    assert not shop.undo(step)
    assert state(shop, 4) == "spare"
    shop.do(failing(shop, create, 0))
    with pytest.raises((InUse, Conflict), match="make a new plan"):
        shop.do(step)
    assert state(shop, 4) == "rebuilding"


def test_a_spare_that_another_took_is_not_given_back_over_it(shop: Shop) -> None:
    create = stand(shop)
    array_id, uuid, name = which(create)
    shop.do(adding(shop, create, 4))
    step = MdSpareOut(array_id=array_id, uuid=uuid, md_name=name, member=member(shop, 4), disk_bytes=GIB)
    shop.do(step)
    shop.disks[4].media.signatures = [FakeSignature("ext4", 1080, "somebody's", "u1")]
    shop.machine.changed()
    with pytest.raises(InUse, match="ext4"):
        shop.undo(step)
