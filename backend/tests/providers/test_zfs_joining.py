"""A power cut between `zpool add` and the record of the new members."""

import pytest

from backend.tests.providers.rig import ARRAY_ID
from backend.tests.providers.test_zfs_steps import Farm
from lunette.domain.arrays import ArrayEngine, MemberRole
from lunette.domain.exports import ExportArray
from lunette.domain.steps import MemberDisk, PoolAddSpecial
from lunette.providers.arrays.zfs import assemble, joining


@pytest.fixture
def farm() -> Farm:
    return Farm()


def special_step(farm: Farm) -> PoolAddSpecial:
    """The fourth disk for the pool's metadata."""
    step, new = farm.create_step, farm.observed(farm.disks[3])
    return PoolAddSpecial(
        array_id=ARRAY_ID,
        guid=step.guid,
        pool=step.pool,
        role=MemberRole.SPECIAL,
        members=(MemberDisk(disk_id=new.id, serial=new.serial),),
    )


def test_a_power_cut_before_a_special_disk_is_recorded_prevents_no_pool_from_starting(farm: Farm) -> None:
    step = special_step(farm)
    assert farm.do(step)
    farm.machine.power_cut()
    farm.boot()
    assert farm.bring_up() is None, "its own label says that it is in the pool"
    assert not farm.do(step), "what is repeated after the restart finds it there"


def test_a_disk_that_was_only_announced_is_not_read(farm: Farm) -> None:
    joining.announce(farm.machine, farm.create_step.guid, [special_step(farm).members[0].disk_id])
    farm.machine.power_cut()
    farm.boot()
    assert farm.bring_up() is None
    assert special_step(farm).members[0].disk_id not in farm.imports()[-1]


def test_what_is_recorded_is_not_announced_any_more(farm: Farm) -> None:
    step = special_step(farm)
    farm.do(step)
    recorded = ExportArray(
        array_id=ARRAY_ID,
        name="tank",
        engine=ArrayEngine.ZFS,
        uuid=step.guid,
        group=step.pool,
        members=(*farm.create_step.devices(), *step.devices()),
    )
    assemble.tend(farm.machine, recorded)
    assert [name for name in farm.machine.listdir("/var/lib/lunette/agent") if name.startswith("joining")] == []
