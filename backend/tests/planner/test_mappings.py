"""Plans for mappings: numbers from 1, the lowest free one, one owner unless shared is meant."""

from dataclasses import replace

import pytest

from backend.tests.planner.test_arrays import identities
from lunette.domain.errors import Conflict, Invalid, LunetteError
from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, MappingCreate, Split
from lunette.domain.plans import Leaving, Plan
from lunette.planner.access import mappings
from lunette.planner.access.connected import Connected
from lunette.planner.access.mappings import MappableVolume, MappingFacts, NewMappings, Owner
from lunette.planner.access.numbers import Former

VOLUMES = {f"v{n}": MappableVolume(f"v{n}", f"v{n}", "ready", {}) for n in range(32)}
HOSTS = {f"h{n}": Owner(f"h{n}", f"h{n}", False, {}, 1) for n in range(4)}
GROUPS = {"g": Owner("g", "g", True, {1: "old", 2: "older"}, 2)}


def facts(volumes: dict[str, MappableVolume] | None = None, hosts: dict[str, Owner] | None = None) -> MappingFacts:
    portals = {Family.SCSI: 1, Family.NVME: 1}
    known = VOLUMES | (volumes or {})
    return MappingFacts(volumes=known, hosts=HOSTS | (hosts or {}), host_groups=GROUPS, portals=portals)


def plan(*specs: MappingCreate, known: MappingFacts | None = None) -> NewMappings:
    return mappings.plan_create(specs, known or facts(), identities())


def luns(new: NewMappings) -> list[tuple[str, str, int]]:
    return [(one.volume.name, one.owner.name, one.lun) for one in new.mappings]


def problems(
    error: type[LunetteError], *specs: MappingCreate, known: MappingFacts | None = None
) -> list[tuple[str, str | None, str]]:
    with pytest.raises(error) as refusal:
        plan(*specs, known=known)
    return [(problem.field, problem.value, problem.message) for problem in refusal.value.errors]


def spec(volume: str, host: str | None = "h0", **changes: object) -> MappingCreate:
    return MappingCreate.model_validate({"volume": volume, "host": host} | changes)


def test_numbers_start_at_one_and_take_the_lowest_free() -> None:
    host = {"h0": Owner("h0", "h0", False, {1: "a", 3: "b"}, 1)}
    new = plan(spec("v1"), spec("v2"), spec("v3"), known=facts(hosts=host))
    assert [lun for *_, lun in luns(new)] == [2, 4, 5]


def test_a_number_requested_later_in_the_batch_is_not_assigned_before() -> None:
    assert luns(plan(spec("v1"), spec("v2", lun=1), spec("v3", lun=0))) == [
        ("v1", "h0", 2),
        ("v2", "h0", 1),
        ("v3", "h0", 0),
    ]


def former(volume: str, family: Family = Family.SCSI, hours: int = 20) -> Former:
    return Former(volume, volume, family, hours)


def holding(**held: Former) -> MappingFacts:
    numbers = {int(key.removeprefix("lun")): (one,) for key, one in held.items()}
    return facts(hosts={"h0": replace(HOSTS["h0"], held=numbers)})


def test_a_number_that_another_volume_had_is_left_out_and_the_plan_says_until_when() -> None:
    new = plan(spec("v1"), spec("v2"), known=holding(lun1=former("old"), lun3=former("older")))
    assert [lun for *_, lun in luns(new)] == [2, 4]
    assert new.plan.reused == ()
    assert [
        line
        for line in new.plan.warnings
        if "LUN 1 (old), LUN 3 (older)" in line and "after 20 hours at the latest" in line
    ]


def test_a_volume_gets_the_number_it_had_before_without_a_word() -> None:
    known = holding(lun1=former("old"), lun7=former("v1"), lun9=former("v2"))
    for specs in ((spec("v2"), spec("v1")), (spec("v2", lun=9), spec("v1", lun=7))):
        new = plan(*specs, known=known)
        assert [lun for *_, lun in luns(new)] == [9, 7]
        assert new.plan.reused == ()
    assert not [line for line in plan(spec("v1", lun=7), known=known).plan.warnings if "number" in line]


def test_a_requested_number_that_another_volume_had_is_named_with_that_volume() -> None:
    (reuse,) = plan(spec("v1", lun=1), known=holding(lun1=former("old"))).plan.reused
    assert (reuse.number, reuse.owner, reuse.volume, reuse.former) == ("LUN 1", "h0", "v1", "old")
    assert "would write to volume v1" in reuse.warning()


def test_a_number_that_two_volumes_had_is_right_for_neither() -> None:
    held = {1: (former("v1"), former("v2"))}
    known = facts(hosts={"h0": replace(HOSTS["h0"], held=held)})
    assert luns(plan(spec("v1"), known=known)) == [("v1", "h0", 2)]
    assert [one.former for one in plan(spec("v1", lun=1), known=known).plan.reused] == ["v2"]
    assert [one.former for one in plan(spec("v3", lun=1), known=known).plan.reused] == ["v1", "v2"]


def test_a_lun_and_a_namespace_of_one_number_are_two_devices() -> None:
    known = holding(lun1=former("old", Family.NVME), lun0=former("v1"))
    assert luns(plan(spec("v2"), known=known)) == [("v2", "h0", 1)]
    assert luns(plan(spec("v1", family="nvme"), known=known)) == [("v1", "h0", 2)]


def test_an_owner_whose_numbers_are_all_reserved_is_refused_with_what_to_do() -> None:
    held = {lun: (former("old"),) for lun in range(1, 256)}
    message = problems(Conflict, spec("v1"), known=facts(hosts={"h0": replace(HOSTS["h0"], held=held)}))[0][2]
    assert "255 are reserved, and `lun` can specify one" in message


def test_zero_is_given_only_on_request() -> None:
    assert luns(plan(spec("v1", lun=0))) == [("v1", "h0", 0)]
    assert luns(plan(spec("v1"))) == [("v1", "h0", 1)]


def test_a_split_gives_each_host_its_run_numbered_from_one() -> None:
    split = Split(volumes=tuple(VOLUMES), hosts=tuple(HOSTS))
    found = luns(plan(*split.expand()))
    assert found[:2] == [("v0", "h0", 1), ("v1", "h0", 2)]
    assert found[8] == ("v8", "h1", 1)
    assert found[31] == ("v31", "h3", 8)


def test_a_group_uses_one_number_of_its_own() -> None:
    assert luns(plan(spec("v1", None, host_group="g"))) == [("v1", "g", 3)]


def test_a_taken_number_names_who_has_it_and_what_is_free() -> None:
    ((field, value, message),) = problems(Conflict, spec("v1", None, host_group="g", lun=2))
    assert (field, value) == ("lun", "2")
    assert message == "LUN 2 of g is used by volume older; 3 is free"


def test_one_number_requested_twice_in_a_batch_is_a_conflict() -> None:
    assert problems(Conflict, spec("v1", lun=5), spec("v2", lun=5))[0][:2] == ("mappings[1].lun", "5")


def test_unknown_volumes_hosts_and_groups_are_named() -> None:
    found = problems(Invalid, spec("nope"), spec("v1", "nobody"), spec("v2", None, host_group="none"))
    assert [(field, value) for field, value, _ in found] == [
        ("mappings[0].volume", "nope"),
        ("mappings[1].host", "nobody"),
        ("mappings[2].host_group", "none"),
    ]


def test_a_second_owner_must_be_meant() -> None:
    known = facts({"v1": MappableVolume("v1", "v1", "ready", {"h1": "h1"})})
    ((field, _, message),) = problems(Conflict, spec("v1"), known=known)
    assert field == "volume"
    assert "mapped to h1" in message
    assert "shared: true" in message
    new = plan(spec("v1", shared=True), known=known)
    assert any("several owners" in warning for warning in new.plan.warnings)


def test_two_owners_within_one_batch_must_be_meant_too() -> None:
    assert problems(Conflict, spec("v1", "h0"), spec("v1", "h1"))[0][0] == "mappings[1].volume"
    assert len(plan(spec("v1", "h0"), spec("v1", "h1", shared=True)).mappings) == 2


def test_the_same_owner_twice_is_a_conflict_even_if_shared() -> None:
    assert problems(Conflict, spec("v1"), spec("v1", shared=True))[0][0] == "mappings[1].volume"


def test_a_volume_that_is_not_ready_is_a_conflict() -> None:
    known = facts({"v1": MappableVolume("v1", "v1", "creating", {})})
    assert "is creating" in problems(Conflict, spec("v1"), known=known)[0][2]


def test_an_owner_without_free_luns_is_refused_with_the_reason() -> None:
    full = {"h0": Owner("h0", "h0", False, dict.fromkeys(range(256), "x"), 1)}
    assert "no free LUN" in problems(Conflict, spec("v1"), known=facts(hosts=full))[0][2]


def test_what_would_stay_unreachable_is_warned_about() -> None:
    known = MappingFacts(VOLUMES, {"h0": Owner("h0", "h0", False, {}, 0)}, {}, portals={})
    warnings = " ".join(plan(spec("v1"), known=known).plan.warnings)
    assert "no iSCSI initiator" in warnings
    assert "No portal for SCSI exists yet" in warnings
    warnings = " ".join(plan(spec("v1", family="nvme"), known=known).plan.warnings)
    assert "no NQN yet" in warnings
    assert "No portal for NVMe exists yet" in warnings


def test_unmapping_names_the_hosts_logged_in_or_says_that_they_are_unknown() -> None:
    def unmap(connected: Connected, family: Family = Family.SCSI) -> Plan:
        return mappings.plan_delete(Leaving(volume_id="v1", name="v1"), "h0", 3, family, connected, 24)

    assert unmap(Connected(("h0",))).hosts_interrupted == ("h0",)
    assert unmap(Connected()).warnings == ()
    assert "which hosts are connected: the agent" in unmap(Connected(unknown="the agent does not answer")).warnings[0]
    assert "h0 loses LUN 3" in unmap(Connected()).changes[0].detail
    assert "stays reserved for 24 hours" in unmap(Connected()).changes[0].detail
    assert "h0 loses namespace 3" in unmap(Connected(), Family.NVME).changes[0].detail


NVME_HOST = {"n": Owner("n", "n", False, {}, 0, nqns=1), "both": Owner("both", "both", False, {}, 1, nqns=1)}


def test_a_mapping_uses_the_protocols_of_its_owner() -> None:
    known = facts(hosts=NVME_HOST)
    new = plan(spec("v1", "n"), spec("v2", "both"), spec("v3", "both", family="nvme"), known=known).mappings
    assert [one.family for one in new] == [Family.NVME, Family.SCSI, Family.NVME]
    assert [one.lun for one in new] == [1, 1, 2], "an owner numbers its volumes once, over whatever they go"


def test_a_volume_is_served_over_scsi_or_nvme_and_never_both() -> None:
    known = facts({"v1": MappableVolume("v1", "v1", "ready", {"h1": "h1"}, Family.SCSI)}, NVME_HOST)
    ((field, value, message),) = problems(Conflict, spec("v1", "n", shared=True), known=known)
    assert (field, value) == ("family", "nvme")
    assert "two disks" in message
    batch = problems(Conflict, spec("v2", "h0"), spec("v2", "n", shared=True), known=known)
    assert batch[0][0] == "mappings[1].family"


def test_a_cluster_that_needs_reservations_is_refused_over_nvme_with_the_way_out() -> None:
    group = {"c": Owner("c", "c", True, {}, 1, 2, frozenset({OsType.ESXI}))}
    known = MappingFacts(VOLUMES, HOSTS, group, {Family.NVME: 1})
    ((field, _, message),) = problems(Invalid, spec("v1", None, host_group="c", family="nvme"), known=known)
    assert field == "family"
    assert "map the volume over SCSI" in message
    assert plan(spec("v1", None, host_group="c"), known=known).mappings[0].family is Family.SCSI


def test_there_is_no_namespace_zero() -> None:
    with pytest.raises(ValueError, match="NVMe namespace IDs start at 1"):
        spec("v1", lun=0, family="nvme")
    ((field, _, message),) = problems(Invalid, spec("v1", "n", lun=0), known=facts(hosts=NVME_HOST))
    assert field == "lun"
    assert "namespace IDs start at 1" in message
