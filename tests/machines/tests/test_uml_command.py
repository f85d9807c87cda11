"""How the user-mode kernel is made to start, and with what."""

from pathlib import Path

import pytest

from tests.machines.kvm import reached_user_space
from tests.machines.model import MachineError
from tests.machines.uml import command, disk_names
from tests.machines.uml_kernel import has_large_state, with_relative_loader

LOADER = b"/lib64/ld-linux-x86-64.so.2\0"


def test_the_loader_is_replaced_without_moving_a_byte() -> None:
    kernel = b"\x7fELF head" + LOADER + b"tail"
    changed = with_relative_loader(kernel)
    assert len(changed) == len(kernel)
    assert changed.startswith(b"\x7fELF headld.so\0")
    assert changed.endswith(b"\0tail")


@pytest.mark.parametrize("kernel", [b"statically linked", LOADER * 2])
def test_a_kernel_of_another_build_is_refused(kernel: bytes) -> None:
    with pytest.raises(MachineError, match="exactly once"):
        with_relative_loader(kernel)


def test_only_processors_with_amx_need_the_padding() -> None:
    assert has_large_state("flags\t\t: fpu avx512f amx_tile pku\n")
    assert not has_large_state("flags\t\t: fpu avx512f pku\nmodel name: amx_tile\n")


def test_disks_carry_their_serials_and_the_root_comes_first() -> None:
    argv = command(Path("/run/m"), Path("/i/rootfs.ext4"), disk_names(2, 1 << 20), 512, (3, 4), None)
    drives = [argument for argument in argv if argument.startswith("ubd")]
    assert drives == [
        "ubda=/run/m/root.cow,/i/rootfs.ext4,LUN-SYSTEM",
        "ubdb=/run/m/lun-ubd-01.raw,,LUN-UBD-01",
        "ubdc=/run/m/lun-ubd-02.raw,,LUN-UBD-02",
    ]


def test_more_disks_than_the_driver_has_units_are_refused() -> None:
    with pytest.raises(MachineError, match="takes 15"):
        disk_names(16, 1 << 20)


def test_kvm_counts_only_when_the_kernel_came_to_its_end() -> None:
    assert reached_user_space(b"VFS: Unable to mount root fs\nKernel panic - not syncing")
    assert not reached_user_space(b"Linux version 6.12\nKernel panic - not syncing: early")
    assert not reached_user_space(b"")
