"""Counters of a running md array: attributes of drivers/md/md.c and raid5.c (Linux 6.12), no command per array."""

import re
from collections.abc import Mapping

from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.providers.arrays.md.sysfs import attribute
from lunette.providers.arrays.md.values import first_number, number
from lunette.providers.disks.parse import plain
from lunette.system.system_port import System

_STRIPE_DEVICE_BYTES = 4096
"""raid5.c keeps one page per device in each stripe (DEFAULT_STRIPE_SIZE)."""


def read(system: System, devices: Mapping[str, BlockCounters]) -> dict[str, ArrayCounters]:
    """Counters of every array the kernel has, by its UUID in 32 hex digits. `devices`: by kernel name."""
    found = {}
    for name in (name for name in devices if re.fullmatch(r"md\d+", name)):
        base = f"/sys/block/{name}/md"
        uuid = plain(attribute(system, f"{base}/uuid"))
        if uuid.strip("0"):  # arrays with firmware metadata show none here
            found[uuid] = _counters(system, base, devices[name])
    return found


def _counters(system: System, base: str, io: BlockCounters) -> ArrayCounters:
    stripes = number(attribute(system, f"{base}/stripe_cache_active"))
    disks = first_number(attribute(system, f"{base}/raid_disks"))
    done = re.match(r"(\d+) / \d+", attribute(system, f"{base}/sync_completed"))
    return ArrayCounters(
        io=io,
        stripe_cache_bytes=stripes * disks * _STRIPE_DEVICE_BYTES if stripes is not None and disks else None,
        mismatch_sectors=number(attribute(system, f"{base}/mismatch_cnt")),
        missing_disks=number(attribute(system, f"{base}/degraded")),
        synced_sectors=number(done[1]) if done else None,
    )
