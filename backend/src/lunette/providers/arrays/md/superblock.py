"""Parses the output of `mdadm --examine` for one member, of version 1 and of 0.90 (mdadm, super1.c and super0.c).
Pure.
"""

import re
from collections.abc import Mapping

from lunette.domain.base import Model
from lunette.providers.arrays.md.values import first_number, number, shown
from lunette.providers.reading import reader

MOST_DISKS = 4096
"""More than md supports (1.2 superblocks hold 1920): a higher count was not read correctly."""


class Superblock(Model):
    """One member's superblock, as `mdadm --examine` prints it."""

    uuid: str
    name: str
    level: str
    raid_disks: int
    events: int
    role: int | None
    """Slot, None for a spare."""
    alive: frozenset[int]
    """Slots that were working when this superblock was last written."""
    data_offset: int = 0
    """Where this member's data begin, in sectors."""
    space_before: int = 0
    """Sectors in front of the data that contain neither bitmap nor log: space for a reshape."""
    is_clean: bool = True
    """True if no write was in progress when it was last written."""
    has_ppl: bool = False
    recovers: bool = False
    """True if it was being rebuilt, and contains its data only in part."""
    version: str = ""
    has_bitmap: bool = False
    is_journal: bool = False
    reshapes: bool = False
    cluster: str = ""
    """Name of the cluster, if the array is a clustered one."""
    flags: frozenset[str] = frozenset()
    """write_mostly and failfast, as the kernel names them."""


@reader("mdadm --examine")
def superblock(text: str) -> Superblock | None:
    """A superblock from `mdadm --examine DEVICE`; None if it shows no readable one of md.

    Version 0.90 calls its UUID just that, has no name, and lists the slots in a table (mdadm, super0.c).
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, separator, value = line.partition(" : ")
        if separator:
            found.setdefault(key.strip(), value.strip())
    version = found.get("Version", "")
    is_old = version.startswith("0.")
    digits = found.get("UUID" if is_old else "Array UUID", "").partition(" ")[0].replace(":", "")
    count = number(found.get("Raid Devices"))
    if not re.fullmatch(r"[0-9a-f]{32}", digits) or count is None or count > MOST_DISKS:
        return None
    slots = _old_slots(text) if is_old else _slots(found)
    before = re.match(r"before=(\d+)", found.get("Unused Space", ""))
    flags = {"write-mostly": "write_mostly", "failfast": "failfast"}
    return Superblock(
        uuid=digits,
        name=shown(re.sub(r"  \(local to host .*\)$", "", found.get("Name", ""))),
        level=found.get("Raid Level", ""),
        raid_disks=count,
        events=number(found.get("Events")) or 0,
        role=slots[0],
        alive=slots[1],
        data_offset=first_number(found.get("Data Offset", "")),
        space_before=number(before[1]) or 0 if before else 0,
        is_clean=found.get("State", "clean").startswith("clean"),
        has_ppl="PPL" in found,
        recovers="Recovery Offset" in found,
        version=".".join(version.split(".")[:2]),
        has_bitmap="Internal Bitmap" in found,
        is_journal=found.get("Device Role") == "Journal",
        reshapes="Reshape pos'n" in found,
        cluster=found.get("Cluster Name", ""),
        flags=frozenset(flags[word] for word in found.get("Flags", "").split() if word in flags),
    )


def _slots(found: Mapping[str, str]) -> tuple[int | None, frozenset[int]]:
    role = re.match(r"Active device (\d+)$", found.get("Device Role", ""))
    alive = found.get("Array State", "").partition(" ")[0]
    return number(role[1]) if role else None, frozenset(slot for slot, state in enumerate(alive) if state in "AR")


def _old_slots(text: str) -> tuple[int | None, frozenset[int]]:
    """From the lines `this|NUMBER  number major minor slot  state`: a slot counts if the disk in it is active."""
    rows = re.findall(r"^ *(this|\d+) +\d+ +\d+ +\d+ +(\d+) +(.*)$", text, re.MULTILINE)
    active = [(row, number(slot)) for row, slot, state in rows if "active" in state.split()]
    own = next((slot for row, slot in active if row == "this"), None)
    return own, frozenset(slot for row, slot in active if row != "this" and slot is not None)
