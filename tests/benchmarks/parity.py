"""`python -m tests.benchmarks.parity [ROUNDS SECONDS]`: random writes of 4 KiB on RAID5 and RAID6 of md.

mdadm's defaults against ours, on user-mode Linux, one CPU: it compares settings with one another in one run and says
nothing about hardware. Every round takes each setting once, in turn, so that what else the computer does meets all of
them; the median counts.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass, field

from lunette.domain.arrays import Level
from lunette.domain.sizes import KIB, MIB
from lunette.providers.arrays.md.plan import DEFAULT_CHUNK
from lunette.providers.arrays.md.tuning import MachineResources, automatic_stripes, automatic_threads
from tests.benchmarks.output import print_kernel, print_table
from tests.machines.uml import Uml

MEMBERS = 4
DISK_MIB = 256
ROUNDS = 5
SECONDS = 4
COLUMNS = ("setting", "writes/s", "ratio", "lowest", "highest")
_HAS = MachineResources(cores=1, memory_bytes=1024 * MIB)
_MDADM, _OURS = "/dev/md/mdadm", "/dev/md/ours"
_KERNEL = {"group_thread_cnt": 0, "stripe_cache_size": 256, "skip_copy": 0}
_AUTOMATIC = {
    "group_thread_cnt": automatic_threads(_HAS.cores)[0],
    "stripe_cache_size": automatic_stripes(_HAS, MEMBERS, DEFAULT_CHUNK)[0],
    "skip_copy": 0,
}
_LOG = {Level.RAID5: "--bitmap=none --consistency-policy=ppl", Level.RAID6: "--bitmap=internal"}


@dataclass(frozen=True)
class Setting:
    name: str
    device: str
    values: dict[str, int] = field(default_factory=dict)


SETTINGS = (
    Setting("mdadm's and the kernel's defaults", _MDADM, _KERNEL),
    Setting("ours: chunk, log, automatic tuning", _OURS, _AUTOMATIC),
    Setting("ours and skip_copy 1", _OURS, _AUTOMATIC | {"skip_copy": 1}),
    Setting("ours and stripe_cache_size 4096", _OURS, _AUTOMATIC | {"stripe_cache_size": 4096}),
    Setting("ours and group_thread_cnt 4", _OURS, _AUTOMATIC | {"group_thread_cnt": 4}),
)
_SET_UP = """
set -e
[ -e /proc/1 ] || mount -t proc proc /proc
[ -e /sys/block ] || mount -t sysfs sys /sys
mkdir -p /dev/shm; mount -t tmpfs tmpfs /dev/shm
modprobe raid456
"""


def main(rounds: int = ROUNDS, seconds: int = SECONDS) -> int:
    """Boots once, measures each level, tells a table of each."""
    with Uml("parity", disks=2 * MEMBERS, disk_mib=DISK_MIB, init="/bin/bash") as machine:
        machine.start()
        machine.wait_for_shell(60.0)
        machine.check(_SET_UP, timeout_s=300)
        print_kernel(f"{machine.check('uname -r').strip()} (user-mode)")
        for level in (Level.RAID5, Level.RAID6):
            measured = _measure(machine, level, rounds, seconds)
            print_table(level.value, COLUMNS, [_row(measured, setting.name) for setting in SETTINGS])
    return 0


def _row(measured: dict[str, list[float]], name: str) -> list[str]:
    """Both sides of a ratio are of the same round."""
    firsts = measured[SETTINGS[0].name]
    ratios = [one / first for one, first in zip(measured[name], firsts, strict=True)]
    figures = (statistics.median(ratios), min(ratios), max(ratios))
    return [name, f"{statistics.median(measured[name]):,.0f}", *(f"{one:.2f}" for one in figures)]


def _measure(machine: Uml, level: Level, rounds: int, seconds: int) -> dict[str, list[float]]:
    """Writes per second of each setting, by its name, one figure for each round."""
    devices = [f"/dev/ubd{letter}" for letter in "bcdefghi"]
    common = f"mdadm --create --run --force --metadata=1.2 --level={level.value} --raid-devices={MEMBERS}"
    for name, disks, options in (
        (_MDADM, devices[:MEMBERS], "--bitmap=none"),
        (_OURS, devices[MEMBERS:], f"--chunk={DEFAULT_CHUNK // KIB} {_LOG[level]}"),
    ):
        machine.check(f"{common} {options} {name} {' '.join(disks)} 2>&1; mdadm --wait {name} || true", timeout_s=300)
    found: dict[str, list[float]] = defaultdict(list)
    for turn in range(rounds):
        print(f"  … {level.value}, round {turn + 1} of {rounds}", flush=True)
        for setting in SETTINGS:
            found[setting.name].append(_writes(machine, setting, seconds))
    machine.check(f"mdadm --stop {_MDADM} {_OURS}; mdadm --zero-superblock {' '.join(devices)}")
    return found


def _writes(machine: Uml, setting: Setting, seconds: int) -> float:
    """Random writes of 4 KiB per second, 32 at a time, past the page cache."""
    base = f"/sys/block/$(basename $(readlink -f {setting.device}))/md"
    machine.check("; ".join(f"echo {value} >{base}/{name}" for name, value in setting.values.items()))
    argv = (
        f"fio --name=parity --filename={setting.device} --rw=randwrite --bs=4k --direct=1 --ioengine=libaio "
        f"--iodepth=32 --time_based --runtime={seconds} --ramp_time=1 --norandommap --output-format=json"
    )
    reported = machine.check(argv, timeout_s=120)
    (job,) = json.loads(reported[reported.index("{") :])["jobs"]
    return float(job["write"]["iops"])


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
