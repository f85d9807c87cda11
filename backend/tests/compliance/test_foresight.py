"""What the planner foresees of a step is what the machine shows once it ran: the same steps, foreseen and done.

A site document is planned on what is foreseen, and the agent in memory of `backend/tests/engine` is made of it: here
the one model of what a step does meets the machine.
"""

import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from backend.tests.faults.cases import CASES
from backend.tests.faults.harness import Case, world_from
from backend.tests.faults.world import database_template
from lunette.domain.agent_protocol import DoStep
from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.observations import Observation
from lunette.domain.steps import (
    AnyStep,
    DiskErase,
    DiskLocate,
    DiskWipe,
    ExportsGone,
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
    MachineStop,
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
    PathsAsk,
    PathTry,
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
    SessionEnd,
    SlotStart,
    SlotWrite,
    SnapshotBringBack,
    SnapshotDelete,
    SnapshotSetAside,
    SnapshotsTake,
    SnapshotTake,
    Step,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumeSetAside,
    VolumesSeal,
    VolumeSwap,
)
from lunette.planner.site.foresight import after

FORESEEN: Mapping[type[Step], str] = {
    DiskErase: "have a disk erase itself",
    DiskWipe: "create an array, wiping",
    GroupCreate: "take a device",
    GroupErase: "delete an array with deleted volumes",
    GroupRemove: "delete an external array",
    LvmRaidCreate: "create an LVM RAID",
    LvmRaidDestroy: "delete an LVM RAID",
    MdAdd: "take a disk back",
    MdCreate: "create an array with a spare",
    MdDestroy: "delete an array with deleted volumes",
    MdReshape: "grow a mirror",
    MdWriteHole: "grow an array",
    PoolAdd: "mirror the log of a pool",
    PoolAddSpecial: "add a special disk to a pool",
    PoolCreate: "create a pool with log, cache and special disks",
    PoolDestroy: "delete a pool with a deleted zvol",
    ThinPoolCreate: "create thin volumes",
    ThinPoolGrow: "grow a thin pool",
    ThinPoolRemove: "delete volumes for good",
    VolumeBringBack: "recover a volume",
    VolumeCut: "create volumes",
    VolumeDelete: "erase a zvol",
    VolumeGrow: "grow a zvol",
    VolumeSetAside: "delete volumes",
    VolumesSeal: "create zvols",
}
"""Each kind of step that is foreseen, and a case in which it runs."""
ALSO = ("create an encrypted array", "create a pool with a spare", "grow a volume")
"""What makes a difference to a kind above. All other cases run with the slow tests."""
BY_REQUEST = "no site document asks for it: it is a request of its own, or a job that the appliance files by itself"
UNFORESEEN: Mapping[type[Step], str] = {
    ExportsGone: "it only waits",
    LuksCreate: "what the header takes is foreseen with the group on it",
    LuksDestroy: "the array goes with it",
    **dict.fromkeys((DiskLocate, SessionEnd, PathsAsk, PathTry, SlotWrite, SlotStart, MachineStop), BY_REQUEST),
    **dict.fromkeys((InterfaceTry, InterfaceKeep, InterfaceRevert), BY_REQUEST),
    **dict.fromkeys((LvmRaidReplace, LvmRaidScrub, GroupAdopt, GroupGrow, GroupRelease), BY_REQUEST),
    **dict.fromkeys((MdFail, MdForceStart, MdOpen, MdRelease, MdRelevel, MdRemove, MdReplace), BY_REQUEST),
    **dict.fromkeys((MdScrub, MdSpareOut, MdStart), BY_REQUEST),
    **dict.fromkeys((PoolRelease, PoolReplace, PoolScrub, PoolSpareBack, PoolSpareIn, PoolTakeOut), BY_REQUEST),
    **dict.fromkeys((SnapshotTake, SnapshotsTake, SnapshotDelete, SnapshotSetAside, SnapshotBringBack), BY_REQUEST),
    **dict.fromkeys((VolumeRollBack, VolumeSwap), BY_REQUEST),
}
"""Each kind of step that changes nothing of what is foreseen, and why that is enough."""
LEAST = (GroupCreate, PoolCreate)
"""What has room of its own from then on has this much or a little more: how its metadata is aligned is not foreseen."""


def claims(seen: Observation) -> dict[tuple[str, ...], Any]:
    """What is foreseen of disks, arrays, groups and volumes, by what they are.

    Left out is how the kernel calls them, what is counted or measured, and whether a deleted volume has a device.
    """
    return {
        **{("disk", one.id): (one.partitions, sorted(sign.type for sign in one.signatures)) for one in seen.disks},
        **{("array", one.uuid): array(one) for one in seen.arrays},
        **{
            ("pool", one.group): (
                one.array_uuid,
                one.ours,
                one.extent_bytes,
                one.thin and (one.thin.name, one.thin.size_bytes, one.thin.metadata_bytes),
            )
            for one in seen.groups
        },
        **{
            ("volume", one.group, one.name): (one.volume_id, one.size_bytes, one.sealed, one.device)
            for one in seen.volumes
            if one.snapshot_id is None
        },
    }


def array(found: ObservedArray) -> tuple[Any, ...]:
    """The first resync of a new array is not foreseen; nor is a distributed spare, which is no disk."""
    is_whole = found.state in (ArrayState.CLEAN, ArrayState.RESYNCING)
    health = ArrayState.CLEAN if is_whole else (found.state, found.progress and found.progress.action)
    kind = found.engine, found.name, found.level, found.layout, found.chunk_bytes, found.write_hole
    members = sorted(
        (one.disk_id or "", one.role, one.state) for one in found.members if one.disk_id or one.state == "missing"
    )
    return *kind, found.ours or found.marked, health, found.raid_disks, found.is_reshaping, members


def room(seen: Observation) -> dict[str, tuple[int, ...]]:
    """How much there is, by array and group."""
    arrays = {one.uuid: (one.size_bytes,) for one in seen.arrays}
    return {**arrays, **{one.group: (one.size_bytes, one.free_bytes) for one in seen.groups}}


def blocks(seen: Observation) -> dict[tuple[str, str], int]:
    return {(one.group, one.name): one.block_bytes for one in seen.volumes if one.block_bytes is not None}


def check(step: AnyStep, foreseen: Observation, found: Observation) -> None:
    """What was foreseen is there, and nothing else."""
    assert claims(foreseen) == claims(found), step.describe()
    least, there = room(foreseen), room(found)
    if isinstance(step, LEAST):
        assert least.keys() == there.keys()
        assert all(some <= more for key, all_of in there.items() for some, more in zip(least[key], all_of, strict=True))
    else:
        assert least == there, step.describe()
    shown = blocks(found)
    assert {key: size for key, size in blocks(foreseen).items() if key in shown}.items() <= shown.items()


def quick_or_slow() -> list[Any]:
    """All cases. Those that no table names are slow tests."""
    quick = {*FORESEEN.values(), *ALSO}
    return [pytest.param(one, id=one.name, marks=() if one.name in quick else pytest.mark.slow) for one in CASES]


def test_every_kind_of_step_is_foreseen_or_said_not_to_be() -> None:
    union, _ = typing.get_args(AnyStep)
    assert {*FORESEEN, *UNFORESEEN} == set(typing.get_args(union))
    assert not set(FORESEEN) & set(UNFORESEEN)
    assert {*FORESEEN.values(), *ALSO} <= {case.name for case in CASES}


@pytest.mark.parametrize("job", quick_or_slow())
def test_what_is_foreseen_of_a_step_is_what_happens(job: Case, sqlite_template: Path, tmp_path: Path) -> None:
    """And foreseen twice, as of a step that is repeated after a crash, it is the same."""
    ran: set[type[Step]] = set()
    with world_from(database_template(sqlite_template, tmp_path)) as world:
        job.prepare(world)
        world.settle()
        job.lead_in(world)
        plan = job.ask(world).plan
        world.converge()
        for step in plan.steps:
            before = world.control.observation(0)
            foreseen = after(before, step)
            assert (foreseen == before) is (type(step) in UNFORESEEN), step.describe()
            assert after(foreseen, step) == foreseen, step.describe()
            world.agent.ask(DoStep(job_id="job", step=step))
            if type(step) in FORESEEN:
                check(step, foreseen, world.control.observation(0))
            ran.add(type(step))
    assert {kind for kind, name in FORESEEN.items() if name == job.name} <= ran
