"""Devices of other RAID controllers or engines on the machine, each with an LVM volume group on it."""

from collections.abc import Iterator, Mapping, Sequence, Set

from lunette.domain.arrays import ArrayEngine, EngineCapability, ObservedArray
from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.disks import ObservedDisk
from lunette.domain.exports import ExportArray
from lunette.domain.observations import Part
from lunette.providers.arrays.external import assemble, counters, health
from lunette.providers.arrays.external.device import path
from lunette.providers.arrays.external.observe import observe_arrays
from lunette.providers.arrays.external.plan import NO_ENCRYPTION, capability
from lunette.providers.arrays.machine import ArrayMachine, ObservedArrays, Surroundings
from lunette.providers.encryption import plan as encryption
from lunette.providers.volumes.lvm.blocker import lvm_blocker
from lunette.system.system_port import System


class ExternalMachine(ArrayMachine):
    engine = ArrayEngine.EXTERNAL
    part = Part.EXTERNAL
    is_found_by_members = True

    def capability(self, system: System) -> EngineCapability:
        record = capability(lvm_blocker(system), health.commands(system))
        return encryption.without(record, NO_ENCRYPTION)

    def observe(self, system: System, around: Surroundings, unread: dict[str, str]) -> ObservedArrays:
        if system.find_tool("pvs") is None:
            return ObservedArrays()
        return ObservedArrays(observe_arrays(system, around.disks, around.groups, unread))

    def is_up(self, system: System, array: ExportArray) -> bool:
        return assemble.is_up(system, array)

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        return assemble.start(system, array, allow_degraded=allow_degraded)

    def activate(self, system: System, array: ExportArray, /) -> None:
        assemble.activate(system, array)

    def shut_down(self, _system: System, _still_open: Set[str] | None, /) -> list[str]:
        """Below its volume group there is nothing to stop."""
        return []

    def counters(
        self, system: System, arrays: Sequence[ExportArray], devices: Mapping[str, BlockCounters]
    ) -> Mapping[str, ArrayCounters | None]:
        return {array.array_id: counters.read(system, array, devices) for array in arrays}

    def group_device(self, system: System, array: ObservedArray, *, degraded: bool) -> str | None:
        return path(system, array.members[0].disk_id or "")

    def with_copies(self, system: System, disks: Sequence[ObservedDisk]) -> Iterator[ObservedArray]:
        yield from (array for array in observe_arrays(system, disks, (), {}) if array.ours)
