"""How many more disks an array may lose, by engine, level and what it has lost already."""

from collections.abc import Sequence

import pytest

from lunette.domain.arrays import ArrayState
from lunette.providers.arrays.lvm import parse as lvm
from lunette.providers.arrays.md import parse as md
from lunette.providers.arrays.zfs import parse as zfs


def md_array(level: str, states: str, layout: int = 0, **attributes: str) -> md.KernelArray:
    """`states`: for each slot + for a disk in sync, r for one that recovers, - for none."""
    reported = {
        "array_state": "clean",
        "level": level,
        "raid_disks": str(len(states)),
        "layout": str(layout),
        "sync_action": "recover" if "r" in states else "idle",
        "reshape_position": "none",
    }
    members = [
        md.KernelMember(device=f"sd{slot}", slot=slot, state="in_sync" if state == "+" else "spare", offset=0)
        for slot, state in enumerate(states)
        if state != "-"
    ]
    return md.KernelArray(
        kernel_name="md0", uuid="0" * 32, size_bytes=0, attributes=reported | attributes, members=tuple(members)
    )


NEAR_2, NEAR_3, FAR_2 = 0x102, 0x103, 0x201


@pytest.mark.parametrize(
    ("array", "left"),
    [
        (md_array("raid1", "+++"), 2),
        (md_array("raid1", "+-+"), 1),
        (md_array("raid1", "+r"), 0),
        (md_array("raid4", "+++"), 1),
        (md_array("raid5", "+-+"), 0),
        (md_array("raid5", "+r+"), 0),
        (md_array("raid6", "++++"), 2),
        (md_array("raid6", "+r++"), 1),
        (md_array("raid6", "-r++"), 0),
        (md_array("raid10", "++++", NEAR_2), 1),
        (md_array("raid10", "+-+-", NEAR_2), 0),
        (md_array("raid10", "+-++++", NEAR_3), 1),
        (md_array("raid10", "+--+++", NEAR_3), 0),
        (md_array("raid10", "+-++", FAR_2), 0),
        (md_array("raid10", "+++", NEAR_2), 1),
        (md_array("raid0", "++"), 0),
        (md_array("raid5", "+--"), None),
        (md_array("raid5", "+++", array_state="inactive"), None),
        (md_array("raid5", "+++", sync_action="resync"), None),
        (md_array("raid6", "+-++", sync_action="resync"), None),
        (md_array("raid1", "+-", sync_action="resync"), 0),
        (md_array("raid10", "+-++", NEAR_2, reshape_position="8"), None),
        (md_array("raid5", "+-+", reshape_position="8"), 0),
        (md_array("faulty", "+"), None),
    ],
)
def test_md_counts_what_its_level_and_layout_leave(array: md.KernelArray, left: int | None) -> None:
    assert md.running_array(array, "lunette:a1", "/dev/md0", {}).survives_disks == left


def lvm_array(level: str, letters: str, action: str = "idle") -> tuple[ArrayState, int | None]:
    pvs = {f"pv{slot}": f"/dev/sd{slot}" for slot in range(len(letters))}
    group = lvm.RaidGroup(name="g", uuid="1", tags=frozenset(), pvs=pvs, images=tuple(pvs), level=level, is_active=True)
    status = f"g-array: 0 8 raid {level} {len(letters)} {letters} 8/8 {action} 0\n"
    found = lvm.array(group, status, (), all_disks=False)
    return found.state, found.survives_disks


@pytest.mark.parametrize(
    ("level", "letters", "action", "left"),
    [
        ("raid1", "AAA", "idle", 2),
        ("raid1", "ADA", "idle", 1),
        ("raid1", "Aa", "recover", 0),
        ("raid5", "AAA", "idle", 1),
        ("raid5", "ADA", "idle", 0),
        ("raid6", "AADAA", "idle", 1),
        ("raid10", "ADAA", "idle", 0),
        ("raid10", "AAAA", "idle", 1),
        ("raid5", "aaa", "resync", None),
        ("raid5", "ADD", "idle", None),
    ],
)
def test_lvm_counts_its_images(level: str, letters: str, action: str, left: int | None) -> None:
    assert lvm_array(level, letters, action)[1] == left


def top(name: str, states: Sequence[str], number: int = 0) -> zfs.Vdev:
    """A vdev of disks in these states; one whose name ends in `disk` is a disk alone."""
    leaves = tuple(
        zfs.Vdev(name=f"d{at}", kind="disk", guid=f"{number}{at}", state=state, path=None, errors=0, checksum_errors=0)
        for at, state in enumerate(states)
    )
    if name == "disk":
        return leaves[0]
    kind = next((kind for kind in zfs.GROUPS if name.startswith(kind)), "oddity")
    return leaves[0].model_copy(update={"name": f"{name}-{number}", "kind": kind, "guid": name, "vdevs": leaves})


def pool_of(
    *tops: zfs.Vdev, special: Sequence[zfs.Vdev] = (), state: str = "DEGRADED", fills: bool = False
) -> zfs.Pool:
    root = tops[0].model_copy(update={"name": "tank", "kind": "root", "vdevs": tops})
    scan = zfs.Scan(is_resilver=True, is_running=True, to_examine=1, issued=0, pass_issued=0, pass_start=0)
    return zfs.Pool(name="tank", guid="1", state=state, root=root, scan=scan if fills else None, special=tuple(special))


ON, OFF = "ONLINE", "UNAVAIL"


@pytest.mark.parametrize(
    ("pool", "left"),
    [
        (pool_of(top("raidz2", [ON] * 6)), 2),
        (pool_of(top("raidz2", [ON, OFF, ON, ON])), 1),
        (pool_of(top("raidz1", [ON, OFF, ON])), 0),
        (pool_of(top("raidz3", [OFF, OFF, ON, ON, ON])), 1),
        (pool_of(top("draid2:4d:11c:1s", [ON, "FAULTED", *[ON] * 9])), 1),
        (pool_of(top("mirror", [ON, OFF, ON])), 1),
        (pool_of(top("mirror", [ON, OFF])), 0),
        (pool_of(top("mirror", [ON, ON]), top("mirror", [ON, OFF], 1)), 0),
        (pool_of(top("mirror", [ON, ON]), top("mirror", [ON, ON], 1)), 1),
        (pool_of(top("mirror", [OFF, OFF]), top("mirror", [ON, ON], 1)), None),
        (pool_of(top("raidz2", [ON] * 5), top("disk", [ON], 1)), 0),
        (pool_of(top("raidz2", [ON] * 5), special=[top("mirror", [OFF, ON], 1)]), 0),
        (pool_of(top("raidz9", [ON, OFF, ON])), None),
        (pool_of(top("raidz1", [OFF, OFF, ON])), None),
        (pool_of(top("raidz1", [ON, OFF, ON]), state="SUSPENDED"), None),
        (pool_of(top("raidz2", [ON] * 4), fills=True), None),
        (pool_of(top("raidz1", [ON, OFF, ON]), fills=True), 0),
    ],
)
def test_zfs_counts_its_least_redundant_vdev(pool: zfs.Pool, left: int | None) -> None:
    assert zfs.array(pool, True, 0, (), 0.0, all_disks=False).survives_disks == left


@pytest.mark.parametrize(
    ("pool", "level", "state"),
    [
        (pool_of(top("mirror", [ON, ON]), top("mirror", [ON, ON], 1), state=ON), "raid10", ArrayState.CLEAN),
        (pool_of(top("mirror", [ON, OFF]), top("mirror", [OFF, ON], 1)), "raid10", ArrayState.DEGRADED),
        (pool_of(top("mirror", [OFF, OFF]), top("mirror", [ON, ON], 1)), "raid10", ArrayState.FAILED),
        (pool_of(top("mirror", [OFF, ON, OFF])), "mirror", ArrayState.DEGRADED),
        (pool_of(top("mirror", [ON, ON, ON]), top("mirror", [ON, ON, ON], 1), state=ON), "mirror", ArrayState.CLEAN),
        (pool_of(top("raidz1", [OFF, ON, ON]), top("raidz1", [OFF, ON, ON], 1)), "raidz1", ArrayState.DEGRADED),
        (pool_of(top("raidz1", [OFF, OFF, ON]), top("raidz1", [ON, ON, ON], 1)), "raidz1", ArrayState.FAILED),
        (pool_of(top("disk", [ON]), top("disk", [OFF], 1)), "stripe", ArrayState.FAILED),
    ],
)
def test_a_pool_is_lost_with_any_of_its_vdevs(pool: zfs.Pool, level: str, state: ArrayState) -> None:
    found = zfs.array(pool, True, 0, (), 0.0, all_disks=False)
    assert (found.level, found.state) == (level, state)
