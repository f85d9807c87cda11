"""What LVM 2.03.31 and Linux 7.2 say of RAID volumes becomes arrays: recorded output."""

import pytest

from backend.tests import seen
from backend.tests.recorded import recorded
from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.disks import ObservedDisk, Signature
from lunette.providers.arrays.lvm import parse
from lunette.providers.arrays.lvm.plan import array_of_pv, pv_uuid

FIRST, LOST = "LuneRd-0000-1111-2222-3333-4444-aaaaaa", "LuneRd-0000-1111-2222-3333-4444-bbbbbb"
UUID = "00001111222233334444"


def carrying(number: int, pv: str) -> ObservedDisk:
    return seen.disk(number, signatures=(Signature(type="LVM2_member", label=None, uuid=pv),))


def group(volumes: str = "lost") -> parse.RaidGroup:
    (found,) = parse.groups(
        recorded("lvm-2.03.31/raid-pvs-lost.json"), recorded(f"lvm-2.03.31/raid-lvs-{volumes}.json")
    )
    return found


def array(status: str, volumes: str = "lost", disks: tuple[ObservedDisk, ...] = (carrying(1, FIRST),)) -> ObservedArray:
    return parse.array(group(volumes), recorded(f"lvm-2.03.31/raid-status-{status}.txt"), disks)


def test_a_group_shows_its_array_its_disks_and_their_slots() -> None:
    found = group()
    assert (found.name, found.uuid, found.level, found.integrity) == ("lunette-raid-0123", UUID, "raid1", True)
    assert found.is_whole
    assert found.images == (FIRST, LOST)
    assert found.pvs == {FIRST: "/dev/sda", LOST: parse.NOWHERE}
    assert found.missing() == (LOST,)
    assert found.size_bytes == 100 * 2**20


def test_a_disk_that_left_is_missing_and_the_array_degraded() -> None:
    found = array("lost")
    assert found.state is ArrayState.DEGRADED
    assert [(member.disk_id, member.state) for member in found.members] == [("nvme-D1", "in_sync"), (None, "missing")]
    assert found.progress is None
    assert found.mismatch_count == 0


def test_a_disk_that_left_is_missing_before_the_kernel_has_stumbled_over_it() -> None:
    healthy = recorded("lvm-2.03.31/raid-status-lost.txt").replace(" AD ", " AA ")
    assert parse.array(group(), healthy, (carrying(1, FIRST),)).state is ArrayState.DEGRADED


def test_a_disk_that_is_back_while_lvm_does_without_it_is_faulty() -> None:
    found = array("lost", disks=(carrying(1, FIRST), carrying(2, LOST)))
    assert [member.state for member in found.members] == ["in_sync", "faulty"]


def test_an_image_that_lvm_put_an_error_in_the_place_of_has_no_disk() -> None:
    found = group("dropped")
    assert found.images == (FIRST, "")
    assert array("dropped", "dropped").state is ArrayState.DEGRADED


def test_a_disk_that_is_filled_shows_how_far() -> None:
    reported = recorded("lvm-2.03.31/raid-pvs-lost.json").replace("[unknown]", "/dev/sdc")
    (found,) = parse.groups(reported, recorded("lvm-2.03.31/raid-lvs-lost.json").replace("[unknown]", "/dev/sdc"))
    filling = recorded("lvm-2.03.31/raid-status-filling.txt")
    seen_so = parse.array(found, filling, (carrying(1, FIRST), carrying(2, LOST)))
    assert seen_so.state is ArrayState.REBUILDING
    assert [member.state for member in seen_so.members] == ["in_sync", "rebuilding"]
    assert seen_so.progress is not None
    assert (seen_so.progress.action, seen_so.progress.percent) == ("recover", 9.6)


def test_an_array_that_is_being_made_is_in_sync_with_itself_and_resyncs() -> None:
    status = parse.statuses(recorded("lvm-2.03.31/raid-status-raid5.txt"))["lunette--raid--5-array"]
    assert (status.letters, status.done, status.total, status.action) == ("aaa", 51216, 409600, "resync")


def test_checksums_that_are_not_all_computed_are_progress() -> None:
    reported = recorded("lvm-2.03.31/raid-status-lost.txt").replace(
        "integrity 0 204800 204800", "integrity 3 204800 51200"
    )
    found = parse.array(group(), reported, (carrying(1, FIRST),))
    assert found.progress is not None
    assert (found.progress.action, found.progress.percent) == ("integrity", 25.0)
    assert found.mismatch_count == 6


def test_without_the_kernel_it_is_missing() -> None:
    found = parse.array(group(), "", (carrying(1, FIRST),))
    assert (found.state, found.device) == (ArrayState.MISSING, None)


@pytest.mark.parametrize("uuid", [None, "", "hOXG2n-ZEfg-4Bu2-CfqU-lhAz-XqcO-SAWBdr", "luneRd-" + FIRST[7:]])
def test_only_the_mark_identifies_a_member(uuid: str | None) -> None:
    assert array_of_pv(uuid) is None
    assert array_of_pv(pv_uuid(UUID, "any")) == UUID
