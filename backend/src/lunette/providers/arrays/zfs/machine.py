"""Pools of ZFS on the machine. Volumes are allocated from the pool itself."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import ClassVar

from lunette.domain.arrays import ArrayEngine, EngineCapability
from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.disks import ObservedDisk
from lunette.domain.exports import ExportArray
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Part
from lunette.domain.steps import (
    PoolAdd,
    PoolAddSpecial,
    PoolCreate,
    PoolDestroy,
    PoolRelease,
    PoolReplace,
    PoolScrub,
    PoolSpareBack,
    PoolSpareIn,
    PoolTakeOut,
)
from lunette.providers.arrays.machine import ArrayMachine, ObservedArrays, Surroundings
from lunette.providers.arrays.zfs import assemble, auxiliary, counters, foreign, members, module, observe, run, spares
from lunette.providers.arrays.zfs.plan import NO_ENCRYPTION, capability
from lunette.providers.encryption import plan as encryption
from lunette.providers.runner import Runner, Runners, no_undo
from lunette.providers.volumes.zvol import observe as zvol
from lunette.system.system_port import System


class ZfsMachine(ArrayMachine):
    engine = ArrayEngine.ZFS
    part = Part.ZFS
    steps: ClassVar[Runners] = {
        PoolCreate: Runner(run.create, run.undo_create),
        PoolDestroy: Runner(run.destroy, no_undo),
        PoolAdd: Runner(auxiliary.add, auxiliary.undo_add),
        PoolAddSpecial: Runner(auxiliary.add, no_undo),
        PoolTakeOut: Runner(auxiliary.take_out, no_undo),
        PoolReplace: Runner(members.replace, members.undo_replace),
        PoolRelease: Runner(members.release, no_undo),
        PoolSpareIn: Runner(spares.step_in, spares.go_back),
        PoolSpareBack: Runner(spares.go_back, no_undo),
        PoolScrub: Runner(members.scrub, members.undo_scrub),
    }

    def capability(self, system: System) -> EngineCapability:
        return encryption.without(capability(module.blocker(system, "zpool")), NO_ENCRYPTION)

    def observe(self, system: System, around: Surroundings, unread: dict[str, str]) -> ObservedArrays:
        datasets = observe.all_datasets(system, unread)
        arrays = observe.observe_arrays(system, datasets, around.disks, unread, all_disks=around.all_disks)
        return ObservedArrays(arrays, *zvol.observed(datasets, arrays))

    def is_up(self, system: System, array: ExportArray) -> bool:
        return assemble.is_up(system, array)

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        return assemble.start(system, array, allow_degraded=allow_degraded)

    def tend(self, system: System, array: ExportArray, /) -> None:
        assemble.tend(system, array)

    def activate(self, system: System, array: ExportArray, /) -> None:
        assemble.activate(system, array)

    def shut_down(self, system: System, still_open: Set[str] | None, /) -> list[str]:
        return assemble.shut_down(system, still_open)

    def counters(
        self, system: System, arrays: Sequence[ExportArray], devices: Mapping[str, BlockCounters]
    ) -> Mapping[str, ArrayCounters | None]:
        return {array.array_id: counters.read(system, array.group) for array in arrays}

    def foreign(self, system: System, disks: Sequence[ObservedDisk]) -> Iterable[FoundArray]:
        return foreign.found(system, disks)
