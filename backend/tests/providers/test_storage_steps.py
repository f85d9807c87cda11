"""What the storage steps refuse: wrong disks, foreign things, things in use. The fault harness covers the rest."""

import pytest

from backend.tests.fakemachine import FakeSignature, Media, Partition
from backend.tests.fakemachine.lvm.groups import DEVICES_FILE
from backend.tests.providers.shop import Shop
from lunette.domain.arrays import ArrayState, Level, Raid10Layout, WriteHole
from lunette.domain.errors import Conflict, InUse, LunetteError, NoSpace, NotFound
from lunette.domain.sizes import GIB, MIB
from lunette.domain.steps import MdMember, VolumeDelete
from lunette.domain.volumes import VolumeEngine


@pytest.fixture
def shop() -> Shop:
    return Shop()


def carried(shop: Shop, number: int) -> list[str]:
    return [signature.type for signature in shop.observed(shop.disks[number]).signatures]


def commands(shop: Shop, tool: str) -> list[str]:
    return [call.detail for call in shop.machine.faults.calls if call.name == "run" and call.detail.startswith(tool)]


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
def test_every_level_is_made_and_recognised(shop: Shop, level: Level, disks: int, hole: WriteHole) -> None:
    step = shop.create(level, disks)
    assert shop.do(step)
    (array,) = shop.agent.observe().arrays
    assert (array.uuid, array.level, array.marked, array.write_hole) == (step.uuid, level.value, True, hole)
    assert array.state in (ArrayState.CLEAN, ArrayState.RESYNCING)
    assert [member.disk_id for member in array.members] == [member.disk_id for member in step.members]
    assert not shop.do(step)


@pytest.mark.parametrize("layout", list(Raid10Layout))
def test_raid10_is_made_in_each_layout_and_known_again_by_it(layout: Raid10Layout) -> None:
    shop = Shop(5)
    step = shop.create(Level.RAID10, 5, layout=layout)
    assert shop.do(step)
    (array,) = shop.agent.observe().arrays
    assert (array.layout, array.is_reshaping) == (layout.value, False)
    assert not shop.do(step)
    other = Raid10Layout.N2 if layout is not Raid10Layout.N2 else Raid10Layout.F2
    with pytest.raises(Conflict, match=f"not changed: it has layout {layout.value}, but {other.value} was planned"):
        shop.do(step.model_copy(update={"layout": other}))
    if layout is Raid10Layout.N2:
        assert not shop.do(step.model_copy(update={"layout": None})), "a step of before there was a choice"


def test_no_array_is_ever_assumed_clean_and_mdadm_never_asks(shop: Shop) -> None:
    shop.do(shop.create())
    (create,) = commands(shop, "mdadm --create")
    assert "--assume-clean" not in create
    assert "--run" in create


def test_a_member_with_a_file_system_is_refused_by_name(shop: Shop) -> None:
    step = shop.create()
    shop.disks[1].media.signatures = [FakeSignature("ext4", 1080, "photos", "u1")]
    shop.machine.changed()
    with pytest.raises(InUse, match=r"ext4.*photos"):
        shop.do(step)
    assert carried(shop, 0) == []


@pytest.mark.parametrize("how", ["mount", "swap", "partition"])
def test_a_member_in_use_is_refused(shop: Shop, how: str) -> None:
    step = shop.create()
    disk = shop.disks[2]
    if how == "mount":
        disk.mount = "/home"
    elif how == "swap":
        disk.is_swap = True
    else:
        disk.partitions = [Partition(1, Media(64 * MIB))]
    shop.machine.changed()
    with pytest.raises(InUse):
        shop.do(step)
    assert carried(shop, 0) == []


def test_a_member_that_was_exchanged_is_refused(shop: Shop) -> None:
    step = shop.create()
    wrong = step.model_copy(
        update={"members": (*step.members[:2], MdMember(disk_id=step.members[2].disk_id, serial="X"))}
    )
    with pytest.raises(Conflict, match="the drive was replaced"):
        shop.do(wrong)
    assert carried(shop, 0) == []


def test_a_member_that_was_pulled_is_refused(shop: Shop) -> None:
    step = shop.create()
    shop.machine.pull(shop.disks[0])
    with pytest.raises(NotFound):
        shop.do(step)
    assert carried(shop, 1) == []


def test_a_member_somebody_holds_is_refused(shop: Shop) -> None:
    step = shop.create()
    shop.machine.blocks.open_exclusively(f"/dev/{shop.disks[1].kernel_name}", "dd")
    with pytest.raises(LunetteError):
        shop.do(step)
    assert carried(shop, 0) == []


def test_a_member_of_another_array_is_refused_and_keeps_its_superblock(shop: Shop) -> None:
    shop.do(shop.create())
    other = shop.create(disks=4).model_copy(update={"uuid": "d" * 32, "md_name": "a2"})
    with pytest.raises(InUse):
        shop.do(other)
    assert [array.uuid for array in shop.agent.observe().arrays] == [shop.create().uuid]


def test_an_array_of_another_shape_under_our_uuid_is_left_alone(shop: Shop) -> None:
    step = shop.create()
    shop.do(step)
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(step.model_copy(update={"level": Level.RAID0}))
    assert shop.agent.observe().arrays[0].level == "raid5"


def test_undo_takes_back_only_its_own(shop: Shop) -> None:
    step = shop.create()
    shop.do(step)
    assert not shop.undo(step.model_copy(update={"uuid": "e" * 32}))
    assert len(shop.agent.observe().arrays) == 1
    assert shop.undo(step)
    assert shop.agent.observe().arrays == ()
    assert [carried(shop, number) for number in range(3)] == [[], [], []]
    assert not shop.undo(step)


def test_an_array_with_a_group_is_neither_undone_nor_destroyed(shop: Shop) -> None:
    step = shop.create()
    shop.do(step)
    shop.do(shop.group(step))
    with pytest.raises(InUse):
        shop.undo(step)
    with pytest.raises(InUse):
        shop.do(shop.destroy(step))
    assert shop.agent.observe().arrays[0].state in (ArrayState.CLEAN, ArrayState.RESYNCING)


def test_an_array_with_a_group_is_not_undone_even_while_it_is_down(shop: Shop) -> None:
    """A job from an old database must not eat an array that has been in use since."""
    step = shop.create()
    shop.do(step)
    shop.do(shop.group(step))
    shop.machine.reboot()
    with pytest.raises(InUse):
        shop.undo(step)
    assert carried(shop, 0) == ["linux_raid_member"]


def test_an_array_that_was_written_and_lost_a_disk_is_not_made_anew(shop: Shop) -> None:
    step = shop.create()
    shop.do(step)
    for disk in shop.disks[:3]:
        assert disk.media.superblock is not None
        disk.media.superblock.events = 7
    shop.machine.reboot()
    shop.disks[0].media.superblock = None
    shop.machine.changed()
    assert carried(shop, 0) == []
    with pytest.raises(Conflict, match="ran before"):
        shop.do(step)
    assert carried(shop, 1) == ["linux_raid_member"]


def test_a_creation_cut_short_is_made_anew(shop: Shop) -> None:
    step = shop.create()
    shop.do(step)
    for disk in shop.disks[:3]:
        assert disk.media.superblock is not None
        disk.media.superblock.events = 0
    shop.machine.reboot()
    shop.disks[0].media.superblock = None
    shop.machine.changed()
    assert shop.do(step)
    assert [member.state for member in shop.agent.observe().arrays[0].members] == ["in_sync"] * 3


def test_a_complete_array_that_is_down_is_started_not_made_anew(shop: Shop) -> None:
    step = shop.create()
    shop.do(step)
    shop.do(shop.group(step))
    shop.machine.reboot()
    assert not shop.do(step)
    assert [pool.group for pool in shop.agent.observe().pools] == [shop.group(step).group]


def test_a_volume_is_cut_blank_sealed_and_then_never_taken_back(shop: Shop) -> None:
    cut = shop.volume()
    (volume,) = shop.agent.observe().volumes
    assert (volume.volume_id, volume.size_bytes, volume.sealed) == (cut.volume_id, cut.size_bytes, True)
    assert not shop.do(cut)
    with pytest.raises(InUse, match="sealed"):
        shop.undo(cut)


def test_what_an_earlier_volume_left_is_not_seen(shop: Shop) -> None:
    cut = shop.volume()
    device = f"/dev/{cut.group}/{cut.lv_name}"
    for offset in (0, 5 * MIB, 64 * MIB - 4096):
        shop.machine.write_data(device, offset, "secret of another host")
    shop.do(
        VolumeDelete(
            engine=VolumeEngine.LVM,
            volume_id=cut.volume_id,
            group=cut.group,
            lv_name=cut.lv_name,
            size_bytes=cut.size_bytes,
        )
    )
    shop.do(cut)
    assert [shop.machine.read_data(device, offset) for offset in (0, 5 * MIB, 64 * MIB - 4096)] == [None] * 3


def test_a_sealed_volume_is_never_wiped_by_a_repeated_cut(shop: Shop) -> None:
    cut = shop.volume()
    device = f"/dev/{cut.group}/{cut.lv_name}"
    shop.machine.write_data(device, 0, "data of a host")
    shop.do(cut)
    assert shop.machine.read_data(device, 0) == "data of a host"


def test_a_volume_that_does_not_fit_is_refused_with_what_is_left(shop: Shop) -> None:
    step = shop.create()
    group = shop.group(step)
    shop.do(step)
    shop.do(group)
    with pytest.raises(NoSpace, match=r"3\.96 GiB free"):
        shop.do(shop.cut(group, 64 * GIB))
    assert shop.agent.observe().volumes == ()


def test_another_volume_under_the_same_name_is_left_alone(shop: Shop) -> None:
    cut = shop.volume()
    foreign = cut.model_copy(update={"volume_id": "dddddddd-0000-4000-8000-000000000004"})
    delete = VolumeDelete(
        engine=VolumeEngine.LVM, volume_id=foreign.volume_id, group=cut.group, lv_name=cut.lv_name, size_bytes=1
    )
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(foreign)
    with pytest.raises(Conflict, match="was not changed"):
        shop.undo(foreign)
    with pytest.raises(Conflict, match="was not changed"):
        shop.do(delete)
    assert len(shop.agent.observe().volumes) == 1


def test_where_lvm_uses_no_list_of_devices_none_is_begun(shop: Shop) -> None:
    """As Debian's LVM is: a list with our device alone would hide every other volume group."""
    shop.machine.lvm.uses_devices_file = False
    create = shop.create()
    shop.do(create)
    group = shop.group(create)
    shop.do(group)
    shop.do(shop.cut(group))
    assert shop.machine.files.read(DEVICES_FILE) == b""
    assert commands(shop, "lvm lvmdevices") == []
    assert [found.name for found, _ in shop.machine.lvm.vgs()] == [group.group]


def test_a_group_with_volumes_is_not_removed(shop: Shop) -> None:
    cut = shop.volume()
    with pytest.raises(InUse, match="volumes"):
        shop.undo(shop.group(shop.create()))
    assert [volume.name for volume in shop.agent.observe().volumes] == [cut.lv_name]


def test_a_wipe_takes_exactly_what_was_named(shop: Shop) -> None:
    disk = shop.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    shop.machine.changed()
    step = shop.wipe(disk)
    disk.media.signatures.append(FakeSignature("zfs_member", 262144, "pool", "u4"))
    shop.machine.changed()
    with pytest.raises(InUse, match="zfs_member"):
        shop.do(step)
    assert sorted(carried(shop, 0)) == ["ext4", "zfs_member"]
    assert shop.do(shop.wipe(disk))
    assert carried(shop, 0) == []
    assert not shop.do(step)


def test_partitions_the_kernel_still_shows_are_dropped(shop: Shop) -> None:
    """While udev probes a partition the kernel keeps it, though its table is wiped."""
    disk = shop.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "data", "u1")]
    disk.partitions = [Partition(1, Media(GIB))]
    shop.machine.changed()
    assert shop.do(shop.wipe(disk))
    found = shop.observed(disk)
    assert (found.signatures, found.partitions) == ((), 0)
    assert len(commands(shop, "blockdev --rereadpt")) == 1


def test_a_wipe_of_an_exchanged_or_used_disk_is_refused(shop: Shop) -> None:
    disk = shop.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    shop.machine.changed()
    step = shop.wipe(disk)
    with pytest.raises(Conflict, match="the drive was replaced"):
        shop.do(step.model_copy(update={"serial": "another"}))
    with pytest.raises(Conflict, match="bytes"):
        shop.do(step.model_copy(update={"size_bytes": 1}))
    disk.mount = "/data"
    shop.machine.changed()
    with pytest.raises(InUse, match="/data"):
        shop.do(step)
    assert carried(shop, 0) == ["ext4"]


def test_nothing_is_wiped_of_a_disk_of_which_somebody_unseen_uses_a_partition(shop: Shop) -> None:
    """A container or a virtual machine may have it open: no mount of ours tells, but the kernel refuses to share it."""
    disk = shop.disks[0]
    disk.media.signatures = [FakeSignature("ext4", 1080, "data", "u1")]
    disk.partitions = [Partition(1, Media(GIB)), Partition(2, Media(GIB))]
    disk.partitions[0].media.signatures = [FakeSignature("vfat", 82, "EFI", "u2")]
    shop.machine.changed()
    step = shop.wipe(disk)
    shop.machine.blocks.open_exclusively(f"/dev/{disk.partition_name(2)}", "another container")
    with pytest.raises(InUse, match="has it open"):
        shop.do(step)
    assert carried(shop, 0) == ["ext4"]
    assert [signature.type for signature in disk.partitions[0].media.signatures] == ["vfat"]


def test_what_is_wiped_or_deleted_does_not_come_back(shop: Shop) -> None:
    with pytest.raises(Conflict, match="cannot be undone"):
        shop.undo(shop.wipe(shop.disks[0]))
