import json
from pathlib import PurePath

import pytest

from backend.tests.recorded import recorded
from lunette.domain.arrays import ArrayState, WriteHole
from lunette.providers.arrays.md import parse, superblock

IDS = {"ubdb": "disk-1", "ubdc": "disk-2", "ubdd": "disk-3"}


def kernel_array(name: str, **changes: str) -> parse.KernelArray:
    values = {key: text.strip() for key, text in json.loads(recorded(f"linux-6.12/{name}.json")).items()} | changes
    members = sorted({key.partition("/")[0] for key in values if key.startswith("dev-")})
    return parse.KernelArray(
        kernel_name="md127",
        uuid=values["uuid"].replace("-", ""),
        size_bytes=1061158912,
        attributes={key: text for key, text in values.items() if "/" not in key},
        members=tuple(
            parse.KernelMember(
                device=member.removeprefix("dev-"),
                slot=int(values[f"{member}/slot"]) if values[f"{member}/slot"].isdigit() else None,
                state=values[f"{member}/state"],
            )
            for member in members
        ),
    )


@pytest.mark.parametrize(
    ("name", "state", "members"),
    [
        ("md-raid5-clean", ArrayState.CLEAN, ["in_sync", "in_sync", "in_sync"]),
        ("md-raid5-resync", ArrayState.RESYNCING, ["in_sync", "in_sync", "in_sync"]),
        ("md-raid5-faulty", ArrayState.DEGRADED, ["in_sync", "in_sync", "missing", "faulty"]),
        ("md-raid5-degraded", ArrayState.DEGRADED, ["in_sync", "in_sync", "missing"]),
        ("md-raid5-rebuilding", ArrayState.REBUILDING, ["in_sync", "in_sync", "rebuilding"]),
    ],
)
def test_health_and_slots_are_reported_as_the_kernel_has_them(name: str, state: ArrayState, members: list[str]) -> None:
    array = parse.running_array(kernel_array(name), "lunette:a1", "/dev/md127", IDS)
    assert array.state is state
    assert [member.state for member in array.members] == members
    assert array.members[0].disk_id == "disk-1"
    assert array.write_hole is WriteHole.PPL
    assert array.raid_disks == 3


def test_a_disk_that_is_filled_for_one_that_works_takes_no_slot_from_it() -> None:
    array = parse.running_array(kernel_array("md-raid5-replacing"), "lunette:a1", "/dev/md127", {"sda": "old"})
    assert [(member.state, member.slot) for member in array.members] == [
        ("in_sync", 0),
        ("missing", 1),
        ("in_sync", 2),
        ("faulty", None),
        ("replacing", 0),
    ]
    assert array.members[0].disk_id == "old"
    assert array.disk_bytes == 40960 * 1024


def test_a_resync_reports_its_progress_and_remaining_time() -> None:
    array = parse.running_array(kernel_array("md-raid5-resync"), "lunette:a1", "/dev/md127", IDS)
    assert array.progress is not None
    assert array.progress.action == "resync"
    assert 0 <= array.progress.percent <= 100
    assert array.progress.rate_bytes_s
    assert array.progress.left_s
    calm = parse.running_array(kernel_array("md-raid5-clean"), "lunette:a1", "/dev/md127", IDS)
    assert calm.progress is None


def test_an_array_that_lost_more_than_it_survives_has_failed() -> None:
    two_left = kernel_array("md-raid5-degraded")
    one_left = two_left.model_copy(update={"members": two_left.members[:1]})
    assert parse.running_array(one_left, "lunette:a1", "/dev/md127", IDS).state is ArrayState.FAILED


def test_an_array_the_kernel_calls_broken_has_failed() -> None:
    broken = kernel_array("md-raid5-clean", array_state="broken")
    assert parse.running_array(broken, "lunette:a1", "/dev/md127", IDS).state is ArrayState.FAILED


def test_a_half_assembled_array_is_missing() -> None:
    inactive = kernel_array("md-raid5-clean", array_state="inactive")
    assert parse.running_array(inactive, "lunette:a1", "/dev/md127", IDS).state is ArrayState.MISSING


@pytest.mark.parametrize(
    ("name", "is_marked"),
    [
        ("lunette:a0123456789ab", True),
        ("lunette:a0123456789abc", False),
        ("lunette:a0123456789a", False),
        ("lunette:a0123456789aB", False),
        ("lunette:a0123456789ab\n", False),
        ("lunette:0", False),
        ("lunette:", False),
        ("lunette:data", False),
        ("lunette:a1", False),
        ("lunette", False),
        ("", False),
        ("(none):x", False),
        ("lunette-system:lunette-a", False),
        ("released:a0123456789ab", False),
        ("nas:lunette:a0123456789ab", False),
    ],
)
def test_only_the_name_that_an_appliance_gives_is_a_mark(name: str, is_marked: bool) -> None:
    assert parse.is_marked(name) is is_marked
    found = parse.running_array(kernel_array("md-raid5-clean"), name, "/dev/md127", IDS)
    assert (found.ours, found.marked) == (False, is_marked)


@pytest.mark.parametrize(
    ("name", "recorded", "is_known"),
    [
        ("lunette:a0123456789ab", "a0123456789ab", True),
        ("lunette:a0123456789ab", "afedcba987654", False),
        ("nas:0", "nas:0", True),
        ("lunette:a0123456789ab", "nas:0", False),
        ("lunette:0", "nas:0", False),
        ("lunette:0", "lunette:0", True),
        ("", "a0123456789ab", False),
    ],
)
def test_an_array_under_our_uuid_carries_the_name_of_our_record(name: str, recorded: str, is_known: bool) -> None:
    assert parse.is_known(name, recorded) is is_known


@pytest.mark.parametrize(("partition", "disk"), [("sda3", "sda"), ("nvme0n1p3", "nvme0n1"), ("vdb5", "vdb")])
def test_the_mirror_of_the_system_cannot_be_changed_and_reports_its_disks(partition: str, disk: str) -> None:
    member = parse.KernelMember(device=partition, slot=0, state="in_sync", offset=0)
    found = kernel_array("md-raid5-clean").model_copy(update={"members": (member,)})
    array = parse.running_array(found, "lunette-system:lunette-a", "/dev/md/lunette-a", {disk: "the-disk"})
    assert (array.system, array.ours, array.name) == (True, False, "lunette-a")
    assert array.members[0].disk_id == "the-disk"
    theirs = parse.running_array(found, "server:0", "/dev/md127", {disk: "the-disk"})
    assert (theirs.system, theirs.members[0].disk_id) == (False, None)


def test_a_superblock_is_read() -> None:
    block = superblock.superblock(recorded("mdadm-4.4/examine-raid5-ppl.txt"))
    assert block is not None
    assert block.uuid == "c81e728d9d4c2f636f067f89cc14862c"
    assert block.name == "lunette:ac4ca4238a0b9"
    assert (block.level, block.raid_disks, block.role) == ("raid5", 3, 0)
    assert block.alive == {0, 1, 2}


def test_a_foreign_superblock_is_read_without_our_mark() -> None:
    block = superblock.superblock(recorded("mdadm-4.4/examine-raid1-bitmap.txt"))
    assert block is not None
    assert block.name == "(none):x"
    assert not parse.is_marked(block.name)


def test_a_missing_superblock_is_none() -> None:
    assert superblock.superblock(recorded("mdadm-4.4/examine-none.txt")) is None


def test_detail_lines_are_read() -> None:
    assert parse.detail(recorded("mdadm-4.4/detail-export-raid5.txt"))["MD_NAME"] == "lunette:ac4ca4238a0b9"


def test_a_member_that_was_left_out_does_not_complete_the_array() -> None:
    """The disk still says that all three work; the others, which went on without it, know better."""
    current = superblock.superblock(recorded("mdadm-4.4/examine-raid5-degraded.txt"))
    left = superblock.superblock(recorded("mdadm-4.4/examine-raid5-left.txt"))
    assert current is not None
    assert left is not None
    assert left.alive == {0, 1, 2}
    assert current.alive == {0, 1}
    second = current.model_copy(update={"role": 1})
    assert parse.missing_slots([current, second, left]) == ()
    assert parse.missing_slots([current, left]) == (1,)


def test_a_member_far_behind_counts_as_missing() -> None:
    newest = superblock.superblock(recorded("mdadm-4.4/examine-raid5-ppl.txt"))
    assert newest is not None
    newest = newest.model_copy(update={"events": 40})
    others = [newest.model_copy(update={"role": role, "events": events}) for role, events in ((1, 39), (2, 38))]
    assert parse.missing_slots([newest, *others]) == (2,)


def test_the_recordings_are_of_one_array() -> None:
    """Guards the recordings: a mixture of runs would prove nothing."""
    names = ["examine-raid5-ppl", "examine-raid5-degraded", "examine-raid5-left"]
    blocks = [superblock.superblock(recorded(str(PurePath("mdadm-4.4", f"{name}.txt")))) for name in names]
    assert len({block.uuid for block in blocks if block}) == 1
