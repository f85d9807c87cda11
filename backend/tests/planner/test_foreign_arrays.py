"""The verdict on a foreign array: what can be done with it, or what prevents that."""

from dataclasses import replace
from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_adopting import ARRAY, NOTHING, UUID
from lunette.domain.adopting import ForeignGroup, ForeignVolume
from lunette.domain.arrays import ArrayState, ObservedMember, WriteHole
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.foreign_arrays import ForeignArrayAdopt, FoundArray, Judged, NextStep
from lunette.domain.identity import IdentitySource
from lunette.domain.sizes import GIB
from lunette.domain.steps import GroupAdopt
from lunette.planner.adopting.arrays import judge, plan_adopt, plan_start
from lunette.planner.adopting.facts import OwnArray

PLAIN = ForeignVolume(name="db", size_bytes=GIB, is_open=False, is_plain=True, is_ours=False)
GROUP = ForeignGroup(
    name="vg0",
    uuid="vg-uuid",
    extent_bytes=4 << 20,
    arrays=(UUID,),
    devices=1,
    marked_for=None,
    engine_name="old:0",
    volumes=(PLAIN,),
    size_bytes=4 * GIB,
    free_bytes=GIB,
    is_listed=False,
)
FOUND = FoundArray(seen=ARRAY, engine_name="old:0", read_only=True, group=GROUP)
DOWN = FoundArray(seen=ARRAY.model_copy(update={"state": ArrayState.MISSING, "device": None}), engine_name="old:0")


def judged(found: FoundArray = FOUND, facts: Any = NOTHING, **machine: Any) -> Judged:
    return judge(found, seen.machine(**machine), facts)


def of_group(**changes: Any) -> FoundArray:
    return FOUND.model_copy(update={"group": GROUP.model_copy(update=changes)})


def of_array(**changes: Any) -> FoundArray:
    return FOUND.model_copy(update={"seen": ARRAY.model_copy(update=changes)})


def test_one_that_runs_is_adopted_and_one_that_does_not_is_started() -> None:
    assert (judged().next, judged().reason) == (NextStep.ADOPT, None)
    assert (judged(DOWN).next, judged(DOWN).reason) == (NextStep.START, None)
    assert [step.kind for step in plan_start(judged(DOWN)).steps] == ["md.start"]
    for wrong in (FOUND, DOWN.model_copy(update={"engine_name": "lunette:a0123456789ab"})):
        with pytest.raises(Conflict):
            plan_start(judged(wrong))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (of_group(devices=2), "uses 2 devices"),
        (of_group(closed="it is exported: import it"), "is not free: it is exported"),
        (FOUND.model_copy(update={"engine_name": "0"}), "no name with a home host"),
        (FOUND.model_copy(update={"group": None, "carries": ("ext4",)}), "carries ext4"),
        (FOUND.model_copy(update={"problem": "pvs does not answer"}), "pvs does not answer"),
        (of_array(level="linear"), "has the level linear"),
        (of_array(state=ArrayState.FAILED), "is failed:"),
        (of_array(is_reshaping=True), "wait, or repair it"),
        (of_array(members=(ObservedMember(disk_id=None, device="/dev/sdb1", state="in_sync"),)), "is not a whole disk"),
        (of_array(members=(ObservedMember(disk_id=None, device=None, state="missing"),)), "has lost a disk"),
    ],
)
def test_what_prevents_it_is_reported(found: FoundArray, words: str) -> None:
    verdict = judged(found)
    assert verdict.next is NextStep.NONE
    assert words in (verdict.reason or "")
    with pytest.raises(Conflict, match=r"was not adopted"):
        plan_adopt(verdict, ForeignArrayAdopt(), seen.machine(), NOTHING, IdentitySource())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fabric": True}, "over a fabric"),
        ({"used_by_system": True}, "used by the running system"),
        ({"is_swap": True}, "used by"),
    ],
)
def test_foreign_disks_are_not_taken(change: dict[str, Any], words: str) -> None:
    disks = tuple(seen.disk(n, id=f"nvme-D{n}", **(change if n == 2 else {})) for n in (1, 2))
    for found in (FOUND, DOWN):
        verdict = judged(found, disks=disks)
        assert (verdict.next, words in (verdict.reason or "")) == (NextStep.NONE, True), verdict.reason


def test_what_the_database_has_is_not_taken_twice() -> None:
    own = OwnArray("a" * 36, "tank", "ready", "vg0")
    assert "is also named vg0" in (judged(facts=replace(NOTHING, arrays={"b" * 32: own})).reason or "")
    assert "has the name old:0" in (judged(facts=replace(NOTHING, engine_names=frozenset({"old:0"}))).reason or "")
    assert "recorded as a disk" in (judged(facts=replace(NOTHING, disks={"nvme-D1": "tank"})).reason or "")
    assert "is also named vg0" in (judged(groups=(seen.pool("vg0", GIB),)).reason or "")
    assert judged(of_group(is_listed=True), groups=(seen.pool("vg0", GIB),)).next is NextStep.ADOPT, "it is itself"


def test_the_mark_of_an_appliance_leads_to_a_rebuild() -> None:
    for found in (of_group(marked_for=UUID), DOWN.model_copy(update={"engine_name": "lunette:a0123456789ab"})):
        verdict = judged(found)
        assert (verdict.next, "rebuild" in (verdict.reason or "")) == (NextStep.REBUILD, True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"is_plain": False}, "depends on other logical volumes"),
        ({"is_open": True}, "is in use"),
        ({"is_ours": True}, "Lunette's mark"),
    ],
)
def test_volumes_that_cannot_be_ours_stay(change: dict[str, Any], words: str) -> None:
    other = PLAIN.model_copy(update={"name": "other", **change})
    verdict = judged(of_group(volumes=(PLAIN, other)))
    assert [why is None for _, why in verdict.volumes] == [True, False]
    rows, plan = plan_adopt(verdict, ForeignArrayAdopt(), seen.machine(), NOTHING, IdentitySource())
    assert [one.backing_name for one in rows.volumes] == ["db"]
    assert any(
        words.startswith("other") or "not adopted as volumes: other in volume group vg0" in words
        for words in plan.warnings
    )
    with pytest.raises(Invalid, match=words):
        plan_adopt(verdict, ForeignArrayAdopt(volumes=("db", "other")), seen.machine(), NOTHING, IdentitySource())


def test_names_that_are_taken_get_a_number_and_a_chosen_one_is_refused() -> None:
    facts = replace(NOTHING, volumes=frozenset({"db"}), arrays={"b" * 32: OwnArray("a" * 36, "md0", "ready", "other")})
    rows, _ = plan_adopt(judged(facts=facts), ForeignArrayAdopt(), seen.machine(), facts, IdentitySource())
    assert ([one.name for one in rows.arrays], [one.name for one in rows.volumes]) == (["md0-2"], ["db-2"])
    with pytest.raises(Conflict, match="Array md0 already exists"):
        plan_adopt(judged(facts=facts), ForeignArrayAdopt(name="md0"), seen.machine(), facts, IdentitySource())


def test_a_group_without_room_for_the_sealed_copy_is_reported() -> None:
    _, plan = plan_adopt(judged(of_group(free_bytes=0)), ForeignArrayAdopt(), seen.machine(), NOTHING, IdentitySource())
    assert any("no space for the sealed copy" in words for words in plan.warnings)


def test_of_an_array_of_ours_only_what_is_not_ours_is_reported() -> None:
    mine = PLAIN.model_copy(update={"name": "mine", "is_ours": True})
    found = of_group(volumes=(mine, PLAIN), marked_for=UUID)
    own = OwnArray("a" * 36, "tank", "ready", "vg0")
    facts = replace(NOTHING, arrays={UUID: own})
    verdict = judged(found, facts)
    assert (verdict.own, verdict.next, [one.name for one, _ in verdict.volumes]) == ("tank", NextStep.ADOPT, ["db"])
    rows, plan = plan_adopt(verdict, ForeignArrayAdopt(), seen.machine(), facts, IdentitySource())
    assert (rows.arrays, [one.array_id for one in rows.volumes]) == ([], [own.id])
    assert [step.is_new for step in plan.steps if isinstance(step, GroupAdopt)] == [False]
    for spec in (ForeignArrayAdopt(name="x"), ForeignArrayAdopt(make_group=True), ForeignArrayAdopt(volumes=())):
        with pytest.raises(Invalid):
            plan_adopt(verdict, spec, seen.machine(), facts, IdentitySource())
    for state, group in (("changing", "vg0"), ("ready", "other")):
        facts = replace(NOTHING, arrays={UUID: OwnArray("a" * 36, "tank", state, group)})
        assert judged(found, facts).next is NextStep.NONE


def test_a_parity_log_over_volatile_caches_is_named_before_the_array_is_adopted() -> None:
    """After the adoption a bitmap replaces it, which opens the write hole: decision 0060."""
    logged = of_array(level="raid5", write_hole=WriteHole.PPL)
    cached = {"disks": tuple(seen.disk(n, id=f"nvme-D{n}", write_cache=n == 1) for n in (1, 2))}
    plan = plan_adopt(judged(logged, **cached), ForeignArrayAdopt(), seen.machine(**cached), NOTHING, IdentitySource())[
        1
    ]
    assert any("nvme-D1, and the array has a partial parity log" in words for words in plan.warnings)
    for found, disks in ((logged, {}), (of_array(level="raid5", write_hole=WriteHole.BITMAP), cached)):
        plan = plan_adopt(
            judged(found, **disks), ForeignArrayAdopt(), seen.machine(**disks), NOTHING, IdentitySource()
        )[1]
        assert not any("parity log" in words for words in plan.warnings)
