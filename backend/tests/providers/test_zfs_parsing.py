"""What OpenZFS 2.3.9 printed on three and four drives of 512 MiB, read back; and its arithmetic, which must be ours."""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.recorded import recorded
from lunette.domain.arrays import ArrayState, Level, MemberRole, ObservedArray, ScrubOutcome
from lunette.domain.disks import ObservedDisk
from lunette.domain.sizes import KIB, MIB
from lunette.providers.arrays.zfs import parse, space
from lunette.providers.arrays.zfs.datasets import datasets
from lunette.providers.volumes.zvol.observe import observed

POOL, GUID = "lunette-0123456789ab", "12345678901234567890"
NOW = 1795245454.0
DISKS = [f"nvme-QEMU_NVMe_Ctrl_LUN-NVME-0{number}" for number in range(1, 5)]


def disks(*absent: int) -> tuple[ObservedDisk, ...]:
    return tuple(seen.disk(n, id=name, links=(name,)) for n, name in enumerate(DISKS, 1) if n not in absent)


def array(name: str, *absent: int, **changes: Any) -> ObservedArray:
    (pool,) = parse.pools(recorded(f"zfs-2.3.9/zpool-status-{name}.json"))
    return parse.array(pool.model_copy(update=changes), True, 849084416, disks(*absent), NOW)


def test_a_healthy_pool() -> None:
    found = array("raidz1")
    assert (found.uuid, found.name, found.level, found.raid_disks) == (GUID, POOL, "raidz1", 3)
    assert found.state is ArrayState.CLEAN
    assert [(m.disk_id, m.state, m.errors) for m in found.members] == [(name, "in_sync", 0) for name in DISKS[:3]]
    assert (found.progress, found.mismatch_count) == (None, 0)


def test_no_pool_at_all() -> None:
    assert parse.pools(recorded("zfs-2.3.9/zpool-status-none.json")) == ()
    assert parse.pools("") == ()


def test_a_scrub_is_progress_and_leaves_the_pool_clean() -> None:
    found = array("scrubbing")
    assert found.state is ArrayState.CLEAN
    assert found.progress is not None
    assert (found.progress.action, found.progress.percent, found.progress.left_s) == ("check", 0.0, None)


@pytest.mark.parametrize(("state", "whole"), [("FINISHED", True), ("CANCELED", False)])
def test_what_a_scrub_found_is_reported_once_it_is_over(state: str, whole: bool) -> None:
    assert array("scrubbing").scrubbed is None
    reported = recorded("zfs-2.3.9/zpool-status-scrubbing.json").replace('"SCANNING"', f'"{state}"')
    (pool,) = parse.pools(
        reported.replace('"processed": 0', '"processed": 4096').replace('"errors": 0', '"errors": 1', 1)
    )
    found = parse.array(pool, True, 849084416, disks(), NOW)
    assert found.scrubbed == ScrubOutcome(mismatches=4096, lost=1, repaired=True, is_whole=whole)


def test_a_lost_disk_is_missing_before_zfs_notices() -> None:
    found = array("raidz1", 2)
    assert found.state is ArrayState.DEGRADED
    assert [m.state for m in found.members] == ["in_sync", "missing", "in_sync"]
    assert array("raidz1", 1, 2).state is ArrayState.FAILED


def test_a_disk_that_is_replaced_shows_old_and_new() -> None:
    found = array("replacing")
    assert found.state is ArrayState.REBUILDING
    assert [(m.disk_id, m.state) for m in found.members] == [
        (DISKS[0], "in_sync"),
        (DISKS[1], "in_sync"),
        (DISKS[3], "rebuilding"),
        (DISKS[2], "in_sync"),
    ]
    assert (found.raid_disks, found.members[1].errors) == (3, 196)
    assert found.progress is not None
    assert found.progress.action == "recover"


def vdev(number: int, state: str = "ONLINE") -> parse.Vdev:
    path = f"/dev/disk/by-id/{DISKS[number - 1]}-part1"
    return parse.Vdev(
        name=DISKS[number - 1], kind="disk", guid=str(number), state=state, path=path, errors=0, checksum_errors=0
    )


def mirror(*legs: parse.Vdev, state: str = "ONLINE") -> parse.Vdev:
    return parse.Vdev(
        name="mirror-2", kind="mirror", guid="9", state=state, path=None, errors=0, checksum_errors=0, vdevs=legs
    )


def test_a_log_that_is_lost_leaves_the_data_as_whole_as_it_was() -> None:
    """ZFS itself calls the pool DEGRADED then, though no block is less redundant."""
    found = array("raidz1", 4, state="DEGRADED", logs=(vdev(4, "REMOVED"),))
    assert found.state is ArrayState.CLEAN
    (log,) = [member for member in found.members if member.role is MemberRole.LOG]
    assert (log.disk_id, log.state, log.slot) == (DISKS[3], "missing", None)


@pytest.mark.parametrize(("gone", "state"), [(1, ArrayState.DEGRADED), (2, ArrayState.FAILED)])
def test_special_disks_count_as_the_data_does(gone: int, state: ArrayState) -> None:
    legs = [vdev(4, "REMOVED" if gone else "ONLINE"), vdev(4, "REMOVED" if gone > 1 else "ONLINE")]
    assert array("raidz1", special=(mirror(*legs),)).state is state


def test_a_cache_disk_and_a_spare_are_reported_by_their_role() -> None:
    found = array("raidz1", cache=(vdev(4),), spares=(vdev(4, "AVAIL"),))
    assert [(m.role, m.state) for m in found.members[3:]] == [
        (MemberRole.CACHE, "in_sync"),
        (MemberRole.SPARE, "spare"),
    ]
    gone = array("raidz1", 4, cache=(vdev(4, "UNAVAIL"),))
    assert (gone.state, gone.members[3].state) == (ArrayState.CLEAN, "missing")


@pytest.mark.parametrize("state", ["FAULTED", "UNAVAIL", "SUSPENDED"])
def test_a_pool_that_stopped_has_failed(state: str) -> None:
    assert array("raidz1", state=state).state is ArrayState.FAILED


def test_progress_counts_what_was_issued() -> None:
    scan = parse.Scan(
        is_resilver=True, is_running=True, to_examine=1000, issued=250, pass_issued=250, pass_start=NOW - 10
    )
    progress = array("replacing", scan=scan).progress
    assert progress is not None
    assert (progress.percent, progress.rate_bytes_s, progress.left_s) == (25.0, 25, 30.0)


def test_pools_and_zvols_are_reported_with_our_marks() -> None:
    found = datasets(recorded("zfs-2.3.9/zfs-list.json"))
    (pool,), volumes = observed(found, [array("raidz1")])
    assert (pool.group, pool.ours, pool.array_uuid, pool.extent_bytes) == (POOL, True, GUID, 16 * KIB)
    assert (pool.size_bytes, pool.free_bytes) == (849084416, 778147824)
    assert [(v.volume_id, v.name, v.size_bytes, v.sealed) for v in volumes] == [
        ("abc", "v1", 64 * MIB, False),
        ("abd", "v2", 64 * MIB, True),
    ]
    assert volumes[0].device == f"/dev/zvol/{POOL}/v1"
    assert [v.used_bytes for v in volumes] == [None, 76384]


def test_free_space_is_reported_in_bytes_of_padded_volumes() -> None:
    """On five disks 16 KiB take 24 KiB, where ZFS counts 20 KiB."""
    found = datasets(recorded("zfs-2.3.9/zfs-list.json"))
    (pool,), _ = observed(found, [array("raidz1").model_copy(update={"raid_disks": 5})])
    assert pool.free_bytes == int(778147824 / 1.2)


def test_the_planned_size_is_what_zfs_showed() -> None:
    """available + used of a fresh raidz1 of three drives of 512 MiB."""
    assert space.pool_bytes(Level.RAIDZ1, [512 * MIB] * 3, 12) == 778147824 + 70936592


def test_the_metadata_of_a_volume_is_what_zfs_reserved() -> None:
    assert 64 * MIB + space.metadata_bytes(64 * MIB) == 70254592


def test_a_foreign_pool_is_known_by_the_kernel_names_of_its_disks() -> None:
    disk = seen.disk(1)
    assert parse.disk_of("/dev/nvme1n1p1", [disk]) == disk
    assert parse.disk_of("/dev/disk/by-id/nvme-D1-part1", [disk]) == disk
    assert parse.disk_of("/dev/sda1", [disk]) is None
    assert parse.disk_of(None, [disk]) is None
