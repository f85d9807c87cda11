"""Plans for a device of another RAID controller."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.array_changes import (
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayGrow,
    ArrayPatch,
    ArrayReplace,
    ArrayScrub,
)
from lunette.domain.arrays import ArrayCreate, ArrayEngine, ArrayState, EngineAbility, Level
from lunette.domain.errors import InUse, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.steps import DiskWipe, GroupCreate, GroupErase, GroupRemove, KeptVolume, MemberDisk
from lunette.planner.arrays.creation import NewArray, plan_create
from lunette.planner.arrays.layouts import plan_layouts
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.site.foresight import after
from lunette.providers.arrays.external import plan as external

PLANNING = ARRAY_ENGINES[ArrayEngine.EXTERNAL]
KNOWN = KnownArray(
    id="a1",
    name="fast",
    state="ready",
    engine=ArrayEngine.EXTERNAL,
    uuid="0" * 32,
    group="lunette-a1",
    size_bytes=1,
    members=(MemberDisk(disk_id="nvme-D1", serial="D1"),),
    level="external",
)


def plan(machine: Observation | None = None, **changes: Any) -> NewArray:
    facts: dict[str, Any] = {
        "name": "fast",
        "engine": ArrayEngine.EXTERNAL,
        "level": Level.EXTERNAL,
        "disks": ("nvme-D1",),
    }
    return plan_create(ArrayCreate(**(facts | changes)), machine or seen.machine(), False, {}, IdentitySource())


def refused(**changes: Any) -> dict[str, str]:
    """Message by field."""
    with pytest.raises(Invalid) as caught:
        plan(**changes)
    return {problem.field: problem.message for problem in caught.value.errors}


def test_a_blank_device_becomes_an_array_by_its_group_alone() -> None:
    new = plan(health_command="probe")
    (step,) = new.plan.steps
    assert isinstance(step, GroupCreate)
    assert step.disk == MemberDisk(disk_id="nvme-D1", serial="D1")
    assert step.array_uuid == new.made.uuid
    assert len(new.made.uuid) == 32
    assert any("does not know the redundancy" in warning for warning in new.plan.warnings)
    assert [*faults(new.plan, seen.machine(), Bounds())] == []


def test_the_volumes_on_it_can_be_planned_before_it_is_made() -> None:
    new = plan()
    later = after(seen.machine(), new.plan.steps[0])
    (array,), (pool,) = later.arrays, later.groups
    assert (array.uuid, array.state, pool.array_uuid) == (new.made.uuid, ArrayState.UNKNOWN, new.made.uuid)
    disk = later.disk("nvme-D1")
    assert disk is not None
    assert external.carried_uuid(disk) == new.made.uuid
    assert 0 < pool.free_bytes < disk.size_bytes


def test_a_device_that_carries_something_is_wiped_only_if_it_is_named() -> None:
    used = seen.machine(disks=(seen.disk(1, signatures=(seen.EXT4,)),))
    with pytest.raises(InUse, match="List it in wipe"):
        plan(used)
    new = plan(used, wipe=("nvme-D1",))
    assert [type(step) for step in new.plan.steps] == [DiskWipe, GroupCreate]
    assert [*faults(new.plan, used, Bounds(wipe=frozenset({"nvme-D1"})))] == []
    assert any("is not wiped first" in fault for fault in faults(plan().plan, used, Bounds()))


def test_a_device_over_a_fabric_is_never_taken() -> None:
    with pytest.raises(Invalid, match="attached over a fabric"):
        plan(seen.machine(disks=(seen.disk(1, fabric=True),)))


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"disks": ("nvme-D1", "nvme-D2")}, "disks", "is one device, not 2"),
        ({"spares": ("nvme-D2",)}, "spares", "takes no spares"),
        ({"chunk_bytes": 65536}, "chunk_bytes", "has no chunk_bytes"),
        ({"write_hole": "ppl"}, "write_hole", "leave write_hole out"),
        ({"sync_speed_max_bytes_s": 2**20}, "sync_speed_max_bytes_s", "has no sync_speed_max_bytes_s"),
        ({"skip_copy": True}, "skip_copy", "has no skip_copy"),
        ({"level": Level.RAID1}, "level", "engine external offers external"),
        ({"health_command": "other"}, "health_command", "offers these health commands: probe"),
        (
            {
                "engine": ArrayEngine.MD,
                "level": Level.RAID1,
                "disks": ("nvme-D1", "nvme-D2"),
                "health_command": "probe",
            },
            "health_command",
            "engine md offers no health command",
        ),
    ],
)
def test_what_is_the_vendors_matter_is_refused_by_field(changes: dict[str, Any], field: str, words: str) -> None:
    assert words in refused(**changes)[field]


@pytest.mark.parametrize("name", ["../probe", "/bin/sh", "probe --all", "Probe", "", "-x", "a" * 64])
def test_a_health_command_is_a_name_and_nothing_else(name: str) -> None:
    with pytest.raises(ValueError, match="health_command"):
        plan(health_command=name)


def test_every_change_of_it_is_refused_with_the_reason_and_none_is_offered() -> None:
    machine, planning, disk = seen.machine(), PLANNING.changes, ArrayDiskChoice(disk="nvme-D1")
    calls: tuple[Callable[[], object], ...] = (
        lambda: planning.plan_add_spares(KNOWN, ArrayAddSpares(disks=("nvme-D2",)), machine, {}),
        lambda: planning.plan_replace(KNOWN, ArrayReplace(disk="nvme-D1", new="nvme-D2"), machine, {}),
        lambda: planning.plan_fail(KNOWN, disk, machine),
        lambda: planning.plan_remove(KNOWN, disk, machine),
        lambda: planning.plan_readd(KNOWN, disk, machine),
        lambda: planning.plan_scrub(KNOWN, ArrayScrub(), machine),
        lambda: planning.plan_patch(KNOWN, ArrayPatch(skip_copy=True, health_command="probe"), None, None),
        lambda: planning.plan_release_disk(KNOWN, KNOWN.members[0]),
        lambda: PLANNING.plan_grow(KNOWN, ArrayGrow(disks=("nvme-D2",)), machine, {}),
    )
    for call in calls:
        with pytest.raises(Invalid, match="the controller or engine that presents it"):
            call()
    record = ARRAY_ENGINES[ArrayEngine.EXTERNAL].capability()
    assert [level.verbs for level in record.levels] == [()]
    assert record.lacks(EngineAbility.REPLACE)


def test_only_an_external_array_has_a_health_command_to_change() -> None:
    spec = ArrayPatch(health_command="probe")
    assert (
        PLANNING.changes.plan_patch(KNOWN, spec, None, None).changes[0].detail
        == "health command probe reports its health"
    )
    for engine in (ArrayEngine.MD, ArrayEngine.ZFS):
        other = replace(KNOWN, engine=engine, level="raid1")
        with pytest.raises(Invalid, match=r"reports (the|its) health"):
            ARRAY_ENGINES[other.engine].changes.plan_patch(other, spec, None, None)


def test_deleting_it_removes_the_group_and_with_deleted_volumes_for_good() -> None:
    planning = ARRAY_ENGINES[ArrayEngine.EXTERNAL]
    (step,) = planning.destroy_steps("a1", "0" * 32, 1, KNOWN.members)
    assert isinstance(step, GroupRemove)
    assert step.disk == KNOWN.members[0]
    kept = KeptVolume(volume_id="v", aside_name="d", size_bytes=1)
    (step,) = planning.destroy_steps("a1", "0" * 32, 1, KNOWN.members, (kept,))
    assert isinstance(step, GroupErase)
    assert step.disk == KNOWN.members[0]


def test_it_is_among_the_layouts_of_one_disk_without_a_word_on_its_redundancy() -> None:
    one = next(x for x in plan_layouts(["nvme-D1"], 16384, seen.machine(), {}).layouts if x.level is Level.EXTERNAL)
    assert (one.possible, one.survives_disks, one.min_rebuild_s) == (True, None, None)
    assert "unknown to Lunette" in one.survives
    two = plan_layouts(["nvme-D1", "nvme-D2"], 16384, seen.machine(), {}).layouts
    assert "is one device" in (next(x for x in two if x.level is Level.EXTERNAL).problem or "")


def test_the_uuid_converts_to_lvm_and_back() -> None:
    uuid = external.array_uuid("01234567-89ab-4def-8123-456789ABCDEF")
    written = external.pv_uuid(uuid)
    assert written == "012345-6789-ab4d-ef81-2345-6789-abcdef"
    label = seen.EXT4.model_copy(update={"type": "LVM2_member", "uuid": written})
    assert external.carried_uuid(seen.disk(1, signatures=(label,))) == uuid
    drawn = label.model_copy(update={"uuid": "Gx2345-6789-ab4d-ef81-2345-6789-abcdef"})
    assert external.carried_uuid(seen.disk(1, signatures=(drawn,))) is None
