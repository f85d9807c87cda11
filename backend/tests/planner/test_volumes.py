"""Plans for volumes: all or nothing, what fits, and why not."""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError, NoSpace
from lunette.domain.sizes import GIB, MIB
from lunette.domain.volumes import VolumeCreate, VolumePatch
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.volumes import creation, deletion
from lunette.planner.volumes.creation import KnownVolume, NewVolumes, VolumeFacts

FREE = 32 * GIB


def known(name: str = "tank", state: str = "ready", group: str = "g1") -> KnownArray:
    return KnownArray(
        id=name, name=name, state=state, engine=ArrayEngine.MD, uuid="0" * 32, group=group, size_bytes=FREE, members=()
    )


def spec(name: str, **changes: Any) -> VolumeCreate:
    return VolumeCreate.model_validate({"name": name, "array": "tank", "size_bytes": GIB} | changes)


def plan(
    *specs: VolumeCreate, arrays: tuple[KnownArray, ...] = (known(),), taken: tuple[str, ...] = (), promised: int = 0
) -> NewVolumes:
    machine = seen.machine(groups=(seen.pool("g1", FREE), seen.pool("g2", FREE)))
    facts = VolumeFacts({array.name: array for array in arrays}, frozenset(taken), {"tank": promised})
    return creation.plan_create(specs, machine, facts, identities())


def problems(error: type[LunetteError], *specs: VolumeCreate, **facts: Any) -> list[tuple[str, str | None, str]]:
    with pytest.raises(error) as refusal:
        plan(*specs, **facts)
    return [(problem.field, problem.value, problem.message) for problem in refusal.value.errors]


def test_every_volume_is_created_before_any_is_sealed() -> None:
    new = plan(spec("a"), spec("b", array="two"), spec("c"), arrays=(known(), known("two", group="g2")))
    assert [step.kind for step in new.plan.steps] == ["volume.cut"] * 3 + ["volumes.seal"] * 2


def test_each_volume_gets_an_identity_of_its_own() -> None:
    new = plan(*(spec(f"v{n}") for n in range(32)))
    for attribute in ("uuid", "serial", "naa", "nguid", "eui64"):
        assert len({getattr(volume.identity, attribute) for volume in new.volumes}) == 32
    assert len({volume.id for volume in new.volumes} | {volume.backing_name for volume in new.volumes}) == 64


def test_the_array_can_be_filled_to_the_last_extent() -> None:
    assert len(plan(*(spec(f"v{n}") for n in range(32))).volumes) == 32


def test_the_33rd_volume_that_does_not_fit_is_named() -> None:
    ((field, value, message),) = problems(NoSpace, *(spec(f"v{n:02}") for n in range(33)))
    assert (field, value) == ("volumes[32].size_bytes", str(GIB))
    assert "volume v32 of 1 GiB does not fit: array tank has 32 GiB free and 33 GiB are requested in total" in message


def test_what_is_promised_to_others_is_not_free() -> None:
    assert problems(NoSpace, spec("a", size_bytes=2 * GIB), promised=31 * GIB)[0][0] == "size_bytes"


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"array": "none"}, "array", "array none was not found"),
        ({"size_bytes": GIB + 1}, "size_bytes", "multiple of 4 MiB"),
    ],
)
def test_wrong_input_names_the_field(changes: dict[str, Any], field: str, words: str) -> None:
    ((found, _, message),) = problems(Invalid, spec("a", **changes))
    assert found == field
    assert words in message


def test_a_taken_name_is_a_conflict() -> None:
    assert problems(Conflict, spec("a"), taken=("a",))[0][:2] == ("name", "a")


def test_a_name_requested_twice_in_one_batch_is_refused_at_both_places() -> None:
    assert [p[0] for p in problems(Invalid, spec("a"), spec("a"))] == ["volumes[0].name", "volumes[1].name"]


def test_an_array_that_is_not_ready_or_not_active_is_a_conflict() -> None:
    assert "is creating" in problems(Conflict, spec("a"), arrays=(known(state="creating"),))[0][2]
    assert "not active" in problems(Conflict, spec("a"), arrays=(known(group="gone"),))[0][2]


def volume(**changes: Any) -> KnownVolume:
    facts: dict[str, Any] = {
        "id": "v",
        "name": "a",
        "description": "",
        "array_engine": ArrayEngine.MD,
        "group": "g1",
        "size_bytes": 8 * MIB,
    }
    return KnownVolume(**(facts | changes))


def test_a_mapped_volume_is_not_deleted_and_its_hosts_are_named() -> None:
    with pytest.raises(InUse, match="mapped to h1, h2"):
        deletion.plan_delete(volume(mapped_to=("h1", "h2")))


def test_deleting_waits_for_the_exports_first() -> None:
    plan_ = deletion.plan_delete(volume())
    assert [step.kind for step in plan_.steps] == ["exports.gone", "volume.delete"]
    assert plan_.bytes_destroyed() == 8 * MIB


def test_a_patch_that_changes_nothing_is_an_empty_plan() -> None:
    assert creation.plan_patch(volume(), VolumePatch(name="a", description=""), False).changes == ()
    assert len(creation.plan_patch(volume(), VolumePatch(name="b"), False).changes) == 1
    with pytest.raises(Conflict):
        creation.plan_patch(volume(), VolumePatch(name="b"), True)
