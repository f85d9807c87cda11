"""A pool keeps the paths its disks had; udev may have moved such a link to the other LUN of a drive since."""

import pytest

from backend.tests.fakemachine import FakeDisk
from backend.tests.providers.rig import ARRAY_ID
from backend.tests.providers.test_zfs_steps import Farm, pool_step
from lunette.domain.arrays import ArrayState
from lunette.domain.steps import MemberDisk, PoolReplace


class Twins(Farm):
    """A raidz1 of a drive with two actuators and another one. Its path for the first is a link both LUNs share."""

    def __init__(self) -> None:
        super().__init__(lambda rig: pool_step(rig, rig.machine.add_disks(4, "sas")[:3]))
        self.lun, self.twin, self.third, self.blank = self.machine.blocks.disks[-4:]
        self.shared, self.twin.serial = self.lun.links()[1], self.lun.serial
        self.move_link(to=self.lun)
        (pool,) = self.machine.zfs.imported.values()
        guid = pool.data.slots[0]
        pool.data.paths[guid] = f"/dev/disk/by-id/{self.shared}-part1"

    def move_link(self, *, to: FakeDisk) -> None:
        for disk in (self.lun, self.twin):
            disk.given_up = set() if disk is to else {self.shared}


@pytest.fixture
def farm() -> Twins:
    return Twins()


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_member_is_the_disk_with_its_label_wherever_the_shared_link_leads(farm: Twins, is_moved: bool) -> None:
    farm.move_link(to=farm.twin if is_moved else farm.lun)
    names = [disk.links()[0] for disk in (farm.lun, farm.twin, farm.third)]
    found = farm.pool()
    assert [member.disk_id for member in found.members] == names
    assert found.state is ArrayState.CLEAN
    step, new = farm.create_step, farm.observed(farm.blank)
    old = MemberDisk(disk_id=names[0], serial=farm.lun.serial)
    replace = PoolReplace(
        array_id=ARRAY_ID,
        guid=step.guid,
        pool=step.pool,
        old=old,
        disk_bytes=1,
        new=MemberDisk(disk_id=new.id, serial=new.serial),
    )
    assert farm.do(replace), "a step finds the disk by its name of today"
    (pool,) = farm.machine.zfs.imported.values()
    assert pool.filling[0].disk is farm.blank


def test_labels_are_read_only_where_a_link_says_too_little(farm: Twins) -> None:
    def read() -> list[str]:
        before = len(farm.machine.faults.calls)
        farm.pool()
        return [call.detail for call in farm.machine.faults.calls[before:] if call.detail.startswith("blkid")]

    assert [command.rpartition(" ")[2] for command in read()] == [f"/dev/{farm.lun.kernel_name}1"]
    (pool,) = farm.machine.zfs.imported.values()
    pool.data.paths[pool.data.slots[0]] = f"/dev/disk/by-id/{farm.lun.links()[0]}-part1"
    assert read() == []
    pool.data.paths[pool.data.slots[0]] = f"/dev/disk/by-id/{farm.shared}-part1"
    farm.lun.transport = farm.twin.transport = "iscsi"
    farm.machine.changed()
    assert read() == [], "a drive over a fabric is never read"


def test_a_missing_member_is_not_confused_with_the_lun_that_has_its_link_now(farm: Twins) -> None:
    farm.machine.pull(farm.lun)
    farm.move_link(to=farm.twin)
    found = farm.pool()
    assert [(member.disk_id, member.state) for member in found.members][1:] == [
        (farm.twin.links()[0], "in_sync"),
        (farm.third.links()[0], "in_sync"),
    ]
    assert (found.members[0].disk_id, found.members[0].state) == (farm.shared, "missing")
    assert found.state is ArrayState.DEGRADED


def test_a_pool_whose_members_are_recorded_by_other_links_is_imported(farm: Twins) -> None:
    farm.machine.reboot()
    members = tuple(MemberDisk(disk_id=disk.links()[1], serial="") for disk in (farm.lun, farm.third))
    kept = farm.create_step.members[1]
    farm.create_step = farm.create_step.model_copy(update={"members": (members[0], kept, members[1])})
    assert farm.bring_up() is None
    assert farm.pool().state is ArrayState.CLEAN
