"""The checker refuses bad plans, and only bad ones: it is shown good plans, then each one spoiled."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import seen
from backend.tests.planner.test_arrays import FOUR, identities, spec, with_disk
from backend.tests.planner.test_volumes import known
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import InUse, Invalid, LunetteError
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.sizes import GIB, MIB
from lunette.domain.steps import AnyStep, ExportsGone, VolumeDelete
from lunette.domain.volumes import EXTENT_BYTES, VolumeCreate
from lunette.planner.arrays import creation as array_plans
from lunette.planner.checks.checker import Bounds, LunUse, check, faults, lun_faults
from lunette.planner.volumes import creation as volume_plans
from lunette.planner.volumes.creation import VolumeFacts
from lunette.providers.volumes.lvm import plan as lvm

Spoil = Callable[[Sequence[AnyStep]], Sequence[AnyStep]]
USED = with_disk(2, signatures=(seen.EXT4,))
NAMED = Bounds(wipe=frozenset({"nvme-D2"}))
POOLS = seen.machine(groups=(seen.pool("g1", 8 * GIB), seen.pool("g2", 8 * GIB)))


def array_plan() -> Plan:
    return array_plans.plan_create(spec(wipe=("nvme-D2",)), USED, False, {}, identities()).plan


def volumes_plan() -> Plan:
    facts = VolumeFacts({"tank": known(), "two": known("two", group="g2")}, frozenset(), {})
    specs = [VolumeCreate(name=f"v{n}", array="tank" if n % 2 else "two", size_bytes=GIB) for n in range(4)]
    return volume_plans.plan_create(specs, POOLS, facts, identities()).plan


def with_(steps: Sequence[AnyStep], index: int, **changes: Any) -> list[AnyStep]:
    return [step.model_copy(update=changes) if at == index else step for at, step in enumerate(steps)]


def found(plan: Plan, machine: Observation, bounds: Bounds, spoil: Spoil = lambda steps: steps) -> list[str]:
    spoiled = plan.model_copy(update={"steps": tuple(spoil(plan.steps))})
    return list(faults(spoiled, machine, bounds))


def test_a_good_plan_passes() -> None:
    check(array_plan(), USED, NAMED)
    check(volumes_plan(), POOLS, Bounds())


def test_a_bad_plan_is_refused_as_our_own_fault_and_says_that_nothing_changed() -> None:
    with pytest.raises(LunetteError, match="failed its consistency check, and nothing was changed"):
        check(array_plan(), USED, Bounds())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda s: (s[1], s[0], s[2]), "cannot be undone and runs before step 2"),
        (lambda s: s[1:], "is not blank and is not wiped first"),
        (lambda s: (s[0], *s), "is wiped 2 times"),
        (lambda s: with_(s, 0, serial="other"), "the plan says other"),
        (lambda s: with_(s, 0, signatures=()), "carries other signatures"),
        (lambda s: with_(s, 1, members=(*s[1].members, s[1].members[0])), "is used 2 times"),
        (lambda s: with_(s, 1, members=(s[1].members[0].model_copy(update={"serial": "x"}),)), "the plan says x"),
    ],
)
def test_a_spoiled_array_plan_is_found(spoil: Spoil, words: str) -> None:
    assert any(words in fault for fault in found(array_plan(), USED, NAMED, spoil))


def test_a_wipe_that_the_request_did_not_name_is_found() -> None:
    assert found(array_plan(), USED, Bounds()) == ["disk nvme-D2 would be wiped, but the request does not list it"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mounts": ("/mnt",)}, "disk nvme-D1 is busy"),
        ({"used_by_system": True}, "disk nvme-D1 is busy"),
        ({"serial": "swapped"}, "disk nvme-D1 has serial swapped"),
        ({"id": "nvme-other"}, "disk nvme-D1 was not found under this ID"),
        ({"signatures": (seen.GPT,)}, "disk nvme-D1 is not blank"),
    ],
)
def test_a_machine_that_is_not_as_the_plan_thinks_is_found(changes: dict[str, Any], words: str) -> None:
    plan = array_plans.plan_create(spec(), seen.machine(), False, {}, identities()).plan
    assert any(words in fault for fault in found(plan, with_disk(1, **changes), Bounds()))


def test_taken_names_are_found() -> None:
    new = array_plans.plan_create(spec(), seen.machine(), False, {}, identities())
    taken = seen.machine(arrays=(seen.array("f" * 32, FOUR, name=new.made.engine_name),))
    assert any("is taken" in fault for fault in found(new.plan, taken, Bounds()))
    taken = seen.machine(groups=(seen.pool(new.made.group_name, GIB),))
    assert any("exists" in fault for fault in found(new.plan, taken, Bounds()))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda s: s[:-1], "4 volumes are created but 2 are sealed"),
        (lambda s: (s[0], s[1], s[4], s[2], s[3], s[5]), "sealed before the last one is created"),
        (lambda s: with_(s, 0, size_bytes=9 * GIB), "are to be allocated from g2, which has"),
        (lambda s: with_(s, 0, size_bytes=MIB), "not a whole number of extents"),
        (lambda s: with_(s, 0, group="g9"), "group g9 was not found"),
        (lambda s: with_(s, 0, backing_name=s[1].backing_name), "exists in"),
    ],
)
def test_a_spoiled_volume_plan_is_found(spoil: Spoil, words: str) -> None:
    assert any(words in fault for fault in found(volumes_plan(), POOLS, Bounds(), spoil))


def test_space_promised_to_others_is_respected() -> None:
    assert found(volumes_plan(), POOLS, Bounds(promised={"g1": 6 * GIB})) == []
    assert found(volumes_plan(), POOLS, Bounds(promised={"g1": 7 * GIB})) != []


def test_a_volume_is_deleted_only_after_its_exports_and_only_if_it_is_ours() -> None:
    steps = lvm.delete_steps("g1", "11111111-1111-1111-1111-111111111111", GIB)
    delete = steps[1]
    assert isinstance(delete, VolumeDelete)
    plan = Plan(title="", changes=(), steps=steps)
    ours = seen.machine(volumes=(seen.volume(delete.volume_id, "g1", delete.backing_name),))
    assert list(faults(plan, ours, Bounds())) == []
    foreign = seen.machine(volumes=(seen.volume(None, "g1", delete.backing_name),))
    assert "does not carry this appliance's mark" in next(iter(faults(plan, foreign, Bounds())))
    assert any("without waiting" in fault for fault in found(plan, ours, Bounds(), lambda s: s[1:]))
    other = ExportsGone(volume_ids=("other",), deadline_s=1)
    assert any("without waiting" in fault for fault in found(plan, ours, Bounds(), lambda s: (other, s[1])))


def test_an_array_that_is_not_ours_is_not_destroyed() -> None:
    plan = array_plans.plan_delete(known(), seen.machine())
    assert list(faults(plan, seen.machine(arrays=(seen.array("0" * 32, FOUR),)), Bounds())) == []
    foreign = seen.machine(arrays=(seen.array("0" * 32, FOUR, marked=False),))
    assert "does not carry this appliance's mark" in next(iter(faults(plan, foreign, Bounds())))


def test_a_number_or_a_volume_twice_under_one_owner_is_found() -> None:
    def use(owner: str, volume: str, lun: int) -> LunUse:
        return LunUse(owner_id=owner, volume_id=volume, lun=lun)

    present = [use("h1", "v1", 1)]
    assert list(lun_faults([use("h1", "v2", 2), use("h2", "v1", 1)], present)) == []
    assert len(list(lun_faults([use("h1", "v2", 1)], present))) == 1
    assert len(list(lun_faults([use("h1", "v1", 2)], present))) == 1
    assert len(list(lun_faults([use("h1", "v2", 2), use("h1", "v3", 2)], present))) == 1
    assert len(list(lun_faults([use("h1", "v2", 256)], present))) == 1


def disks() -> st.SearchStrategy[list[ObservedDisk]]:
    one = st.fixed_dictionaries(
        {
            "size_bytes": st.integers(min_value=MIB, max_value=64 * GIB),
            "signatures": st.sampled_from([(), (), (seen.EXT4,), (seen.GPT, seen.MD_MEMBER)]),
            "partitions": st.sampled_from([0, 0, 0, 2]),
            "mounts": st.sampled_from([(), (), (), ("/mnt",)]),
            "used_by_system": st.sampled_from([False, False, False, True]),
            "fabric": st.sampled_from([False, False, False, True]),
            "logical_block_bytes": st.sampled_from([512, 512, 512, 4096]),
        }
    )
    return st.lists(one, min_size=1, max_size=8).map(
        lambda found: [seen.disk(number, **facts) for number, facts in enumerate(found, 1)]
    )


@given(data=st.data(), on=disks(), level=st.sampled_from(Level))
def test_whatever_the_planner_accepts_passes_the_checker(
    data: st.DataObject, on: list[ObservedDisk], level: Level
) -> None:
    names = st.lists(st.sampled_from([disk.id for disk in on]), min_size=1, max_size=8)
    asked = ArrayCreate(name="a", level=level, disks=tuple(data.draw(names)), wipe=tuple(data.draw(names)))
    machine = seen.machine(disks=tuple(on))
    try:
        new = array_plans.plan_create(asked, machine, False, {}, identities())
    except (Invalid, InUse):
        return
    assert list(faults(new.plan, machine, Bounds(wipe=frozenset(asked.wipe)))) == []
    assert not {disk.id for disk in on if disk.is_busy()} & set(new.plan.devices())


@given(
    sizes=st.lists(st.integers(min_value=1, max_value=1200), min_size=1, max_size=12),
    free=st.integers(min_value=0, max_value=3000),
    promised=st.integers(min_value=0, max_value=500),
)
def test_whatever_volumes_the_planner_accepts_fit(sizes: list[int], free: int, promised: int) -> None:
    machine = seen.machine(groups=(seen.pool("g1", free * EXTENT_BYTES),))
    facts = VolumeFacts({"tank": known()}, frozenset(), {"tank": promised * EXTENT_BYTES})
    specs = [VolumeCreate(name=f"v{n}", array="tank", size_bytes=size * EXTENT_BYTES) for n, size in enumerate(sizes)]
    fits = sum(sizes) <= free - promised
    try:
        new = volume_plans.plan_create(specs, machine, facts, identities())
    except LunetteError:
        assert not fits
        return
    assert fits
    assert list(faults(new.plan, machine, Bounds(promised={"g1": promised * EXTENT_BYTES}))) == []
