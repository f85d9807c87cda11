"""Counters of an array of LVM RAID: the I/O of its volume."""

from collections.abc import Mapping

from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.lvm.plan import device_path, raid_group
from lunette.system.system_port import System


def read(system: System, array: ExportArray, devices: Mapping[str, BlockCounters]) -> ArrayCounters | None:
    """None while it is down. `devices`: by kernel name."""
    name = system.realpath(device_path(raid_group(array.array_id))).rpartition("/")[2]
    return ArrayCounters(io=devices[name]) if name in devices else None
