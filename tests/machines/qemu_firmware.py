"""A QEMU machine without a kernel from outside: its firmware starts it from an ISO or a disk, as on a server.

There is no root shell on it, because nothing on the ISO opens one: only its serial console and its API show what it
does.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import shutil
import time
from dataclasses import replace
from pathlib import Path

from tests.machines.disks import make_empty
from tests.machines.machine import BOOT_S
from tests.machines.model import MachineError
from tests.machines.pace import deadline
from tests.machines.process import wait_gone
from tests.machines.qemu import Qemu
from tests.machines.qemu_command import (
    OVMF_OWN_VARS,
    OVMF_VARS,
    SYSTEM_DISK,
    Media,
    QemuParts,
    firmware_boot,
    node,
)


class FirmwareQemu(Qemu):
    """Disks as in Qemu, and an empty system disk of `system_mib`. `media` may be changed between boots.

    It is emulated even if KVM works: whether KVM can boot is tested with a kernel, and there is none here.
    """

    def __init__(
        self,
        name: str,
        media: Media,
        *,
        nvme: int = 1,
        disk_mib: int = 256,
        system_mib: int = 256,
        bootable: tuple[str, ...] = (),
        typed: bool = False,
    ) -> None:
        """`bootable` are serials of data disks that the firmware starts; a BIOS tries the first of them only.

        `typed`: the console is used interactively, see `type_keys`.
        """
        super().__init__(name, nvme=nvme, disk_mib=disk_mib, kvm=False)
        self.media = media
        self._system_mib = system_mib
        self.bootable = bootable
        self._typed = typed
        self._read_bytes = 0

    def answer(self, question: str, keys: str, deadline_s: float = BOOT_S) -> re.Match[str]:
        """Waits until the console shows the pattern after what was answered last, and types keys and Enter."""
        end = deadline(deadline_s)
        while True:
            said = self.console_log.read_text(errors="replace") if self.console_log.exists() else ""
            found = re.compile(question).search(said, min(self._read_bytes, len(said)))
            if found:
                break
            self.check_running()
            if time.monotonic() > end:
                raise MachineError(f"the console did not ask {question!r} within {deadline_s:.0f} s: {said[-900:]!r}")
            time.sleep(0.5)
        self._read_bytes = found.end()
        time.sleep(1.0)  # what is typed before a question is read does not count
        self.type_keys(f"{keys}\r")
        return found

    def type_keys(self, keys: str) -> None:
        """Types at the serial console, and holds its terminal open until the guest has taken the keys.

        QEMU looks once a second whether its terminal was opened (chardev/char-pty.c), and takes no key before.
        """
        line = os.open(self._terminal(), os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(line, keys.encode())
            end = deadline(3.0)
            while (left := end - time.monotonic()) > 0:
                if select.select([line], [], [], left)[0]:
                    os.read(line, 65536)
        finally:
            os.close(line)

    def _terminal(self) -> str:
        """The pseudo-terminal that QEMU made for the console."""
        with self._monitor() as monitor:
            devices = monitor.execute("query-chardev")
        name = next(str(one["filename"]) for one in devices if one["label"] == "console")
        return name.removeprefix("pty:")

    def wait_for_text(self, pattern: str, deadline_s: float = BOOT_S) -> re.Match[str]:
        """The last place where the console shows the pattern; MachineError if it does not within the deadline."""
        end = deadline(deadline_s)
        while True:
            said = self.console_log.read_text(errors="replace") if self.console_log.exists() else ""
            found = list(re.finditer(pattern, said))
            if found:
                return found[-1]
            self.check_running()
            if time.monotonic() > end:
                raise MachineError(f"the console did not show {pattern!r} within {deadline_s:.0f} s: {said[-600:]!r}")
            time.sleep(0.5)

    def disk_digests(self) -> dict[str, str]:
        """SHA-256 of every disk's whole content, the system disk's too, by file name."""
        found = {}
        for file in (self.folder / SYSTEM_DISK, *(self._disk_file(disk) for disk in self.disks)):
            with file.open("rb") as opened:
                found[file.name] = hashlib.file_digest(opened, "sha256").hexdigest()
        return found

    def disk_file(self, name: str) -> Path:
        """The file behind a disk, by serial; LUN-SYSTEM is the system disk."""
        known = {disk.serial: f"{node(disk)}.raw" for disk in self.disks}
        return self.folder / known.get(name, SYSTEM_DISK)

    def press_power_button(self, deadline_s: float = 240.0) -> None:
        """Makes the guest power itself off; MachineError if it does not."""
        with self._monitor() as monitor:
            monitor.execute("system_powerdown")
        self.wait_for_power_off(deadline_s)

    def wait_for_power_off(self, deadline_s: float = BOOT_S) -> None:
        """Waits until the machine has powered itself off."""
        guest = self.record.processes["guest"]
        if not wait_gone(guest, deadline_s):
            said = self.console_log.read_text(errors="replace")[-600:]
            raise MachineError(f"machine {self.name} did not power off within {deadline_s:.0f} s: {said!r}")

    def make_disks(self) -> None:
        """Makes folder and disks before the first start, so that a test can put something on them."""
        self._record = self._folder.create(self.kind, self._settings, kept=self.keep)
        self._make_disks()

    def _make_disks(self) -> None:
        make_empty(self.folder / SYSTEM_DISK, self._system_mib << 20)
        for disk in self.disks:
            make_empty(self._disk_file(disk), disk.size_bytes)
        if self.media.uefi:
            if not Path(OVMF_VARS).is_file():
                raise MachineError(f"{OVMF_VARS} is missing: install the package ovmf")
            shutil.copyfile(OVMF_VARS, self.folder / OVMF_OWN_VARS)

    def _parts(self) -> QemuParts:
        return replace(super()._parts(), bootable=self.bootable, typed=self._typed)

    def _boot_from(self) -> list[str]:
        return firmware_boot(self.media)
