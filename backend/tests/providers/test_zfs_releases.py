"""What other releases of OpenZFS and other people's pools print, read as it is; facts from cmd/zpool/zpool_main.c."""

import json
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.arrays import ArrayState, MemberRole, ObservedArray
from lunette.domain.errors import ToolFailed
from lunette.providers.arrays.zfs import parse

DISKS = tuple(seen.disk(n, id=f"scsi-S{n}", links=(f"scsi-S{n}",), device=f"/dev/sd{'abcdefgh'[n]}") for n in range(8))
Row = dict[str, Any]


def leaf(number: int, state: str = "ONLINE", path: str = "", **changes: Any) -> Row:
    """A disk of a pool as `zpool status -j --json-int` tells it."""
    name = f"scsi-S{number}"
    row = {
        "name": name,
        "vdev_type": "disk",
        "guid": 700 + number,
        "path": path or f"/dev/disk/by-id/{name}-part1",
        "class": "normal",
        "state": state,
        "phys_space": 68719476736,
        "read_errors": 0,
        "write_errors": 0,
        "checksum_errors": 0,
        "slow_ios": 0,
    }
    return row | changes


def top(name: str, *leaves: Row, state: str = "ONLINE", **changes: Any) -> Row:
    """What disks are together in."""
    kind = name.partition("-")[0].partition(":")[0].rstrip("0123456789")
    row = {
        "name": name,
        "vdev_type": kind,
        "guid": 600,
        "class": "normal",
        "state": state,
        "read_errors": 0,
        "write_errors": 0,
        "checksum_errors": 0,
        "vdevs": {one["name"]: one for one in leaves},
    }
    return row | changes


def pool(*tops: Row, name: str = "tank", state: str = "ONLINE", **changes: Any) -> Row:
    root = top(name, *tops, state=state, vdev_type="root")
    row = {
        "name": name,
        "state": state,
        "pool_guid": 500,
        "txg": 9,
        "spa_version": 5000,
        "zpl_version": 5,
        "vdevs": {name: root},
        "error_count": 0,
    }
    return row | changes


def text(*pools: Row) -> str:
    return json.dumps({"output_version": {}, "pools": {one["name"]: one for one in pools}})


def array(row: Row, *, all_disks: bool = True) -> ObservedArray:
    (found,) = parse.pools(text(row))
    return parse.array(found, False, 10**12, DISKS, 1e9, all_disks=all_disks)


@pytest.mark.parametrize("lost", [0, 1])
def test_a_draid_of_which_openzfs_2_3_2_reports_only_the_name(lost: int) -> None:
    """zpool_vdev_is_interior of 2.3.0 to 2.3.2 does not know a dRAID by its name."""
    leaves = [leaf(n, "REMOVED" if n < lost else "ONLINE") for n in range(6)]
    bare = top("draid1:4d:6c:1s-0", *leaves)
    for missing in ("vdev_type", "guid", "class", "state"):
        del bare[missing]
    found = array(pool(bare, state="DEGRADED" if lost else "ONLINE"))
    assert (found.level, found.layout, len(found.members)) == ("draid1", "draid1:4d:6c:1s", 6)
    assert found.state is (ArrayState.DEGRADED if lost else ArrayState.CLEAN)


def test_a_disk_whose_state_is_not_reported_is_not_taken_for_one_that_works() -> None:
    row = leaf(1)
    del row["state"]
    with pytest.raises(ToolFailed, match="zpool status printed output that Lunette cannot read"):
        parse.pools(text(pool(top("mirror-0", leaf(0), row))))


def test_a_pool_that_cannot_be_read_costs_no_other_pool() -> None:
    unread: dict[str, str] = {}
    found = parse.pools(text(pool(leaf(0), name="a"), pool(name="b", vdevs=None), pool(leaf(1), name="c")), unread)
    assert [one.name for one in found] == ["a", "c"]
    assert list(unread) == ["b"]


def test_numbers_as_text_are_numbers() -> None:
    row = top("mirror-0", leaf(0, guid="17446744073709551615", phys_space="1024", read_errors="3"), leaf(1))
    (found,) = parse.pools(text(pool(row, pool_guid="12345678901234567890")))
    (first, _) = found.root.vdevs[0].vdevs
    assert (found.guid, first.guid, first.errors) == ("12345678901234567890", "17446744073709551615", 3)
    assert first.size_bytes == 1024


REBUILDS = {"mirror-0": {"name": "mirror-0", "state": "ACTIVE", "issued": 5, "to_scan": 100}}


def test_a_sequential_rebuild_in_a_pool_that_was_never_scrubbed() -> None:
    found = array(pool(top("mirror-0", leaf(0), leaf(1)), scan_stats={"rebuild_stats": REBUILDS}))
    assert found.state is ArrayState.REBUILDING
    assert found.progress is not None
    assert (found.progress.action, found.progress.percent) == ("recover", 5.0)


def test_a_sequential_rebuild_retains_the_result_of_the_last_scrub() -> None:
    scan = {"function": "SCRUB", "state": "FINISHED", "processed": 0, "errors": 2, "rebuild_stats": REBUILDS}
    found = array(pool(top("mirror-0", leaf(0), leaf(1)), scan_stats=scan))
    assert found.state is ArrayState.REBUILDING
    assert found.scrubbed is not None
    assert found.scrubbed.lost == 2
    over = {"mirror-0": REBUILDS["mirror-0"] | {"state": "COMPLETE"}}
    assert array(pool(top("mirror-0", leaf(0), leaf(1)), scan_stats={"rebuild_stats": over})).progress is None


@pytest.mark.parametrize(
    ("scan", "ran"),
    [
        ({"function": "SCRUB", "state": "FINISHED"}, "check"),
        ({"function": "SCRUB", "state": "CANCELED"}, "check"),
        ({"function": "RESILVER", "state": "FINISHED"}, "recover"),
        ({"function": "SCRUB", "state": "FINISHED", "rebuild_stats": REBUILDS}, "recover"),
        ({"function": "ERRORSCRUB", "state": "FINISHED"}, None),
        ({"function": "NONE", "state": "NONE"}, None),
        ({}, None),
    ],
)
def test_what_ran_last_is_reported_in_the_words_of_md(scan: dict[str, object], ran: str | None) -> None:
    assert array(pool(top("mirror-0", leaf(0), leaf(1)), scan_stats=scan)).scrub == ran


@pytest.mark.parametrize(
    ("path", "disk_id"),
    [
        ("/dev/disk/by-id/scsi-S{}-part3", "scsi-S{}"),
        ("/dev/disk/by-id/scsi-S{}", "scsi-S{}"),
        ("/dev/mapper/luks-{}", None),
        ("/dev/disk/by-partuuid/0000-{}", None),
        ("/dev/disk/by-partlabel/zfs-{}", None),
        ("/dev/disk/by-id/dm-uuid-CRYPT-LUKS2-{}", None),
        ("/dev/disk/by-vdev/bay{}", None),
    ],
)
def test_a_pool_on_other_paths_is_as_well_as_zfs_says(path: str, disk_id: str | None) -> None:
    found = array(pool(top("mirror-0", *(leaf(n, path=path.format(n)) for n in (0, 1)))))
    assert found.state is ArrayState.CLEAN
    assert [m.disk_id for m in found.members] == [disk_id and disk_id.format(n) for n in (0, 1)]


def test_a_drive_that_cannot_be_listed_is_not_missing_from_its_pool() -> None:
    row = pool(top("mirror-0", leaf(0), leaf(9)))
    assert array(row).state is ArrayState.DEGRADED
    assert array(row, all_disks=False).state is ArrayState.CLEAN


@pytest.mark.parametrize("group", ["special", "dedup"])
@pytest.mark.parametrize(
    ("states", "state"),
    [
        (("ONLINE", "ONLINE"), ArrayState.CLEAN),
        (("ONLINE", "CANT_OPEN"), ArrayState.DEGRADED),
        (("CANT_OPEN", "CANT_OPEN"), ArrayState.FAILED),
    ],
)
def test_vdevs_of_special_and_dedup_count_as_the_data_does(
    group: str, states: tuple[str, str], state: ArrayState
) -> None:
    lost = "ONLINE" if states == ("ONLINE", "ONLINE") else "DEGRADED"
    auxiliary = top("mirror-1", *(leaf(n, one) for n, one in enumerate(states, 2)), state=lost)
    found = array(pool(top("mirror-0", leaf(0), leaf(1)), state=lost) | {group: {"mirror-1": auxiliary}})
    assert found.state is state
    assert [m.role for m in found.members[2:]] == [MemberRole.SPECIAL, MemberRole.SPECIAL]


@pytest.mark.parametrize("state", ["SUSPENDED", "FAULTED"])
def test_a_pool_that_zfs_stopped_has_failed(state: str) -> None:
    assert array(pool(top("mirror-0", leaf(0), leaf(1)), state=state)).state is ArrayState.FAILED
