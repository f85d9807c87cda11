"""What a user-mode kernel is started with, and when KVM counts as usable."""

from pathlib import Path

import pytest

from tests.machines.kvm import reached_user_space
from tests.machines.model import MachineError
from tests.machines.uml import arguments, disk_names, hot_arguments, hot_disks


def test_disks_carry_their_serials_and_the_root_comes_first() -> None:
    argv = arguments(Path("/run/m"), Path("/i/rootfs.ext4"), disk_names(2, 1 << 20), 512, (3, 4), None)
    drives = [argument for argument in argv if argument.startswith("ubd")]
    assert drives == [
        "ubda=/run/m/root.cow,/i/rootfs.ext4,LUN-SYSTEM",
        "ubdb=/run/m/lun-ubd-01.raw,,LUN-UBD-01",
        "ubdc=/run/m/lun-ubd-02.raw,,LUN-UBD-02",
    ]


def test_more_disks_than_the_driver_has_units_are_refused() -> None:
    with pytest.raises(MachineError, match="takes 15"):
        disk_names(16, 1 << 20)


def test_disks_to_pull_are_drives_with_stores_of_their_own() -> None:
    disks = hot_disks(2, 96)
    assert [disk.path for disk in disks] == [
        "/dev/disk/by-id/wwn-0x33333330000007d0",
        "/dev/disk/by-id/wwn-0x3333333000000fa0",
    ]
    assert "scsi_debug.add_host=2" in hot_arguments(disks)
    assert "scsi_debug.per_host_store=1" in hot_arguments(disks)
    assert hot_arguments([]) == []


def test_kvm_counts_only_when_the_kernel_came_to_its_end() -> None:
    assert reached_user_space(b"VFS: Unable to mount root fs\nKernel panic - not syncing")
    assert not reached_user_space(b"Linux version 6.12\nKernel panic - not syncing: early")
    assert not reached_user_space(b"")
