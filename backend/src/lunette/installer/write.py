"""Writes an installation to its disk, or to the two of a mirror. What makes a firmware start a disk is written last:

tables, mirrors, file systems, the system (read back and compared), settings, menus, then GRUB for UEFI, then GRUB for
BIOS. A disk on which this was cut off does not start, and the same document may begin again on it.
"""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import NotFound, ToolFailed
from lunette.domain.steps import DiskWipe
from lunette.installer import layout
from lunette.installer.document import Document
from lunette.installer.finding import MEDIUM, mounted
from lunette.installer.layout import Plan, Target
from lunette.installer.settings import write_settings
from lunette.providers.disks.inventory import settle
from lunette.providers.disks.wipe import wipe
from lunette.providers.updates import choice
from lunette.system.system_port import System

WORK = "/run/lunette-install"
GRUB = Path("/usr/lib/grub")
TIMEOUT_S = 900
CHUNK = 1 << 20


class Installer:
    """One installation onto disks that were accepted for it."""

    def __init__(self, system: System, document: Document, disks: tuple[ObservedDisk, ...], plan: Plan) -> None:
        self._system, self._document, self._disks, self._plan = system, document, disks, plan

    def run(self, say: Callable[[str], None]) -> str:
        """Returns the fingerprint of the certificate. Raises LunetteError or OSError; the disk does not start then."""
        require_medium()
        say("creating partitions and file systems ...")
        for disk, target in zip(self._disks, self._plan.targets, strict=True):
            self._make_partitions(disk, target)
        for argv in (*self._plan.mirrors(), *self._plan.file_systems()):
            self._system.run(argv, timeout_s=TIMEOUT_S)
            settle(self._system)
        say("copying the system ...")
        slot = self._plan.device(layout.SLOT_A)
        with mounted(self._system, slot, f"{WORK}/slot", "rw", types="ext4") as folder:
            (folder / "live").mkdir()
            for name in layout.SLOT_FILES:
                copy_and_compare(Path(MEDIUM, "live", name), folder / "live" / name)
        say("writing settings and boot loader ...")
        data = self._plan.device(layout.DATA)
        with mounted(self._system, data, f"{WORK}/data", "rw", types="ext4") as folder:
            certificate = write_settings(folder, self._document, self._plan.network)
        self._stop_mirrors()
        uefi, core = self._make_grub("efi", *layout.EFI_GRUB), self._make_grub("bios", *layout.BIOS_GRUB)
        for target in self._plan.targets:
            self._write_efi(target, uefi)
        os.sync()
        for disk, target in zip(self._disks, self._plan.targets, strict=True):
            self._write_boot_code(disk, target, core)
        return certificate

    def _make_partitions(self, disk: ObservedDisk, target: Target) -> None:
        step = DiskWipe(disk_id=disk.id, serial=disk.serial, size_bytes=disk.size_bytes, signatures=disk.signatures)
        wipe(self._system, step)
        # Boot code is not a signature: remains of an earlier system would look like the end of this installation.
        _overwrite(Path(target.device), bytes(layout.BOOT_CODE_BYTES))
        self._system.run(self._plan.table_argv(target), timeout_s=TIMEOUT_S)
        self._wait_for_partitions(target)
        for part in layout.PARTITIONS:
            self._system.run(["wipefs", "--all", target.partition(part.number)])

    def _wait_for_partitions(self, target: Target) -> None:
        last = target.partition(layout.DATA)
        for _ in range(20):
            settle(self._system)
            if self._system.is_block_device(last):
                return
            self._system.run(["blockdev", "--rereadpt", target.device], ok=(0, 1))
            self._system.sleep(0.5)
        raise ToolFailed(f"the kernel does not show the new partitions of {target.device}: restart, then try again")

    def _stop_mirrors(self) -> None:
        """Marks both halves as complete. If a mirror lost one meanwhile, the installation failed."""
        if not self._plan.mirrored:
            return
        os.sync()
        for number in layout.MIRRORED:
            device = self._plan.device(number)
            name = Path(self._system.realpath(device)).name
            if self._system.read(f"/sys/block/{name}/md/degraded").strip() != "0":
                raise ToolFailed(f"the mirror {device} lost one of its disks meanwhile: replace it, then start again")
            self._system.run(["mdadm", "--stop", device], timeout_s=TIMEOUT_S)

    def _write_efi(self, target: Target, program: bytes) -> None:
        efi = target.partition(layout.EFI)
        with mounted(self._system, efi, f"{WORK}/efi", "rw", types="vfat") as folder:
            _write(folder / "boot/grub/grub.cfg", self._plan.menu().encode())
            _write(folder / choice.FILE, self._plan.choice())
            os.sync()
            _write(folder / "EFI/BOOT/BOOTX64.NEW", program)
            (folder / "EFI/BOOT/BOOTX64.NEW").rename(folder / "EFI/BOOT/BOOTX64.EFI")

    def _make_grub(self, name: str, target: str, more: tuple[str, ...]) -> bytes:
        early, image = Path(WORK, f"{name}.cfg"), Path(WORK, f"{name}.img")
        early.write_text(self._plan.early_config())
        argv = ["grub-mkimage", "-O", target, "-p", "/boot/grub", "-c", str(early), "-o", str(image)]
        self._system.run([*argv, *layout.GRUB_MODULES, *more], timeout_s=TIMEOUT_S)
        return image.read_bytes()

    def _write_boot_code(self, disk: ObservedDisk, target: Target, core: bytes) -> None:
        name = Path(target.partition(layout.BIOS)).name
        # The kernel counts in sectors of 512 bytes, and so do GRUB and BIOS; disks of 4096 start by UEFI only.
        sector = int(self._system.read(f"/sys/class/block/{name}/start"))
        sectors = sector // (disk.logical_block_bytes // layout.SECTOR)
        _overwrite(Path(target.partition(layout.BIOS)), layout.core_image(core, sectors))
        boot = (GRUB / "i386-pc/boot.img").read_bytes()
        _overwrite(Path(target.device), layout.boot_sector(boot, sectors))


def require_medium(medium: Path = Path(MEDIUM)) -> None:
    """Raises NotFound where this machine was not started from the ISO, before anything is written."""
    lacking = [name for name in layout.SLOT_FILES if not (medium / "live" / name).is_file()]
    if lacking:
        raise NotFound(f"{medium} has no live/{lacking[0]}: start this machine from the ISO, and leave it inserted")


def copy_and_compare(source: Path, target: Path) -> None:
    """Copy a file to stable storage, and read it back from there. Raises ToolFailed if it reads differently."""
    with source.open("rb") as read, target.open("wb") as written:
        shutil.copyfileobj(read, written, CHUNK)
        written.flush()
        os.fsync(written.fileno())
        os.posix_fadvise(written.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    digests = []
    for file in (source, target):
        with file.open("rb") as opened:
            digests.append(hashlib.file_digest(opened, "sha256").digest())
    if digests[0] != digests[1]:
        raise ToolFailed(
            f"the data read from {target.name} differs from the data written: the disk or the medium is damaged"
        )


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())


def _overwrite(device: Path, content: bytes) -> None:
    """Write to the start of a block device, and return once it is on stable storage."""
    with device.open("r+b", buffering=0) as opened:
        written = 0
        while written < len(content):
            written += opened.write(content[written:])
        os.fsync(opened.fileno())
