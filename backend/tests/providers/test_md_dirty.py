"""Arrays that were being written to when the power went, and lack a disk: what stays stopped, and what force takes."""

import pytest

from backend.tests.providers.shop import Shop
from backend.tests.providers.test_md_growth import ours
from backend.tests.providers.test_md_members import SYNCED_S, adding, member, which
from lunette.domain.arrays import ArrayCreate, ArrayState, Level, ObservedArray, WriteHole
from lunette.domain.errors import Conflict, NotFound
from lunette.domain.sizes import MIB
from lunette.domain.steps import MdCreate, MdForceStart, MdMember
from lunette.providers.arrays.md import assemble
from lunette.providers.arrays.md import plan as md


@pytest.fixture
def shop() -> Shop:
    return Shop(6)


def made(shop: Shop, level: Level, disks: int, hole: WriteHole | None = None) -> MdCreate:
    found = [shop.observed(disk) for disk in shop.disks[:disks]]
    spec = ArrayCreate(name="tank", level=level, disks=tuple(disk.id for disk in found), write_hole=hole)
    members = [MdMember(disk_id=disk.id, serial=disk.serial) for disk in found]
    shop.do(create := md.create_step("a" * 8, "b" * 32, spec, members, [disk.size_bytes for disk in found]))
    shop.machine.advance(SYNCED_S)
    return create


def cut(shop: Shop, lost: int | None = 1) -> None:
    """A disk is lost, and the power goes while hosts write."""
    if lost is not None:
        shop.machine.pull(shop.disks[lost])
    shop.machine.md.cut_while_written()
    shop.machine.power_cut()


def start(shop: Shop, create: MdCreate) -> str | None:
    return assemble.assemble(shop.machine, ours(create), allow_degraded=True)


def array(shop: Shop) -> ObservedArray:
    (found,) = shop.agent.observe().arrays
    return found


def forcing(shop: Shop, create: MdCreate, *numbers: int) -> MdForceStart:
    array_id, uuid, name = which(create)
    members = tuple(member(shop, number) for number in numbers)
    return MdForceStart(array_id=array_id, uuid=uuid, md_name=name, members=members, of_disks=len(create.members))


@pytest.mark.parametrize(
    ("level", "disks", "hole"),
    [(Level.RAID4, 3, None), (Level.RAID5, 3, WriteHole.BITMAP), (Level.RAID6, 4, None)],
)
def test_dirty_and_degraded_it_stays_stopped_and_says_so(
    shop: Shop, level: Level, disks: int, hole: WriteHole | None
) -> None:
    create = made(shop, level, disks, hole)
    cut(shop)
    for _ in range(2):
        words = start(shop, create)
        assert words is not None
        assert f"stays stopped: it was being written to when it stopped, and 1 of its {disks} disks" in words
        assert "force-start" in words
        found = array(shop)
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
def test_what_md_can_put_right_starts_by_itself(
    shop: Shop, level: Level, disks: int, hole: WriteHole | None, lost: int | None
) -> None:
    create = made(shop, level, disks, hole)
    cut(shop, lost)
    assert not array(shop).dirty_without
    assert start(shop, create) is None


def test_with_its_disk_back_it_starts_and_there_is_nothing_to_force(shop: Shop) -> None:
    create = made(shop, Level.RAID6, 4)
    shop.machine.md.cut_while_written()
    shop.machine.power_cut()
    shop.machine.pull(shop.disks[1])
    step = forcing(shop, create, 0, 2, 3)
    assert start(shop, create) is not None
    shop.machine.insert(shop.disks[1])
    with pytest.raises(Conflict, match="has all its disks again"):
        shop.do(step)
    assert start(shop, create) is None
    assert array(shop).state is ArrayState.RESYNCING
    assert not shop.do(step), "it runs"


def test_a_disk_that_was_thrown_out_earlier_is_not_taken_back_by_force(shop: Shop) -> None:
    create = made(shop, Level.RAID5, 3, WriteHole.BITMAP)
    stale = member(shop, 1)
    cut(shop)
    shop.machine.insert(shop.disks[1])
    assert array(shop).dirty_without == (1,)
    step = forcing(shop, create, 0, 2)
    with pytest.raises(Conflict, match="different disks than"):
        shop.do(step.model_copy(update={"members": (*step.members, stale)}))
    assert shop.do(step)
    assert not shop.do(step)
    found = array(shop)
    assert found.state is ArrayState.DEGRADED
    assert stale.disk_id not in {one.disk_id for one in found.members if one.state == "in_sync"}


def test_it_is_forced_only_from_the_disks_that_were_named(shop: Shop) -> None:
    create = made(shop, Level.RAID6, 5)
    cut(shop)
    step = forcing(shop, create, 0, 2, 3, 4)
    shop.machine.pull(shop.disks[2])
    with pytest.raises(NotFound):
        shop.do(step)
    shop.machine.insert(shop.disks[2])
    with pytest.raises(Conflict, match="different disks than"):
        shop.do(step.model_copy(update={"members": step.members[:2]}))
    assert array(shop).state is ArrayState.MISSING


def test_a_disk_that_is_only_half_filled_counts_as_one_it_lacks(shop: Shop) -> None:
    create = made(shop, Level.RAID6, 4)
    shop.machine.pull(shop.disks[1])
    shop.do(adding(shop, create, 4, 64 * MIB))
    cut(shop, None)
    assert array(shop).dirty_without == (1,)
    assert start(shop, create) is not None
    assert shop.do(forcing(shop, create, 0, 2, 3))
