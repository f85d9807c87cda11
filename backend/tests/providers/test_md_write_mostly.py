"""Mirrors whose reads go to some of their disks: the agent keeps it so, whatever comes and goes."""

import pytest

from backend.tests.providers.rig import Rig
from backend.tests.providers.test_md_growth import ours
from backend.tests.providers.test_md_members import SYNCED_S, member, replacing, stand
from lunette.domain.arrays import ArrayEngine, Level
from lunette.domain.steps import MdCreate
from lunette.providers.arrays.machines import ARRAY_MACHINES


@pytest.fixture
def rig() -> Rig:
    return Rig(6)


def tend(rig: Rig, create: MdCreate, *numbers: int) -> set[str | None]:
    """Which members are write-mostly once the agent has looked after the array."""
    spec = ours(create).model_copy(update={"write_mostly": tuple(member(rig, number).disk_id for number in numbers)})
    ARRAY_MACHINES[ArrayEngine.MD].tend(rig.machine, spec)
    (array,) = rig.agent.observe().arrays
    return {one.disk_id for one in array.members if one.write_mostly}


def test_it_is_set_and_taken_away_and_outlives_a_restart(rig: Rig) -> None:
    create = stand(rig, Level.RAID1, 3)
    second = {member(rig, 1).disk_id}
    assert tend(rig, create) == set()
    assert tend(rig, create, 1) == second
    writes = len(rig.machine.faults.calls)
    assert tend(rig, create, 1) == second
    assert not [c for c in rig.machine.faults.calls[writes:] if "writemostly" in c.detail], "nothing is written twice"
    assert tend(rig, create, 2) == {member(rig, 2).disk_id}
    assert tend(rig, create) == set()


def test_a_replacement_disk_takes_over_while_the_old_one_is_copied(rig: Rig) -> None:
    create = stand(rig, Level.RAID1, 2)
    tend(rig, create, 1)
    rig.do(replacing(rig, create, 1, 3))
    assert tend(rig, create, 1, 3) == {member(rig, 1).disk_id, member(rig, 3).disk_id}
    rig.machine.advance(SYNCED_S)
    assert member(rig, 3).disk_id in tend(rig, create, 1, 3)


@pytest.mark.parametrize(("level", "disks"), [(Level.RAID5, 3), (Level.RAID10, 4)])
def test_other_levels_are_left_alone(rig: Rig, level: Level, disks: int) -> None:
    create = stand(rig, level, disks)
    assert tend(rig, create, 1) == set()
