"""Partitions, file systems and boot loader of an installed disk, as data: nothing here touches the machine.

1 bios    GRUB for BIOS, without a file system
2 efi     GRUB for UEFI at the path every firmware tries, the menu of both, and the choice of the slot to start
3 slot a  the system: kernel, initrd and compressed tree, the very files of the ISO
4 slot b  empty; where an update puts the next system
5 data    what outlives the system: database, certificate, logs, name, network

On two disks the slots and data are md RAID1 over both; partitions 1 and 2 are on each disk, the same. The superblock of
a slot is at its end (metadata 1.0), so that GRUB reads either half as the plain file system it begins with.

A slot is known by one UUID: that of its file system, of its partition and, on two disks, of its mirror.
"""

import struct
import uuid

from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk
from lunette.domain.sizes import MIB, format_size
from lunette.installer.document import Document
from lunette.installer.interfaces import Planned
from lunette.planner.network.interface_rules import words
from lunette.providers.arrays.md.parse import SYSTEM_HOMEHOST
from lunette.providers.updates import choice, slots

BIOS_MIB, EFI_MIB, SLOT_MIB = 1, 256, 2048
DATA_MINIMUM_MIB = 2048
MINIMUM_BYTES = (BIOS_MIB + EFI_MIB + 2 * SLOT_MIB + DATA_MINIMUM_MIB) * MIB + 2 * MIB
"""With what the partition table and its copy take."""
SECTOR = 512
BOOT_CODE_BYTES = 440
"""Of the first sector; what follows is the protective partition table."""
SLOT_FILES = ("vmlinuz", "initrd.img", "root.squashfs", "version")
GRUB_MODULES = (
    *("configfile", "echo", "ext2", "fat", "halt", "linux", "loadenv", "normal", "part_gpt", "reboot", "search"),
    *("search_fs_uuid", "serial", "sleep", "terminal", "test"),
)
BIOS_GRUB = ("i386-pc", ("biosdisk",))
EFI_GRUB = ("x86_64-efi", ("all_video", "efi_gop"))
_NO_DRIVE_CHECK = b"\x90\x90"
"""GRUB's workaround for a BIOS that reports the wrong drive number: two times `nop` instead of a jump."""
_CORE_SECTOR_AT, _DRIVE_CHECK_AT, _NEXT_SECTOR_AT = 0x5C, 0x66, SECTOR - 12
"""Where GRUB's boot.img and the first sector of its core image keep what they load next (GRUB's manual, Images)."""


class Partition(Model):
    """One partition; `mib` is None for all that is left."""

    number: int
    name: str
    type_code: str
    mib: int | None


PARTITIONS = (
    Partition(number=1, name="lunette-bios", type_code="ef02", mib=BIOS_MIB),
    Partition(number=2, name="lunette-efi", type_code="ef00", mib=EFI_MIB),
    Partition(number=3, name="lunette-a", type_code="8300", mib=SLOT_MIB),
    Partition(number=4, name="lunette-b", type_code="8300", mib=SLOT_MIB),
    Partition(number=5, name="lunette-data", type_code="8300", mib=None),
)
BIOS, EFI, SLOT_A, SLOT_B, DATA = (part.number for part in PARTITIONS)
MIRRORED = (SLOT_A, SLOT_B, DATA)


class Target(Model):
    """One disk of the installation."""

    disk_id: str
    device: str
    size_bytes: int
    lost: str | None
    """Present content of the disk that will be lost, in words."""
    table: uuid.UUID

    def partition(self, number: int) -> str:
        """The device of a partition."""
        return f"{self.device}{'p' if self.device[-1].isdigit() else ''}{number}"


class Plan(Model):
    """What will be written where; every identity is chosen here."""

    targets: tuple[Target, ...]
    efi_serial: str
    """Eight upper-case hex digits, the serial number of the FAT file systems."""
    slots: tuple[uuid.UUID, uuid.UUID]
    data: uuid.UUID
    network: Planned = ()
    """The interfaces of the document, where it names several."""

    @classmethod
    def make(cls, document: Document, disks: tuple[ObservedDisk, ...], network: Planned = ()) -> "Plan":
        """A plan for these disks, with identities of its own."""
        targets = tuple(
            Target(
                disk_id=disk.id,
                device=disk.device,
                size_bytes=disk.size_bytes,
                lost=disk.occupation(),
                table=document.identity(number),
            )
            for number, disk in enumerate(disks)
        )
        return cls(
            targets=targets,
            efi_serial=uuid.uuid4().hex[:8].upper(),
            slots=(uuid.uuid4(), uuid.uuid4()),
            data=uuid.uuid4(),
            network=network,
        )

    @property
    def mirrored(self) -> bool:
        """Whether the system lies on two disks."""
        return len(self.targets) == 2

    @property
    def data_mib(self) -> int:
        """The size of the data partition, which is that of the smallest disk on all of them."""
        smallest = min(target.size_bytes for target in self.targets)
        return (smallest - MINIMUM_BYTES) // MIB + DATA_MINIMUM_MIB

    def lines(self) -> list[str]:
        """The plan in words."""
        lines = []
        for target in self.targets:
            lines.append(f"disk {target.disk_id}, {format_size(target.size_bytes)}")
            lines.append(f"lost: {target.lost}" if target.lost else "it is blank: nothing is lost")
        mirror = ["mirrored on both disks: the system starts from either"] if self.mirrored else []
        sizes = f"system {format_size(SLOT_MIB * MIB)}, the same for its next version, data "
        network = [f"interface {name}: {words(settings)}" for name, settings in self.network if settings.bond is None]
        return [*lines, *mirror, sizes + format_size(self.data_mib * MIB), *network]

    def device(self, number: int) -> str:
        """Where the file system of a slot or of the data is made: a partition, or the mirror over two."""
        if self.mirrored:
            return f"/dev/md/{PARTITIONS[number - 1].name}"
        return self.targets[0].partition(number)

    def table_argv(self, target: Target) -> list[str]:
        """The command that makes the partition table of one disk."""
        argv = ["sgdisk", "--clear", f"--disk-guid={target.table}"]
        for part in PARTITIONS:
            argv += [
                f"--new={part.number}:0:+{part.mib or self.data_mib}M",
                f"--typecode={part.number}:{part.type_code}",
                f"--change-name={part.number}:{part.name}",
            ]
        if not self.mirrored:
            argv += [f"--partition-guid={number}:{self._name(number)}" for number in (SLOT_A, SLOT_B)]
        return [*argv, target.device]

    def _name(self, number: int) -> uuid.UUID:
        return {SLOT_A: self.slots[0], SLOT_B: self.slots[1], DATA: self.data}[number]

    def mirrors(self) -> list[list[str]]:
        """The commands that make the mirrors: none on one disk.

        They are made without a first copy from one half to the other: every block that is read was written to both.
        """
        if not self.mirrored:
            return []
        return [
            [
                *("mdadm", "--create", self.device(number), "--config=none", f"--homehost={SYSTEM_HOMEHOST}"),
                *(f"--name={PARTITIONS[number - 1].name}", f"--uuid={slots.md_uuid(self._name(number))}"),
                *(f"--metadata={'1.2' if number == DATA else '1.0'}",),
                *("--level=1", "--raid-devices=2", "--bitmap=internal", "--assume-clean", "--run"),
                *(target.partition(number) for target in self.targets),
            ]
            for number in MIRRORED
        ]

    def file_systems(self) -> list[list[str]]:
        """The commands that make the file systems; that of slot b comes with its first update."""
        ext4 = ["mke2fs", "-q", "-F", "-t", "ext4"]
        fat = ["mkfs.vfat", "-n", "LUNETTE_EFI", "-i", self.efi_serial]
        return [
            *([*fat, target.partition(EFI)] for target in self.targets),
            [*ext4, *slots.FORMAT, "-L", "lunette-a", "-U", str(self.slots[0]), self.device(SLOT_A)],
            [*ext4, "-m", "1", "-L", "lunette-data", "-U", str(self.data), self.device(DATA)],
        ]

    def fat_uuid(self) -> str:
        """The EFI file system's name for itself, as GRUB and udev write it."""
        return f"{self.efi_serial[:4]}-{self.efi_serial[4:]}"

    def early_config(self) -> str:
        """Embedded configuration of GRUB's images: how they find the menu. Its parser knows no comments."""
        find = f"search --no-floppy --set=root --fs-uuid {self.fat_uuid()}\n"
        return f"{find}set prefix=($root)/boot/grub\nconfigfile /boot/grub/grub.cfg\n"

    def choice(self) -> bytes:
        """GRUB's environment file next to the menu: which slot to start."""
        return choice.Choice().encode()

    def menu(self) -> str:
        """GRUB's menu on the EFI partition. An update changes the choice only, never this."""
        head = "serial --unit=0 --speed=115200\nterminal_input console serial\nterminal_output console serial\n"
        text = f"{head}{choice.MENU}set timeout=3\n"
        for name, title, slot, more in (
            ("a", "Lunette, slot a", 0, "quiet"),
            ("b", "Lunette, slot b", 1, "quiet"),
            ("verbose-a", "Slot a, with all messages", 0, "systemd.show_status=1"),
            ("verbose-b", "Slot b, with all messages", 1, "systemd.show_status=1"),
        ):
            text += (
                f'\nmenuentry "{title}" --id {name} {{\n'
                f"    search --no-floppy --set=root --fs-uuid {self.slots[slot]}\n"
                f'    echo "Loading the kernel ..."\n'
                f"    linux /live/vmlinuz {self._words(slot)} $trial_{slots.NAMES[slot]} {more}\n"
                f'    echo "Loading the first programs ..."\n    initrd /live/initrd.img\n}}\n'
            )
        return text

    def _words(self, slot: int) -> str:
        """Parameters of the disk for the kernel, the initrd, RAUC and the agent; `panic` so that no slot hangs."""
        names = [f"UUID={name}" for name in (*self.slots, self.data)]
        if self.mirrored:
            names = [f"MD={slots.md_uuid(name)}" for name in (*self.slots, self.data)]
        return (
            f"root={names[slot]} lunette.other={names[1 - slot]} lunette.data={names[2]} "
            f"lunette.slots={self.slots[0]},{self.slots[1]} lunette.efi={self.fat_uuid()} "
            f"rauc.slot={slots.NAMES[slot]} panic=30 console=tty0 console=ttyS0,115200"
        )


def boot_sector(image: bytes, core_sector: int) -> bytes:
    """GRUB's boot.img, patched to load the core image at this sector: the bytes of the disk's boot code."""
    code = bytearray(image[:BOOT_CODE_BYTES])
    struct.pack_into("<Q", code, _CORE_SECTOR_AT, core_sector)
    code[_DRIVE_CHECK_AT : _DRIVE_CHECK_AT + 2] = _NO_DRIVE_CHECK
    return bytes(code)


def core_image(image: bytes, core_sector: int) -> bytes:
    """GRUB's core image, patched to load the rest of itself from behind its first sector. Raises ValueError."""
    if len(image) > BIOS_MIB * MIB:
        raise ValueError(f"GRUB's core image has {len(image)} bytes, more than its partition")
    core = bytearray(image)
    struct.pack_into("<Q", core, _NEXT_SECTOR_AT, core_sector + 1)
    return bytes(core)
