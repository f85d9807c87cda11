"""Every kind of difference between machine and database, in words with a fix; a job's own changes are no drift."""

from dataclasses import replace

from backend.tests import seen
from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, WriteHole
from lunette.domain.drift import Drift, DriftKind
from lunette.domain.exports import ConvergeReport, PortalReport, ServingState
from lunette.domain.observations import Observation, Part, Unread
from lunette.domain.volumes import ObservedGroup, ObservedVolume
from lunette.planner.diagnosis.drift import DriftFacts, Known, find

TANK = Known("uuid-tank", "tank", "ready")
DATA = Known("id-data", "data", "ready")


def facts(arrays: tuple[Known, ...] = (TANK,), volumes: tuple[Known, ...] = (DATA,)) -> DriftFacts:
    return DriftFacts(arrays, volumes, frozenset({"id-snap"}), {"id-data": "data", "p1": "front"})


def array(uuid: str = "uuid-tank", name: str = "tank", *, ours: bool = True) -> ObservedArray:
    return ObservedArray(
        uuid=uuid,
        engine=ArrayEngine.MD,
        name=name,
        ours=ours,
        device=None,
        level="raid1",
        state=ArrayState.CLEAN,
        size_bytes=1,
        chunk_bytes=None,
        write_hole=WriteHole.BITMAP,
        members=(),
        raid_disks=2,
        progress=None,
        mismatch_count=None,
    )


def volume(volume_id: str | None = "id-data", group: str = "g1", snapshot_id: str | None = None) -> ObservedVolume:
    return ObservedVolume(
        volume_id=volume_id,
        snapshot_id=snapshot_id,
        group=group,
        name="lv1",
        device="/dev/x",
        size_bytes=1,
        active=True,
        open=False,
        sealed=True,
    )


def pool(group: str, *, ours: bool) -> ObservedGroup:
    return ObservedGroup(array_uuid=None, group=group, ours=ours, size_bytes=1, free_bytes=0, extent_bytes=1)


def machine(
    *arrays: ObservedArray, groups: tuple[ObservedGroup, ...] = (), volumes: tuple[ObservedVolume, ...] = ()
) -> Observation:
    return seen.machine().model_copy(update={"arrays": arrays, "groups": groups, "volumes": volumes})


def test_the_mirror_the_appliance_runs_from_is_not_drift() -> None:
    system = array("uuid-system", "lunette-a", ours=False).model_copy(update={"system": True})
    assert find(facts((), ()), machine(system), report()) == ()


def report(**more: object) -> ConvergeReport:
    fine = {
        "generation": 1,
        "accepted": True,
        "refusal": None,
        "changed": 0,
        "targets": (),
        "volumes": (),
        "portals": (),
        "unexplained": (),
        "foreign": (),
    }
    return ConvergeReport.model_validate(fine | more)


def reported(found: tuple[Drift, ...]) -> list[tuple[DriftKind, str, str]]:
    assert all(one.words and one.fix for one in found)
    return [(one.kind, one.noun, one.name) for one in found]


def test_the_desired_state_is_not_drift() -> None:
    there = machine(array(), groups=(pool("g1", ours=True),), volumes=(volume(), volume(None, snapshot_id="id-snap")))
    assert find(facts(), there, report()) == ()
    assert find(facts(), None, None) == ()


def test_what_the_machine_lacks_is_missed_once_its_job_is_over() -> None:
    assert reported(find(facts(), machine(), None)) == [
        (DriftKind.MISSING, "array", "tank"),
        (DriftKind.MISSING, "volume", "data"),
    ]
    passing = facts((Known("u", "a", "creating"),), (Known("v", "b", "deleting"),))
    assert find(passing, machine(), None) == ()


def test_a_disk_that_an_array_lacks_is_missed_unless_no_disk_can_be_seen() -> None:
    tank = replace(TANK, disks=(seen.disk(1).id, "nvme-gone"))
    there = machine(array(), volumes=(volume(),)).model_copy(update={"disks": (seen.disk(1),)})
    (found,) = find(facts((tank,)), there, None)
    assert (found.kind, found.noun, found.name) == (DriftKind.MISSING, "disk", "nvme-gone")
    assert found.words == "it is a disk of array tank, and it was not found"
    unread = (Unread(part=Part.DISKS, name="", reason="lsblk failed"),)
    assert find(facts((tank,)), there.model_copy(update={"unread": unread}), None) == ()
    assert find(facts((replace(tank, state="deleting"),)), there, None) == ()


def test_what_the_database_lacks_is_ours_and_unknown_or_foreign() -> None:
    there = machine(
        array(),
        array("u2", "old"),
        array("u3", "theirs", ours=False),
        groups=(pool("g1", ours=True), pool("vg-theirs", ours=False), pool("theirs", ours=False)),
        volumes=(volume(), volume("id-old"), volume(None), volume(None, "vg-theirs")),
    )
    assert reported(find(facts(), there, None)) == [
        (DriftKind.UNKNOWN, "array", "old"),
        (DriftKind.UNKNOWN, "volume", "g1/lv1"),
        (DriftKind.FOREIGN, "array", "theirs"),
        (DriftKind.FOREIGN, "pool", "vg-theirs"),
        (DriftKind.FOREIGN, "volume", "g1/lv1"),
    ]


def test_an_array_with_our_uuid_is_not_drift_whatever_carries_a_mark() -> None:
    assert find(facts(volumes=()), machine(array(ours=False)), None) == ()


def test_an_array_of_another_appliance_is_foreign_and_its_disks_are_not_to_be_wiped() -> None:
    theirs = array("u2", "a0123456789ab", ours=False).model_copy(update={"marked": True})
    (found,) = find(facts((), ()), machine(theirs), None)
    assert (found.kind, found.name) == (DriftKind.FOREIGN, "a0123456789ab")
    assert "an appliance's mark" in found.words
    assert "lunette rebuild" in found.fix
    assert "do not wipe them" in found.fix


def test_the_agents_own_comparison_is_reported_by_name() -> None:
    reported_by_agent = report(
        accepted=False,
        refusal="the database is older",
        unexplained=("mapping m1 is no longer in the configuration",),
        portals=(PortalReport(portal_id="p1", state=ServingState.BLOCKED, reason="no such address"),),
        foreign=("iqn.2003-01.org.example:theirs",),
    )
    found = find(facts(), None, reported_by_agent)
    assert reported(found) == [
        (DriftKind.REFUSED, "export", "all"),
        (DriftKind.UNEXPLAINED, "mapping", "m1"),
        (DriftKind.UNSERVED, "portal", "front"),
        (DriftKind.FOREIGN, "export", "iqn.2003-01.org.example:theirs"),
    ]
    assert [one.words for one in found][:3] == [
        "the database is older",
        "is no longer in the configuration",
        "no such address",
    ]
    assert [one.is_repaired for one in found] == [False, False, True, False]
