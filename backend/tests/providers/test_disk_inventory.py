"""Looking at the drives costs no time at those that cannot answer."""

from collections.abc import Sequence

import pytest

from backend.tests.fakemachine import FakeDisk, FakeSignature, Partition
from backend.tests.fakemachine.machine import FakeSystem
from lunette.domain.disks import ObservedDisk
from lunette.providers.disks import smart
from lunette.providers.disks.inventory import MOUNTS, UNREADABLE, observe_disks
from lunette.system.system_port import CommandResult


class _Watched(FakeSystem):
    """Three drives with a partition table each: the first is local, the second remote, the third has been given up."""

    def __init__(self) -> None:
        super().__init__()
        self.read_devices: list[str] = []
        self.names = [disk.kernel_name for disk in self.add_disks(3, transport="sas")]

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        if argv[0] == "wipefs":
            self.read_devices += [word for word in argv if word.startswith("/dev/")]
        return super().run(argv, timeout_s=timeout_s, stdin=stdin, ok=ok)

    def realpath(self, path: str) -> str:
        if path == f"/sys/block/{self.names[1]}":
            return f"/sys/devices/platform/host0/rport-1:0-2/target1:0:0/1:0:0:1/block/{self.names[1]}"
        return super().realpath(path)

    def read(self, path: str) -> str:
        if path == f"/sys/block/{self.names[2]}/device/state":
            return "offline\n"
        return super().read(path)


def test_a_drive_over_a_fabric_or_offline_in_the_kernel_is_not_read() -> None:
    system = _Watched()
    local, remote, dead = system.names
    disks = {disk.kernel_name: disk for disk in observe_disks(system)}
    assert system.read_devices == [f"/dev/{local}"]
    assert disks[remote].fabric
    assert disks[remote].is_busy()
    assert [(found.type, found.label) for found in disks[dead].signatures] == [(UNREADABLE, "the kernel says offline")]


def test_a_drive_over_two_ports_is_one_disk_and_its_second_path_is_never_used() -> None:
    machine = FakeSystem()
    first, second, other = machine.add_disks(3, transport="sas")
    second.serial, second.wwn = first.serial, first.wwn
    other.wwn = first.wwn  # a maker that gives all its drives one
    machine.changed()
    disks = {disk.kernel_name: disk for disk in observe_disks(machine)}
    paths = [disks[first.kernel_name], disks[second.kernel_name]]
    assert sorted(bool(path.other_path_of) for path in paths) == [False, True]
    (further,) = [path for path in paths if path.other_path_of]
    assert further.is_busy()
    assert "the second path of disk" in (further.occupation() or "")
    assert not smart.reports_health(further)
    assert disks[other.kernel_name].other_path_of is None


class _Reported(FakeSystem):
    """Three drives, of which the first two have partitions, on a machine whose files say more than it does."""

    def __init__(self, **files: str) -> None:
        super().__init__()
        self.texts = files
        self.folders: dict[str, list[str]] = {}
        self.drives = self.add_disks(3, transport="sas")
        for disk in self.drives[:2]:
            disk.partitions = [Partition(number, disk.media) for number in (1, 2)]
            disk.media.signatures.append(FakeSignature("gpt", 512, usage="partition-table"))
        self.changed()

    def read(self, path: str) -> str:
        return self.texts[path] if path in self.texts else super().read(path)

    def listdir(self, path: str) -> list[str]:
        return self.folders.get(path) or super().listdir(path)

    def seen(self, disk: FakeDisk) -> ObservedDisk:
        return next(one for one in observe_disks(self) if one.serial == disk.serial)


ZFS_ROOT = "22 1 0:25 / / rw - zfs tank/ROOT/debian rw\n"


def test_the_drives_of_the_pool_that_the_system_runs_from_are_the_systems() -> None:
    machine = _Reported(**{MOUNTS: ZFS_ROOT})
    first, second, blank = machine.drives
    lines = f"tank\t1G\t1G\n\t/dev/{first.kernel_name}2\t1G\t-\n"
    machine.tools.add("zpool", lambda argv: (0, lines, "") if "tank" in argv else (1, "", "no such pool"))
    assert machine.seen(first).used_by_system
    assert not machine.seen(second).used_by_system
    assert not machine.seen(blank).used_by_system


def test_any_nonblank_drive_may_be_in_the_systems_pool_while_zpool_does_not_answer() -> None:
    machine = _Reported(**{MOUNTS: ZFS_ROOT})
    machine.tools.remove("zpool")
    assert [machine.seen(disk).used_by_system for disk in machine.drives] == [True, True, False]
    machine.texts[MOUNTS] = "22 1 0:25 / /srv rw - zfs data rw\n"
    assert not any(machine.seen(disk).used_by_system for disk in machine.drives)


def test_all_drives_of_a_btrfs_are_mounted_and_the_systems() -> None:
    machine = _Reported()
    first, second, other = machine.drives
    machine.texts[MOUNTS] = f"22 1 0:25 / / rw - btrfs /dev/{first.kernel_name}2 rw\n"
    machine.folders["/sys/fs/btrfs"] = ["features", "b-1"]
    machine.folders["/sys/fs/btrfs/b-1/devices"] = [f"{first.kernel_name}2", f"{second.kernel_name}1"]
    for disk in (first, second):
        assert machine.seen(disk).used_by_system
        assert machine.seen(disk).mounts == ("/",)
    assert not machine.seen(other).is_busy()


def test_a_read_only_drive_and_one_with_host_managed_zones_are_not_free() -> None:
    machine = _Reported()
    first, second, other = machine.drives
    machine.texts[f"/sys/block/{first.kernel_name}/ro"] = "1\n"
    machine.texts[f"/sys/block/{second.kernel_name}/queue/zoned"] = "host-managed\n"
    assert machine.seen(first).occupation() == "it is read-only"
    assert "zoned" in (machine.seen(second).occupation() or "")
    assert machine.seen(other).occupation() is None


@pytest.mark.parametrize("part", ["", "1"])
def test_what_lio_and_nvmet_export_is_not_free_whether_or_not_they_hold_it(part: str) -> None:
    machine = _Reported()
    for disk in machine.drives[:2]:
        disk.media.signatures.clear()
    first, second, other = machine.drives
    core, nvmet = "/sys/kernel/config/target/core", "/sys/kernel/config/nvmet/subsystems"
    machine.folders[core] = ["alua", "fileio_0"]
    machine.folders[f"{core}/fileio_0"] = ["hba_info", "raw"]
    info = f"TCM FILEIO ID: 0        File: /dev/{first.kernel_name}{part}  Size: 1  Mode: Buffered-WCE Async: 0\n"
    machine.texts[f"{core}/fileio_0/raw/info"] = f"Status: ACTIVATED\n        {info}"
    machine.folders[nvmet] = ["nqn.2026-01.com.example:a"]
    machine.folders[f"{nvmet}/nqn.2026-01.com.example:a/namespaces"] = ["1"]
    path = f"{nvmet}/nqn.2026-01.com.example:a/namespaces/1/device_path"
    machine.texts[path] = f"/dev/{second.kernel_name}{part}\n"
    assert machine.seen(first).occupation() == "LIO exports it as fileio_0/raw"
    assert machine.seen(second).occupation() == "nvmet exports it as namespace 1 of nqn.2026-01.com.example:a"
    assert machine.seen(first).is_busy()
    assert machine.seen(second).is_busy()
    assert not machine.seen(other).is_busy()
