"""Mirrors whose reads go to some of their disks: the agent keeps it so, whatever comes and goes."""

import pytest

from backend.tests.providers.shop import Shop
from backend.tests.providers.test_md_growth import ours
from backend.tests.providers.test_md_members import SYNCED_S, member, replacing, stand
from lunette.domain.arrays import ArrayEngine, Level
from lunette.domain.steps import MdCreate
from lunette.providers.arrays.machines import ARRAY_MACHINES


@pytest.fixture
def shop() -> Shop:
    return Shop(6)


def tend(shop: Shop, create: MdCreate, *numbers: int) -> set[str | None]:
    """Which members are write-mostly once the agent has looked after the array."""
    spec = ours(create).model_copy(update={"write_mostly": tuple(member(shop, number).disk_id for number in numbers)})
    ARRAY_MACHINES[ArrayEngine.MD].tend(shop.machine, spec)
    (array,) = shop.agent.observe().arrays
    return {one.disk_id for one in array.members if one.write_mostly}


def test_it_is_set_and_taken_away_and_outlives_a_restart(shop: Shop) -> None:
    create = stand(shop, Level.RAID1, 3)
    second = {member(shop, 1).disk_id}
    assert tend(shop, create) == set()
    assert tend(shop, create, 1) == second
    writes = len(shop.machine.faults.calls)
    assert tend(shop, create, 1) == second
    assert not [c for c in shop.machine.faults.calls[writes:] if "writemostly" in c.detail], "nothing is written twice"
    assert tend(shop, create, 2) == {member(shop, 2).disk_id}
    assert tend(shop, create) == set()


def test_a_disk_that_comes_for_another_takes_it_over_while_it_is_copied(shop: Shop) -> None:
    create = stand(shop, Level.RAID1, 2)
    tend(shop, create, 1)
    shop.do(replacing(shop, create, 1, 3))
    assert tend(shop, create, 1, 3) == {member(shop, 1).disk_id, member(shop, 3).disk_id}
    shop.machine.advance(SYNCED_S)
    assert member(shop, 3).disk_id in tend(shop, create, 1, 3)


@pytest.mark.parametrize(("level", "disks"), [(Level.RAID5, 3), (Level.RAID10, 4)])
def test_other_levels_are_left_alone(shop: Shop, level: Level, disks: int) -> None:
    create = stand(shop, level, disks)
    assert tend(shop, create, 1) == set()
