"""`python -m tests.benchmarks.exports [VOLUMES…]`: how the agent's work on the exports grows with their number.

On user-mode Linux, one CPU, everything at the native speed of this computer: LIO over iSCSI, each volume mapped to four
hosts. Each restore is compared, in the same run, with bare system calls for the same tree, and with rtslib, which
restores its own file of that tree, at the sizes that rtslib can finish.

`python -m tests.benchmarks.exports nvme [VOLUMES…]` does the same with nvmet over TCP, on QEMU.
"""

import json
import sys
from collections.abc import Sequence

from lunette.domain.mappings import Family
from tests.benchmarks.output import power, print_kernel, print_table
from tests.initiators.block_io import IN_GUEST, put_program
from tests.machines.machine import VirtualMachine
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

SIZES = {Family.SCSI: (10, 100, 300, 1_000, 3_000), Family.NVME: (10, 100, 300, 1_000)}
STEPS = ("floor", "restore", "again", "one more", "one fewer", "one host", "one portal", "withdraw", "rtslib")
MEMORY = ("agent MiB", "peak MiB", "guest MiB")
COLUMNS = ("volumes", *(f"{step} s" for step in STEPS), "restore/floor", "rtslib/restore", *MEMORY)
GROWS_FROM = 100
_GUEST_MIB, _MIB_PER_VOLUME = 512, 1
"""A guest was seen to need 55 MiB, and 0.68 for each volume up to 3,000 of them, most of it the kernel's."""
_STEPS_S, _VOLUME_S = 600.0, 2.0
_SET_UP = f"""
set -e
[ -e /proc/1 ] || mount -t proc proc /proc
[ -e /sys/block ] || mount -t sysfs sys /sys
mkdir -p {IN_GUEST}
modprobe configfs; mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
modprobe dm_mod
ip link set lo up
"""

Row = dict[str, float]


def main(words: Sequence[str]) -> int:
    """Boots once, measures each size, prints one table; of a run that fails, what there is."""
    family = Family.NVME if "nvme" in words else Family.SCSI
    sizes = sorted(int(word) for word in words if word.isdigit()) or SIZES[family]
    rows: list[Row] = []
    with _machine(family, memory_mib(max(sizes))) as machine:
        machine.start()
        machine.wait_for_shell(60.0)
        machine.check(_SET_UP, timeout_s=300)
        print_kernel(f"{machine.check('uname -r').strip()} ({'QEMU' if family is Family.NVME else 'user-mode'})")
        put_program(machine, "../benchmarks/exports_guest.py")
        disk = "/dev/nvme0n1" if family is Family.NVME else "/dev/ubdb"
        argv = ["/opt/lunette/bin/python", f"{IN_GUEST}/exports_guest.py", family.value, disk]
        try:
            for size in sizes:
                print(f"  … {size:,} volumes", flush=True)
                rows.append(json.loads(machine.check([*argv, str(size)], timeout_s=_STEPS_S + _VOLUME_S * size)))
        finally:
            if rows:
                title = "Exports over NVMe" if family is Family.NVME else "Exports"
                print_table(title, COLUMNS, [*map(_cells, rows), *_powers(rows)])
    return 0


def _machine(family: Family, memory: int) -> VirtualMachine:
    if family is Family.NVME:
        return Qemu("exports", nvme=1, disk_mib=64, init="/bin/bash", memory_mib=memory)
    return Uml("exports", disks=1, disk_mib=64, init="/bin/bash", memory_mib=memory)


def memory_mib(volumes: int) -> int:
    """What the guest gets."""
    return _GUEST_MIB + _MIB_PER_VOLUME * volumes


def _cells(row: Row) -> list[str]:
    ratios = [
        f"{row['restore'] / row['floor']:.2f}",
        f"{row['rtslib'] / row['restore']:.1f}" if "rtslib" in row else "",
    ]
    steps = [f"{row[step]:.3f}" if step in row else "" for step in STEPS]
    return [f"{row['volumes']:,.0f}", *steps, *ratios, *(f"{row[name]:,.0f}" for name in MEMORY)]


def _powers(rows: Sequence[Row]) -> list[list[str]]:
    """One line: the exponent by which each figure grows between the smallest and the largest size that count."""
    large = [row for row in rows if row["volumes"] >= GROWS_FROM]
    if len(large) < 2:
        return []
    found = [power([(row["volumes"], row[name]) for row in large if name in row]) for name in (*STEPS, *MEMORY)]
    return [["power", *found[: len(STEPS)], "", "", *found[len(STEPS) :]]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
