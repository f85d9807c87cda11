"""What runs is never wiped, whatever name leads to it: the content of a disk is compared with all that is in use."""

from dataclasses import replace

import pytest

from backend.tests.fakemachine import FakeDisk, FakeSignature, FakeSystem, Media
from backend.tests.fakemachine.block.devices import Device, Partition
from backend.tests.fakemachine.block.media import LuksHeader, PvLabel, Superblock
from backend.tests.providers.rig import Rig
from backend.tests.providers.test_zfs_steps import Farm
from lunette.domain.arrays import Level
from lunette.domain.disk_health import EraseMethod
from lunette.domain.errors import InUse, ToolFailed
from lunette.domain.steps import DiskErase, DiskWipe


def under_another_name(machine: FakeSystem, disk: FakeDisk) -> FakeDisk:
    """A further path to a drive, behind a bridge that makes up another serial and WWN."""
    parts = [Partition(part.number, part.media, label=part.label) for part in disk.partitions]
    path = replace(
        disk, kernel_name="sdz", serial="BRIDGE1", wwn="0x5000c50000000999", transport="sata", partitions=parts
    )
    return machine.add_disk(path)


def wipe_of(rig: Rig, disk: FakeDisk) -> DiskWipe:
    found = rig.observed(disk)
    return DiskWipe(disk_id=found.id, serial=found.serial, size_bytes=found.size_bytes, signatures=found.signatures)


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_the_second_path_of_a_member_of_a_running_array_is_not_wiped(rig: Rig) -> None:
    rig.do(rig.create())
    path = under_another_name(rig.machine, rig.disks[0])
    with pytest.raises(InUse, match=r"superblock of nvme1n1, a member of the running array md"):
        rig.do(wipe_of(rig, path))
    assert rig.disks[0].media.superblock


def test_the_second_path_of_a_drive_is_not_wiped_and_no_second_member(rig: Rig) -> None:
    (first, second) = rig.machine.add_disks(2, transport="sas")
    second.serial, second.wwn, second.media = first.serial, first.wwn, first.media
    first.media.signatures.append(FakeSignature("ext4", 0x438, label="data"))
    rig.machine.changed()
    disks = {disk.kernel_name: disk for disk in rig.agent.observe().disks}
    (path,) = [disk for disk in disks.values() if disk.other_path_of]
    assert (path.signatures, path.array_uuid) == ((), None)
    wipe = DiskWipe(disk_id=path.id, serial=path.serial, size_bytes=path.size_bytes, signatures=())
    with pytest.raises(InUse, match="second path of disk"):
        rig.do(wipe)
    assert first.media.signatures


def test_a_disk_that_left_a_running_array_can_be_wiped(rig: Rig) -> None:
    rig.do(rig.create())
    rig.machine.pull(rig.disks[0])
    rig.machine.insert(rig.disks[0])
    assert rig.disks[0].media.superblock
    assert rig.do(wipe_of(rig, rig.disks[0]))
    assert rig.disks[0].media.superblock is None


def test_a_member_is_not_wiped_where_it_cannot_be_distinguished_from_those_that_run(rig: Rig) -> None:
    """Superblocks of version 0.90 name the array and no member."""
    step = rig.create()
    rig.do(step)
    running = rig.disks[0].media.superblock
    assert running
    other = rig.machine.add_disk(
        replace(rig.disks[3], kernel_name="sdy", serial="OTHER", wwn="0x5000c50000000777", media=Media(2**31))
    )
    other.media.superblock = Superblock(running.geometry, 0, "0" * 32)
    rig.machine.tools.add("blkid", lambda _argv: (8, "", ""))
    with pytest.raises(InUse, match="running array"):
        rig.do(wipe_of(rig, other))


def test_the_second_path_of_a_disk_in_an_imported_pool_is_not_wiped() -> None:
    farm = Farm()
    path = under_another_name(farm.machine, farm.disks[0])
    with pytest.raises(InUse, match="label of a disk of the imported pool"):
        farm.do(wipe_of(farm, path))
    assert path.partitions[0].media.zfs


def test_no_disk_with_a_zfs_label_is_wiped_while_a_pool_cannot_be_read() -> None:
    farm = Farm()
    path = under_another_name(farm.machine, farm.disks[0])
    step = wipe_of(farm, path)
    farm.machine.tools.add("zpool", lambda _argv: (0, '{"pools": {"tank": {"name": "tank"}}}', ""))
    with pytest.raises(InUse, match=r"ZFS label, and the pool .* cannot be read"):
        farm.do(step)
    assert path.partitions[0].media.zfs


def test_a_disk_that_an_imported_pool_does_without_can_be_wiped() -> None:
    farm = Farm()
    old = farm.disks[3]
    label = farm.disks[0].partitions[0].media.zfs
    assert label
    part = Media(2**30, zfs=replace(label, vdev_guid=4711))
    old.partitions = [Partition(1, part)]
    old.media.signatures.append(FakeSignature("gpt", 512, usage="partition-table"))
    farm.machine.changed()
    assert farm.do(wipe_of(farm, old))
    assert part.zfs is None


@pytest.mark.parametrize("is_erase", [False, True])
def test_a_physical_volume_of_an_active_group_is_not_wiped_and_not_erased(rig: Rig, is_erase: bool) -> None:
    step = rig.create(Level.RAID1, 2)
    rig.do(step)
    rig.do(rig.group(step))
    rig.do(rig.cut(rig.group(step)))
    (pv,) = [device.media.pv for device in rig.machine.blocks.stacked.values() if device.media and device.media.pv]
    rig.disks[3].media.pv = PvLabel(pv.uuid, vg=pv.vg)
    rig.machine.changed()
    wipe: DiskWipe | DiskErase = wipe_of(rig, rig.disks[3])
    if is_erase:
        more = {"erase_id": "e1", "method": EraseMethod.FORMAT, "kind": "disk.erase"}
        wipe = DiskErase.model_validate(wipe.model_dump() | more)
    with pytest.raises(InUse, match="physical volume of the volume group lunette-"):
        rig.do(wipe)
    assert rig.disks[3].media.pv is not None


@pytest.mark.parametrize(
    "said",
    [
        "  a line of advice\n",
        '{"report": [{"pv": []}]}',
        '{"report": [{"pv": [{"pv_uuid": "a-b", "vg_name": ""}]}]}',
        '{"report": [{"pv": [{"pv_uuid": "a-b", "vg_name": null}]}]}',
    ],
)
def test_nothing_with_a_physical_volume_is_wiped_while_lvm_does_not_report_active_volumes(rig: Rig, said: str) -> None:
    step = rig.create(Level.RAID1, 2)
    rig.do(step)
    rig.do(rig.group(step))
    rig.do(rig.cut(rig.group(step)))
    rig.disks[3].media.pv = PvLabel("abcdef-abcd-abcd-abcd-abcd-abcd-abcdef")
    rig.machine.changed()
    wipe = wipe_of(rig, rig.disks[3])
    rig.machine.tools.add("pvs", lambda _argv: (0, said, ""))
    with pytest.raises(ToolFailed, match="nothing was wiped"):
        rig.do(wipe)
    assert rig.disks[3].media.pv is not None


def test_the_second_path_of_a_mounted_file_system_is_not_wiped(rig: Rig) -> None:
    rig.disks[0].media.signatures.append(FakeSignature("btrfs", 65536, "data", "b-1"))
    path = under_another_name(rig.machine, rig.disks[0])
    wipe = wipe_of(rig, path)
    rig.disks[0].mount = "/srv"
    rig.machine.changed()
    with pytest.raises(InUse, match="btrfs of nvme1n1, which is mounted at /srv"):
        rig.do(wipe)
    rig.disks[0].mount = None
    rig.machine.changed()
    assert rig.do(wipe)


def test_the_second_path_of_an_open_encrypted_device_is_not_wiped(rig: Rig) -> None:
    disk = rig.disks[0]
    disk.media.luks = LuksHeader("l-1", "", ["key"], Media(2**30))
    path = under_another_name(rig.machine, disk)
    wipe = wipe_of(rig, path)
    rig.machine.blocks.stacked["dm-9"] = Device(
        "dm-9", "crypt", 2**30, ["/dev/mapper/secret"], below=[disk.kernel_name]
    )
    rig.machine.changed()
    with pytest.raises(InUse, match="crypto_LUKS of nvme1n1, which dm-9 is built on"):
        rig.do(wipe)
