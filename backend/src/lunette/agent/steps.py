"""Each kind of step and the two calls that do it and take it back: the closed set the agent runs."""

from collections.abc import Mapping
from types import ModuleType

from lunette.domain.steps import (
    DiskLocate,
    DiskWipe,
    GroupAdopt,
    GroupCreate,
    GroupErase,
    GroupGrow,
    GroupRelease,
    GroupRemove,
    InterfaceKeep,
    InterfaceRevert,
    InterfaceTry,
    LuksCreate,
    LuksDestroy,
    SnapshotAside,
    SnapshotBringBack,
    SnapshotDelete,
    SnapshotSetAside,
    SnapshotsTake,
    SnapshotTake,
    Step,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeAside,
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
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.locate import locate, undo_locate
from lunette.providers.disks.wipe import wipe
from lunette.providers.encryption import run as encryption
from lunette.providers.network import trial
from lunette.providers.runner import Call, Runner, no_undo
from lunette.providers.volumes.lvm import adopt, group, pool
from lunette.providers.volumes.lvm import aside as lvm_aside
from lunette.providers.volumes.lvm import release as group_release
from lunette.providers.volumes.lvm import snapshot as lvm_snapshot
from lunette.providers.volumes.lvm import snapshot_aside as lvm_snapshot_aside
from lunette.providers.volumes.lvm import swap as lvm_swap
from lunette.providers.volumes.lvm import volume as lvm
from lunette.providers.volumes.zvol import aside as zvol_aside
from lunette.providers.volumes.zvol import snapshot as zvol_snapshot
from lunette.providers.volumes.zvol import snapshot_aside as zvol_snapshot_aside
from lunette.providers.volumes.zvol import swap as zvol_swap
from lunette.providers.volumes.zvol import volume as zvol
from lunette.system.doorway import System

_VOLUMES = {VolumeEngine.LVM: lvm, VolumeEngine.ZVOL: zvol}
_ASIDE = {VolumeEngine.LVM: lvm_aside, VolumeEngine.ZVOL: zvol_aside}
_SWAP = {VolumeEngine.LVM: lvm_swap, VolumeEngine.ZVOL: zvol_swap}
_SNAPSHOTS = {VolumeEngine.LVM: lvm_snapshot, VolumeEngine.ZVOL: zvol_snapshot}
_SNAPSHOTS_ASIDE = {VolumeEngine.LVM: lvm_snapshot_aside, VolumeEngine.ZVOL: zvol_snapshot_aside}
_TOGETHER = {VolumeEngine.ZVOL: zvol_snapshot}


OfVolumes = (
    VolumeCut
    | VolumesSeal
    | VolumeDelete
    | VolumeAside
    | VolumeGrow
    | SnapshotTake
    | SnapshotsTake
    | SnapshotDelete
    | SnapshotAside
    | VolumeRollBack
    | VolumeSwap
)


def _by_engine(name: str, providers: Mapping[VolumeEngine, ModuleType]) -> Call:
    """The call of this name of the engine that the step names."""

    def call(system: System, step: OfVolumes) -> str | None:
        provider: Call = getattr(providers[step.engine], name)
        return provider(system, step)

    return call


RUNNERS: dict[type[Step], Runner] = {
    DiskWipe: Runner(wipe, no_undo),
    DiskLocate: Runner(locate, undo_locate),
    **{kind: runner for machine in ARRAY_MACHINES.values() for kind, runner in machine.steps.items()},
    LuksCreate: Runner(encryption.create, encryption.undo_create),
    LuksDestroy: Runner(encryption.remove, no_undo),
    GroupAdopt: Runner(adopt.adopt, adopt.undo_adopt),
    GroupCreate: Runner(group.create, group.remove),
    GroupRemove: Runner(group.remove, group.create),
    GroupGrow: Runner(group.grow, no_undo),
    GroupRelease: Runner(group_release.release, group_release.undo_release),
    GroupErase: Runner(group.remove, no_undo),
    VolumeCut: Runner(_by_engine("cut", _VOLUMES), _by_engine("undo_cut", _VOLUMES)),
    VolumesSeal: Runner(_by_engine("seal", _VOLUMES), _by_engine("undo_seal", _VOLUMES)),
    VolumeDelete: Runner(_by_engine("delete", _VOLUMES), no_undo),
    VolumeSetAside: Runner(_by_engine("set_aside", _ASIDE), _by_engine("undo_set_aside", _ASIDE)),
    VolumeBringBack: Runner(_by_engine("bring_back", _ASIDE), _by_engine("undo_bring_back", _ASIDE)),
    VolumeGrow: Runner(_by_engine("grow", _VOLUMES), no_undo),
    ThinPoolCreate: Runner(pool.create, pool.undo_create),
    ThinPoolGrow: Runner(pool.grow, no_undo),
    ThinPoolRemove: Runner(pool.remove, no_undo),
    SnapshotTake: Runner(_by_engine("take", _SNAPSHOTS), _by_engine("delete", _SNAPSHOTS)),
    SnapshotsTake: Runner(_by_engine("take_together", _TOGETHER), _by_engine("undo_together", _TOGETHER)),
    SnapshotDelete: Runner(_by_engine("delete", _SNAPSHOTS), no_undo),
    SnapshotSetAside: Runner(_by_engine("set_aside", _SNAPSHOTS_ASIDE), _by_engine("undo_set_aside", _SNAPSHOTS_ASIDE)),
    SnapshotBringBack: Runner(
        _by_engine("bring_back", _SNAPSHOTS_ASIDE), _by_engine("undo_bring_back", _SNAPSHOTS_ASIDE)
    ),
    VolumeRollBack: Runner(_by_engine("roll_back", _SNAPSHOTS), no_undo),
    VolumeSwap: Runner(_by_engine("swap", _SWAP), _by_engine("undo_swap", _SWAP)),
    InterfaceTry: Runner(trial.begin, trial.undo),
    InterfaceKeep: Runner(trial.keep, no_undo),
    InterfaceRevert: Runner(trial.revert, no_undo),
}
"""`exports.gone` is not here, nor are `session.end`, `disk.erase` and the steps on paths and slots: they wait without
the storage lock (agent.core)."""
