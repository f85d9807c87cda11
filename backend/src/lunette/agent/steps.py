"""Each kind of step and the two calls that do it and take it back: the closed set the agent runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lunette.domain.errors import Conflict
from lunette.domain.steps import (
    DiskWipe,
    GroupCreate,
    GroupRemove,
    MdAdd,
    MdCreate,
    MdDestroy,
    MdFail,
    MdRemove,
    MdReplace,
    MdScrub,
    SnapshotDelete,
    SnapshotTake,
    Step,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumesSeal,
)
from lunette.providers.arrays.md import members, sync
from lunette.providers.arrays.md import run as md
from lunette.providers.disks.wipe import wipe
from lunette.providers.volumes.lvm import group, pool, snapshot, volume
from lunette.system.doorway import System

Call = Callable[[System, Any], str | None]
"""Answers what it changed in words, None if there was nothing to do."""


def _nothing(_system: System, step: Step) -> None:
    """What is wiped or destroyed does not come back; engines stop undoing there."""
    raise Conflict(f"this cannot be taken back: {step.describe()}")


@dataclass(frozen=True)
class Runner:
    do: Call
    undo: Call


RUNNERS: dict[type[Step], Runner] = {
    DiskWipe: Runner(wipe, _nothing),
    MdCreate: Runner(md.create, md.undo_create),
    MdDestroy: Runner(md.destroy, _nothing),
    MdAdd: Runner(members.add, members.undo_add),
    MdReplace: Runner(members.replace, members.undo_replace),
    MdFail: Runner(members.fail, _nothing),
    MdRemove: Runner(members.remove, _nothing),
    MdScrub: Runner(sync.scrub, sync.undo_scrub),
    GroupCreate: Runner(group.create, group.remove),
    GroupRemove: Runner(group.remove, group.create),
    VolumeCut: Runner(volume.cut, volume.undo_cut),
    VolumesSeal: Runner(volume.seal, volume.undo_seal),
    VolumeDelete: Runner(volume.delete, _nothing),
    VolumeGrow: Runner(volume.grow, _nothing),
    ThinPoolCreate: Runner(pool.create, pool.undo_create),
    ThinPoolGrow: Runner(pool.grow, _nothing),
    ThinPoolRemove: Runner(pool.remove, _nothing),
    SnapshotTake: Runner(snapshot.take, snapshot.delete),
    SnapshotDelete: Runner(snapshot.delete, _nothing),
    VolumeRollBack: Runner(snapshot.roll_back, _nothing),
}
"""`exports.gone` is not here: it waits without the storage lock (agent.core)."""
