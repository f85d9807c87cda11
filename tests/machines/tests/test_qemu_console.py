"""The serial console that a test types at: each character that the machine shows is in the log once."""

from __future__ import annotations

import time

import pytest

from tests.machines.pace import deadline
from tests.machines.qemu_command import Media
from tests.machines.qemu_firmware import FirmwareQemu

LINES = 600
"""Of 26 letters each, many times what a socket holds."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHOWN = LETTERS * LINES + "."
COM1_DATA, COM1_STATUS = 0x3F8, 0x3FD
"""Ports of the first 16550 UART; bit 0 of its status: a character came, bit 5: the next one can be sent."""


def wait_for(bit: int) -> bytes:
    """mov dx, COM1_STATUS; again: in al, dx; test al, bit; jz again."""
    return b"\xba" + COM1_STATUS.to_bytes(2, "little") + b"\xec\xa8" + bytes([bit]) + b"\x74\xfb"


def send() -> bytes:
    """Sends the character in BL: wait; mov al, bl; mov dx, COM1_DATA; out dx, al."""
    return wait_for(0x20) + b"\x88\xd8\xba" + COM1_DATA.to_bytes(2, "little") + b"\xee"


def boot_sector() -> bytes:
    """A program for real mode: waits for a key, shows SHOWN, halts."""
    one = send() + b"\xfe\xc3\x80\xfb\x5b"  # inc bl; cmp bl, 'Z' + 1
    line = b"\xb3\x41" + one + b"\x75" + bytes([256 - len(one) - 2])  # mov bl, 'A'; …; jne to the next letter
    code = wait_for(0x01) + b"\xb9" + LINES.to_bytes(2, "little")  # mov cx, LINES
    code += line + b"\xe2" + bytes([256 - len(line) - 2])  # loop to the next line
    code += b"\xb3\x2e" + send() + b"\xf4\xeb\xfd"  # mov bl, '.'; …; hlt; jmp to hlt
    return code.ljust(510, b"\0") + b"\x55\xaa"


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.timeout(300)
def test_what_the_console_shows_while_keys_are_typed_is_logged_once() -> None:
    with FirmwareQemu("console-log", Media(None), bootable=("LUN-NVME-01",), typed=True) as machine:
        machine.make_disks()
        with machine.disk_file("LUN-NVME-01").open("r+b") as disk:
            disk.write(boot_sector())
        machine.start()
        end = deadline(60)
        while "A" not in logged(machine):
            assert time.monotonic() < end, f"the boot sector took no key: {logged(machine)[-300:]!r}"
            machine.type_keys("x")
        while not logged(machine).endswith("."):
            assert time.monotonic() < end, f"the boot sector did not end: {logged(machine)[-300:]!r}"
            time.sleep(0.2)
        shown = logged(machine)
        assert shown[shown.index("A") :] == SHOWN


def logged(machine: FirmwareQemu) -> str:
    """What the console showed so far."""
    return machine.console_log.read_text(errors="replace") if machine.console_log.exists() else ""
