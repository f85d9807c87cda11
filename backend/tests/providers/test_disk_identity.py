"""Which devices are one drive, and which drives nothing tells apart."""

from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.disks import ObservedDisk, Transport
from lunette.providers.disks.identity import is_meaningful, name_of, one_per_drive

WWN = "0x5000c500aa000001"


def drive(kernel_name: str, **changes: Any) -> ObservedDisk:
    """A SAS drive without a link under by-id, unless `changes` say otherwise."""
    facts: dict[str, Any] = {
        "kernel_name": kernel_name,
        "device": f"/dev/{kernel_name}",
        "id": f"wwn-{WWN}",
        "links": (),
        "serial": "S1",
        "transport": Transport.SAS,
        "model": "ACME DISK",
        "wwn": WWN,
    }
    return seen.disk(1, **(facts | changes))


def reported(*disks: ObservedDisk) -> dict[str, ObservedDisk]:
    return {disk.kernel_name: disk for disk in one_per_drive(disks)}


LINK = {"links": ("scsi-35000c500aa000001",), "id": "scsi-35000c500aa000001"}
NVME = {"transport": Transport.NVME}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (drive("sda", **LINK), drive("sdb")),
        (drive("sda", **LINK, serial=""), drive("sdb", serial="")),
        (drive("sda", **LINK, wwn=None), drive("sdb", wwn=None)),
        (drive("sda", **LINK, transport=Transport.SCSI), drive("sdb", wwn=None)),
        (drive("nvme0n1", **NVME, **LINK), drive("nvme1n1", **NVME)),
        (drive("nvme0n1", **NVME, **LINK, wwn=None), drive("nvme1n1", **NVME, wwn=None)),
    ],
)
def test_two_paths_lead_to_one_drive(first: ObservedDisk, second: ObservedDisk) -> None:
    for order in ((first, second), (second, first)):
        disks = reported(*order)
        disk, path = disks[first.kernel_name], disks[second.kernel_name]
        assert disk.paths == (first.device, second.device)
        assert (disk.other_path_of, disk.is_known) == (None, True)
        assert (path.id, path.links, path.other_path_of) == (second.kernel_name, (), disk.id)
        assert f"second path of disk {disk.id}" in (path.occupation() or "")
        assert path.is_busy()


def test_the_path_in_use_is_the_disk_also_where_udev_gave_the_names_to_the_other_one() -> None:
    disks = reported(drive("sda", holders=("md127",)), drive("sdb", **LINK))
    assert (disks["sda"].id, disks["sda"].links) == (LINK["id"], LINK["links"])
    assert disks["sda"].paths == ("/dev/sda", "/dev/sdb")
    assert (disks["sdb"].id, disks["sdb"].other_path_of) == ("sdb", LINK["id"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (drive("sda"), drive("sdb", wwn="0x5000c500aa000002")),  # a drive with two actuators
        (drive("sda"), drive("sdb", serial="S2")),  # a maker that gives all its drives one WWN
        (drive("sda", wwn=None), drive("sdb", wwn=None, serial="S2")),
        (drive("nvme0n1", **NVME, wwn="eui.1a"), drive("nvme0n2", **NVME, wwn="eui.1b")),
    ],
)
def test_distinguishable_drives_are_several(first: ObservedDisk, second: ObservedDisk) -> None:
    disks = reported(first, second)
    assert [disk.other_path_of for disk in disks.values()] == [None, None]
    assert all(disk.is_known and disk.blocker() is None for disk in disks.values())


@pytest.mark.parametrize(
    "facts",
    [
        {"serial": "", "wwn": None},
        {"serial": "000000000000", "wwn": "0x0000000000000000"},
        {"is_usb": True, "wwn": None, "transport": Transport.OTHER},
        {"transport": Transport.SATA, "wwn": None},
    ],
)
def test_indistinguishable_drives_are_not_used_in_an_array(facts: dict[str, Any]) -> None:
    disks = reported(drive("sda", **facts), drive("sdb", **facts))
    for disk in disks.values():
        assert (disk.other_path_of, disk.id) == (None, disk.kernel_name)
        assert "another drive could be mistaken for it" in (disk.blocker() or "")


def test_a_link_from_a_wwn_that_several_drives_have_is_not_an_id() -> None:
    first = drive("sda", links=("scsi-35000c500aa000001", "scsi-SACME_DISK_S1"), id="scsi-35000c500aa000001")
    disks = reported(first, drive("sdb", serial="S2", links=("scsi-SACME_DISK_S2",), id="scsi-SACME_DISK_S2"))
    assert [disks["sda"].id, disks["sdb"].id] == ["scsi-SACME_DISK_S1", "scsi-SACME_DISK_S2"]
    disks = reported(drive("sda"), drive("sdb", serial="S2"))
    assert [disks["sda"].id, disks["sdb"].id] == ["serial-ACME_DISK_S1", "serial-ACME_DISK_S2"]


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("", False),
        (None, False),
        ("0x0000000000000000", False),
        ("eui.0000000000000000", False),
        ("  ", False),
        ("0000-0000", False),
        ("S1", True),
        ("0x5000c500aa000001", True),
        ("eui.0000000000000001", True),
    ],
)
def test_an_empty_or_one_character_identity_is_ignored(value: str | None, is_one: bool) -> None:
    assert is_meaningful(value) is is_one


def test_a_drive_without_links_is_identified_by_its_own_data_and_not_its_kernel_name() -> None:
    assert name_of("sda", "0x5000c500aa000001", "S1", "ACME DISK", ()) == "wwn-0x5000c500aa000001"
    assert name_of("nvme0n1", "eui.0025385b21404321", "S1", "M", ()) == "nvme-eui.0025385b21404321"
    assert name_of("sda", None, "S 1", "ACME DISK", ()) == "serial-ACME_DISK_S_1"
    assert name_of("sda", None, "", "", ()) == "sda"
