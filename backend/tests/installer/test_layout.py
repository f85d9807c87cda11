"""The installed disk as data: partitions, what GRUB looks for, and the order in which things are written."""

import re
import struct
from pathlib import Path

import pytest

from backend.tests.fakemachine.machine import FakeSystem
from lunette.domain.errors import NotFound
from lunette.domain.units import MIB
from lunette.installer import layout
from lunette.installer.document import parse
from lunette.installer.layout import Plan
from lunette.installer.write import Installer, copy_and_compare, require_medium
from lunette.providers.arrays.md.parse import SYSTEM_HOMEHOST, is_marked
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.updates import slots

IMAGE = Path(__file__).parents[3] / "image"
INIT = (IMAGE / "initrd/init-any").read_text()
GRUB_CFG = (IMAGE / "iso/grub.cfg").read_text()


def plan(*sizes: int) -> Plan:
    """A plan for fake NVMe disks of these sizes, one of the smallest if none is named."""
    system = FakeSystem()
    made = [system.add_disks(1, "nvme", size)[0].serial for size in sizes or (layout.MINIMUM_BYTES,)]
    disks = {disk.serial: disk for disk in observe_disks(system)}
    words = parse(f"version: 1\ndisk: [{', '.join(made)}]\n".encode())
    return Plan.make(words, tuple(disks[serial] for serial in made))


def mirror() -> Plan:
    """A plan for two disks, of which the second is larger."""
    return plan(layout.MINIMUM_BYTES + 7 * MIB, layout.MINIMUM_BYTES + 900 * MIB)


def test_the_partitions_fit_on_the_smallest_disk_and_have_two_slots_of_one_size() -> None:
    fixed = sum(part.mib or 0 for part in layout.PARTITIONS)
    assert (fixed + layout.DATA_MINIMUM_MIB + 2) * MIB == layout.MINIMUM_BYTES
    sizes = {part.name: part.mib for part in layout.PARTITIONS}
    assert sizes["lunette-a"] == sizes["lunette-b"]
    assert [part.number for part in layout.PARTITIONS if part.mib is None] == [layout.DATA]


def test_every_command_names_a_partition_of_this_disk() -> None:
    made = plan()
    (target,) = made.targets
    assert target.partition(layout.SLOT_A) == "/dev/nvme1n1p3"
    assert target.model_copy(update={"device": "/dev/sda"}).partition(layout.DATA) == "/dev/sda5"
    assert made.table_argv(target)[-1] == target.device
    assert [argv[-1] for argv in made.file_systems()] == [target.partition(n) for n in (2, 3, 5)]
    assert made.mirrors() == []


def test_the_data_take_what_is_left_of_the_smallest_disk() -> None:
    assert plan().data_mib == layout.DATA_MINIMUM_MIB
    made = mirror()
    assert made.data_mib == layout.DATA_MINIMUM_MIB + 7
    for target in made.targets:
        assert f"--new={layout.DATA}:0:+{made.data_mib}M" in made.table_argv(target)
    fixed = sum(part.mib or 0 for part in layout.PARTITIONS)
    assert (fixed + made.data_mib + 2) * MIB <= made.targets[0].size_bytes


def test_a_mirror_is_made_over_the_same_partitions_of_both_disks() -> None:
    made = mirror()
    assert made.targets[0].table != made.targets[1].table
    for argv, number in zip(made.mirrors(), layout.MIRRORED, strict=True):
        assert argv[:3] == ["mdadm", "--create", made.device(number)]
        assert argv[-2:] == [target.partition(number) for target in made.targets]
        assert f"--homehost={SYSTEM_HOMEHOST}" in argv
        assert not is_marked(f"{SYSTEM_HOMEHOST}:lunette-a")
    for argv in made.mirrors()[:2]:
        assert "--metadata=1.0" in argv, "GRUB reads a half of a slot as the file system it begins with"
    assert [argv[-1] for argv in made.file_systems()] == [
        *(target.partition(layout.EFI) for target in made.targets),
        made.device(layout.SLOT_A),
        made.device(layout.DATA),
    ]


def test_the_menu_of_a_mirror_names_the_arrays_as_the_initrd_searches_them() -> None:
    made = mirror()
    for argv, word in zip(made.mirrors(), ("root", "lunette.other", "lunette.data"), strict=True):
        uuid = next(one.removeprefix("--uuid=") for one in argv if one.startswith("--uuid="))
        assert re.fullmatch(r"([0-9a-f]{8}:){3}[0-9a-f]{8}", uuid)
        assert f" {word}=MD={uuid} " in made.menu()
    for slot in made.slots:
        assert f"--fs-uuid {slot}\n" in made.menu()
    assert 'MD=*) start_mirror "${1#MD=}"' in INIT
    assert '"MD_UUID=$1"' in INIT


def test_two_installations_never_share_an_identity() -> None:
    one, other = plan(), plan()
    assert one.targets[0].table == other.targets[0].table
    assert len({*one.slots, one.data, *other.slots, other.data}) == 6
    assert one.efi_serial != other.efi_serial


def test_grub_finds_the_menu_the_slot_and_the_data_of_this_disk_only() -> None:
    made = plan()
    early, menu = made.early_config(), made.menu()
    assert f"--fs-uuid {made.fat_uuid()}\n" in early
    assert not set(early) & set("#'\"")
    lines = [line for line in menu.splitlines() if line.startswith("    linux ")]
    assert lines
    for line, (running, idle) in zip(lines, (made.slots, made.slots[::-1]) * 2, strict=True):
        assert f"root=UUID={running} lunette.other=UUID={idle} lunette.data=UUID={made.data} " in line
    for word in ("root=*", "lunette.data=*", "lunette.other=*", "lunette.trial"):
        assert f"{word})" in INIT
    used = set(re.findall(r"^ *(search|linux|echo|serial|configfile)\b", early + menu, re.M))
    assert used <= set(layout.GRUB_MODULES)
    assert "loadenv" in layout.GRUB_MODULES, "it has load_env and save_env"


def test_the_agent_reads_on_the_kernel_command_line_what_the_menu_says() -> None:
    for made in (plan(), mirror()):
        lines = [line for line in made.menu().splitlines() if line.startswith("    linux ")]
        for line, running in zip(lines[:2], slots.NAMES, strict=True):
            found = slots.parse(line.replace("$trial_b", "lunette.trial"))
            assert found is not None
            assert (found.running, found.on_trial) == (running, running == "b")
            assert (found.uuids, found.efi, found.mirrored) == (made.slots, made.fat_uuid(), made.mirrored)


def test_a_slot_has_the_name_of_its_partition_or_of_its_mirror() -> None:
    made = plan()
    for number, name in zip((layout.SLOT_A, layout.SLOT_B), made.slots, strict=True):
        assert f"--partition-guid={number}:{name}" in made.table_argv(made.targets[0])
    assert "--partition-guid" not in " ".join(mirror().table_argv(mirror().targets[0])), "two disks would share it"


def test_what_the_installer_copies_is_what_the_iso_and_the_initrd_call_it() -> None:
    for name in ("vmlinuz", "initrd.img"):
        assert f"/live/{name}" in GRUB_CFG
        assert name in layout.SLOT_FILES
    assert "/run/live/medium/live/root.squashfs" in INIT
    assert "root.squashfs" in layout.SLOT_FILES


def test_the_boot_code_loads_the_core_image_where_it_is() -> None:
    code = layout.boot_sector(bytes(512), 2048)
    assert len(code) == layout.BOOT_CODE_BYTES
    assert struct.unpack_from("<Q", code, 0x5C) == (2048,)
    assert code[0x66:0x68] == b"\x90\x90"
    core = layout.core_image(bytes(2048), 2048)
    assert struct.unpack_from("<Q", core, 500) == (2049,)
    with pytest.raises(ValueError, match="more than its partition"):
        layout.core_image(bytes(layout.BIOS_MIB * MIB + 1), 2048)


def test_a_copy_is_read_back(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 3_000_000)
    copy_and_compare(source, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == source.read_bytes()


def test_nothing_is_written_where_the_files_of_the_iso_are_not_all_there(tmp_path: Path) -> None:
    folder = tmp_path / "live"
    folder.mkdir()
    for name in layout.SLOT_FILES:
        with pytest.raises(NotFound, match=f"has no live/{name}: start this machine from the ISO"):
            require_medium(tmp_path)
        (folder / name).write_bytes(b"")
    require_medium(tmp_path)


def test_an_installation_starts_with_a_check_of_the_medium() -> None:
    """Here there is none: the disk stays as it is."""
    system = FakeSystem()
    (disk,) = system.add_disks(1, "nvme", layout.MINIMUM_BYTES)
    words = parse(f"version: 1\ndisk: {disk.serial}\n".encode())
    disks = observe_disks(system)
    said: list[str] = []
    with pytest.raises(NotFound):
        Installer(system, words, disks, Plan.make(words, disks)).run(said.append)
    assert said == []


def test_the_installer_starts_in_live_mode_only() -> None:
    root = IMAGE / "live/usr/lib/systemd"
    unit = (root / "system/lunette-install.service").read_text()
    assert "ConditionKernelCommandLine=lunette.live\n" in unit
    assert "lunette.live=" not in plan().menu()
    assert "enable lunette-install.service" in (root / "system-preset/00-console.preset").read_text().splitlines()
