"""The QEMU command line keeps what the tests rely on."""

import itertools
from dataclasses import replace
from pathlib import Path

from tests.machines.disks import disk_names
from tests.machines.images import Image
from tests.machines.qemu_command import Media, QemuParts, cable_ends, command, direct_boot, firmware_boot

IMAGE = Image(Path("/i/rootfs.ext4"), Path("/i/vmlinuz"), Path("/i/initrd"), ("/i/linux",))
DISKS = disk_names(nvme=8, scsi=4, size_bytes=1 << 30)


def made(*, forgetful: bool = False, logged: bool = False, kvm: bool = False, cable: str | None = None) -> list[str]:
    parts = QemuParts(
        "qemu-system-x86_64", kvm, "one", memory_mib=2048, cpus=2, forgetful=forgetful, logged=logged, cable=cable
    )
    return command(parts, direct_boot(parts, IMAGE), DISKS, {8443: 40001, 3260: 40002})


def values(argv: list[str], option: str) -> list[str]:
    return [value for name, value in itertools.pairwise(argv) if name == option]


def test_guests_are_reachable_on_loopback_only() -> None:
    (network,) = values(made(), "-netdev")
    forwards = [part for part in network.split(",") if part.startswith("hostfwd=")]
    assert forwards == ["hostfwd=tcp:127.0.0.1:40002-:3260", "hostfwd=tcp:127.0.0.1:40001-:8443"]


def test_a_cable_joins_two_guests_over_loopback_alongside_their_first_card() -> None:
    first, second = (made(cable=end) for end in cable_ends(40003))
    assert values(first, "-netdev")[1] == "socket,id=net1,listen=127.0.0.1:40003"
    assert values(second, "-netdev")[1] == "socket,id=net1,connect=127.0.0.1:40003"
    cards = [[one for one in values(argv, "-device") if "netdev=net1" in one] for argv in (first, second)]
    assert cards[0] != cards[1]
    assert len(values(made(), "-netdev")) == 1


def test_each_nvme_drive_sits_in_a_slot_of_its_own() -> None:
    devices = values(made(), "-device")
    slots = [
        dict(part.split("=") for part in d.split(",")[1:])["id"] for d in devices if d.startswith("pcie-root-port")
    ]
    drives = [dict(part.split("=") for part in d.split(",")[1:]) for d in devices if d.startswith("nvme,")]
    assert [drive["bus"] for drive in drives] == slots
    assert [drive["serial"] for drive in drives] == [f"LUN-NVME-{number:02}" for number in range(1, 9)]


def test_scsi_disks_have_serials_and_names_that_differ() -> None:
    drives = [
        dict(p.split("=") for p in d.split(",")[1:]) for d in values(made(), "-device") if d.startswith("scsi-hd,")
    ]
    assert [drive["serial"] for drive in drives] == [f"LUN-SCSI-{number:02}" for number in range(1, 5)]
    assert len({drive["wwn"] for drive in drives}) == 4


def test_a_logged_machine_has_a_log_for_each_data_disk_and_none_for_the_root() -> None:
    drives = [drive for drive in values(made(logged=True), "-blockdev") if drive.startswith("driver=blklogwrites,")]
    logs = [part for drive in drives for part in drive.split(",") if part.startswith("log.file.filename=")]
    assert (len(drives), len(set(logs))) == (len(DISKS), len(DISKS))


def test_a_forgetful_machine_serves_every_drive_the_root_included_by_nbd() -> None:
    drives = values(made(forgetful=True), "-blockdev")
    assert len(drives) == 13
    assert all(drive.startswith("driver=nbd,") for drive in drives)


def test_the_image_is_shared_with_guests_that_lock_it_their_own_way() -> None:
    (root,) = [drive for drive in values(made(), "-blockdev") if "node-name=root," in drive]
    assert "backing.file.filename=/i/rootfs.ext4" in root
    assert "backing.file.locking=off" in root


def test_emulation_avoids_the_processor_model_that_panics_the_kernel() -> None:
    assert values(made(kvm=False), "-cpu") == ["Westmere,rdrand=on,cx16=off"]
    assert values(made(kvm=True), "-accel") == ["kvm"]


def test_the_shell_exists_by_the_kernel_command_line_alone() -> None:
    (append,) = values(made(), "-append")
    assert "systemd.debug_shell=1" in append
    assert "systemd.default_debug_tty=ttyS1" in append


def test_firmware_looks_at_the_iso_first_and_never_writes_to_it() -> None:
    for stick in (False, True):
        argv = firmware_boot(Media(Path("/i/lunette.iso"), stick=stick))
        (iso,) = [value for value in values(argv, "-blockdev") if "node-name=iso" in value]
        assert "read-only=on" in iso
        order = {value.split(",")[1]: value.rsplit("=", 1)[1] for value in values(argv, "-device") if "boot" in value}
        assert order == {"drive=root": "9", "drive=iso": "1"}
    assert "iso" not in " ".join(firmware_boot(Media(None)))


def test_data_disks_are_started_only_where_they_are_named_and_after_all_else() -> None:
    parts = QemuParts("qemu", False, "one", memory_mib=2048, cpus=2, forgetful=False)
    named = replace(parts, bootable=("LUN-NVME-02", "LUN-NVME-01"))
    plain, ordered = (command(one, firmware_boot(Media(None)), DISKS, {}) for one in (parts, named))
    assert [value for value in values(plain, "-device") if "bootindex" in value and "nvme" in value] == []
    order = [value for value in values(ordered, "-device") if "bootindex" in value and value.startswith("nvme")]
    assert [value.rsplit(",", 1)[1] for value in order] == ["bootindex=3", "bootindex=2"]


def test_uefi_variables_are_the_machines_own() -> None:
    argv = firmware_boot(Media(None, uefi=True))
    code, variables = [value for value in values(argv, "-blockdev") if "driver=file,node-name" in value]
    assert "read-only=on" in code
    assert not Path(variables.split("filename=")[1]).is_absolute()
    assert "-kernel" not in argv
