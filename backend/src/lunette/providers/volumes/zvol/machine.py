"""Volumes of ZFS pools on the machine."""

from typing import ClassVar

from lunette.domain.arrays import EngineCapability
from lunette.domain.steps import (
    SnapshotBringBack,
    SnapshotDelete,
    SnapshotSetAside,
    SnapshotsTake,
    SnapshotTake,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumeSetAside,
    VolumesSeal,
    VolumeSwap,
)
from lunette.domain.volumes import VolumeEngine
from lunette.providers.arrays.zfs.module import hindrance
from lunette.providers.runner import Runner, Runners, no_undo
from lunette.providers.volumes.machine import VolumeMachine
from lunette.providers.volumes.zvol import aside, snapshot, snapshot_aside, swap, volume
from lunette.providers.volumes.zvol.plan import capability
from lunette.system.doorway import System


class ZvolMachine(VolumeMachine):
    engine = VolumeEngine.ZVOL
    volume_steps: ClassVar[Runners] = {
        VolumeCut: Runner(volume.cut, volume.undo_cut),
        VolumesSeal: Runner(volume.seal, volume.undo_seal),
        VolumeDelete: Runner(volume.delete, no_undo),
        VolumeSetAside: Runner(aside.set_aside, aside.undo_set_aside),
        VolumeBringBack: Runner(aside.bring_back, aside.undo_bring_back),
        VolumeGrow: Runner(volume.grow, no_undo),
        SnapshotTake: Runner(snapshot.take, snapshot.delete),
        SnapshotsTake: Runner(snapshot.take_together, snapshot.undo_together),
        SnapshotDelete: Runner(snapshot.delete, no_undo),
        SnapshotSetAside: Runner(snapshot_aside.set_aside, snapshot_aside.undo_set_aside),
        SnapshotBringBack: Runner(snapshot_aside.bring_back, snapshot_aside.undo_bring_back),
        VolumeRollBack: Runner(snapshot.roll_back, no_undo),
        VolumeSwap: Runner(swap.swap, swap.undo_swap),
    }

    def capability(self, system: System) -> EngineCapability:
        return capability(hindrance(system, "zfs"))
