"""Counters of an external array: the I/O of its device."""

from collections.abc import Mapping

from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.external.device import path
from lunette.system.system_port import System


def read(system: System, array: ExportArray, devices: Mapping[str, BlockCounters]) -> ArrayCounters | None:
    """None while its device is missing. `devices`: by kernel name."""
    name = system.realpath(path(system, array.members[0])).rpartition("/")[2]
    return ArrayCounters(io=devices[name]) if name in devices else None
