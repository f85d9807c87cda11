"""Each kind of step and the two calls that do it and take it back: the closed set the agent runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from lunette.domain.errors import Conflict
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
    LvmRaidCreate,
    LvmRaidDestroy,
    LvmRaidReplace,
    LvmRaidScrub,
    MdAdd,
    MdCreate,
    MdDestroy,
    MdFail,
    MdForceStart,
    MdOpen,
    MdRelease,
    MdRelevel,
    MdRemove,
    MdReplace,
    MdReshape,
    MdScrub,
    MdSpareOut,
    MdStart,
    MdWriteHole,
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
from lunette.providers.arrays.lvm import members as raid_members
from lunette.providers.arrays.lvm import run as lvm_raid
from lunette.providers.arrays.md import force, foreign, level, members, reshape, sync
from lunette.providers.arrays.md import release as md_release
from lunette.providers.arrays.md import run as md
from lunette.providers.arrays.zfs import beside as pool_beside
from lunette.providers.arrays.zfs import members as pool_members
from lunette.providers.arrays.zfs import run as zfs
from lunette.providers.arrays.zfs import spares as pool_spares
from lunette.providers.disks.locate import locate, undo_locate
from lunette.providers.disks.wipe import wipe
from lunette.providers.encryption import run as encryption
from lunette.providers.network import trial
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

Call = Callable[[System, Any], str | None]
"""Answers what it changed in words, None if there was nothing to do."""


def _nothing(_system: System, step: Step) -> None:
    """What is wiped or destroyed does not come back; engines stop undoing there."""
    raise Conflict(f"this cannot be undone: {step.describe()}")


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


@dataclass(frozen=True)
class Runner:
    do: Call
    undo: Call


RUNNERS: dict[type[Step], Runner] = {
    DiskWipe: Runner(wipe, _nothing),
    DiskLocate: Runner(locate, undo_locate),
    MdCreate: Runner(md.create, md.undo_create),
    MdDestroy: Runner(md.destroy, _nothing),
    MdStart: Runner(foreign.start, foreign.undo_start),
    MdOpen: Runner(foreign.open_, foreign.undo_open),
    MdRelease: Runner(md_release.release, md_release.undo_release),
    MdAdd: Runner(members.add, members.undo_add),
    MdReplace: Runner(members.replace, members.undo_replace),
    MdFail: Runner(members.fail, _nothing),
    MdRemove: Runner(members.remove, _nothing),
    MdSpareOut: Runner(members.take_spare_out, members.undo_take_spare_out),
    MdForceStart: Runner(force.start, _nothing),
    MdScrub: Runner(sync.scrub, sync.undo_scrub),
    MdWriteHole: Runner(reshape.set_write_hole, reshape.undo_write_hole),
    MdReshape: Runner(reshape.reshape, _nothing),
    MdRelevel: Runner(level.relevel, _nothing),
    LvmRaidCreate: Runner(lvm_raid.create, lvm_raid.undo_create),
    LvmRaidDestroy: Runner(lvm_raid.destroy, _nothing),
    LvmRaidReplace: Runner(raid_members.replace, _nothing),
    LvmRaidScrub: Runner(raid_members.scrub, raid_members.undo_scrub),
    LuksCreate: Runner(encryption.create, encryption.undo_create),
    LuksDestroy: Runner(encryption.remove, _nothing),
    PoolCreate: Runner(zfs.create, zfs.undo_create),
    PoolDestroy: Runner(zfs.destroy, _nothing),
    PoolAdd: Runner(pool_beside.add, pool_beside.undo_add),
    PoolAddSpecial: Runner(pool_beside.add, _nothing),
    PoolTakeOut: Runner(pool_beside.take_out, _nothing),
    PoolReplace: Runner(pool_members.replace, pool_members.undo_replace),
    PoolRelease: Runner(pool_members.release, _nothing),
    PoolSpareIn: Runner(pool_spares.step_in, pool_spares.go_back),
    PoolSpareBack: Runner(pool_spares.go_back, _nothing),
    PoolScrub: Runner(pool_members.scrub, pool_members.undo_scrub),
    GroupAdopt: Runner(adopt.adopt, adopt.undo_adopt),
    GroupCreate: Runner(group.create, group.remove),
    GroupRemove: Runner(group.remove, group.create),
    GroupGrow: Runner(group.grow, _nothing),
    GroupRelease: Runner(group_release.release, group_release.undo_release),
    GroupErase: Runner(group.remove, _nothing),
    VolumeCut: Runner(_by_engine("cut", _VOLUMES), _by_engine("undo_cut", _VOLUMES)),
    VolumesSeal: Runner(_by_engine("seal", _VOLUMES), _by_engine("undo_seal", _VOLUMES)),
    VolumeDelete: Runner(_by_engine("delete", _VOLUMES), _nothing),
    VolumeSetAside: Runner(_by_engine("set_aside", _ASIDE), _by_engine("undo_set_aside", _ASIDE)),
    VolumeBringBack: Runner(_by_engine("bring_back", _ASIDE), _by_engine("undo_bring_back", _ASIDE)),
    VolumeGrow: Runner(_by_engine("grow", _VOLUMES), _nothing),
    ThinPoolCreate: Runner(pool.create, pool.undo_create),
    ThinPoolGrow: Runner(pool.grow, _nothing),
    ThinPoolRemove: Runner(pool.remove, _nothing),
    SnapshotTake: Runner(_by_engine("take", _SNAPSHOTS), _by_engine("delete", _SNAPSHOTS)),
    SnapshotsTake: Runner(_by_engine("take_together", _TOGETHER), _by_engine("undo_together", _TOGETHER)),
    SnapshotDelete: Runner(_by_engine("delete", _SNAPSHOTS), _nothing),
    SnapshotSetAside: Runner(_by_engine("set_aside", _SNAPSHOTS_ASIDE), _by_engine("undo_set_aside", _SNAPSHOTS_ASIDE)),
    SnapshotBringBack: Runner(
        _by_engine("bring_back", _SNAPSHOTS_ASIDE), _by_engine("undo_bring_back", _SNAPSHOTS_ASIDE)
    ),
    VolumeRollBack: Runner(_by_engine("roll_back", _SNAPSHOTS), _nothing),
    VolumeSwap: Runner(_by_engine("swap", _SWAP), _by_engine("undo_swap", _SWAP)),
    InterfaceTry: Runner(trial.begin, trial.undo),
    InterfaceKeep: Runner(trial.keep, _nothing),
    InterfaceRevert: Runner(trial.revert, _nothing),
}
"""`exports.gone` is not here, nor are `session.end`, `disk.erase` and the steps on paths and slots: they wait without
the storage lock (agent.core)."""
