"""Plans for arrays that stand: what is chosen, and every reason to refuse, naming the disk and what to do."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayGrow,
    ArrayPatch,
    ArrayRelease,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
    ScrubAction,
)
from lunette.domain.arrays import (
    ArrayEngine,
    ArrayState,
    ArrayVerb,
    Level,
    LevelCapability,
    MemberRole,
    ObservedMember,
    SyncProgress,
    WriteHole,
)
from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.sizes import GIB, MIB
from lunette.domain.steps import DiskWipe, MdAdd, MdFail, MdForceStart, MdRemove, MdReplace, MemberDisk
from lunette.domain.tuning import Scheduler
from lunette.planner.arrays.release import plan_release
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.md import changes as planner
from lunette.providers.arrays.md import plan as md
from lunette.providers.arrays.zfs import plan as zfs

UUID = "a" * 32
SPARE = "nvme-D4"


def known(disks: int = 4) -> KnownArray:
    """Three members, and what follows them is spare."""
    members = tuple(MemberDisk(disk_id=f"nvme-D{n}", serial=f"D{n}") for n in range(1, disks + 1))
    return KnownArray(
        id="id",
        name="tank",
        state="ready",
        engine=ArrayEngine.MD,
        uuid=UUID,
        group="g",
        size_bytes=GIB,
        members=members,
        engine_name="a1",
    )


def machine(
    states: str = "AAAs", *, level: str = "raid5", disks: dict[int, dict[str, Any]] | None = None, **array: Any
) -> Observation:
    """A: in sync, R: rebuilding, F: faulty, s: spare, _: not there. The first three are slots."""
    words = {"A": "in_sync", "R": "rebuilding", "F": "faulty", "s": "spare"}
    places = []
    for number, letter in enumerate(states, 1):
        if letter == "_":
            places += (
                [ObservedMember(disk_id=None, device=None, state="missing", slot=number - 1)] if number < 4 else []
            )
        else:
            slot = number - 1 if number < 4 and letter != "F" else None
            role = MemberRole.SPARE if letter == "s" else MemberRole.DATA
            member = ObservedMember(
                disk_id=f"nvme-D{number}", device="/dev/x", state=words[letter], slot=slot, role=role
            )
            places.append(member)
    lost = sum(letter != "A" for letter in states[:3])
    state = ArrayState.REBUILDING if "R" in states else ArrayState.DEGRADED if lost else ArrayState.CLEAN
    facts: dict[str, Any] = {
        "state": state,
        "level": level,
        "members": tuple(places),
        "raid_disks": 3,
        "disk_bytes": 9 * GIB,
    } | array
    held = {
        n: {"holders": ("md127",), "signatures": (seen.MD_MEMBER,), "array_uuid": UUID}
        for n, letter in enumerate(states, 1)
        if letter != "_"
    }
    changes = {n: {**held.get(n, {}), **(disks or {}).get(n, {})} for n in range(1, 9)}
    return seen.machine(
        disks=tuple(seen.disk(n, **changes[n]) for n in changes if changes[n].get("id") != "gone"),
        arrays=(seen.array(UUID, ()).model_copy(update=facts),),
    )


GONE = {"id": "gone"}


def refused(error: type[LunetteError], what: Any) -> str:
    with pytest.raises(error) as refusal:
        what()
    return refusal.value.detail


def choice(number: int) -> ArrayDiskChoice:
    return ArrayDiskChoice(disk=f"nvme-D{number}")


def test_a_working_member_is_copied_before_it_leaves() -> None:
    plan = planner.plan_replace(known(), ArrayReplace(disk="nvme-D1", new="nvme-D7"), machine(), {})
    (step,) = plan.steps
    assert isinstance(step, MdReplace)
    assert (step.old.disk_id, step.new.disk_id, step.disk_bytes) == ("nvme-D1", "nvme-D7", 9 * GIB)
    assert "keeps its current redundancy" in plan.warnings[0]
    assert not [*faults(plan, machine(), Bounds())]


def test_a_missing_member_is_rebuilt_and_then_forgotten() -> None:
    look = machine("A_A", disks={2: GONE})
    plan = planner.plan_replace(known(3), ArrayReplace(disk="nvme-D2", new="nvme-D7"), look, {})
    assert [type(step) for step in plan.steps] == [MdAdd, MdRemove]
    assert "not redundant" in plan.warnings[0]
    assert not [*faults(plan, look, Bounds())]


@pytest.mark.parametrize("action", ["resync", "check", "repair", "recovery"])
def test_a_working_member_is_not_replaced_while_the_array_is_busy(action: str) -> None:
    spec = ArrayReplace(disk="nvme-D1", new="nvme-D7")
    look = machine(progress=SyncProgress(action=action, percent=1, rate_bytes_s=1, left_s=1))
    words = refused(Conflict, lambda: planner.plan_replace(known(), spec, look, {}))
    assert f"is busy ({action})" in words


def test_a_working_member_is_not_replaced_while_another_is_lost() -> None:
    spec = ArrayReplace(disk="nvme-D1", new="nvme-D7")
    words = refused(Conflict, lambda: planner.plan_replace(known(3), spec, machine("AA_", disks={3: GONE}), {}))
    assert "replace the lost disk first" in words


def test_a_used_disk_is_wiped_only_if_it_is_named() -> None:
    look = machine(disks={7: {"signatures": (seen.EXT4,)}})
    bare = ArrayReplace(disk="nvme-D1", new="nvme-D7")
    assert "wipe" in refused(InUse, lambda: planner.plan_replace(known(), bare, look, {}))
    spec = bare.model_copy(update={"wipe": ("nvme-D7",)})
    plan = planner.plan_replace(known(), spec, look, {})
    assert [type(step) for step in plan.steps] == [DiskWipe, MdReplace]
    assert plan.bytes_destroyed() == 10 * GIB
    assert not [*faults(plan, look, Bounds(wipe=frozenset({"nvme-D7"})))]
    assert [*faults(plan, look, Bounds())], "the checker knows who named what"


@pytest.mark.parametrize(
    ("disk", "owners", "word"),
    [
        ({"size_bytes": 8 * GIB}, {}, "use a larger disk"),
        ({"logical_block_bytes": 4096}, {}, "4096-byte sectors"),
        ({"used_by_system": True}, {}, "running system"),
        ({"fabric": True}, {}, "over a fabric"),
        ({}, {"nvme-D7": "other"}, "belongs to array other"),
    ],
)
def test_an_unfit_spare_is_refused_by_name(disk: dict[str, Any], owners: dict[str, str], word: str) -> None:
    spec = ArrayAddSpares(disks=("nvme-D7",))
    words = refused(LunetteError, lambda: planner.plan_add_spares(known(), spec, machine(disks={7: disk}), owners))
    assert word in words
    assert "nvme-D7" in words


def test_a_spare_of_a_degraded_array_is_said_to_be_filled_at_once() -> None:
    spec = ArrayAddSpares(disks=("nvme-D7", "nvme-D8"))
    details = [c.detail for c in planner.plan_add_spares(known(3), spec, machine("A_A", disks={2: GONE}), {}).changes]
    assert "immediately replaces the lost disk" in details[0]
    assert "becomes a spare" in details[1]


@pytest.mark.parametrize(
    ("level", "states", "number", "allowed"),
    [
        ("raid5", "AAA", 1, True),
        ("raid5", "AA_", 1, False),
        ("raid5", "AAR", 1, False),
        ("raid5", "AAR", 3, True),
        ("raid6", "AA_", 1, True),
        ("raid6", "A__", 1, False),
        ("raid1", "AA_", 1, True),
        ("raid1", "A__", 1, False),
        ("raid0", "AAA", 1, False),
    ],
)
def test_a_member_is_failed_only_where_the_array_lives_on(level: str, states: str, number: int, allowed: bool) -> None:
    if allowed:
        (step,) = planner.plan_fail(known(3), choice(number), machine(states, level=level)).steps
        assert isinstance(step, MdFail)
    else:
        words = refused(InUse, lambda: planner.plan_fail(known(3), choice(number), machine(states, level=level)))
        assert "no redundancy left" in words


def test_a_member_is_not_failed_before_parity_is_there() -> None:
    look = machine("AAA", state=ArrayState.RESYNCING)
    assert "not redundant yet" in refused(InUse, lambda: planner.plan_fail(known(3), choice(1), look))


def test_raid10_loses_no_pair() -> None:
    members = known(4)
    places = tuple(
        ObservedMember(
            disk_id=f"nvme-D{n}" if n != 2 else None, device=None, slot=n - 1, state="in_sync" if n != 2 else "missing"
        )
        for n in range(1, 5)
    )
    look = machine("A_AA", level="raid10", members=places, raid_disks=4)
    assert "nvme-D1" in refused(InUse, lambda: planner.plan_fail(members, choice(1), look))
    assert planner.plan_fail(members, choice(3), look).steps


def test_raid10_with_far_copies_loses_no_neighbours() -> None:
    members = known(4)
    places = tuple(
        ObservedMember(
            disk_id=f"nvme-D{n}" if n != 2 else None, device=None, slot=n - 1, state="in_sync" if n != 2 else "missing"
        )
        for n in range(1, 5)
    )
    look = machine("A_AA", level="raid10", members=places, raid_disks=4, layout="f2")
    for neighbour in (1, 3):
        assert "no redundancy left" in refused(InUse, lambda n=neighbour: planner.plan_fail(members, choice(n), look))
    assert planner.plan_fail(members, choice(4), look).steps


def test_only_what_holds_no_data_is_removed_and_never_the_last_to_fill_a_place() -> None:
    (step,) = planner.plan_remove(known(), choice(4), machine()).steps
    assert isinstance(step, MdRemove)
    assert "replace it, or fail it first" in refused(InUse, lambda: planner.plan_remove(known(), choice(1), machine()))
    lost = machine("AA_", disks={3: GONE})
    assert "add a spare first" in refused(InUse, lambda: planner.plan_remove(known(3), choice(3), lost))


@pytest.mark.parametrize(
    ("hole", "word"), [(WriteHole.BITMAP, "bitmap still records"), (WriteHole.PPL, "rebuilt from the other disks")]
)
def test_a_disk_that_is_back_says_what_must_be_copied(hole: WriteHole, word: str) -> None:
    back = {2: {"holders": (), "signatures": (seen.MD_MEMBER,), "array_uuid": UUID}}
    plan = planner.plan_readd(known(3), choice(2), machine("A_A", disks=back, write_hole=hole))
    (step,) = plan.steps
    assert isinstance(step, MdAdd)
    assert step.returns
    assert word in plan.warnings[0]


def test_a_disk_that_is_back_with_something_else_on_it_is_refused() -> None:
    back = {2: {"signatures": (seen.EXT4,)}}
    assert "has changed" in refused(InUse, lambda: planner.plan_readd(known(3), choice(2), machine("A_A", disks=back)))
    exchanged = {2: {"serial": "other"}}
    assert "replace the member instead" in refused(
        Conflict, lambda: planner.plan_readd(known(3), choice(2), machine("A_A", disks=exchanged))
    )
    assert "is already a member of array tank" in refused(
        Conflict, lambda: planner.plan_readd(known(3), choice(2), machine("AAA"))
    )


def test_a_strange_disk_is_distinguished_from_the_arrays_own() -> None:
    words = refused(Invalid, lambda: planner.plan_fail(known(3), choice(8), machine("AAA")))
    assert "its disks are nvme-D1, nvme-D2, nvme-D3" in words


def test_a_scrub_needs_a_whole_array_at_rest() -> None:
    check = ArrayScrub()
    assert planner.plan_scrub(known(3), check, machine("AAA")).steps
    assert "start the scrub when the array is clean" in refused(
        Conflict, lambda: planner.plan_scrub(known(3), check, machine("AA_", disks={3: GONE}))
    )
    rebuild = SyncProgress(action="recover", percent=1, rate_bytes_s=None, left_s=None)
    stop = ArrayScrub(action=ScrubAction.STOP)
    busy = machine("AAA", progress=rebuild)
    assert "busy (recover)" in refused(Conflict, lambda: planner.plan_scrub(known(3), stop, busy))
    repair = planner.plan_scrub(known(3), ArrayScrub(action=ScrubAction.REPAIR), machine("AAA"))
    assert "MD RAID cannot know which is correct" in repair.warnings[0]


def test_an_array_that_does_not_run_is_not_changed() -> None:
    look = machine("AAA", state=ArrayState.MISSING)
    assert "attach its missing disks" in refused(Conflict, lambda: planner.plan_fail(known(3), choice(1), look))


def test_a_least_pace_above_the_greatest_is_refused() -> None:
    spec = ArrayPatch(sync_speed_min_bytes_s=50 * MIB)
    refused(Invalid, lambda: planner.plan_patch(known(), spec, 50 * MIB, 10 * MIB))
    assert planner.plan_patch(known(), spec, 50 * MIB, None).changes[0].detail.startswith("resync")


@pytest.mark.parametrize(
    ("level", "chosen", "word"),
    [
        ("raid5", ("nvme-D1",), "only raid1"),
        ("raid1", ("nvme-D9",), "is not one of the disks"),
        ("raid1", ("nvme-D1", "nvme-D2", "nvme-D3"), "leave at least one out"),
    ],
)
def test_which_disks_can_be_write_mostly(level: str, chosen: tuple[str, ...], word: str) -> None:
    array = dataclasses.replace(known(3), level=level)
    spec = ArrayPatch(write_mostly=chosen)
    assert word in refused(Invalid, lambda: planner.plan_patch(array, spec, None, None))
    none = planner.plan_patch(array, ArrayPatch(write_mostly=None), None, None)
    assert none.changes[0].detail.startswith("no disk is read only if")


def test_only_parity_arrays_have_a_stripe_cache_to_tune() -> None:
    spec = ArrayPatch(stripe_cache_size=4096, skip_copy=None)
    mirror = dataclasses.replace(known(), level="raid1")
    assert "no stripe cache" in refused(Invalid, lambda: planner.plan_patch(mirror, spec, None, None))
    plan = planner.plan_patch(dataclasses.replace(known(), level="raid6"), spec, None, None)
    assert [change.detail for change in plan.changes] == [
        "stripe_cache_size is 4096, now and after every start",
        "skip_copy is automatic, now and after every start",
    ]
    assert "of memory" in plan.warnings[0]


MD = ARRAY_ENGINES[ArrayEngine.MD]


def stopped(level: str = "raid6", **array: Any) -> Observation:
    """Dirty and degraded: the second of three disks is gone."""
    facts = {"state": ArrayState.MISSING, "dirty_without": (1,)} | array
    return machine("A_A", level=level, disks={2: GONE}, **facts)


def test_a_dirty_degraded_array_is_forced_by_name_and_the_risk_is_reported() -> None:
    plan = MD.plan_force_start(known(3), ArrayForceStart(confirm="tank"), stopped())
    (step,) = plan.steps
    assert isinstance(step, MdForceStart)
    assert step.irreversible
    assert [member.disk_id for member in step.members] == ["nvme-D1", "nvme-D3"]
    assert plan.changes[0].detail == "it starts from 2 of 3 disks, without nvme-D2"
    assert "nothing identifies them" in plan.warnings[0]
    assert not [*faults(plan, stopped(), Bounds())]


@pytest.mark.parametrize(
    ("error", "confirm", "look", "word"),
    [
        (Invalid, "tonk", stopped(), "must be the array's name, tank"),
        (Conflict, "tank", machine("AAA"), "it is already running (clean)"),
        (Conflict, "tank", stopped(dirty_without=()), "does not need a forced start"),
        (Conflict, "tank", machine("AAA", uuid="f" * 32), "none of its disks is attached"),
    ],
)
def test_nothing_else_is_forced(error: type[LunetteError], confirm: str, look: Observation, word: str) -> None:
    assert word in refused(error, lambda: MD.plan_force_start(known(3), ArrayForceStart(confirm=confirm), look))


def every_verb(array: KnownArray, level: str) -> dict[ArrayVerb, Callable[[], Plan]]:
    """Each on a clean array with a spare, or on one where it has something to do."""
    planning = ARRAY_ENGINES[array.engine]
    of, hole = planning.changes, WriteHole.PPL if level == "raid5" else WriteHole.BITMAP
    whole, short = (machine(states, level=level, write_hole=hole) for states in ("AAAs", "AFAs"))
    return {
        ArrayVerb.ADD_SPARES: lambda: of.plan_add_spares(array, ArrayAddSpares(disks=("nvme-D7",)), whole, {}),
        ArrayVerb.ADD_DISKS: lambda: of.plan_add_disks(
            array, ArrayAddDisks(role=MemberRole.CACHE, disks=("nvme-D7",)), whole, {}
        ),
        ArrayVerb.GROW: lambda: planning.plan_grow(array, ArrayGrow(disks=("nvme-D7",)), whole, {}),
        ArrayVerb.RESHAPE: lambda: planning.plan_reshape(array, ArrayReshape(level=Level.RAID6), whole, {}),
        ArrayVerb.REPLACE: lambda: of.plan_replace(array, ArrayReplace(disk="nvme-D1", new="nvme-D7"), whole, {}),
        ArrayVerb.FAIL: lambda: of.plan_fail(array, choice(1), whole),
        ArrayVerb.REMOVE: lambda: of.plan_remove(array, choice(4), whole),
        ArrayVerb.READD: lambda: of.plan_readd(array, choice(2), short),
        ArrayVerb.FORCE_START: lambda: planning.plan_force_start(
            array, ArrayForceStart(confirm="tank"), stopped(level)
        ),
        ArrayVerb.SCRUB: lambda: of.plan_scrub(array, ArrayScrub(), whole),
        ArrayVerb.PACE: lambda: of.plan_patch(array, ArrayPatch(sync_speed_max_bytes_s=MIB), None, MIB),
        ArrayVerb.TUNE: lambda: of.plan_patch(array, ArrayPatch(scheduler=Scheduler.NONE), None, None),
        ArrayVerb.RELEASE: lambda: plan_release(array, ArrayRelease(confirm="tank"), whole, (), ()),
    }


PARITY = (Level.RAID4, Level.RAID5, Level.RAID6)


@pytest.mark.parametrize("facts", md.LEVELS, ids=lambda facts: facts.level.value)
def test_md_plans_what_it_says_it_does(facts: LevelCapability) -> None:
    verbs = every_verb(known(), facts.level.value)
    never = {ArrayVerb.ADD_DISKS} | (set() if facts.level in PARITY else {ArrayVerb.FORCE_START})
    never |= set() if facts.becomes else {ArrayVerb.RESHAPE}
    assert set(facts.verbs) in (set(verbs) - never, {ArrayVerb.TUNE, ArrayVerb.RELEASE})
    for verb in facts.verbs:
        assert verbs[verb]().title


@pytest.mark.parametrize(
    "verb", [ArrayVerb.ADD_SPARES, ArrayVerb.GROW, ArrayVerb.RESHAPE, ArrayVerb.REPLACE, ArrayVerb.SCRUB]
)
def test_an_array_without_redundancy_is_left_as_it_is(verb: ArrayVerb) -> None:
    assert "raid0" in refused(Invalid, every_verb(known(), "raid0")[verb])


@pytest.mark.parametrize("verb", ArrayVerb)
def test_zfs_plans_what_it_says_it_does_and_nothing_else(verb: ArrayVerb) -> None:
    plan = every_verb(dataclasses.replace(known(), engine=ArrayEngine.ZFS), "raidz1")[verb]
    if verb in zfs.LEVELS[0].verbs:
        assert plan().title
    else:
        assert "which" in refused(Invalid, plan)
