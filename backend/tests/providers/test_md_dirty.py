"""Arrays that were being written to when the power went, and lack a disk: what stays stopped, and what force takes."""

import pytest

from backend.tests.providers.rig import Rig
from backend.tests.providers.test_md_growth import ours
from backend.tests.providers.test_md_members import SYNCED_S, adding, member, which
from lunette.domain.arrays import ArrayCreate, ArrayState, Level, ObservedArray, WriteHole
from lunette.domain.errors import Conflict, NotFound
from lunette.domain.sizes import MIB
from lunette.domain.steps import MdCreate, MdForceStart, MemberDisk
from lunette.providers.arrays.md import assemble
from lunette.providers.arrays.md import plan as md


@pytest.fixture
def rig() -> Rig:
    return Rig(6)


def made(rig: Rig, level: Level, disks: int, hole: WriteHole | None = None) -> MdCreate:
    found = [rig.observed(disk) for disk in rig.disks[:disks]]
    spec = ArrayCreate(name="tank", level=level, disks=tuple(disk.id for disk in found), write_hole=hole)
    members = [MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in found]
    rig.do(create := md.create_step("a" * 8, "b" * 32, spec, members, [disk.size_bytes for disk in found]))
    rig.machine.advance(SYNCED_S)
    return create


def cut(rig: Rig, lost: int | None = 1) -> None:
    """A disk is lost, and the power goes while hosts write."""
    if lost is not None:
        rig.machine.pull(rig.disks[lost])
    rig.machine.md.cut_while_written()
    rig.machine.power_cut()


def start(rig: Rig, create: MdCreate) -> str | None:
    return assemble.assemble(rig.machine, ours(create), allow_degraded=True)


def array(rig: Rig) -> ObservedArray:
    (found,) = rig.agent.observe().arrays
    return found


def forcing(rig: Rig, create: MdCreate, *numbers: int) -> MdForceStart:
    array_id, uuid, name = which(create)
    members = tuple(member(rig, number) for number in numbers)
    return MdForceStart(array_id=array_id, uuid=uuid, md_name=name, members=members, of_disks=len(create.members))


@pytest.mark.parametrize(
    ("level", "disks", "hole"),
    [(Level.RAID4, 3, None), (Level.RAID5, 3, WriteHole.BITMAP), (Level.RAID6, 4, None)],
)
def test_dirty_and_degraded_it_stays_stopped_and_says_so(
    rig: Rig, level: Level, disks: int, hole: WriteHole | None
) -> None:
    create = made(rig, level, disks, hole)
    cut(rig)
    for _ in range(2):
        words = start(rig, create)
        assert words is not None
        assert f"stays stopped: it was being written to when it stopped, and 1 of its {disks} disks" in words
        assert "force-start" in words
        found = array(rig)
        assert (found.state, found.dirty_without) == (ArrayState.MISSING, (1,))


@pytest.mark.parametrize(
    ("level", "disks", "hole", "lost"),
    [
        (Level.RAID5, 3, WriteHole.PPL, 1),
        (Level.RAID5, 3, WriteHole.BITMAP, None),
        (Level.RAID1, 2, None, 1),
        (Level.RAID10, 4, None, 1),
    ],
)
def test_what_md_can_corrected_starts_by_itself(
    rig: Rig, level: Level, disks: int, hole: WriteHole | None, lost: int | None
) -> None:
    create = made(rig, level, disks, hole)
    cut(rig, lost)
    assert not array(rig).dirty_without
    assert start(rig, create) is None


def test_with_its_disk_back_it_starts_and_there_is_nothing_to_force(rig: Rig) -> None:
    create = made(rig, Level.RAID6, 4)
    rig.machine.md.cut_while_written()
    rig.machine.power_cut()
    rig.machine.pull(rig.disks[1])
    step = forcing(rig, create, 0, 2, 3)
    assert start(rig, create) is not None
    rig.machine.insert(rig.disks[1])
    with pytest.raises(Conflict, match="has all its disks again"):
        rig.do(step)
    assert start(rig, create) is None
    assert array(rig).state is ArrayState.RESYNCING
    assert not rig.do(step), "it runs"


def test_a_disk_that_was_thrown_out_earlier_is_not_readded_by_force(rig: Rig) -> None:
    create = made(rig, Level.RAID5, 3, WriteHole.BITMAP)
    stale = member(rig, 1)
    cut(rig)
    rig.machine.insert(rig.disks[1])
    assert array(rig).dirty_without == (1,)
    step = forcing(rig, create, 0, 2)
    with pytest.raises(Conflict, match="different disks than"):
        rig.do(step.model_copy(update={"members": (*step.members, stale)}))
    assert rig.do(step)
    assert not rig.do(step)
    found = array(rig)
    assert found.state is ArrayState.DEGRADED
    assert stale.disk_id not in {one.disk_id for one in found.members if one.state == "in_sync"}


def test_it_is_forced_only_from_the_disks_that_were_named(rig: Rig) -> None:
    create = made(rig, Level.RAID6, 5)
    cut(rig)
    step = forcing(rig, create, 0, 2, 3, 4)
    rig.machine.pull(rig.disks[2])
    with pytest.raises(NotFound):
        rig.do(step)
    rig.machine.insert(rig.disks[2])
    with pytest.raises(Conflict, match="different disks than"):
        rig.do(step.model_copy(update={"members": step.members[:2]}))
    assert array(rig).state is ArrayState.MISSING


def test_a_disk_that_is_only_half_filled_counts_as_one_it_lacks(rig: Rig) -> None:
    create = made(rig, Level.RAID6, 4)
    rig.machine.pull(rig.disks[1])
    rig.do(adding(rig, create, 4, 64 * MIB))
    cut(rig, None)
    assert array(rig).dirty_without == (1,)
    assert start(rig, create) is not None
    assert rig.do(forcing(rig, create, 0, 2, 3))
