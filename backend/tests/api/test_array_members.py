"""What the answer of a stopped array says of its members."""

from backend.tests import seen
from lunette.api.answers.arrays import ArrayHealth, array_answer
from lunette.api.answers.seen import Observed
from lunette.domain.arrays import ArrayState, ObservedMember
from lunette.domain.jobs import ResourceState
from lunette.store.resources import Array, ArrayDisk
from lunette.store.schema import utc_now

STATES = ("in_sync", "faulty", "spare")


def test_a_stopped_array_does_not_say_which_disks_are_spares_and_still_names_the_faulty_one() -> None:
    ids = [disk.id for disk in seen.machine().disks[:3]]
    row = Array(
        id="a1",
        name="tank",
        uuid="u1",
        engine="lvm",
        level="raid5",
        state=ResourceState.READY.value,
        size_bytes=0,
        group_name="lunette-1",
        write_hole="none",
        growing=False,
        integrity=False,
        keep_key=False,
        write_mostly=False,
        created_at=utc_now(),
        updated_at=utc_now(),
    )
    row.disks = [
        ArrayDisk(disk_id=one, serial="", slot=slot, leaving=False, role="data") for slot, one in enumerate(ids)
    ]
    members = tuple(
        ObservedMember(disk_id=one, device=None, state=state, slot=slot)
        for slot, (one, state) in enumerate(zip(ids, STATES, strict=True))
    )
    down = seen.array("u1", (), ArrayState.MISSING).model_copy(update={"members": members})
    answer = array_answer(row, 0, 0, Observed(seen.machine(arrays=(down,)), None))
    assert answer.health is ArrayHealth.MISSING
    assert [one.state for one in answer.members] == ["in_sync", "faulty", "unknown"]
    assert {one.role for one in answer.members} == {"data"}
