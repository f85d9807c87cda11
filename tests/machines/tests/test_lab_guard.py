"""A machine of the real world is touched only when it is exactly the one that was listed."""

import dataclasses
import json
from pathlib import Path

import pytest

from tests.machines import lab_guard
from tests.machines.lab_guard import LabEntry, Seen, SeenDisk, UnsafeMachine, parse_lab, parse_seen, refuse_unless_ours
from tests.machines.model import DiskInfo, MachineError

EXAMPLE = (Path(lab_guard.__file__).parent / "lab.example.toml").read_text()


def disk(serial: str, *, in_use: bool = False) -> SeenDisk:
    return SeenDisk(DiskInfo(serial, 1 << 30, "nvme", f"nvme-{serial}"), in_use)


ENTRY = dataclasses.replace(parse_lab(EXAMPLE, "rack1"), system_disk="S0", disks=("S1", "S2"))
HONEST = Seen(ENTRY.chassis_serial, (disk("S0", in_use=True), disk("S2"), disk("S1")))


def test_the_listed_machine_passes_and_its_system_disk_is_not_handed_out() -> None:
    assert [found.serial for found in refuse_unless_ours(ENTRY, HONEST)] == ["S1", "S2"]


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (Seen("OTHER", HONEST.disks), "its chassis serial is OTHER"),
        (Seen("", HONEST.disks), "its chassis serial is empty"),
        (Seen(ENTRY.chassis_serial, (*HONEST.disks, disk("S9"))), "disk nvme-S9 is not listed"),
        (Seen(ENTRY.chassis_serial, (*HONEST.disks, disk(""))), "disk nvme- is not listed"),
        (Seen(ENTRY.chassis_serial, HONEST.disks[:2]), "listed disk S1 is not in it"),
        (Seen(ENTRY.chassis_serial, HONEST.disks[1:]), "listed disk S0 is not in it"),
        (Seen(ENTRY.chassis_serial, (*HONEST.disks[:2], disk("S1", in_use=True))), "disk S1 is in use"),
        (Seen(ENTRY.chassis_serial, (*HONEST.disks, disk("S1"))), "same serial"),
    ],
)
def test_any_difference_stops_everything(seen: Seen, reason: str) -> None:
    with pytest.raises(UnsafeMachine, match=reason):
        refuse_unless_ours(ENTRY, seen)


def test_all_reasons_are_reported_at_once() -> None:
    with pytest.raises(UnsafeMachine, match=r"chassis.*not listed.*not in it"):
        refuse_unless_ours(ENTRY, Seen("OTHER", (*HONEST.disks[:2], disk("S9"))))


def test_the_documented_example_is_valid() -> None:
    entry = parse_lab(EXAMPLE, "rack1")
    assert isinstance(entry, LabEntry)
    assert set(entry.power) == {"on", "off", "reset"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("chassis_serial =", "chassis_label =", "has no chassis_serial"),
        ('"PHLJ000000000002"', '"PHLJ000000000001"', "a serial twice"),
        ('system_disk = "S4EVNX0R000000"', 'system_disk = "PHLJ000000000001"', "a serial twice"),
        ("[machines.rack1]", "[machines.rack2]", "has no address|names no machine"),
    ],
)
def test_a_listing_with_a_gap_is_refused(old: str, new: str, reason: str) -> None:
    with pytest.raises(MachineError, match=reason):
        parse_lab(EXAMPLE.replace(old, new, 1), "rack1")


def test_disks_are_read_from_lsblk_with_what_is_mounted_below_them() -> None:
    keys = ("name", "type", "serial", "size", "tran", "id-link", "mountpoints")
    rows = [
        ("nvme0n1", "disk", "S0", 9, "nvme", "nvme-S0", [None]),
        ("sda", "disk", "S1", 9, "sas", "wwn-1", [None]),
        ("sr0", "rom", "R", 9, "sata", None, [None]),
    ]
    devices: list[dict[str, object]] = [dict(zip(keys, row, strict=True)) for row in rows]
    devices[0]["children"] = [{"name": "nvme0n1p2", "type": "part", "mountpoints": [None, "/"]}]
    seen = parse_seen("CZ1\n", json.dumps({"blockdevices": devices}))
    assert seen.chassis_serial == "CZ1"
    assert [(d.info.serial, d.info.bus, d.in_use) for d in seen.disks] == [("S0", "nvme", True), ("S1", "scsi", False)]
