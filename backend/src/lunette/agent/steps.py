"""The closed set of steps that the agent runs: each kind with the calls that do it and undo it."""

from collections.abc import Iterable, Iterator, Sequence

from lunette.domain.steps import (
    AnyManyStep,
    DiskLocate,
    DiskWipe,
    InterfaceKeep,
    InterfaceRevert,
    InterfaceTry,
    LuksCreate,
    LuksDestroy,
    SnapshotAside,
    SnapshotDelete,
    SnapshotsTake,
    SnapshotTake,
    Step,
    VolumeAside,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumesSeal,
    VolumeSwap,
)
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.locate import locate, undo_locate
from lunette.providers.disks.wipe import wipe
from lunette.providers.encryption import run as encryption
from lunette.providers.network import trial
from lunette.providers.runner import Outcomes, Runner, Runners, no_undo
from lunette.providers.volumes.machines import VOLUME_MACHINES
from lunette.system.system_port import System

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


def _do(system: System, step: OfVolumes) -> str | None:
    return VOLUME_MACHINES[step.engine].volume_steps[type(step)].do(system, step)


def _undo(system: System, step: OfVolumes) -> str | None:
    return VOLUME_MACHINES[step.engine].volume_steps[type(step)].undo(system, step)


def do_many(system: System, steps: Sequence[AnyManyStep]) -> Outcomes:
    """Do steps of one kind, on one group of one engine."""
    return VOLUME_MACHINES[steps[0].engine].volume_steps[type(steps[0])].do_many(system, steps)


def _of(tables: Iterable[Runners]) -> Iterator[tuple[type[Step], Runner]]:
    return (entry for table in tables for entry in table.items())


RUNNERS: dict[type[Step], Runner] = {
    DiskWipe: Runner(wipe, no_undo),
    DiskLocate: Runner(locate, undo_locate),
    LuksCreate: Runner(encryption.create, encryption.undo_create),
    LuksDestroy: Runner(encryption.remove, no_undo),
    InterfaceTry: Runner(trial.begin, trial.undo),
    InterfaceKeep: Runner(trial.keep, no_undo),
    InterfaceRevert: Runner(trial.revert, no_undo),
    **dict(_of(machine.steps for machine in ARRAY_MACHINES.values())),
    **dict(_of(machine.steps for machine in VOLUME_MACHINES.values())),
    **{kind: Runner(_do, _undo) for machine in VOLUME_MACHINES.values() for kind in machine.volume_steps},
}
"""Not in this table: `exports.gone`, `session.end`, `disk.erase` and the steps on paths and slots, which wait without
the storage lock (agent.core).
"""
