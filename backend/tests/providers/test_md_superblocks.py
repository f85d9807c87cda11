"""Superblocks of arrays that do not run, as mdadm prints them: of every version, and damaged in any way."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import seen
from backend.tests.planner.test_adopting import NOTHING
from backend.tests.providers.test_md_foreign_kinds import firmware
from backend.tests.recorded import recorded
from backend.tests.sysfs_tree import Tree, md_array, recorded_array
from lunette.domain.arrays import ArrayState, MemberRole, ObservedArray, WriteHole
from lunette.domain.foreign_arrays import FoundArray, NextStep
from lunette.planner.adopting.arrays import judge
from lunette.providers.arrays.md import counters, observe, tuning
from lunette.providers.arrays.md.superblock import superblock

DIGITS = "7be1c4029d3f48aa8e6510c7f2b93d54"
WORDS = ":".join(DIGITS[start : start + 8] for start in range(0, 32, 8))
NEW = f"""/dev/sda:
          Magic : a92b4efc
        Version : 1.2
     Array UUID : {WORDS}
           Name : shed:old pictures  (local to host shed)
     Raid Level : raid5
   Raid Devices : 3

    Data Offset : 4096 sectors
   Unused Space : before=2024 sectors, after=8192 sectors
          State : clean
         Events : 28
   Device Role : Active device 0
   Array State : AAA ('A' == active, '.' == missing, 'R' == replacing)
"""
OLD = f"""/dev/sda:
          Magic : a92b4efc
        Version : 0.90.00
           UUID : {WORDS} (local to host shed)
     Raid Level : raid1
   Raid Devices : 2
  Total Devices : 2
          State : clean
         Events : 57

      Number   Major   Minor   RaidDevice State
this     0       8        1        0      active sync   /dev/sda

   0     0       8        1        0      active sync   /dev/sda
   1     1       0        0        1      faulty removed
   2     2       8       33        2      spare   /dev/sdc
"""
IMSM = """/dev/sda:
          Magic : Intel Raid ISM Cfg Sig.
        Version : 1.1.00
           UUID : aaaaaaaa:bbbbbbbb:cccccccc:dddddddd
[books]:
     Raid Devices : 2
"""


def down(*printed: str) -> tuple[ObservedArray, ...]:
    """The arrays reported for disks whose superblocks mdadm prints like this."""
    disks = tuple(
        seen.disk(n, id=f"ata-W{n}", device=f"/dev/sd{'abcd'[n]}", kernel_name=f"sd{'abcd'[n]}", array_uuid=DIGITS)
        for n in range(len(printed))
    )
    commands = {f"mdadm --examine {disk.device}": text for disk, text in zip(disks, printed, strict=True) if text}
    return observe.observe_arrays(Tree({}, commands).system, disks)


def three(**changes: str) -> list[str]:
    """The superblocks of three members, each with these lines exchanged or added."""
    found = [NEW.replace("Active device 0", f"Active device {slot}") for slot in range(3)]
    for key, value in changes.items():
        line = f"{key.replace('_', ' '):>15} : {value}\n"
        found = [text.replace("          State :", f"{line}          State :") for text in found]
    return found


def start_of(array: ObservedArray) -> tuple[NextStep, str]:
    disks = tuple(seen.disk(n, id=f"ata-W{n}") for n in range(4))
    judged = judge(FoundArray(seen=array, engine_name="shed:old pictures"), seen.machine(disks=disks), NOTHING)
    return judged.next, judged.reason or ""


def test_a_superblock_of_version_0_90_is_read() -> None:
    block = superblock(OLD)
    assert block is not None
    assert (block.uuid, block.version, block.name, block.level, block.events) == (DIGITS, "0.90", "", "raid1", 57)
    assert (block.role, block.alive) == (0, frozenset({0}))
    (array,) = down(OLD)
    assert (array.uuid, array.state, len(array.members)) == (DIGITS, ArrayState.MISSING, 2)
    assert "version 0.90" in start_of(array)[1]


def test_what_the_firmware_wrote_is_not_a_superblock_of_md() -> None:
    assert superblock(IMSM) is None


def test_a_name_with_blanks_is_read_whole() -> None:
    (array,) = down(*three())
    assert array.name == "old pictures"
    assert start_of(array)[0] is NextStep.START


@pytest.mark.parametrize(
    ("changes", "hole", "words"),
    [
        ({"Internal_Bitmap": "8 sectors from superblock"}, WriteHole.BITMAP, None),
        ({"PPL": "2048 sectors at offset 8 sectors from superblock"}, WriteHole.PPL, None),
        ({"Cluster_Name": "barn"}, WriteHole.NONE, "is clustered"),
        ({"Reshape_pos'n": "1024 (1.00 MiB 1.05 MB)"}, WriteHole.NONE, "is being reshaped"),
        ({"Flags": "write-mostly failfast"}, WriteHole.NONE, "marked as write-mostly"),
        ({"Flags": "failfast"}, WriteHole.NONE, "marked as failfast"),
        ({"Flags": "brand-new"}, WriteHole.NONE, None),
    ],
)
def test_foreign_features_prevent_its_start(changes: Any, hole: WriteHole, words: str | None) -> None:
    (array,) = down(*three(**changes))
    assert array.write_hole is hole
    step, reason = start_of(array)
    assert step is (NextStep.NONE if words else NextStep.START)
    assert (words or "") in reason


def test_a_journal_is_reported_with_the_slots_and_prevents_the_start() -> None:
    (array,) = down(*three(), NEW.replace("Active device 0", "Journal"))
    assert array.write_hole is WriteHole.JOURNAL
    assert [(m.disk_id, m.slot, m.role) for m in array.members] == [
        ("ata-W0", 0, MemberRole.DATA),
        ("ata-W1", 1, MemberRole.DATA),
        ("ata-W2", 2, MemberRole.DATA),
        ("ata-W3", None, MemberRole.LOG),
    ]
    assert "write journal on sdd" in start_of(array)[1]


def test_a_disk_that_cannot_be_read_hides_no_other() -> None:
    (array,) = down(*three()[:2], "")
    assert [member.disk_id for member in array.members] == ["ata-W0", "ata-W1", None]


ODD = (
    "",
    "none",
    "-1",
    "²",
    "9" * 5000,
    "0x10",
    "4 (3)",
    "nan",
    "1 / 0",
    "5 / 4",
    "a / b",
    " / ",
    "delayed",
    "\x00",
    "=",
    " : ",
    "AAAA",
    "999999999",
    "raid10",
    "raid5",
    "external:/",
    "external:",
    "external:imsm",
    "journal",
    "0",
    "1",
    "513",
    "18446744073709551615",
)
STATES = ("clean", "degraded", "faulty", "rebuilding", "replacing", "resync")
COPIES = {
    "array_state": "active",
    "level": "raid10",
    "raid_disks": "4",
    "layout": "258",
    "chunk_size": "65536",
    "component_size": "1024",
    "sync_action": "resync",
    "sync_completed": "1 / 4",
    "reshape_position": "none",
    "uuid": DIGITS,
}
TREES = [
    *(recorded_array(f"md-raid5-{state}") for state in STATES),
    firmware("imsm"),
    md_array("md1", COPIES, {"sda": ("0", "in_sync"), "sdb": ("journal", "journal")}, MD_NAME="shed:0"),
]
EXAMINED = [NEW, OLD, IMSM, *(recorded(f"mdadm-4.4/examine-{name}.txt") for name in ("raid1-bitmap", "raid5-ppl"))]


@given(st.data())
def test_no_attribute_that_is_odd_or_missing_stops_the_reader(data: st.DataObject) -> None:
    tree = data.draw(st.sampled_from(TREES))
    files, commands = dict(tree.files), dict(tree.commands)
    for path in data.draw(st.lists(st.sampled_from(sorted(files)), max_size=6, unique=True)):
        odd = data.draw(st.none() | st.sampled_from(ODD) | st.text(max_size=12))
        if odd is None:
            del files[path]
        else:
            files[path] = f"{odd}\n"
    for line in [*commands]:
        if data.draw(st.booleans()):
            del commands[line]
    hurt = Tree(files | {"/sys/devices/system/cpu/online": data.draw(st.sampled_from(ODD))}, commands).system
    for array in observe.observe_arrays(hurt, ()):
        assert ObservedArray.model_validate_json(array.model_dump_json()) == array
        assert not array.ours
    tuning.machine_resources(hurt)
    counters.read(hurt, {})


@given(st.data())
def test_no_line_that_is_odd_or_missing_stops_the_reader_of_superblocks(data: st.DataObject) -> None:
    printed = []
    for text in data.draw(st.lists(st.sampled_from(EXAMINED), min_size=1, max_size=3)):
        lines = text.splitlines()
        for place in data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=6)):
            key, _, _ = lines[place].partition(" : ")
            odd = data.draw(st.none() | st.sampled_from(ODD) | st.text(max_size=12))
            lines[place] = "" if odd is None else f"{key} : {odd}"
        printed.append("\n".join(lines + data.draw(st.lists(st.sampled_from(lines), max_size=3))))
    for array in down(*printed):
        assert ObservedArray.model_validate_json(array.model_dump_json()) == array
        assert start_of(array)[0] in NextStep
