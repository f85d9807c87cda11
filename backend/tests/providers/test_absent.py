"""What an array waits for: a disk that is present without it is distinguished from a missing one."""

from backend.tests.fakemachine import FakeDisk, FakeSignature
from backend.tests.providers.rig import ARRAY_ID, ARRAY_UUID, Rig
from backend.tests.providers.test_zfs_steps import Farm
from lunette.domain.arrays import ArrayCreate, ArrayEngine, Level
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.lvm import assemble as lvm
from lunette.providers.arrays.lvm import plan as lvm_plan
from lunette.providers.arrays.md import assemble as md
from lunette.providers.arrays.zfs import assemble as zfs


def blank(disk: FakeDisk) -> None:
    disk.media.superblock = disk.media.pv = None
    disk.media.signatures = []
    disk.partitions.clear()


def format_ext4(disk: FakeDisk) -> None:
    blank(disk)
    disk.media.signatures = [FakeSignature("ext4", 0x438, label="data")]


def test_md_distinguishes_blank_disks_from_absent_ones() -> None:
    rig = Rig()
    create = rig.create()
    rig.do(create)
    array = rig.export_array(create, rig.group(create))
    first, second, third = (member.disk_id for member in create.members)
    rig.machine.reboot()
    blank(rig.disks[0])
    reported = md.assemble(rig.machine, array, allow_degraded=False)
    assert reported == f"waiting for array {array.name}: 2 of 3 disks present; disk {first} is present but blank"
    format_ext4(rig.disks[1])
    blank(rig.disks[2])
    reported = md.assemble(rig.machine, array, allow_degraded=False)
    assert reported == (
        f"waiting for array {array.name}: none of its 3 disks carries it; disk {first} is present but blank; disk "
        f"{second} is present, but it carries an ext4 signature (label data); disk {third} is present but blank"
    )
    for disk in rig.disks:
        rig.machine.pull(disk)
    reported = md.assemble(rig.machine, array, allow_degraded=False)
    assert reported == f"waiting for array {array.name}: none of its 3 disks is present"


def test_lvm_distinguishes_blank_disks_from_absent_ones() -> None:
    rig = Rig()
    found = [rig.observed(disk) for disk in rig.disks[:3]]
    spec = ArrayCreate(name="tank", engine=ArrayEngine.LVM, level=Level.RAID5, disks=tuple(disk.id for disk in found))
    step = lvm_plan.create_step(ARRAY_ID, ARRAY_UUID, spec, found)
    rig.do(step)
    array = ExportArray(
        array_id=ARRAY_ID,
        name="tank",
        engine=ArrayEngine.LVM,
        uuid=step.uuid,
        group="g",
        members=tuple(member.disk_id for member in step.members),
    )
    rig.machine.reboot()
    blank(rig.disks[0])
    reported = lvm.start(rig.machine, array, allow_degraded=False)
    assert reported == f"waiting for array tank: 2 of 3 disks present; disk {found[0].id} is present but blank"
    blank(rig.disks[1])
    blank(rig.disks[2])
    reported = lvm.start(rig.machine, array, allow_degraded=False) or ""
    assert reported.startswith(
        f"waiting for array tank: none of its 3 disks carries it; disk {found[0].id} is present but"
    )


def test_zfs_distinguishes_blank_disks_from_absent_ones() -> None:
    farm = Farm()
    step = farm.create_step
    array = ExportArray(
        array_id=ARRAY_ID, name="tank", engine=ArrayEngine.ZFS, uuid=step.guid, group=step.pool, members=step.devices()
    )
    farm.machine.reboot()
    blank(farm.disks[0])
    reported = zfs.start(farm.machine, array, allow_degraded=False)
    assert reported == f"waiting for array tank: 2 of 3 disks present; disk {array.members[0]} is present but blank"
    for disk in farm.disks[:3]:
        blank(disk)
    farm.machine.changed()
    reported = zfs.start(farm.machine, array, allow_degraded=False) or ""
    assert "none of its 3 disks carries it; disk" in reported
