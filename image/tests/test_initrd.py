"""The initrd's archive format and the order of its modules."""

import gzip
from pathlib import Path

from lunette_image.initrd import (
    boot_modules,
    cpio_entry,
    load_order,
    make_hardware_initrd,
    parse_dependencies,
    program_files,
)

MODULES_DEP = """\
kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz kernel/fs/jbd2/jbd2.ko.xz
kernel/lib/crc16.ko.xz:
kernel/fs/jbd2/jbd2.ko.xz: kernel/lib/crc16.ko.xz
kernel/drivers/block/virtio_blk.ko.xz:
kernel/drivers/net/other-card.ko.xz:
"""


def test_a_module_is_loaded_after_its_dependencies() -> None:
    order = load_order(("ext4", "virtio_blk", "built_in"), parse_dependencies(MODULES_DEP))
    assert [file.rsplit("/", 1)[1] for file in order] == [
        "crc16.ko.xz",
        "jbd2.ko.xz",
        "ext4.ko.xz",
        "virtio_blk.ko.xz",
    ]


def test_members_of_the_archive_are_aligned_and_carry_their_size() -> None:
    entry = cpio_entry(1, "init", 0o100755, b"12345")
    assert len(entry) % 4 == 0
    assert entry.startswith(b"070701")
    assert int(entry[54:62], 16) == 5
    assert int(entry[94:102], 16) == len("init") + 1
    assert entry[110:115] == b"init\0"


def test_what_leads_to_the_disks_of_others_is_not_in_the_initrd() -> None:
    paths = (
        *("ata/ahci", "nvme/host/nvme", "nvme/host/nvme-fabrics", "scsi/megaraid/megaraid_sas", "scsi/qla2xxx/qla2xxx"),
        *("scsi/lpfc/lpfc", "scsi/iscsi_tcp", "usb/storage/uas", "usb/host/xhci-hcd", "block/virtio_blk", "block/nbd"),
    )
    found = boot_modules({f"kernel/drivers/{path}.ko.xz": [] for path in paths})
    assert {"ahci", "nvme", "megaraid_sas", "uas", "xhci_hcd", "virtio_blk"} <= set(found)
    assert not {"qla2xxx", "lpfc", "iscsi_tcp", "nbd", "nvme_fabrics"} & set(found)


def test_the_initrd_of_any_hardware_names_each_module_by_the_file_it_has(tmp_path: Path) -> None:
    modules = tmp_path / "usr/lib/modules/6.12"
    for name in ("drivers/ata/ahci.ko", "drivers/ata/libahci.ko", "drivers/net/card.ko"):
        (modules / "kernel" / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / "kernel" / name).write_bytes(b"module " + name.encode())
    (modules / "modules.dep").write_text(
        "kernel/drivers/ata/ahci.ko: kernel/drivers/ata/libahci.ko\n"
        "kernel/drivers/ata/libahci.ko:\nkernel/drivers/net/card.ko:\n"
    )
    (modules / "modules.alias").write_text("alias pci:v*bc01sc06i01* ahci\nalias pci:v0001* card\n")
    (modules / "modules.builtin").write_text("")
    (tmp_path / "usr/bin").mkdir()
    (tmp_path / "usr/bin/busybox").write_bytes(b"busybox")
    (tmp_path / "init").write_text("#!/bin/busybox sh\n")
    programs = {"lib64/ld.so": tmp_path / "usr/bin/busybox"}
    made = make_hardware_initrd(tmp_path, "6.12", tmp_path / "init", programs)
    assert made == make_hardware_initrd(tmp_path, "6.12", tmp_path / "init", programs)
    archive = gzip.decompress(made)
    assert b"ahci.ko: libahci.ko\nlibahci.ko: \n" in archive or b"libahci.ko: \nahci.ko: libahci.ko\n" in archive
    assert b"alias pci:v*bc01sc06i01* ahci\n" in archive
    assert b"card" not in archive
    assert archive.index(b"lib64\0") < archive.index(b"lib64/ld.so\0")


def test_a_program_of_the_initrd_brings_what_it_loads() -> None:
    ldd = """\
\tlinux-vdso.so.1 (0x00007ffd)
\tlibudev.so.1 => /lib/x86_64-linux-gnu/libudev.so.1 (0x00007f3a)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f3b)
"""
    libraries = ("lib/x86_64-linux-gnu/libudev.so.1", "lib64/ld-linux-x86-64.so.2")
    assert program_files("/usr/sbin/mdadm", ldd) == {"bin/mdadm": "usr/sbin/mdadm"} | {one: one for one in libraries}
