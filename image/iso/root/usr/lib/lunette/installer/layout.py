"""Partitions, file systems and boot loader of an installed disk, as data: nothing here touches the machine.

1 bios    GRUB for BIOS, without a file system
2 efi     GRUB for UEFI at the path every firmware tries, and the menu of both
3 slot a  the system: kernel, initrd and compressed tree, the very files of the ISO
4 slot b  empty; where an update will put the next system
5 data    what outlives the system: database, certificate, logs, name, network
"""

import struct
import uuid

from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk
from lunette.domain.sizes import MIB, format_size

from .document import Document

BIOS_MIB, EFI_MIB, SLOT_MIB = 1, 256, 2048
DATA_MINIMUM_MIB = 2048
MINIMUM_BYTES = (BIOS_MIB + EFI_MIB + 2 * SLOT_MIB + DATA_MINIMUM_MIB) * MIB + 2 * MIB
"""With what the partition table and its copy take."""
SECTOR = 512
BOOT_CODE_BYTES = 440
"""Of the first sector; what follows is the protective partition table."""
SLOT_FILES = ("vmlinuz", "initrd.img", "root.squashfs")
GRUB_MODULES = (
    *("configfile", "echo", "ext2", "fat", "halt", "linux", "normal", "part_gpt", "reboot", "search"),
    *("search_fs_uuid", "serial", "sleep", "terminal", "test"),
)
BIOS_GRUB = ("i386-pc", ("biosdisk",))
EFI_GRUB = ("x86_64-efi", ("all_video", "efi_gop"))
_NO_DRIVE_CHECK = b"\x90\x90"
"""GRUB's answer to a BIOS that tells the wrong drive number: two times `nop` instead of a jump."""
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


class Plan(Model):
    """What will be written where; every identity is chosen here."""

    disk_id: str
    device: str
    size_bytes: int
    lost: str | None
    """What the disk carries now and will not any more, in words."""
    table: uuid.UUID
    efi_serial: str
    """Eight upper-case hex digits, the serial number of the FAT file system."""
    slot: uuid.UUID
    data: uuid.UUID

    @classmethod
    def make(cls, document: Document, disk: ObservedDisk) -> "Plan":
        """A plan for this disk, with identities of its own."""
        return cls(
            disk_id=disk.id, device=disk.device, size_bytes=disk.size_bytes, lost=disk.occupation(),
            table=document.identity(), efi_serial=uuid.uuid4().hex[:8].upper(), slot=uuid.uuid4(), data=uuid.uuid4(),
        )  # fmt: skip

    def lines(self) -> list[str]:
        """The plan as a person reads it."""
        rest = self.size_bytes - MINIMUM_BYTES + DATA_MINIMUM_MIB * MIB
        return [
            f"disk {self.disk_id}, {format_size(self.size_bytes)}",
            f"lost: {self.lost}" if self.lost else "it is blank: nothing is lost",
            f"system {format_size(SLOT_MIB * MIB)}, as much for its next version, data {format_size(rest)}",
        ]

    def partition(self, number: int) -> str:
        """The device of a partition."""
        return f"{self.device}{'p' if self.device[-1].isdigit() else ''}{number}"

    def fat_uuid(self) -> str:
        """The EFI file system's name for itself, as GRUB and udev write it."""
        return f"{self.efi_serial[:4]}-{self.efi_serial[4:]}"

    def table_argv(self) -> list[str]:
        """The command that makes the partition table."""
        argv = ["sgdisk", "--clear", f"--disk-guid={self.table}"]
        for part in PARTITIONS:
            argv += [
                f"--new={part.number}:0:{f'+{part.mib}M' if part.mib else '0'}",
                f"--typecode={part.number}:{part.type_code}",
                f"--change-name={part.number}:{part.name}",
            ]
        return [*argv, self.device]

    def file_systems(self) -> list[list[str]]:
        """The commands that make the file systems. What GRUB reads has no feature that it does not know."""
        ext4 = ["mke2fs", "-q", "-F", "-t", "ext4"]
        plain = ["-O", "^metadata_csum_seed,^orphan_file,^has_journal", "-m", "0"]
        return [
            ["mkfs.vfat", "-n", "LUNETTE_EFI", "-i", self.efi_serial, self.partition(EFI)],
            [*ext4, *plain, "-L", "lunette-a", "-U", str(self.slot), self.partition(SLOT_A)],
            [*ext4, "-m", "1", "-L", "lunette-data", "-U", str(self.data), self.partition(DATA)],
        ]

    def early_config(self) -> str:
        """What GRUB's images carry: how they find the menu. Its parser knows no comments."""
        find = f"search --no-floppy --set=root --fs-uuid {self.fat_uuid()}\n"
        return f"{find}set prefix=($root)/boot/grub\nconfigfile /boot/grub/grub.cfg\n"

    def menu(self) -> str:
        """GRUB's menu on the EFI partition."""
        words = f"root=UUID={self.slot} lunette.data=UUID={self.data} console=tty0 console=ttyS0,115200"
        entries = (("a", "Lunette", "quiet"), ("verbose", "The same, with all messages", "systemd.show_status=1"))
        head = "serial --unit=0 --speed=115200\nterminal_input console serial\nterminal_output console serial\n"
        text = f"{head}set default=a\nset timeout=3\n"
        for name, title, more in entries:
            text += (
                f'\nmenuentry "{title}" --id {name} {{\n'
                f"    search --no-floppy --set=root --fs-uuid {self.slot}\n"
                f'    echo "Loading the kernel ..."\n    linux /live/vmlinuz {words} {more}\n'
                f'    echo "Loading the first programs ..."\n    initrd /live/initrd.img\n}}\n'
            )
        return text


def boot_sector(image: bytes, core_sector: int) -> bytes:
    """GRUB's boot.img made to load the core image at this sector: the bytes of the disk's boot code."""
    code = bytearray(image[:BOOT_CODE_BYTES])
    struct.pack_into("<Q", code, _CORE_SECTOR_AT, core_sector)
    code[_DRIVE_CHECK_AT : _DRIVE_CHECK_AT + 2] = _NO_DRIVE_CHECK
    return bytes(code)


def core_image(image: bytes, core_sector: int) -> bytes:
    """GRUB's core image made to load the rest of itself from behind its first sector. Raises ValueError."""
    if len(image) > BIOS_MIB * MIB:
        raise ValueError(f"GRUB's core image has {len(image)} bytes, more than its partition")
    core = bytearray(image)
    struct.pack_into("<Q", core, _NEXT_SECTOR_AT, core_sector + 1)
    return bytes(core)
