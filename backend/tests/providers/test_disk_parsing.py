import json
from typing import Any

import pytest

from backend.tests.block_tree import Row, TreeMachine, recorded_tree, without_tree
from backend.tests.recorded import recorded
from lunette.domain.disks import ObservedDisk, Signature, Transport
from lunette.providers.disks import identity, parse
from lunette.providers.disks.paths import path_of

FACTS = parse.SysfsFacts(
    path="/sys/devices/platform/uml-blkdev.1/block/ubdb", holders=(), write_cache=True, numa_node=None, transports=()
)


UML = recorded_tree("uml")


def uml_disks() -> dict[str, ObservedDisk]:
    found = json.loads(recorded("util-linux-2.41/wipefs.json"))["signatures"]
    links = {f"ubd-{row['serial']}": row["kname"] for row in UML if row["serial"]}
    return TreeMachine(UML, links=links, signatures=found).disks()


def test_every_drive_of_the_machine_is_listed_and_nothing_built_on_them() -> None:
    assert sorted(uml_disks()) == ["ubda", "ubdb", "ubdc", "ubdd", "ubde", "ubdf", "ubdg"]


def test_the_drive_of_the_running_system_is_marked() -> None:
    disks = uml_disks()
    assert disks["ubda"].used_by_system
    assert disks["ubda"].is_busy()
    assert [name for name, disk in disks.items() if disk.used_by_system] == ["ubda"]


def test_a_member_of_an_array_names_its_uuid() -> None:
    disk = uml_disks()["ubdb"]
    assert disk.array_uuid == "c81e728d9d4c2f636f067f89cc14862c"
    assert disk.id == "ubd-S1"
    assert disk.transport is Transport.UBD
    assert disk.size_bytes == 512 * 1024**2
    assert disk.holders == ("md127",)
    assert any("linux_raid_member" in words for words in disk.occupations())


def test_a_mounted_file_system_is_reported() -> None:
    disk = uml_disks()["ubde"]
    assert disk.mounts == ("/tmp/m",)
    assert [s.type for s in disk.signatures] == ["ext4"]
    assert disk.signatures[0].label == "data"
    assert not disk.used_by_system


def test_a_partition_used_as_swap_makes_its_drive_busy() -> None:
    disk = uml_disks()["ubdf"]
    assert disk.partitions == 2
    assert disk.is_swap
    assert disk.mounts == ()
    assert disk.is_busy()
    assert [s.type for s in disk.signatures] == ["dos"]


_MOUNTINFO = """\
22 1 98:0 / / rw,relatime shared:1 - ext4 /dev/ubda rw
23 22 98:65 / /srv/with\\040space rw - ext4 /dev/ubde1 rw
24 22 0:35 /@home /home rw shared:9 master:2 - btrfs /dev/ubdg rw
25 22 0:21 / /proc rw - proc proc rw
"""


def _contained(name: str, number: str) -> ObservedDisk:
    """A drive as lsblk in a container sees it, where nothing but the container's own files is mounted."""
    inside = [{**row, "mountpoints": ["/etc/hosts"] if row["kname"] == "ubda" else [None]} for row in UML]
    assert number in [row["maj:min"] for row in inside if row["kname"] == name]
    return TreeMachine(inside, mounts=_MOUNTINFO).disks()[name]


def test_the_mounts_of_the_machine_count_also_where_our_own_are_others() -> None:
    system = _contained("ubda", "98:0")
    assert (system.mounts, system.used_by_system) == (("/",), True)
    by_source = _contained("ubdg", "98:96")
    assert (by_source.mounts, by_source.is_busy()) == (("/home",), True)
    assert not _contained("ubdb", "98:16").mounts


def test_names_of_mount_points_are_read_as_they_are() -> None:
    assert parse.mounts(_MOUNTINFO)["98:65"] == parse.mounts(_MOUNTINFO)["/dev/ubde1"] == ["/srv/with space"]
    assert parse.mounts("") == {}


def test_a_blank_drive_is_free() -> None:
    disk = uml_disks()["ubdg"]
    assert disk.occupation() is None
    assert not disk.is_busy()


def test_no_signature_at_all_is_an_empty_answer() -> None:
    assert parse.signatures(recorded("util-linux-2.41/wipefs-blank.json")) == {}
    assert parse.signatures("") == {}


def test_copies_of_a_signature_count_once() -> None:
    copy = {"device": "sda", "offset": "0x200", "type": "gpt", "uuid": None, "label": None}
    text = json.dumps({"signatures": [copy, {**copy, "offset": "0xfe00"}, {**copy, "type": "PMBR"}]})
    assert parse.signatures(text) == {
        "sda": (Signature(type="gpt", label=None, uuid=None), Signature(type="PMBR", label=None, uuid=None))
    }


@pytest.mark.parametrize(
    ("links", "serial", "chosen"),
    [
        (
            ["nvme-nvme.1b36-4c554e", "nvme-QEMU_NVMe_Ctrl_LUN-1", "nvme-QEMU_NVMe_Ctrl_LUN-1_1"],
            "LUN-1",
            "nvme-QEMU_NVMe_Ctrl_LUN-1_1",
        ),
        (["nvme-M_S1_1", "nvme-eui.0025385b21404321"], "S1", "nvme-M_S1_1"),
        (["nvme-M_S_1", "nvme-eui.0025385b21404321"], "S_1", "nvme-eui.0025385b21404321"),
        (["wwn-0x5000c500", "scsi-35000c500", "scsi-SSEAGATE_ST9_ZC1"], "ZC1", "scsi-35000c500"),
        (["scsi-0QEMU_QEMU_HARDDISK_ZC1", "scsi-SQEMU_QEMU_HARDDISK_ZC1"], "ZC1", "scsi-SQEMU_QEMU_HARDDISK_ZC1"),
        (["usb-Dock_0123-0:1", "wwn-0x5000c500"], "0123", "wwn-0x5000c500"),
        (["wwn-0x5000c500", "scsi-35000c500"], "ZC1", "scsi-35000c500"),
        (["wwn-0x5002538e", "ata-Samsung_SSD_870_S5Y"], "S5Y", "ata-Samsung_SSD_870_S5Y"),
        (["virtio-LUN-VDA"], "LUN-VDA", "virtio-LUN-VDA"),
        (["nvme-eui.0025385b21404321", "nvme-Samsung_S4_X"], "X", "nvme-eui.0025385b21404321"),
        ([], "X", None),
    ],
)
def test_the_id_is_a_link_that_no_other_device_can_take_over(links: list[str], serial: str, chosen: str | None) -> None:
    assert identity.choose_id(links, serial) == chosen
    assert identity.choose_id(reversed(links), serial) == chosen


@pytest.mark.parametrize(
    ("tran", "path", "transports"),
    [
        ("iscsi", "/sys/devices/platform/host0/session1/target0:0:0/0:0:0:1/block/sda", ()),
        ("fc", "/sys/devices/pci0000:00/host1/rport-1:0-2/target1:0:0/block/sda", ()),
        (None, "/sys/devices/platform/host0/session1/target0:0:0/0:0:0:1/block/sda", ()),
        ("nvme", "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", ("tcp",)),
        (None, "/sys/devices/tcm_loop_0/tcm_loop_adapter_0/host2/block/sdb", ()),
    ],
)
def test_a_drive_behind_a_fabric_is_marked(tran: str | None, path: str, transports: tuple[str, ...]) -> None:
    entry = {**parse.drives(without_tree(UML))[6], "tran": tran}
    facts = FACTS.model_copy(update={"path": path, "transports": transports})
    disk = parse.disk(entry, (), {}, facts)
    assert disk.fabric
    assert disk.is_busy()


@pytest.mark.parametrize(
    ("name", "transport", "model", "serial"),
    [
        ("nvme0n1", Transport.NVME, "QEMU NVMe Ctrl", "LUN-NVME-01"),
        ("sdb", Transport.SCSI, "QEMU QEMU HARDDISK", "LUN-SCSI-01"),
        ("vda", Transport.VIRTIO, "", "LUN-SYSTEM"),
    ],
)
def test_drives_of_an_emulated_machine_are_distinguished(
    name: str, transport: Transport, model: str, serial: str
) -> None:
    disk = TreeMachine(recorded_tree("qemu")).disks()[name]
    assert (disk.transport, disk.model, disk.serial) == (transport, model, serial)
    assert disk.used_by_system is (name == "vda")
    assert not disk.fabric


def test_a_local_nvme_drive_is_not_a_fabric_drive() -> None:
    entry = {**parse.drives(without_tree(UML))[6], "kname": "nvme0n1", "tran": "nvme"}
    entry["paths"] = ["nvme0n1"]
    facts = FACTS.model_copy(
        update={"path": "/sys/devices/pci0000:00/0000:00:03.0/nvme/nvme0/nvme0n1", "transports": ("pcie",)}
    )
    disk = parse.disk(entry, (), {}, facts)
    assert disk.transport is Transport.NVME
    assert not disk.fabric


def _entry(kname: str, kind: str = "disk", **more: object) -> dict[str, object]:
    plain: dict[str, object] = {
        "name": kname,
        "kname": kname,
        "path": f"/dev/{kname}",
        "type": kind,
        "size": 2**30,
        "vendor": "ACME",
        "model": "DISK",
        "serial": "S1",
        "rev": "1",
        "wwn": "0x5000c500aa000001",
        "tran": "sas",
        "rota": True,
        "log-sec": 512,
        "phy-sec": 4096,
        "mountpoints": [None],
        "maj:min": "8:0",
    }
    return plain | more


def _drives(*entries: Row) -> list[dict[str, Any]]:
    return parse.drives(without_tree(entries))


def test_a_multipath_device_represents_its_paths() -> None:
    below = [_entry("dm-4", "part", serial=None, mountpoints=["/srv"], **{"maj:min": "253:4"})]
    over = _entry("dm-3", "mpath", serial=None, wwn=None, vendor=None, model=None, tran=None, rev=None, children=below)
    over |= {"path": "/dev/mapper/mpatha", "maj:min": "253:3"}
    links = ("scsi-35000c500aa000001", "wwn-0x5000c500aa000001")
    paths = (_entry("sda", children=[over]), _entry("sdb", children=[over], **{"maj:min": "8:16"}))
    (disk,) = TreeMachine(paths, links=dict.fromkeys(links, "dm-3")).disks().values()
    assert (disk.id, disk.device, disk.kernel_name) == (links[0], "/dev/dm-3", "dm-3")
    assert disk.paths == ("/dev/sda", "/dev/sdb")
    assert (disk.serial, disk.transport, disk.model) == ("S1", Transport.SAS, "ACME DISK")
    assert disk.mounts == ("/srv",)
    (found,) = identity.one_per_drive([disk])
    assert found.paths == disk.paths
    assert path_of(found) == "/dev/sda"


@pytest.mark.parametrize(
    "kname",
    [
        "ublkb0",
        "rnbd0",
        "nullb0",
        "nbd0",
        "rbd0",
        "drbd0",
        "zram0",
        "ram0",
        "loop0",
        "etherd!e1.0",
        "bcache0",
        "pmem0",
        "mmcblk0boot0",
        "mmcblk0rpmb",
        "zd0",
        "nvme0c0n1",
        "dm-0",
        "md127",
        "sr0",
        "fd0",
        "mtdblock0",
        "vblk9",
    ],
)
def test_a_device_of_no_drive_driver_is_not_a_drive(kname: str, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        assert not _drives(_entry(kname))
    reported = [f"block device {kname} is left out: Lunette does not know its kernel name as that of a drive"]
    assert caplog.messages == (reported if kname == "vblk9" else []), "what is unknown is told once"


@pytest.mark.parametrize(
    "kname", ["sda", "sdaa", "nvme10n2", "vda", "xvdb", "ubda", "mmcblk0", "hda", "dasda", "fioa", "fiob"]
)
def test_drives_are_known_by_their_drivers(kname: str) -> None:
    assert [entry["kname"] for entry in _drives(_entry(kname))] == [kname]


@pytest.mark.parametrize(
    ("kind", "facts", "words"),
    [
        ("zbc", {}, "host-managed zoned"),
        ("disk", {"zoned": "host-managed"}, "host-managed zoned"),
        ("disk", {"is_read_only": True}, "read-only"),
        ("disk", {"exports": ("LIO exports it as iblock_0/raw",)}, "LIO exports it"),
    ],
)
def test_a_disk_that_can_never_be_used_is_listed_with_the_reason(
    kind: str, facts: dict[str, object], words: str
) -> None:
    (entry,) = _drives(_entry("sda", kind))
    disk = parse.disk(entry, (), {}, FACTS.model_copy(update=facts))
    assert words in (disk.occupation() or "")
    assert disk.is_busy()
    assert words in (disk.blocker() or "")


@pytest.mark.parametrize("zoned", ["none", "host-aware", None])
def test_a_disk_that_takes_writes_anywhere_is_free(zoned: str | None) -> None:
    (entry,) = _drives(_entry("sda"))
    disk = parse.disk(entry, (), {}, FACTS.model_copy(update={"zoned": zoned}))
    assert (disk.occupation(), disk.is_busy(), disk.blocker()) == (None, False, None)


def test_the_pool_that_the_system_runs_from_is_reported_by_its_mounts() -> None:
    reported = "22 1 0:25 / / rw - zfs tank/ROOT/a rw\n23 22 0:26 / /srv rw - zfs data rw\n"
    assert parse.system_pools(reported) == {"tank"}
    assert parse.system_pools("") == set()


def test_all_devices_of_a_file_system_that_names_them_are_mounted() -> None:
    reported = parse.mounts("30 1 0:40 / /srv rw - bcachefs /dev/sda:/dev/sdb rw\n")
    assert reported["/dev/sda"] == reported["/dev/sdb"] == ["/srv"]


@pytest.mark.parametrize("lost", ["size", "log-sec", "phy-sec"])
def test_a_drive_removed_while_lsblk_ran_is_not_listed(lost: str) -> None:
    reported = json.loads(without_tree(UML))
    before = parse.drives(json.dumps(reported))
    leaving = next(one for one in reported["blockdevices"] if one["kname"] == before[-1]["kname"])
    leaving[lost] = None
    assert parse.drives(json.dumps(reported)) == before[:-1]
