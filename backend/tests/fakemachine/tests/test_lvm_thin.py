"""Thin pools on the fake machine behave as LVM 2.03.31 did when it was asked, above all where it refuses."""

import pytest

from backend.tests.fakemachine import FakeSystem

UUID = "11111111:22222222:33333333:44444444"
DISKS = ["/dev/nvme1n1", "/dev/nvme2n1"]
POOL = ["lvcreate", "-y", "--type", "thin-pool", "--name", "pool", "--size", "128m", "--poolmetadatasize", "8m", "g"]
THIN = ["lvcreate", "-y", "--type", "thin", "--virtualsize", "256m", "--thinpool", "pool", "--name", "t", "g"]
SNAP = ["lvcreate", "-y", "--snapshot", "--setactivationskip", "y", "--name", "s", "g/t"]


@pytest.fixture
def machine() -> FakeSystem:
    machine = FakeSystem()
    machine.add_disks(2)
    create = ["mdadm", "--create", "/dev/md/a", "--run", f"--uuid={UUID}", "--homehost=x", "--name=a", "--level=raid1"]
    machine.run([*create, "--raid-devices=2", *DISKS])
    for command in (["vgcreate", "-y", "g", "/dev/md/a"], POOL, THIN, SNAP):
        machine.run(command)
    return machine


def free_extents(machine: FakeSystem) -> int:
    found = machine.lvm.vg("g")
    assert found
    return len(found[0].free_extents())


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ([*POOL, "--errorwhenfull", "y"], 3, "Option --errorwhenfull is unsupported with thin pools."),
        ([*SNAP[:-3], "--wipesignatures", "n", "--name", "c", "g/s"], 3, "--wipesignatures is unsupported"),
        (["lvextend", "--size", "256m", "g/t"], 5, "matches existing size (64 extents)"),
        (["lvextend", "--size", "128m", "g/t"], 5, "not larger than existing size (64 extents)"),
        (["lvextend", "--size", "9g", "g/pool"], 5, "Insufficient free space: 2272 extents needed"),
        (["lvextend", "--size", "64m", "g/none"], 5, 'Failed to find logical volume "g/none"'),
        ([*THIN[:-5], "--thinpool", "nopool", "--name", "x", "g"], 5, "Pool nopool not found in Volume group g."),
        (["lvcreate", "-y", "--snapshot", "--name", "x", "g/none"], 5, "Snapshot origin LV none not found"),
        (["lvrename", "g", "t", "s"], 5, 'Logical Volume "s" already exists'),
        (["lvrename", "g", "none", "x"], 5, 'Existing logical volume "none" not found'),
    ],
)
def test_lvm_refuses_with_its_own_words(machine: FakeSystem, command: list[str], code: int, words: str) -> None:
    result = machine.run(command, ok=tuple(range(9)))
    assert (result.returncode, words in result.stderr) == (code, True), result.stderr


def test_a_pool_with_volumes_is_not_selected_by_their_absence_and_its_spare_is_deleted_with_it(
    machine: FakeSystem,
) -> None:
    select = ["lvremove", "-y", "--select", "thin_count=0", "g/pool"]
    before = free_extents(machine)
    machine.run(select)
    assert free_extents(machine) == before
    machine.run(["lvremove", "-y", "g/t", "g/s"])
    machine.run(select)
    assert free_extents(machine) == before + 32 + 2 + 2


def test_the_spare_grows_with_the_metadata(machine: FakeSystem) -> None:
    before = free_extents(machine)
    machine.run(["lvextend", "--size", "288m", "--poolmetadatasize", "20m", "g/pool"])
    assert free_extents(machine) == before - 40 - 3 - 3


def test_a_snapshot_is_not_activated_at_boot_and_a_thin_volume_is(machine: FakeSystem) -> None:
    machine.write_data("/dev/g/t", 0, "kept")
    machine.reboot()
    machine.run(["mdadm", "--assemble", f"--uuid={UUID}", "/dev/md/a", *DISKS])
    machine.run(["vgchange", "-ay", "g"])
    assert machine.read_data("/dev/g/t", 0) == "kept"
    assert not machine.exists("/dev/g/s")


def test_a_volume_without_its_own_blocks_reads_as_its_origin_did(machine: FakeSystem) -> None:
    machine.write_data("/dev/g/t", 0, "first")
    machine.run(["lvcreate", "-y", "--snapshot", "--name", "c", "g/t"])
    machine.write_data("/dev/g/t", 0, "second")
    assert machine.read_data("/dev/g/c", 0) == "first"
    machine.run(["lvremove", "-y", "g/t"])
    assert machine.read_data("/dev/g/c", 0) == "first"
