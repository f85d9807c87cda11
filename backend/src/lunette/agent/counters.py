"""Reads all counters in one pass: only files, no commands, so that it can be called every few seconds."""

from lunette.agent import serving
from lunette.domain.counters import ArrayCounters, BlockCounters, Counters
from lunette.domain.exports import ExportSet
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks import diskstats
from lunette.providers.exports.lio import statistics as lio
from lunette.providers.fabrics import port_counters
from lunette.system.system_port import System

_STACKED = ("dm-", "md", "zd", "loop", "ram", "zram")


def take(system: System, served: ExportSet | None) -> Counters:
    """Counters of all exports, and of the disks and ports of the machine."""
    taken_at, clock_s = system.now(), system.monotonic()
    devices = diskstats.read(system)
    return Counters(
        taken_at=taken_at,
        clock_s=clock_s,
        disks={name: counters for name, counters in devices.items() if not name.startswith(_STACKED)},
        volumes=_volumes(system, served, devices) if served else {},
        arrays=_arrays(system, served, devices) if served else {},
        sessions=lio.read(system, served) if served else (),
        ports=port_counters.read(system),
        unseen=serving.uncounted(served),
    )


def _volumes(system: System, served: ExportSet, devices: dict[str, BlockCounters]) -> dict[str, BlockCounters]:
    names = {volume.volume_id: system.realpath(volume.device).rpartition("/")[2] for volume in served.volumes}
    return {volume_id: devices[name] for volume_id, name in names.items() if name in devices}


def _arrays(system: System, served: ExportSet, devices: dict[str, BlockCounters]) -> dict[str, ArrayCounters]:
    found: dict[str, ArrayCounters | None] = {}
    for engine, machine in ARRAY_MACHINES.items():
        if arrays := [array for array in served.arrays if array.engine is engine]:
            found |= machine.counters(system, arrays, devices)
    ids = [array.array_id for array in served.arrays]
    return {array_id: counters for array_id in ids if (counters := found.get(array_id)) is not None}
