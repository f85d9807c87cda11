"""A lost system disk is reported once, with what continues and what to do."""

from backend.tests import seen
from lunette.domain.arrays import ArrayState, ObservedArray, ObservedMember
from lunette.engine.conditions import system_mirror


def mirror(name: str, state: ArrayState, *members: tuple[str | None, str]) -> ObservedArray:
    """A mirror of the system with these members, by disk and state."""
    made = seen.array(f"uuid-{name}", (), state, name=name, ours=False, level="raid1", system=True, raid_disks=2)
    found = tuple(ObservedMember(disk_id=disk, device=None, state=word) for disk, word in members)
    return made.model_copy(update={"members": found})


def test_a_whole_mirror_and_other_arrays_are_no_alert() -> None:
    whole = mirror("lunette-a", ArrayState.CLEAN, ("nvme-D1", "in_sync"), ("nvme-D2", "in_sync"))
    theirs = seen.array("uuid-theirs", ("nvme-D3",), ArrayState.DEGRADED, ours=False)
    assert list(system_mirror.causes_of(seen.machine(arrays=(whole, theirs)))) == []


def test_a_lost_system_disk_is_one_alert_for_both_mirrors_and_names_the_disk_that_is_left() -> None:
    ill = [
        mirror(name, ArrayState.DEGRADED, ("nvme-D1", "in_sync"), (None, "missing"))
        for name in ("lunette-a", "lunette-data")
    ]
    (cause,) = system_mirror.causes_of(seen.machine(arrays=tuple(ill)))
    assert cause.key.startswith(system_mirror.FAMILY)
    assert cause.message.endswith("only one of its two disks: disk nvme-D1 (serial D1)")
    assert "The other system disk is missing" in cause.cause
    assert "`lunette backup`" in cause.fix


def test_a_system_disk_that_fails_is_named() -> None:
    ill = mirror("lunette-data", ArrayState.DEGRADED, ("nvme-D1", "in_sync"), ("nvme-D2", "faulty"))
    (cause,) = system_mirror.causes_of(seen.machine(arrays=(ill,)))
    assert cause.cause == "Failed: disk nvme-D2 (serial D2)"
