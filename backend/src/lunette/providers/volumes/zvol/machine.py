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
from lunette.providers.arrays.zfs.module import blocker
from lunette.providers.runner import Runner, Runners, no_undo
from lunette.providers.volumes.machine import VolumeMachine
from lunette.providers.volumes.zvol import retained, retained_snapshot, snapshot, swap, volume
from lunette.providers.volumes.zvol.plan import capability
from lunette.system.system_port import System


class ZvolMachine(VolumeMachine):
    engine = VolumeEngine.ZVOL
    volume_steps: ClassVar[Runners] = {
        VolumeCut: Runner(volume.cut, volume.undo_cut),
        VolumesSeal: Runner(volume.seal, volume.undo_seal),
        VolumeDelete: Runner(volume.delete, no_undo),
        VolumeSetAside: Runner(retained.set_aside, retained.undo_set_aside),
        VolumeBringBack: Runner(retained.bring_back, retained.undo_bring_back),
        VolumeGrow: Runner(volume.grow, no_undo),
        SnapshotTake: Runner(snapshot.take, snapshot.delete),
        SnapshotsTake: Runner(snapshot.take_together, snapshot.undo_together),
        SnapshotDelete: Runner(snapshot.delete, no_undo),
        SnapshotSetAside: Runner(retained_snapshot.set_aside, retained_snapshot.undo_set_aside),
        SnapshotBringBack: Runner(retained_snapshot.bring_back, retained_snapshot.undo_bring_back),
        VolumeRollBack: Runner(snapshot.roll_back, no_undo),
        VolumeSwap: Runner(swap.swap, swap.undo_swap),
    }

    def capability(self, system: System) -> EngineCapability:
        return capability(blocker(system, "zfs"))
