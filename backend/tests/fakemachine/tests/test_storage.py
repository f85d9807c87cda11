"""md, LVM and signatures on the fake machine behave as on a real one, above all where that is inconvenient."""

import json

import pytest

from backend.tests.fakemachine import FakeSignature, FakeSystem, Media, Partition
from backend.tests.fakemachine.files.views import Tree
from lunette.domain.errors import ToolFailed, Unavailable

GIB, MIB = 1024**3, 1024**2
UUID = "11111111:22222222:33333333:44444444"
BY_UUID = f"/dev/disk/by-id/md-uuid-{UUID}"
LV = ["lvcreate", "-y", "--wipesignatures", "n", "--zero", "n", "--addtag", "mine", "--name", "v1", "--size", "64m"]


@pytest.fixture
def machine() -> FakeSystem:
    machine = FakeSystem()
    machine.add_disks(4)
    return machine


def create(machine: FakeSystem, level: str = "raid5", disks: int = 3) -> None:
    devices = [f"/dev/nvme{number}n1" for number in range(1, disks + 1)]
    machine.run(
        [
            "mdadm",
            "--create",
            "/dev/md/a1",
            "--run",
            "--force",
            f"--uuid={UUID}",
            "--homehost=lunette",
            "--name=a1",
            f"--level={level}",
            f"--raid-devices={disks}",
            f"--size={MIB}",
            *devices,
        ]
    )


def assemble(machine: FakeSystem, *options: str) -> None:
    devices = [f"/dev/nvme{number}n1" for number in range(1, 5) if machine.exists(f"/dev/nvme{number}n1")]
    machine.run(["mdadm", "--assemble", *options, f"--uuid={UUID}", "/dev/md/a1", *devices])


def test_superblocks_survive_a_reboot_and_the_running_array_does_not(machine: FakeSystem) -> None:
    create(machine)
    machine.reboot()
    assert machine.listdir("/sys/block") == ["nvme1n1", "nvme2n1", "nvme3n1", "nvme4n1"]
    shown = machine.run(["mdadm", "--examine", "/dev/nvme2n1"]).stdout
    assert f"Array UUID : {UUID}" in shown
    assert "Name : lunette:a1" in shown
    assemble(machine)
    assert machine.realpath(BY_UUID) == "/dev/md127"


def test_members_of_a_running_array_are_busy(machine: FakeSystem) -> None:
    create(machine)
    assert machine.is_held("/dev/nvme1n1")
    for command in (
        ["wipefs", "--all", "/dev/nvme1n1"],
        ["mdadm", "--zero-superblock", "/dev/nvme1n1"],
        ["pvcreate", "-y", "/dev/nvme1n1"],
    ):
        with pytest.raises(ToolFailed) as refused:
            machine.run(command)
        assert "nvme1n1" in refused.value.log


def test_a_new_array_resyncs_as_time_passes(machine: FakeSystem) -> None:
    create(machine)
    assert machine.read("/sys/block/md127/md/sync_action") == "resync\n"
    machine.sleep(15)
    done, _, total = machine.read("/sys/block/md127/md/sync_completed").partition(" / ")
    assert 0 < int(done) < int(total)
    machine.sleep(16)
    assert machine.read("/sys/block/md127/md/sync_action") == "idle\n"


def test_a_pulled_member_degrades_the_array_and_one_too_many_fails_it(machine: FakeSystem) -> None:
    create(machine)
    disks = machine.blocks.disks
    machine.pull(disks[0])
    assert machine.read("/sys/block/md127/md/degraded") == "1\n"
    machine.zero(BY_UUID, 0, MIB)
    machine.pull(disks[1])
    with pytest.raises(OSError, match="md127"):
        machine.zero(BY_UUID, 0, MIB)


def test_an_array_that_lacks_a_member_starts_only_on_demand(machine: FakeSystem) -> None:
    create(machine)
    machine.reboot()
    machine.pull(machine.blocks.disks[2])
    with pytest.raises(ToolFailed) as refused:
        assemble(machine)
    assert "need 3 to start (use --run to insist)" in refused.value.log
    assert not machine.exists("/sys/block/md127")
    assemble(machine, "--run")
    assert machine.read("/sys/block/md127/md/degraded") == "1\n"


def test_a_member_that_missed_writes_is_left_out(machine: FakeSystem) -> None:
    create(machine)
    disk = machine.blocks.disks[2]
    machine.pull(disk)
    machine.advance(60)
    machine.reboot()
    machine.insert(disk)
    assemble(machine, "--run")
    assert machine.read("/sys/block/md127/md/degraded") == "1\n"


def test_a_used_array_is_not_stopped(machine: FakeSystem) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "g", BY_UUID])
    machine.run([*LV, "g"])
    with pytest.raises(ToolFailed) as refused:
        machine.run(["mdadm", "--stop", "/dev/md127"])
    assert "Cannot get exclusive access" in refused.value.log
    machine.run(["vgchange", "-an", "g"])
    machine.run(["mdadm", "--stop", "/dev/md127"])


def test_the_same_disks_in_the_same_geometry_show_their_old_content_again(machine: FakeSystem) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "g", BY_UUID])
    machine.run(["mdadm", "--stop", "/dev/md127"])
    for number in (1, 2, 3):
        machine.run(["mdadm", "--zero-superblock", f"/dev/nvme{number}n1"])
    assert json.loads(machine.run(["vgs", "-o", "vg_name"]).stdout)["report"][0]["vg"] == []
    create(machine)
    assert json.loads(machine.run(["vgs", "-o", "vg_name"]).stdout)["report"][0]["vg"] == [{"vg_name": "g"}]


def test_volumes_lose_their_activation_at_a_reboot_and_nothing_else(machine: FakeSystem) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "--addtag", "lunette", "g", BY_UUID])
    machine.run([*LV, "g"])
    assert machine.is_block_device("/dev/g/v1")
    machine.reboot()
    assemble(machine)
    shown = json.loads(machine.run(["lvs", "-o", "lv_name,lv_tags,lv_size,lv_active", "g"]).stdout)
    assert shown["report"][0]["lv"] == [
        {"lv_name": "v1", "lv_tags": ["mine"], "lv_size": str(64 * MIB), "lv_active": 0}
    ]
    assert not machine.exists("/dev/g/v1")
    machine.run(["vgchange", "-ay", "g"])
    assert machine.realpath("/dev/g/v1") == "/dev/dm-0"


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ([*LV, "g"], 5, 'Logical Volume "v1" already exists in volume group "g"'),
        ([*LV[:-3], "v2", "--size", "9g", "g"], 5, "has insufficient free space"),
        (["lvremove", "-y", "g/v9"], 5, 'Failed to find logical volume "g/v9"'),
        (["lvremove", "-y", "h/v1"], 5, 'Volume group "h" not found'),
        (["vgcreate", "-y", "g", "/dev/nvme4n1"], 5, "A volume group called g already exists."),
        (["vgremove", "g"], 5, 'Volume group "g" not removed'),
        (["pvremove", "-y", BY_UUID], 5, "is used by VG g so please use vgreduce first."),
        (["pvcreate", "-y", BY_UUID], 5, "without -ff"),
    ],
)
def test_lvm_refuses_with_its_own_words(machine: FakeSystem, command: list[str], code: int, words: str) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "g", BY_UUID])
    machine.run([*LV, "g"])
    result = machine.run(command, ok=tuple(range(9)))
    assert (result.returncode, words in result.stderr) == (code, True)


def test_an_open_volume_is_not_removed(machine: FakeSystem) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "g", BY_UUID])
    machine.run([*LV, "g"])
    machine.blocks.open_exclusively("/dev/g/v1", "someone")
    with pytest.raises(ToolFailed) as refused:
        machine.run(["lvremove", "-y", "g/v1"])
    assert "Logical volume g/v1 in use." in refused.value.log
    with pytest.raises(OSError, match="g/v1"):
        machine.zero("/dev/g/v1", 0, MIB)


def test_lvm_sees_only_listed_devices(machine: FakeSystem) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "g", BY_UUID])
    listed = machine.read_file("/etc/lvm/devices/system.devices") or b""
    assert b"IDTYPE=md_uuid" in listed
    machine.write_durably("/etc/lvm/devices/system.devices", b"")
    assert machine.run(["vgs", "-o", "vg_name", "g"], ok=(5,)).returncode == 5
    machine.run(["lvm", "lvmdevices", "--adddev", BY_UUID, "-y"])
    assert machine.run(["vgs", "-o", "vg_name", "g"]).returncode == 0


def test_a_new_volume_shows_what_the_old_one_left_until_it_is_zeroed(machine: FakeSystem) -> None:
    create(machine)
    machine.run(["vgcreate", "-y", "g", BY_UUID])
    machine.run([*LV, "g"])
    machine.write_data("/dev/g/v1", 5 * MIB, "old")
    machine.run(["lvremove", "-y", "g/v1"])
    machine.run([*LV, "g"])
    assert machine.read_data("/dev/g/v1", 5 * MIB) == "old"
    machine.zero("/dev/g/v1", 0, 16 * MIB)
    assert machine.read_data("/dev/g/v1", 5 * MIB) is None


def test_signatures_are_found_and_wiped_and_a_mounted_partition_is_busy(machine: FakeSystem) -> None:
    disk = machine.blocks.disks[0]
    disk.media.signatures = [FakeSignature("gpt", 512, uuid="u", usage="partition-table")]
    disk.partitions = [Partition(1, Media(GIB, [FakeSignature("ext4", 1080, label="root", uuid="f")]), mount="/mnt")]
    machine.changed()
    found = json.loads(machine.run(["wipefs", "--json", "--no-act", "/dev/nvme1n1"]).stdout)["signatures"]
    assert [(entry["type"], entry["offset"]) for entry in found] == [("gpt", "0x200")]
    tree = json.loads(machine.run(["lsblk", "-J", "-O", "-b"]).stdout)["blockdevices"][0]
    assert (tree["children"][0]["fstype"], tree["children"][0]["mountpoints"]) == ("ext4", ["/mnt"])
    (plain, *_) = json.loads(machine.run(["lsblk", "-d", "-J", "-b"]).stdout)["blockdevices"]
    assert plain == {key: value for key, value in tree.items() if key != "children"}
    part = tree["children"][0]["maj:min"]
    assert machine.realpath(f"/sys/dev/block/{part}") == machine.realpath("/sys/block/nvme1n1/nvme1n1p1")
    assert machine.read("/sys/class/block/nvme1n1p1/dev").strip() == part != tree["maj:min"]
    assert machine.read("/proc/self/mountinfo") == f"30 1 {part} / /mnt rw - ext4 /dev/nvme1n1p1 rw\n"
    with pytest.raises(ToolFailed):
        machine.run(["wipefs", "--all", "/dev/nvme1n1"])
    disk.partitions[0].mount = None
    machine.run(["wipefs", "--all", "/dev/nvme1n1p1"])
    machine.run(["wipefs", "--all", "/dev/nvme1n1"])
    assert machine.run(["wipefs", "--json", "--no-act", "/dev/nvme1n1"]).stdout == ""
    assert disk.partitions == []


def test_a_tool_that_is_not_installed_is_unavailable(machine: FakeSystem) -> None:
    machine.tools.remove("mdadm")
    assert machine.find_tool("mdadm") is None
    with pytest.raises(Unavailable, match="mdadm"):
        machine.run(["mdadm", "--examine", "/dev/nvme1n1"])


def test_a_change_during_an_observation_breaks_nothing_and_is_in_the_next(
    machine: FakeSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = machine.fc.add_to

    def changes_meanwhile(tree: Tree) -> None:
        monkeypatch.undo()
        machine.changed()
        add(tree)

    monkeypatch.setattr(machine.fc, "add_to", changes_meanwhile)
    machine.changed()
    assert machine.read("/sys/class/net/eth0/mtu") == "1500\n"
    machine.network.interfaces["eth0"].mtu = 9000
    assert machine.read("/sys/class/net/eth0/mtu") == "9000\n"
