"""One pass over all counters: reads of files only, no command, so that it may be asked for every few seconds."""

from lunette.agent import serving
from lunette.domain.arrays import ArrayEngine
from lunette.domain.counters import ArrayCounters, BlockCounters, Counters
from lunette.domain.exports import ExportSet
from lunette.providers.arrays.external import counters as external
from lunette.providers.arrays.lvm import counters as lvm
from lunette.providers.arrays.md import counters as md
from lunette.providers.arrays.zfs import counters as zfs
from lunette.providers.disks import diskstats
from lunette.providers.exports.lio import statistics as lio
from lunette.providers.fabrics import port_counters
from lunette.system.doorway import System

_STACKED = ("dm-", "md", "zd", "loop", "ram", "zram")


def take(system: System, served: ExportSet | None) -> Counters:
    """Counters of all that is served, and of the disks and ports of the machine."""
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
    running = md.read(system, devices)
    found = {}
    for array in served.arrays:
        match array.engine:
            case ArrayEngine.ZFS:
                found[array.array_id] = zfs.read(system, array.group)
            case ArrayEngine.EXTERNAL:
                found[array.array_id] = external.read(system, array, devices)
            case ArrayEngine.LVM:
                found[array.array_id] = lvm.read(system, array, devices)
            case _:
                found[array.array_id] = running.get(array.uuid)
    return {array_id: counters for array_id, counters in found.items() if counters is not None}
