"""Plans for hosts and groups: an initiator belongs to one host, a host to one group."""

from dataclasses import replace
from typing import Any

import pytest

from backend.tests.planner.test_arrays import identities
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.mappings import Family
from lunette.domain.plans import Leaving, Plan
from lunette.planner.access import host_groups, hosts
from lunette.planner.access.host_groups import GroupFacts, KnownGroup
from lunette.planner.access.hosts import HostFacts, KnownHost

IQN = "iqn.2026-01.com.example:{}"
ONE, TWO = IQN.format(1), IQN.format(2)
APPLIANCE = "0123456789ab"
MAPPED = {Family.SCSI: (Leaving(volume_id="v1", name="v1"),), Family.NVME: (Leaving(volume_id="v2", name="v2"),)}
FREE = HostFacts(name_taken=False, initiator_owners={})


def known(**changes: Any) -> KnownHost:
    facts: dict[str, Any] = {
        "id": "h",
        "name": "h1",
        "os_type": "linux",
        "description": "",
        "has_chap": False,
        "initiators": frozenset({("iqn", ONE)}),
    }
    return KnownHost(**(facts | changes))


def test_a_new_host_gets_ids_and_a_target_of_its_own() -> None:
    new = hosts.plan_create(HostCreate(name="h1", iqns=(ONE, TWO)), FREE, identities(), APPLIANCE)
    assert [initiator.name for initiator in new.initiators] == [ONE, TWO]
    assert new.target.iqn.startswith(f"iqn.2026-11.io.lunette:{APPLIANCE}.")
    assert len({new.id, new.target.id, *(initiator.id for initiator in new.initiators)}) == 4


def test_an_initiator_of_another_host_is_a_conflict_naming_the_host() -> None:
    facts = HostFacts(name_taken=False, initiator_owners={TWO: "h9"})
    with pytest.raises(Conflict, match="belongs to host h9") as refusal:
        hosts.plan_create(HostCreate(name="h1", iqns=(ONE, TWO)), facts, identities(), APPLIANCE)
    assert [(p.field, p.value) for p in refusal.value.errors] == [("iqns[1]", TWO)]


def test_an_initiator_given_twice_is_refused() -> None:
    with pytest.raises(Invalid) as refusal:
        hosts.plan_create(HostCreate(name="h1", iqns=(ONE, ONE)), FREE, identities(), APPLIANCE)
    assert refusal.value.errors[0].field == "iqns[1]"


def test_a_patch_shows_additions_and_removals_and_who_is_interrupted() -> None:
    facts = HostFacts(name_taken=False, initiator_owners={}, connected=frozenset({ONE}))
    patched = hosts.plan_patch(known(), HostPatch(iqns=(TWO,)), facts, identities())
    assert [initiator.name for initiator in patched.added] == [TWO]
    assert patched.removed == {ONE}
    assert patched.plan.hosts_interrupted == ("h1",)


def test_an_initiator_that_leaves_takes_the_volumes_of_its_family_along() -> None:
    def plan(**found: Any) -> Plan:
        facts = HostFacts(name_taken=False, initiator_owners={}, volumes=MAPPED, **found)
        return hosts.plan_patch(known(), HostPatch(iqns=()), facts, identities()).plan

    assert plan().leaving == (), "nobody is logged in by that name"
    assert plan(connected=frozenset({ONE})).leaving == MAPPED[Family.SCSI]
    other = plan(unseen={Family.NVME: "no debugfs"})
    assert (other.leaving, other.warnings) == ((), ())
    away = plan(unseen=dict.fromkeys(Family, "the agent does not answer"))
    assert (away.leaving, away.hosts_interrupted) == (MAPPED[Family.SCSI], ())
    assert away.warnings == ("It is not known which hosts are connected: the agent does not answer.",)


def test_a_patch_leaves_unnamed_fields_unchanged() -> None:
    facts = HostFacts(name_taken=False, initiator_owners={ONE: "h1"})
    patched = hosts.plan_patch(known(), HostPatch(iqns=(ONE,), os_type="linux"), facts, identities())  # type: ignore[arg-type]
    assert (patched.added, patched.removed, patched.plan.changes) == ((), frozenset(), ())
    assert hosts.plan_patch(known(has_chap=True), HostPatch(), facts, identities()).plan.changes == ()
    taken = hosts.plan_patch(known(has_chap=True), HostPatch(chap=None), facts, identities())
    assert "removed" in taken.plan.changes[0].detail


def test_a_host_with_mappings_or_in_a_group_is_not_deleted() -> None:
    with pytest.raises(InUse, match="volumes v1, v2"):
        hosts.plan_delete(known(mapped=("v1", "v2")))
    with pytest.raises(InUse, match="host group g1"):
        hosts.plan_delete(known(group="g1"))
    assert hosts.plan_delete(known()).steps == ()


def facts(**found: tuple[str, str, str | None]) -> GroupFacts:
    return GroupFacts(name_taken=False, hosts=found, connected=frozenset({"h1"}))


def test_a_host_that_leaves_takes_volumes_along_if_it_may_be_logged_in() -> None:
    group = KnownGroup("g", "g", "", {"1": "h1", "2": "h2"}, mapped=MAPPED)

    def plan(*stay: str, **unseen: str) -> Plan:
        found = facts(**{name: (name[1:], name, "g") for name in stay})
        found = replace(found, unseen={Family(family): why for family, why in unseen.items()})
        return host_groups.plan_patch(group, HostGroupPatch(hosts=stay), found).plan

    assert plan("h2").leaving == (*MAPPED[Family.SCSI], *MAPPED[Family.NVME])
    assert plan("h1").leaving == (), "h2 is not logged in"
    assert plan("h1", nvme="no debugfs").leaving == MAPPED[Family.NVME]
    assert plan("h1", nvme="no debugfs").warnings == ("It is not known which hosts are connected: no debugfs.",)
    assert plan("h1", "h2", nvme="no debugfs").warnings == ()


def test_a_group_takes_known_hosts_that_are_in_no_other_group() -> None:
    spec = HostGroupCreate(name="g", hosts=("h1", "h2"))
    new = host_groups.plan_create(spec, facts(h1=("1", "h1", None), h2=("2", "h2", None)), identities(), APPLIANCE)
    assert new.host_ids == ("1", "2")
    with pytest.raises(Conflict, match="in host group other"):
        host_groups.plan_create(spec, facts(h1=("1", "h1", "other"), h2=("2", "h2", None)), identities(), APPLIANCE)
    with pytest.raises(Invalid, match="host h2 was not found"):
        host_groups.plan_create(spec, facts(h1=("1", "h1", None)), identities(), APPLIANCE)
    with pytest.raises(Invalid, match="listed twice"):
        host_groups.plan_create(spec, facts(h1=("1", "h1", None), h2=("1", "h1", None)), identities(), APPLIANCE)


def test_a_host_that_leaves_a_group_while_logged_in_is_named() -> None:
    group = KnownGroup("g", "g", "", {"1": "h1", "2": "h2"}, mapped={Family.SCSI: MAPPED[Family.SCSI]})
    patched = host_groups.plan_patch(group, HostGroupPatch(hosts=("h2",)), facts(h2=("2", "h2", "g")))
    assert patched.removed == ("1",)
    assert patched.plan.hosts_interrupted == ("h1",)
    assert "loses access to 1 volume of the group" in patched.plan.changes[0].detail


def test_a_mapped_group_is_not_deleted() -> None:
    with pytest.raises(InUse, match="volumes v1, v2"):
        host_groups.plan_delete(KnownGroup("g", "g", "", {}, mapped=MAPPED))


class TestADeadline:
    """After which paths open without missing volumes: what it does to a host is said before it is set."""

    def test_is_reported_with_its_danger_when_it_is_set(self) -> None:
        spec = HostCreate(name="h1", iqns=(ONE,), opens_without_missing_after_s=60)
        assert "permanently lost" in hosts.plan_create(spec, FREE, identities(), APPLIANCE).plan.warnings[-1]
        patched = hosts.plan_patch(known(), HostPatch(opens_without_missing_after_s=60), FREE, identities())
        assert [one.detail for one in patched.plan.changes] == ["paths open without missing volumes after 60 s"]
        assert "permanently lost" in patched.plan.warnings[-1]

    def test_is_taken_away_by_null_and_left_alone_by_what_does_not_name_it(self) -> None:
        host = known(opens_without_missing_after_s=60)
        patched = hosts.plan_patch(host, HostPatch(opens_without_missing_after_s=None), FREE, identities())
        assert [one.detail for one in patched.plan.changes] == ["paths wait for missing volumes without a time limit"]
        assert hosts.plan_patch(host, HostPatch(), FREE, identities()).plan.changes == ()
        same = HostPatch(opens_without_missing_after_s=60)
        assert hosts.plan_patch(host, same, FREE, identities()).plan.changes == ()

    def test_of_a_group_is_reported_alike(self) -> None:
        facts = GroupFacts(name_taken=False, hosts={})
        spec = HostGroupCreate(name="g", opens_without_missing_after_s=60)
        assert host_groups.plan_create(spec, facts, identities(), APPLIANCE).plan.warnings
        patch = HostGroupPatch(opens_without_missing_after_s=60)
        patched = host_groups.plan_patch(KnownGroup("g", "g", "", {}), patch, facts)
        assert [one.detail for one in patched.plan.changes] == ["paths open without missing volumes after 60 s"]
        assert patched.plan.warnings
