"""`python -m tests.benchmarks.exports [VOLUMES…]`: how the agent's work on the exports grows with their number.

On user-mode Linux, one CPU, everything at the native speed of this computer: LIO over iSCSI, each volume mapped to four
hosts. Beside each restore stands, in the same run, what bare system calls need for the same tree, and at the sizes that
it can finish what rtslib needs to restore its own file of it.
"""

import json
import math
import sys
from collections.abc import Mapping, Sequence

from tests.initiators.block_io import IN_GUEST, put_program
from tests.machines.uml import Uml

SIZES = (10, 100, 300, 1_000, 3_000)
COLUMNS = ("floor", "restore", "rtslib", "again", "one more", "withdraw", "resident MiB")
_DEADLINE_S = 3_000.0
_SET_UP = f"""
set -e
[ -e /proc/1 ] || mount -t proc proc /proc
[ -e /sys/block ] || mount -t sysfs sys /sys
mkdir -p {IN_GUEST}
modprobe configfs; mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
modprobe target_core_mod
modprobe dm_mod
ip link set lo up
"""


def main(sizes: Sequence[int]) -> int:
    """Boots once, measures each size, prints one table."""
    with Uml("exports", disks=1, disk_mib=64, init="/bin/bash", memory_mib=1536) as machine:
        machine.start()
        machine.wait_for_shell(60.0)
        machine.check(_SET_UP, timeout_s=300)
        put_program(machine, "../benchmarks/exports_guest.py")
        sizes_text = " ".join(map(str, sizes))
        told = machine.check(f"/opt/lunette/bin/python {IN_GUEST}/exports_guest.py {sizes_text}", timeout_s=_DEADLINE_S)
    rows = [json.loads(line) for line in told.splitlines()]
    print(f"{'volumes':>8}" + "".join(f"{name:>14}" for name in COLUMNS) + f"{'restore/floor':>16}")
    for row in rows:
        cells = "".join(f"{row[name]:>14.3f}" if name in row else f"{'':>14}" for name in COLUMNS)
        print(f"{int(row['volumes']):>8}{cells}{row['restore'] / row['floor']:>16.2f}")
    for name in COLUMNS[:-1]:
        if power := _growth([row for row in rows if name in row and row["volumes"] >= 100], name):
            print(f"{name}: grows with the power {power:.2f} of the volumes")
    return 0


def _growth(rows: Sequence[Mapping[str, float]], name: str) -> float | None:
    """The exponent between the smallest and the largest size; None where there is only one."""
    if len(rows) < 2:
        return None
    first, last = rows[0], rows[-1]
    return math.log(last[name] / first[name]) / math.log(last["volumes"] / first["volumes"])


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or SIZES))
