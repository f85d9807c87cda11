"""What the storage steps refuse: wrong disks, foreign things, things in use. The fault harness covers the rest."""

import pytest

from backend.tests.fakemachine import FakeSignature, Media, Partition
from backend.tests.fakemachine.lvm.groups import DEVICES_FILE
from backend.tests.providers.rig import Rig
from lunette.domain.arrays import ArrayState, Level, Raid10Layout, WriteHole
from lunette.domain.errors import Conflict, InUse, LunetteError, NoSpace, NotFound
from lunette.domain.sizes import GIB, MIB
from lunette.domain.steps import MemberDisk, VolumeDelete
from lunette.domain.volumes import VolumeEngine


@pytest.fixture
def rig() -> Rig:
    return Rig()


def carried(rig: Rig, number: int) -> list[str]:
    return [signature.type for signature in rig.observed(rig.disks[number]).signatures]


def commands(rig: Rig, tool: str) -> list[str]:
    return [call.detail for call in rig.machine.faults.calls if call.name == "run" and call.detail.startswith(tool)]


@pytest.mark.parametrize(
    ("level", "disks", "hole"),
    [
        (Level.RAID0, 2, WriteHole.NONE),
        (Level.RAID1, 2, WriteHole.BITMAP),
        (Level.RAID4, 3, WriteHole.BITMAP),
        (Level.RAID5, 3, WriteHole.PPL),
        (Level.RAID6, 4, WriteHole.BITMAP),
        (Level.RAID10, 4, WriteHole.BITMAP),
    ],
)
def test_every_level_is_created_and_recognized(rig: Rig, level: Level, disks: int, hole: WriteHole) -> None:
    step = rig.create(level, disks)
    assert rig.do(step)
    (array,) = rig.agent.observe().arrays
    assert (array.uuid, array.level, array.marked, array.write_hole) == (step.uuid, level.value, True, hole)
    assert array.state in (ArrayState.CLEAN, ArrayState.RESYNCING)
    assert [member.disk_id for member in array.members] == [member.disk_id for member in step.members]
    assert not rig.do(step)


@pytest.mark.parametrize("layout", list(Raid10Layout))
def test_raid10_is_made_in_each_layout_and_known_again_by_it(layout: Raid10Layout) -> None:
    rig = Rig(5)
    step = rig.create(Level.RAID10, 5, layout=layout)
    assert rig.do(step)
    (array,) = rig.agent.observe().arrays
    assert (array.layout, array.is_reshaping) == (layout.value, False)
    assert not rig.do(step)
    other = Raid10Layout.N2 if layout is not Raid10Layout.N2 else Raid10Layout.F2
    with pytest.raises(Conflict, match=f"not changed: it has layout {layout.value}, but {other.value} was planned"):
        rig.do(step.model_copy(update={"layout": other}))
    if layout is Raid10Layout.N2:
        assert not rig.do(step.model_copy(update={"layout": None})), "a step of before there was a choice"


def test_no_array_is_ever_assumed_clean_and_mdadm_never_asks(rig: Rig) -> None:
    rig.do(rig.create())
    (create,) = commands(rig, "mdadm --create")
    assert "--assume-clean" not in create
    assert "--run" in create


def test_a_member_with_a_file_system_is_refused_by_name(rig: Rig) -> None:
    step = rig.create()
    rig.disks[1].media.signatures = [FakeSignature("ext4", 1080, "photos", "u1")]
    rig.machine.changed()
    with pytest.raises(InUse, match=r"ext4.*photos"):
        rig.do(step)
    assert carried(rig, 0) == []


@pytest.mark.parametrize("how", ["mount", "swap", "partition"])
def test_a_member_in_use_is_refused(rig: Rig, how: str) -> None:
    step = rig.create()
    disk = rig.disks[2]
    if how == "mount":
        disk.mount = "/home"
    elif how == "swap":
        disk.is_swap = True
    else:
        disk.partitions = [Partition(1, Media(64 * MIB))]
    rig.machine.changed()
    with pytest.raises(InUse):
        rig.do(step)
    assert carried(rig, 0) == []


def test_a_member_that_was_exchanged_is_refused(rig: Rig) -> None:
    step = rig.create()
    wrong = step.model_copy(
        update={"members": (*step.members[:2], MemberDisk(disk_id=step.members[2].disk_id, serial="X"))}
    )
    with pytest.raises(Conflict, match="the drive was replaced"):
        rig.do(wrong)
    assert carried(rig, 0) == []


def test_a_member_that_was_pulled_is_refused(rig: Rig) -> None:
    step = rig.create()
    rig.machine.pull(rig.disks[0])
    with pytest.raises(NotFound):
        rig.do(step)
    assert carried(rig, 1) == []


def test_a_member_that_is_open_is_refused(rig: Rig) -> None:
    step = rig.create()
    rig.machine.blocks.open_exclusively(f"/dev/{rig.disks[1].kernel_name}", "dd")
    with pytest.raises(LunetteError):
        rig.do(step)
    assert carried(rig, 0) == []


def test_a_member_of_another_array_is_refused_and_its_superblock_unchanged(rig: Rig) -> None:
    rig.do(rig.create())
    other = rig.create(disks=4).model_copy(update={"uuid": "d" * 32, "md_name": "a2"})
    with pytest.raises(InUse):
        rig.do(other)
    assert [array.uuid for array in rig.agent.observe().arrays] == [rig.create().uuid]


def test_an_array_of_another_shape_under_our_uuid_is_left_alone(rig: Rig) -> None:
    step = rig.create()
    rig.do(step)
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(step.model_copy(update={"level": Level.RAID0}))
    assert rig.agent.observe().arrays[0].level == "raid5"


def test_undo_reverts_only_its_own_change(rig: Rig) -> None:
    step = rig.create()
    rig.do(step)
    assert not rig.undo(step.model_copy(update={"uuid": "e" * 32}))
    assert len(rig.agent.observe().arrays) == 1
    assert rig.undo(step)
    assert rig.agent.observe().arrays == ()
    assert [carried(rig, number) for number in range(3)] == [[], [], []]
    assert not rig.undo(step)


def test_an_array_with_a_group_is_neither_undone_nor_destroyed(rig: Rig) -> None:
    step = rig.create()
    rig.do(step)
    rig.do(rig.group(step))
    with pytest.raises(InUse):
        rig.undo(step)
    with pytest.raises(InUse):
        rig.do(rig.destroy(step))
    assert rig.agent.observe().arrays[0].state in (ArrayState.CLEAN, ArrayState.RESYNCING)


def test_an_array_with_a_group_is_not_undone_even_while_it_is_down(rig: Rig) -> None:
    """A job from an old database must not eat an array that has been in use since."""
    step = rig.create()
    rig.do(step)
    rig.do(rig.group(step))
    rig.machine.reboot()
    with pytest.raises(InUse):
        rig.undo(step)
    assert carried(rig, 0) == ["linux_raid_member"]


def test_an_array_that_was_written_and_lost_a_disk_is_not_recreated(rig: Rig) -> None:
    step = rig.create()
    rig.do(step)
    for disk in rig.disks[:3]:
        assert disk.media.superblock is not None
        disk.media.superblock.events = 7
    rig.machine.reboot()
    rig.disks[0].media.superblock = None
    rig.machine.changed()
    assert carried(rig, 0) == []
    with pytest.raises(Conflict, match="ran before"):
        rig.do(step)
    assert carried(rig, 1) == ["linux_raid_member"]


def test_a_creation_cut_short_is_recreated(rig: Rig) -> None:
    step = rig.create()
    rig.do(step)
    for disk in rig.disks[:3]:
        assert disk.media.superblock is not None
        disk.media.superblock.events = 0
    rig.machine.reboot()
    rig.disks[0].media.superblock = None
    rig.machine.changed()
    assert rig.do(step)
    assert [member.state for member in rig.agent.observe().arrays[0].members] == ["in_sync"] * 3


def test_a_complete_array_that_is_down_is_started_not_recreated(rig: Rig) -> None:
    step = rig.create()
    rig.do(step)
    rig.do(rig.group(step))
    rig.machine.reboot()
    assert not rig.do(step)
    assert [pool.group for pool in rig.agent.observe().groups] == [rig.group(step).group]


def test_a_volume_is_cut_blank_sealed_and_then_never_undone(rig: Rig) -> None:
    cut = rig.volume()
    (volume,) = rig.agent.observe().volumes
    assert (volume.volume_id, volume.size_bytes, volume.sealed) == (cut.volume_id, cut.size_bytes, True)
    assert not rig.do(cut)
    with pytest.raises(InUse, match="sealed"):
        rig.undo(cut)


def test_what_an_earlier_volume_left_is_not_seen(rig: Rig) -> None:
    cut = rig.volume()
    device = f"/dev/{cut.group}/{cut.backing_name}"
    for offset in (0, 5 * MIB, 64 * MIB - 4096):
        rig.machine.write_data(device, offset, "secret of another host")
    rig.do(
        VolumeDelete(
            engine=VolumeEngine.LVM,
            volume_id=cut.volume_id,
            group=cut.group,
            backing_name=cut.backing_name,
            size_bytes=cut.size_bytes,
        )
    )
    rig.do(cut)
    assert [rig.machine.read_data(device, offset) for offset in (0, 5 * MIB, 64 * MIB - 4096)] == [None] * 3


def test_a_sealed_volume_is_never_wiped_by_a_repeated_cut(rig: Rig) -> None:
    cut = rig.volume()
    device = f"/dev/{cut.group}/{cut.backing_name}"
    rig.machine.write_data(device, 0, "data of a host")
    rig.do(cut)
    assert rig.machine.read_data(device, 0) == "data of a host"


def test_a_volume_that_does_not_fit_is_refused_with_what_is_left(rig: Rig) -> None:
    step = rig.create()
    group = rig.group(step)
    rig.do(step)
    rig.do(group)
    with pytest.raises(NoSpace, match=r"3\.96 GiB free"):
        rig.do(rig.cut(group, 64 * GIB))
    assert rig.agent.observe().volumes == ()


def test_another_volume_under_the_same_name_is_left_alone(rig: Rig) -> None:
    cut = rig.volume()
    foreign = cut.model_copy(update={"volume_id": "dddddddd-0000-4000-8000-000000000004"})
    delete = VolumeDelete(
        engine=VolumeEngine.LVM,
        volume_id=foreign.volume_id,
        group=cut.group,
        backing_name=cut.backing_name,
        size_bytes=1,
    )
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(foreign)
    with pytest.raises(Conflict, match="was not changed"):
        rig.undo(foreign)
    with pytest.raises(Conflict, match="was not changed"):
        rig.do(delete)
    assert len(rig.agent.observe().volumes) == 1


def test_where_lvm_uses_no_list_of_devices_none_is_begun(rig: Rig) -> None:
    """As Debian's LVM is: a list with our device alone would hide every other volume group."""
    rig.machine.lvm.uses_devices_file = False
    create = rig.create()
    rig.do(create)
    group = rig.group(create)
    rig.do(group)
    rig.do(rig.cut(group))
    assert rig.machine.files.read(DEVICES_FILE) == b""
    assert commands(rig, "lvm lvmdevices") == []
    assert [found.name for found, _ in rig.machine.lvm.vgs()] == [group.group]


def test_a_group_with_volumes_is_not_removed(rig: Rig) -> None:
    cut = rig.volume()
    with pytest.raises(InUse, match="volumes"):
        rig.undo(rig.group(rig.create()))
    assert [volume.name for volume in rig.agent.observe().volumes] == [cut.backing_name]


def test_a_wipe_takes_exactly_what_was_named(rig: Rig) -> None:
    disk = rig.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    rig.machine.changed()
    step = rig.wipe(disk)
    disk.media.signatures.append(FakeSignature("zfs_member", 262144, "pool", "u4"))
    rig.machine.changed()
    with pytest.raises(InUse, match="zfs_member"):
        rig.do(step)
    assert sorted(carried(rig, 0)) == ["ext4", "zfs_member"]
    assert rig.do(rig.wipe(disk))
    assert carried(rig, 0) == []
    assert not rig.do(step)


def test_partitions_the_kernel_still_shows_are_dropped(rig: Rig) -> None:
    """While udev probes a partition the kernel keeps it, though its table is wiped."""
    disk = rig.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "data", "u1")]
    disk.partitions = [Partition(1, Media(GIB))]
    rig.machine.changed()
    assert rig.do(rig.wipe(disk))
    found = rig.observed(disk)
    assert (found.signatures, found.partitions) == ((), 0)
    assert len(commands(rig, "blockdev --rereadpt")) == 1


def test_a_wipe_of_an_exchanged_or_used_disk_is_refused(rig: Rig) -> None:
    disk = rig.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    rig.machine.changed()
    step = rig.wipe(disk)
    with pytest.raises(Conflict, match="the drive was replaced"):
        rig.do(step.model_copy(update={"serial": "another"}))
    with pytest.raises(Conflict, match="bytes"):
        rig.do(step.model_copy(update={"size_bytes": 1}))
    disk.mount = "/data"
    rig.machine.changed()
    with pytest.raises(InUse, match="/data"):
        rig.do(step)
    assert carried(rig, 0) == ["ext4"]


def test_a_disk_with_a_partition_in_hidden_use_is_not_wiped(rig: Rig) -> None:
    """A container or a virtual machine may have it open: no mount of ours tells, but the kernel refuses to share it."""
    disk = rig.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "data", "u1")]
    disk.partitions = [Partition(1, Media(GIB)), Partition(2, Media(GIB))]
    disk.partitions[0].media.signatures = [FakeSignature("vfat", 82, "EFI", "u2")]
    rig.machine.changed()
    step = rig.wipe(disk)
    rig.machine.blocks.open_exclusively(f"/dev/{disk.partition_name(2)}", "another container")
    with pytest.raises(InUse, match="has it open"):
        rig.do(step)
    assert carried(rig, 0) == ["ext4"]
    assert [signature.type for signature in disk.partitions[0].media.signatures] == ["vfat"]


def test_what_is_wiped_or_deleted_does_not_come_back(rig: Rig) -> None:
    with pytest.raises(Conflict, match="cannot be undone"):
        rig.undo(rig.wipe(rig.disks[0]))
