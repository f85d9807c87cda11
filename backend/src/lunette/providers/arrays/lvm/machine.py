"""Arrays of LVM RAID on the machine, each with its own volume group on it."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import ClassVar

from lunette.domain.arrays import ArrayEngine, EngineCapability, ObservedArray
from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import ToolFailed
from lunette.domain.exports import ExportArray
from lunette.domain.observations import Part
from lunette.domain.steps import LvmRaidCreate, LvmRaidDestroy, LvmRaidReplace, LvmRaidScrub
from lunette.providers.arrays.lvm import assemble, counters, members, observe, run
from lunette.providers.arrays.lvm.plan import NO_ENCRYPTION, array_of_pv, capability, device_path, raid_group
from lunette.providers.arrays.machine import ArrayMachine, ObservedArrays, Surroundings
from lunette.providers.blocker import no_module
from lunette.providers.encryption import plan as encryption
from lunette.providers.runner import Runner, Runners, no_undo
from lunette.providers.volumes.lvm import group
from lunette.providers.volumes.lvm.blocker import lvm_blocker
from lunette.providers.volumes.lvm.plan import TAG
from lunette.system.system_port import System


class LvmRaidMachine(ArrayMachine):
    engine = ArrayEngine.LVM
    part = Part.LVM
    steps: ClassVar[Runners] = {
        LvmRaidCreate: Runner(run.create, run.undo_create),
        LvmRaidDestroy: Runner(run.destroy, no_undo),
        LvmRaidReplace: Runner(members.replace, no_undo),
        LvmRaidScrub: Runner(members.scrub, members.undo_scrub),
    }

    def capability(self, system: System) -> EngineCapability:
        without = lvm_blocker(system) or no_module(system, "dm_raid")
        record = capability(without, no_integrity=no_module(system, "dm_integrity"))
        return encryption.without(record, NO_ENCRYPTION)

    def observe(self, system: System, around: Surroundings, unread: dict[str, str]) -> ObservedArrays:
        if system.find_tool("pvs") is None:
            return ObservedArrays()
        return ObservedArrays(observe.observe_arrays(system, around.disks, unread, all_disks=around.all_disks))

    def is_up(self, system: System, array: ExportArray) -> bool:
        return system.exists(device_path(raid_group(array.array_id)))

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        return assemble.start(system, array, allow_degraded=allow_degraded)

    def activate(self, system: System, array: ExportArray, /) -> None:
        device = device_path(raid_group(array.array_id))
        group.check_carries(system, array.group, device, array.uuid)
        group.activate(system, array.group, device)

    def shut_down(self, system: System, _still_open: Set[str] | None, /) -> list[str]:
        return assemble.shut_down(system)

    def counters(
        self, system: System, arrays: Sequence[ExportArray], devices: Mapping[str, BlockCounters]
    ) -> Mapping[str, ArrayCounters | None]:
        return {array.array_id: counters.read(system, array, devices) for array in arrays}

    def array_of(self, signature_uuid: str) -> str | None:
        return array_of_pv(signature_uuid)

    def group_device(self, system: System, array: ObservedArray, *, degraded: bool) -> str | None:
        if assemble.running(system, array.uuid, degraded=degraded) is None:
            return None
        return device_path(array.name)

    def with_copies(self, system: System, disks: Sequence[ObservedDisk]) -> Iterator[ObservedArray]:
        """By the UUIDs of the physical volumes on its disks."""
        unread: dict[str, str] = {}
        assemble.see(system, [*observe.members(disks).values()])
        yield from observe.observe_arrays(system, disks, unread)
        for name, reason in unread.items():
            if not name or name.startswith(TAG):
                raise ToolFailed(f"not every array can be read: {reason}: correct this, then try again")
