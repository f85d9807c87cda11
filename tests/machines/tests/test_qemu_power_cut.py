"""The power cut of a QEMU machine is a real one: proved on each kind of drive, against a plain kill."""

import pytest

from tests.machines import Machine, Qemu


def write(machine: Machine, path: str, offset_mib: int, letter: str, *, flush: bool) -> None:
    """One block of a letter, written past the guest's page cache; only `flush` tells the drive to keep it."""
    conversion = "fsync,notrunc" if flush else "notrunc"
    place = f"of={path} bs=4096 count=1 seek={offset_mib * 256} iflag=fullblock oflag=direct conv={conversion}"
    machine.check(f"head -c 4096 /dev/zero | tr '\\0' {letter} | dd status=none {place}")


def with_udev(machine: Machine) -> None:
    """The guest has a shell and no systemd, so that it boots quickly; disks need their names."""
    machine.wait_for_shell()
    machine.check(
        "mount -t proc proc /proc; mount -t sysfs sys /sys; /usr/lib/systemd/systemd-udevd --daemon; "
        "udevadm trigger --action=add --subsystem-match=block; udevadm settle --timeout=120",
        timeout_s=150.0,
    )


def read(machine: Machine, path: str, offset_mib: int) -> str:
    """The letters of the block at that place; `.` for zero bytes."""
    block = f"dd if={path} bs=4096 count=1 skip={offset_mib * 256} iflag=direct status=none"
    return machine.check(f"{block} | tr '\\0' . | fold -w1 | sort -u").strip()


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(600)
def test_a_power_cut_drops_unflushed_writes_and_keeps_flushed_ones_while_a_kill_keeps_both() -> None:
    with Qemu("power-cut", nvme=1, scsi=1, power_cut=True, disk_mib=64, product=False, init="/bin/bash") as machine:
        machine.start()
        with_udev(machine)
        paths = [disk.path for disk in machine.disks]
        for path in paths:
            write(machine, path, 0, "F", flush=True)
            write(machine, path, 1, "U", flush=False)
        machine.kill()
        machine.start()
        with_udev(machine)
        after_kill = {path: (read(machine, path, 0), read(machine, path, 1)) for path in paths}
        for path in paths:
            write(machine, path, 2, "F", flush=True)
            write(machine, path, 3, "U", flush=False)
        machine.power_cut()
        machine.start()
        with_udev(machine)
        after_cut = {path: (read(machine, path, 0), read(machine, path, 2), read(machine, path, 3)) for path in paths}
    assert after_kill == dict.fromkeys(paths, ("F", "U"))
    assert after_cut == dict.fromkeys(paths, ("F", "F", "."))
