"""A disk of an array that an older version called by a link goes by its name of today: never by another disk's."""

from collections.abc import Mapping, Sequence

import pytest
from sqlalchemy import select

from backend.tests import seen
from backend.tests.engine.conftest import DISKS, Appliance
from lunette.domain.arrays import ArrayState
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict
from lunette.engine.journal import disk_rows
from lunette.providers.disks.inventory import same_disk
from lunette.store.resources import Array, ArrayDisk

SHARED, OTHER = "scsi-SACME_DUAL_XK7", "scsi-0ACME_DUAL_XK7"
"""What udev makes of the one serial of a drive with two actuators."""
A, B, C = "scsi-35000c500aa000001", "scsi-35000c500aa000002", "scsi-35000c500bb000001"


def lun(name: str, *links: str, serial: str = "XK7") -> ObservedDisk:
    return seen.disk(0, id=name, serial=serial, links=(name, name.replace("scsi-3", "wwn-0x"), *links))


def followed(
    lone: Appliance,
    rows: Mapping[str, str],
    disks: Sequence[ObservedDisk],
    members: Sequence[str],
    state: ArrayState = ArrayState.CLEAN,
    *,
    is_seen: bool = True,
) -> list[str]:
    """What the disks of an array are called after a look, whose rows were these, by serial."""
    lone.array(disks=DISKS[: max(3, len(rows))])
    with lone.store.write() as tx:
        array = tx.scalars(select(Array)).one()
        for row, (name, serial) in zip(list(array.disks), rows.items(), strict=False):
            row.disk_id, row.serial = name, serial
        uuid = array.uuid
    arrays = (seen.array(uuid, tuple(members), state),) if is_seen else ()
    machine = seen.machine(disks=tuple(disks), arrays=arrays)
    disk_rows.follow_links(lone.store, lone.control.services, machine)
    with lone.store.read() as tx:
        named = tx.scalars(select(ArrayDisk.disk_id).order_by(ArrayDisk.slot)).all()
    return list(named)[: len(rows)]


@pytest.mark.parametrize(
    ("rows", "disks", "members", "after"),
    [
        pytest.param([SHARED, C], [lun(A, SHARED), lun(B)], [A], [A, C], id="the link is where it was"),
        pytest.param([SHARED, C], [lun(A), lun(B, SHARED)], [A], [A, C], id="it leads to the LUN that is no member"),
        pytest.param([SHARED, B], [lun(A), lun(B, SHARED)], [A, B], [A, B], id="it leads to the other member"),
        pytest.param(
            [SHARED, f"wwn-0x{B[6:]}"],
            [lun(A), lun(B, SHARED)],
            [A, B],
            [A, B],
            id="the other member goes by a link of its own",
        ),
        pytest.param(
            [SHARED, OTHER],
            [lun(A, OTHER), lun(B, SHARED)],
            [A, B],
            [SHARED, OTHER],
            id="nothing tells the two members apart",
        ),
        pytest.param([SHARED, OTHER], [lun(B, SHARED)], [B], [SHARED, OTHER], id="one of the two is gone"),
        pytest.param([SHARED, B], [lun(B, SHARED)], [B], [SHARED, B], id="it is gone, and the link leads to the other"),
        pytest.param([SHARED, C], [lun(B, SHARED)], [], [SHARED, C], id="it is gone, and the other is no member"),
        pytest.param([f"wwn-0x{A[6:]}", C], [lun(A)], [], [f"wwn-0x{A[6:]}", C], id="it has left the array"),
    ],
)
@pytest.mark.parametrize("state", [ArrayState.CLEAN, ArrayState.MISSING])
def test_a_disk_follows_a_link_only_to_a_member_of_its_own_array(
    lone: Appliance, rows: list[str], disks: list[ObservedDisk], members: list[str], after: list[str], state: ArrayState
) -> None:
    """Stopped arrays of md and LVM tell their members by the superblocks, also where some are missing."""
    serials = {name: "CC1" if name == C else "XK7" for name in rows}
    assert followed(lone, serials, [*disks, lun(C, serial="CC1")], [*members, C], state) == after


def test_a_disk_of_an_array_that_is_not_seen_keeps_its_name(lone: Appliance) -> None:
    assert followed(lone, {SHARED: "XK7"}, [lun(A, SHARED)], [A], is_seen=False) == [SHARED]


def test_disks_without_a_serial_follow_a_link_of_their_own_alone(lone: Appliance) -> None:
    disks = [lun(A, SHARED, serial=""), lun(B, serial="")]
    own = f"wwn-0x{B[6:]}"
    assert followed(lone, {SHARED: "", own: ""}, disks, [A, B]) == [SHARED, B]


def test_a_step_takes_no_disk_by_a_link_that_two_share() -> None:
    disks = (lun(A), lun(B, SHARED))
    with pytest.raises(Conflict, match="share"):
        same_disk(disks, SHARED, "XK7")
    assert same_disk(disks, f"wwn-0x{B[6:]}", "XK7").id == B
    assert same_disk((lun(B, SHARED), lun(C, serial="CC1")), SHARED, "XK7").id == B
