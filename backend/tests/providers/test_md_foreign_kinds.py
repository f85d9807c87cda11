"""Foreign md arrays in every form that ours never have: reported as what they are, and adopted as nothing else.

Shapes: drivers/md/md.c (Linux 6.12); mdadm 4.4, Detail.c, super0.c and super1.c.
"""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_adopting import NOTHING
from backend.tests.sysfs_tree import Tree, joined, md_array
from lunette.domain.arrays import ArrayState, MemberRole, ObservedArray, WriteHole
from lunette.domain.foreign_arrays import FoundArray, NextStep
from lunette.planner.adopting.arrays import judge
from lunette.providers.arrays.md import observe

ZERO = "00000000-0000-0000-0000-000000000000"
UUID = "3f1c9a52-77d0-4be8-9c11-d2a84e0b6f35"
PLAIN = {
    "array_state": "clean",
    "level": "raid1",
    "raid_disks": "2",
    "uuid": UUID,
    "metadata_version": "1.2",
    "component_size": "1024",
    "sync_action": "idle",
    "sync_completed": "none",
    "consistency_policy": "bitmap",
    "bitmap/location": "+8",
    "bitmap/metadata": "internal",
}
PAIR = {"sda": ("0", "in_sync"), "sdb": ("1", "in_sync")}
DISKS = tuple(
    seen.disk(n, id=f"ata-W{n}", links=(f"ata-W{n}",), device=f"/dev/{name}", kernel_name=name)
    for n, name in enumerate(("sda", "sdb", "sdc", "sdd"))
)


def arrays(tree: Tree) -> tuple[ObservedArray, ...]:
    return observe.observe_arrays(tree.system, DISKS)


def one(attributes: dict[str, str] | None = None, members: Any = None, name: str = "shed:pictures") -> ObservedArray:
    (found,) = arrays(md_array("md127", PLAIN | (attributes or {}), members or PAIR, MD_NAME=name))
    return found


def verdict(array: ObservedArray, md_name: str = "shed:pictures") -> tuple[NextStep, str]:
    judged = judge(FoundArray(seen=array, engine_name=md_name), seen.machine(disks=DISKS), NOTHING)
    return judged.next, judged.reason or ""


def firmware(kind: str, *, blocked: bool = False) -> Tree:
    """A mirror and a stripe over the same two disks, in one container."""
    container = md_array(
        "md127",
        {
            "array_state": "inactive",
            "level": "",
            "raid_disks": "0",
            "uuid": ZERO,
            "metadata_version": f"external:{kind}",
        },
        {"sda": ("none", "spare"), "sdb": ("none", "spare"), "sdc": ("none", "spare")},
        MD_LEVEL="container",
        MD_DEVICES="3",
        MD_METADATA=kind,
        MD_UUID="aaaaaaaa:bbbbbbbb:cccccccc:dddddddd",
        MD_DEVNAME=f"{kind}0",
    )
    shape = PLAIN | {"uuid": ZERO, "consistency_policy": "resync", "bitmap/location": "none"}
    mirror = md_array(
        "md126",
        shape | {"metadata_version": f"external:{'-' if blocked else '/'}md127/0"},
        PAIR,
        MD_LEVEL="raid1",
        MD_CONTAINER=f"/dev/md/{kind}0",
        MD_MEMBER="0",
        MD_DEVNAME="books_0",
        MD_UUID="12121212:34343434:56565656:78787878",
    )
    stripe = md_array(
        "md125",
        shape | {"metadata_version": "external:/md127/1", "level": "raid0"},
        PAIR,
        MD_LEVEL="raid0",
        MD_CONTAINER=f"/dev/md/{kind}0",
        MD_MEMBER="1",
        MD_DEVNAME="films_0",
        MD_UUID="9a9a9a9a:bcbcbcbc:dededede:f0f0f0f0",
    )
    return joined(container, mirror, stripe)


@pytest.mark.parametrize("kind", ["imsm", "ddf"])
@pytest.mark.parametrize("blocked", [False, True])
def test_firmware_raid_is_its_volumes_and_not_its_container(kind: str, blocked: bool) -> None:
    found = {array.name: array for array in arrays(firmware(kind, blocked=blocked))}
    assert {name: (array.uuid, array.level) for name, array in found.items()} == {
        "books_0": ("12121212343434345656565678787878", "raid1"),
        "films_0": ("9a9a9a9abcbcbcbcdedededef0f0f0f0", "raid0"),
    }
    assert [member.disk_id for member in found["books_0"].members] == ["ata-W0", "ata-W1"]
    for array in found.values():
        assert not array.ours
        assert not array.marked
        step, words = verdict(array, array.name)
        assert step is NextStep.NONE
        assert f"firmware RAID ({kind})" in words


def test_a_firmware_volume_is_found_by_the_uuid_that_mdadm_reports() -> None:
    found = observe.running_array(firmware("imsm").system, "12121212343434345656565678787878")
    assert found is not None
    assert found.kernel_name == "md126"
    assert observe.running_array(firmware("imsm").system, "0" * 32) is None


def test_a_firmware_volume_unknown_to_mdadm_is_still_shown() -> None:
    tree = firmware("imsm")
    tree.commands.clear()
    assert [(array.uuid, array.level, array.state) for array in arrays(tree)] == [
        ("", "raid0", ArrayState.CLEAN),
        ("", "raid1", ArrayState.CLEAN),
    ]


def test_version_0_90_has_its_uuid_from_mdadm_which_turns_its_bytes() -> None:
    old = PLAIN | {"metadata_version": "0.90", "uuid": "529a1c3f-e84b-d077-d211-9c356f0b4ea8"}
    (found,) = arrays(md_array("md0", old, PAIR, MD_UUID="3f1c9a52:77d04be8:9c11d2a8:4e0b6f35", MD_DEVNAME="0"))
    assert (found.uuid, found.name) == ("3f1c9a5277d04be89c11d2a84e0b6f35", "0")
    assert verdict(found, "0") == (
        NextStep.NONE,
        "array 0 has superblocks of version 0.90, but Lunette supports only version 1.2.",
    )


@pytest.mark.parametrize(
    ("attributes", "members", "words"),
    [
        ({"metadata_version": "1.0"}, PAIR, "superblocks of version 1.0"),
        ({"metadata_version": "0.91"}, PAIR, "superblocks of version 0.91"),
        ({"bitmap/location": "file", "bitmap/metadata": "external"}, PAIR, "bitmap in a file"),
        ({"bitmap/metadata": "clustered"}, PAIR, "is clustered"),
        ({}, PAIR | {"sda": ("0", "in_sync,failfast")}, "sda marked as failfast"),
        (
            {"level": "raid10", "layout": "258"},
            PAIR | {"sdb": ("1", "in_sync,write_mostly")},
            "sdb marked as write-mostly",
        ),
        ({"consistency_policy": "journal"}, PAIR, "a write journal"),
        ({"reshape_position": "1024"}, PAIR, "is being reshaped"),
        ({"raid_disks": "2 (3)", "reshape_position": "0"}, PAIR, "is being reshaped"),
        ({"level": "linear"}, PAIR, "has the level linear"),
        ({"level": "multipath"}, PAIR, "has the level multipath"),
        ({"level": "container", "metadata_version": "external:/md9/0"}, PAIR, "firmware RAID (external metadata)"),
    ],
)
def test_foreign_features_prevent_the_adoption_of_an_array(attributes: Any, members: Any, words: str) -> None:
    step, reason = verdict(one(attributes, members))
    assert step is NextStep.NONE
    assert words in reason


@pytest.mark.parametrize("version", ["1.2", "1.1"])
def test_a_plain_array_is_still_adopted_and_write_mostly_stays(version: str) -> None:
    found = one({"metadata_version": version}, PAIR | {"sdb": ("1", "in_sync,write_mostly")})
    assert [(member.role, member.write_mostly) for member in found.members] == [
        (MemberRole.DATA, False),
        (MemberRole.DATA, True),
    ]
    assert found.unusual == ()
    assert verdict(found) == (NextStep.ADOPT, "")


@pytest.mark.parametrize("state", ["in_sync,journal", "journal", "in_sync"])
def test_a_write_journal_is_not_a_data_member(state: str) -> None:
    three = {"sda": ("0", "in_sync"), "sdb": ("1", "in_sync"), "sdc": ("2", "in_sync")}
    found = one(
        {"level": "raid5", "raid_disks": "3", "chunk_size": "65536", "consistency_policy": "journal"},
        three | {"sdd": ("journal", state)},
    )
    assert found.write_hole is WriteHole.JOURNAL
    assert found.state is ArrayState.CLEAN
    assert [(m.disk_id, m.role, m.slot, m.state) for m in found.members] == [
        ("ata-W0", MemberRole.DATA, 0, "in_sync"),
        ("ata-W1", MemberRole.DATA, 1, "in_sync"),
        ("ata-W2", MemberRole.DATA, 2, "in_sync"),
        ("ata-W3", MemberRole.LOG, None, "in_sync"),
    ]
    step, words = verdict(found)
    assert (step, "write journal on sdd" in words) == (NextStep.NONE, True)


def test_a_lost_journal_is_reported() -> None:
    found = one({"consistency_policy": "journal"}, PAIR | {"sdd": ("journal", "faulty,journal")})
    assert (found.members[2].role, found.members[2].state) == (MemberRole.LOG, "faulty")


@pytest.mark.parametrize("name", ["lunette:0", "lunette:pictures", "lunette-system:lunette-a", "lunette:a0123456789ab"])
def test_no_name_makes_an_array_ours_or_the_systems(name: str) -> None:
    found = one(name=name)
    assert (found.ours, found.system) == (False, False)
    step, _ = verdict(found, name)
    assert step is (NextStep.REBUILD if name == "lunette:a0123456789ab" else NextStep.ADOPT)


def test_the_mirror_that_this_system_runs_from_is_the_systems() -> None:
    tree = md_array(
        "md127", PLAIN, {"sda2": ("0", "in_sync"), "sdb2": ("1", "in_sync")}, MD_NAME="lunette-system:lunette-a"
    )
    below = tuple(disk.model_copy(update={"used_by_system": disk.kernel_name == "sdb"}) for disk in DISKS)
    (found,) = observe.observe_arrays(tree.system, below)
    assert (found.system, found.name) == (True, "lunette-a")
    assert [member.disk_id for member in found.members] == ["ata-W0", "ata-W1"]
    (elsewhere,) = observe.observe_arrays(tree.system, DISKS)
    assert (elsewhere.system, [member.disk_id for member in elsewhere.members]) == (False, [None, None])


def test_a_name_of_odd_bytes_is_shown_without_them() -> None:
    tree = md_array("md127", PLAIN, PAIR, MD_NAME="shed:\x1b[31m\u202e")
    tree.commands["mdadm --detail --export /dev/md127"] += "MD_NAME=lunette:a0123456789ab\n"
    (found,) = arrays(tree)
    assert (found.name, found.marked) == ("?[31m?", False)
