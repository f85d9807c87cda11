"""What the steps that change a standing array refuse and leave alone. The fault harness covers the rest."""

import pytest

from backend.tests.fakemachine import FakeSignature
from backend.tests.providers.rig import Rig
from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ScrubOutcome
from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import GIB
from lunette.domain.steps import MdAdd, MdCreate, MdFail, MdRemove, MdReplace, MdScrub, MdSpareOut, MemberDisk
from lunette.providers.arrays.md.assemble import assemble

SYNCED_S = 40


@pytest.fixture
def rig() -> Rig:
    return Rig(6)


def which(create: MdCreate) -> tuple[str, str, str]:
    return create.array_id, create.uuid, create.md_name


def member(rig: Rig, number: int) -> MemberDisk:
    disk = rig.observed(rig.disks[number])
    return MemberDisk(disk_id=disk.id, serial=disk.serial)


def stand(rig: Rig, level: Level = Level.RAID5, disks: int = 3) -> MdCreate:
    create = rig.create(level, disks)
    assert rig.do(create)
    rig.machine.advance(SYNCED_S)
    return create


def adding(rig: Rig, create: MdCreate, number: int, least: int = GIB, *, returns: bool = False) -> MdAdd:
    array_id, uuid, name = which(create)
    return MdAdd(
        array_id=array_id, uuid=uuid, md_name=name, member=member(rig, number), disk_bytes=least, returns=returns
    )


def failing(rig: Rig, create: MdCreate, number: int) -> MdFail:
    array_id, uuid, name = which(create)
    return MdFail(array_id=array_id, uuid=uuid, md_name=name, member=member(rig, number))


def removing(rig: Rig, create: MdCreate, number: int) -> MdRemove:
    array_id, uuid, name = which(create)
    return MdRemove(array_id=array_id, uuid=uuid, md_name=name, member=member(rig, number))


def replacing(rig: Rig, create: MdCreate, old: int, new: int) -> MdReplace:
    array_id, uuid, name = which(create)
    return MdReplace(
        array_id=array_id, uuid=uuid, md_name=name, old=member(rig, old), new=member(rig, new), disk_bytes=GIB
    )


def state(rig: Rig, number: int) -> str | None:
    disk = rig.observed(rig.disks[number])
    (array,) = rig.agent.observe().arrays
    return next((place.state for place in array.members if place.disk_id == disk.id), None)


def health(rig: Rig) -> ArrayState:
    (array,) = rig.agent.observe().arrays
    return array.state


def test_a_member_is_failed_only_while_the_kernel_has_redundancy(rig: Rig) -> None:
    create = stand(rig)
    first, second = failing(rig, create, 0), failing(rig, create, 1)
    assert rig.do(first)
    with pytest.raises(InUse, match="no redundancy left"):
        rig.do(second)
    assert health(rig) is ArrayState.DEGRADED


def test_a_member_is_not_failed_while_parity_is_first_made(rig: Rig) -> None:
    create = rig.create()
    rig.do(create)
    with pytest.raises(InUse, match="not redundant yet"):
        rig.do(failing(rig, create, 0))


def test_the_content_of_a_disk_is_checked_again_before_it_joins(rig: Rig) -> None:
    create = stand(rig)
    step = adding(rig, create, 4)
    rig.disks[4].media.signatures = [FakeSignature("ext4", 1080, "photos", "u1")]
    rig.machine.changed()
    with pytest.raises(InUse, match=r"ext4.*photos"):
        rig.do(step)
    with pytest.raises(Conflict, match="larger"):
        rig.do(adding(rig, create, 5, 3 * GIB))
    with pytest.raises(Conflict, match="the drive was replaced"):
        rig.do(step.model_copy(update={"member": MemberDisk(disk_id=step.member.disk_id, serial="X")}))


def test_a_disk_with_data_is_not_removed(rig: Rig) -> None:
    create = stand(rig)
    with pytest.raises(InUse, match="contains data"):
        rig.do(removing(rig, create, 0))
    rig.do(failing(rig, create, 0))
    assert rig.do(removing(rig, create, 0))
    assert rig.observed(rig.disks[0]).occupation() is None


def test_a_foreign_array_under_our_uuid_is_left_alone(rig: Rig) -> None:
    create = stand(rig)
    with pytest.raises(NotFound, match="is not running"):
        rig.do(adding(rig, create, 4).model_copy(update={"uuid": "d" * 32}))
    disks = [f"/dev/{disk.kernel_name}" for disk in rig.disks[4:]]
    rig.machine.run(
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
        rig.do(failing(rig, create, 4).model_copy(update={"uuid": "e" * 32}))


def test_a_replacement_waits_for_nothing_and_loses_nothing(rig: Rig) -> None:
    create = stand(rig)
    step = replacing(rig, create, 0, 4)
    assert rig.do(step)
    assert (state(rig, 0), state(rig, 4), health(rig)) == ("in_sync", "replacing", ArrayState.CLEAN)
    rig.machine.advance(SYNCED_S)
    assert (state(rig, 0), state(rig, 4)) == ("faulty", "in_sync")
    assert not rig.do(step)
    with pytest.raises(InUse, match="has already replaced"):
        rig.undo(step)


def test_the_old_disk_may_die_while_it_is_copied(rig: Rig) -> None:
    create = stand(rig)
    rig.do(replacing(rig, create, 0, 4))
    rig.machine.pull(rig.disks[0])
    assert state(rig, 4) == "rebuilding"
    rig.machine.advance(SYNCED_S)
    assert health(rig) is ArrayState.CLEAN


@pytest.mark.parametrize("pulled", [False, True])
def test_a_disk_that_came_after_the_record_counts_at_a_start(rig: Rig, pulled: bool) -> None:
    """The power failed after the copy and before the record: the old disk, if it is there, is not taken for the new."""
    create = stand(rig)
    rig.do(replacing(rig, create, 0, 4))
    rig.machine.advance(SYNCED_S)
    assert state(rig, 4) == "in_sync"
    rig.machine.power_cut()
    if pulled:
        rig.machine.pull(rig.disks[0])
    recorded = ExportArray(
        array_id=create.array_id,
        name="tank",
        engine=ArrayEngine.MD,
        uuid=create.uuid,
        group="g",
        members=tuple(one.disk_id for one in create.members),
    )
    assert assemble(rig.machine, recorded, allow_degraded=False) is None
    assert (state(rig, 4), health(rig)) == ("in_sync", ArrayState.CLEAN)


def test_a_replacement_waits_until_md_is_idle_but_not_for_its_own_copy(rig: Rig) -> None:
    create = stand(rig)
    array_id, uuid, name = which(create)
    step = replacing(rig, create, 0, 4)
    rig.do(MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK))
    with pytest.raises(Conflict, match=r"is busy \(check\)"):
        rig.do(step)
    assert state(rig, 4) is None
    rig.machine.advance(SYNCED_S)
    assert rig.do(step)
    assert not rig.do(step)
    assert state(rig, 4) == "replacing"


def test_a_replacement_is_not_begun_where_the_new_disk_would_be_taken_for_a_lost_one(rig: Rig) -> None:
    create = stand(rig, Level.RAID6, 4)
    step = replacing(rig, create, 0, 5)
    rig.machine.pull(rig.disks[1])
    with pytest.raises(Conflict, match="make a new plan"):
        rig.do(step)
    assert state(rig, 5) is None


def test_a_disk_that_is_back_is_refilled_where_no_bitmap_knows_what_changed(rig: Rig) -> None:
    create = stand(rig)
    step = adding(rig, create, 1, returns=True)
    rig.machine.pull(rig.disks[1])
    rig.machine.insert(rig.disks[1])
    assert "is being rebuilt" in rig.agent.do_step("job", step).detail
    assert state(rig, 1) == "rebuilding"


def test_a_disk_that_is_back_is_caught_up_by_a_bitmap(rig: Rig) -> None:
    create = stand(rig, Level.RAID1)
    step = adding(rig, create, 1, returns=True)
    rig.machine.pull(rig.disks[1])
    rig.machine.insert(rig.disks[1])
    assert "data that changed meanwhile" in rig.agent.do_step("job", step).detail
    rig.machine.advance(5)
    assert health(rig) is ArrayState.CLEAN


def test_a_scrub_does_not_disturb_a_rebuild(rig: Rig) -> None:
    create = stand(rig)
    array_id, uuid, name = which(create)
    step = MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK)
    rig.do(failing(rig, create, 0))
    rig.do(adding(rig, create, 4))
    for action in ScrubAction:
        with pytest.raises(Conflict, match="recover"):
            rig.do(step.model_copy(update={"action": action}))


def scrubbed(rig: Rig) -> ScrubOutcome | None:
    (array,) = rig.agent.observe().arrays
    return array.scrubbed


def test_what_a_scrub_found_is_reported_when_it_is_over(rig: Rig) -> None:
    create = stand(rig)
    array_id, uuid, name = which(create)
    step = MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK)
    (running,) = rig.machine.md.arrays.values()
    assert scrubbed(rig) is None
    rig.do(step)
    running.overrides["mismatch_cnt"] = "128"
    assert scrubbed(rig) is None, "it still runs"
    rig.machine.advance(SYNCED_S)
    assert scrubbed(rig) == ScrubOutcome(mismatches=128, repaired=False, is_whole=True)


def test_a_scrub_that_was_stopped_begins_again(rig: Rig) -> None:
    create = stand(rig)
    array_id, uuid, name = which(create)
    step = MdScrub(array_id=array_id, uuid=uuid, md_name=name, action=ScrubAction.CHECK)
    rig.do(step)
    rig.machine.advance(SYNCED_S / 4)
    rig.do(step.model_copy(update={"action": ScrubAction.STOP}))
    assert scrubbed(rig) == ScrubOutcome(mismatches=0, repaired=False, is_whole=False)
    rig.do(step)
    rig.machine.advance(SYNCED_S)
    assert scrubbed(rig) == ScrubOutcome(mismatches=0, repaired=False, is_whole=True)


def test_a_spare_is_removed_only_while_its_array_does_not_need_it_and_returned(rig: Rig) -> None:
    create = stand(rig)
    array_id, uuid, name = which(create)
    rig.do(adding(rig, create, 4))
    step = MdSpareOut(array_id=array_id, uuid=uuid, md_name=name, member=member(rig, 4), disk_bytes=GIB)
    assert rig.do(step)
    assert not rig.do(step)
    assert rig.observed(rig.disks[4]).occupation() is None
    assert rig.undo(step)
    assert not rig.undo(step)
    assert state(rig, 4) == "spare"
    rig.do(failing(rig, create, 0))
    with pytest.raises((InUse, Conflict), match="make a new plan"):
        rig.do(step)
    assert state(rig, 4) == "rebuilding"


def test_a_spare_that_another_took_is_not_given_back_over_it(rig: Rig) -> None:
    create = stand(rig)
    array_id, uuid, name = which(create)
    rig.do(adding(rig, create, 4))
    step = MdSpareOut(array_id=array_id, uuid=uuid, md_name=name, member=member(rig, 4), disk_bytes=GIB)
    rig.do(step)
    rig.disks[4].media.signatures = [FakeSignature("ext4", 1080, "somebody's", "u1")]
    rig.machine.changed()
    with pytest.raises(InUse, match="ext4"):
        rig.undo(step)
