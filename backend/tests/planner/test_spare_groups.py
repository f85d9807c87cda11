"""A spare goes from a whole array to one of its group that lost a disk: which, and every reason why none does."""

import dataclasses
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, ObservedMember
from lunette.domain.disk_health import DriveReading
from lunette.domain.observations import Observation
from lunette.domain.sizes import GIB
from lunette.domain.steps import MdAdd, MdSpareOut, MemberDisk
from lunette.planner.arrays.spare_groups import Move, Pair, plan_move
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.known_array import KnownArray

UUIDS = {"short": "a" * 32, "whole": "b" * 32, "other": "c" * 32}


def pair(name: str, *, data: tuple[int, ...], lost: bool = False, spares: tuple[int, ...] = (), **found: Any) -> Pair:
    """A raid1; of one that lost a disk the last of `data` is gone."""
    members = tuple(MemberDisk(disk_id=f"nvme-D{n}", serial=f"D{n}") for n in (*data, *spares))
    array = KnownArray(
        id=name,
        name=name,
        state="ready",
        engine=ArrayEngine.MD,
        uuid=UUIDS[name],
        group="g",
        size_bytes=GIB,
        members=members,
        engine_name=name,
    )
    there = data[:-1] if lost else data
    places = [
        ObservedMember(disk_id=f"nvme-D{n}", device="/dev/x", state="in_sync", slot=s) for s, n in enumerate(there)
    ]
    if lost:
        places.append(ObservedMember(disk_id=None, device=None, state="missing", slot=len(there)))
    places += [ObservedMember(disk_id=f"nvme-D{n}", device="/dev/x", state="spare", slot=None) for n in spares]
    state = ArrayState.DEGRADED if lost else ArrayState.CLEAN
    facts = {"members": tuple(places), "raid_disks": len(data), "disk_bytes": 9 * GIB, "level": "raid1"} | found
    return array, seen.array(UUIDS[name], (), state).model_copy(update=facts)


def machine(*pairs: Pair, **changes: dict[str, Any]) -> Observation:
    """Every disk of an array is held by it."""
    held: dict[str, dict[str, Any]] = {
        member.disk_id: {"holders": ("md1",), "signatures": (seen.MD_MEMBER,), "array_uuid": found.uuid}
        for _, found in pairs
        for member in found.members
        if member.disk_id
    }
    disks = [seen.disk(n, **(held.get(f"nvme-D{n}", {}) | changes.get(f"D{n}", {}))) for n in range(1, 9)]
    return seen.machine(disks=tuple(disks), arrays=tuple(found for _, found in pairs))


SHORT, WHOLE = pair("short", data=(1, 2), lost=True), pair("whole", data=(3, 4), spares=(5,))


def move(*pairs: Pair, **changes: dict[str, Any]) -> Move | None:
    return plan_move("shelf", pairs, machine(*pairs, **changes))


def test_the_spare_of_a_healthy_array_is_lent_to_the_one_that_lost_a_disk() -> None:
    made = move(SHORT, WHOLE)
    assert made is not None
    assert (made.donor, made.recipient) == ("whole", "short")
    out, add = made.plan.steps
    assert isinstance(out, MdSpareOut)
    assert isinstance(add, MdAdd)
    assert (out.uuid, add.uuid, out.member.disk_id, add.member) == (
        UUIDS["whole"],
        UUIDS["short"],
        "nvme-D5",
        out.member,
    )
    assert (out.disk_bytes, add.disk_bytes) == (9 * GIB, 9 * GIB)
    assert "array whole moves to array short" in made.plan.title
    assert not [*faults(made.plan, machine(SHORT, WHOLE), Bounds())]


def test_the_smallest_that_fits_is_taken_and_only_one() -> None:
    other = pair("other", data=(6, 7), spares=(8,))
    made = move(SHORT, WHOLE, other, D8={"size_bytes": 9 * GIB})
    assert made is not None
    assert made.donor == "other"
    assert len(made.plan.steps) == 2


def spoiled(which: Pair, **found: Any) -> Pair:
    array, seen_of = which
    return array, seen_of.model_copy(update=found)


@pytest.mark.parametrize(
    ("pairs", "changes"),
    [
        pytest.param((SHORT, WHOLE), {"D5": {"size_bytes": 8 * GIB}}, id="too small"),
        pytest.param((SHORT, WHOLE), {"D5": {"logical_block_bytes": 4096}}, id="other sectors"),
        pytest.param((SHORT, WHOLE), {"D5": {"serial": "X"}}, id="exchanged"),
        pytest.param((SHORT, WHOLE), {"D5": {"health": DriveReading(read_at=1.0, passed=False)}}, id="failing"),
        pytest.param((SHORT, spoiled(WHOLE, state=ArrayState.DEGRADED)), {}, id="the giver is degraded"),
        pytest.param((SHORT, spoiled(WHOLE, state=ArrayState.REBUILDING)), {}, id="the giver rebuilds"),
        pytest.param((SHORT, spoiled(WHOLE, is_reshaping=True)), {}, id="the giver is reshaped"),
        pytest.param((spoiled(SHORT, state=ArrayState.REBUILDING), WHOLE), {}, id="the taker is filled already"),
        pytest.param((spoiled(SHORT, disk_bytes=None), WHOLE), {}, id="nobody knows what it needs"),
        pytest.param((pair("short", data=(1, 2), lost=True, spares=(6,)), WHOLE), {}, id="it has a spare of its own"),
        pytest.param((pair("short", data=(1, 2)), WHOLE), {}, id="nothing is lost"),
        pytest.param((SHORT, pair("whole", data=(3, 4))), {}, id="there is no spare"),
        pytest.param((SHORT,), {}, id="alone in its group"),
    ],
)
def test_no_spare_moves(pairs: tuple[Pair, ...], changes: dict[str, dict[str, Any]]) -> None:
    assert move(*pairs, **changes) is None


def test_another_engine_neither_takes_nor_gives() -> None:
    array, found = WHOLE
    assert move(SHORT, (dataclasses.replace(array, engine=ArrayEngine.ZFS), found)) is None
    array, found = SHORT
    assert move((dataclasses.replace(array, engine=ArrayEngine.LVM), found), WHOLE) is None


def test_the_checker_lets_no_disk_that_is_not_a_mere_spare_change_arrays() -> None:
    made = move(SHORT, WHOLE)
    assert made is not None

    def found_of(state: str, whole: ArrayState) -> ObservedArray:
        _, found = WHOLE
        places = [m.model_copy(update={"state": state}) if m.disk_id == "nvme-D5" else m for m in found.members]
        return found.model_copy(update={"members": tuple(places), "state": whole})

    for state, whole in (
        ("rebuilding", ArrayState.CLEAN),
        ("in_sync", ArrayState.CLEAN),
        ("spare", ArrayState.DEGRADED),
    ):
        look = machine(SHORT, (WHOLE[0], found_of(state, whole)))
        assert [*faults(made.plan, look, Bounds())] == ["disk nvme-D5 is not a spare of the array it is taken from"]
