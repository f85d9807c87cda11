"""GRUB itself, with the menu that the installer writes: what it starts, and what a power cut leaves it to start next.

The entries only say which slot they are: what is tried here is GRUB, in seconds, and not the systems.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from lunette.installer import layout
from lunette.providers.updates.choice import FILE, MENU, Choice, latest
from tests.machines.images import iso_tree
from tests.machines.pace import deadline

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(900)]

SECTOR, MIB = 512, 1 << 20
BIOS_AT, EFI_AT, EFI_MIB = 2048, 4096, 40
SERIAL = "5DCB62A1"
START_S = 120.0


class Disk:
    """A disk with GRUB for BIOS, and an EFI file system with menu and choice; `broken` slots cannot be loaded."""

    def __init__(self, folder: Path, choice: bytes, broken: str = "") -> None:
        self.file, self._folder = folder / "disk.raw", folder
        with self.file.open("wb") as made:
            made.truncate(64 * MIB)
        argv = ["--clear", f"--new=1:{BIOS_AT}:+1M", "--typecode=1:ef02"]
        of_tree("usr/sbin/sgdisk", *argv, f"--new=2:{EFI_AT}:+{EFI_MIB}M", str(self.file))
        self._mtools("mformat", "-N", SERIAL, "-T", str(EFI_MIB * MIB // SECTOR), "::")
        self._mtools("mmd", "::/boot", "::/boot/grub")
        self.put("boot/grub/grub.cfg", menu(broken).encode())
        self.put(FILE, choice)
        self._write_grub(folder)

    def put(self, name: str, content: bytes) -> None:
        file = self._folder / "content"
        file.write_bytes(content)
        self._mtools("mcopy", "-o", str(file), f"::/{name}")

    def choice(self) -> Choice | None:
        """What is written there now."""
        self._mtools("mcopy", "-n", f"::/{FILE}", str(self._folder / "read"))
        found = Choice.decode((self._folder / "read").read_bytes())
        (self._folder / "read").unlink()
        return found

    def _mtools(self, program: str, *words: str) -> None:
        at = f"{self.file}@@{EFI_AT * SECTOR}"
        subprocess.run([program, "-i", at, *words], check=True)

    def _write_grub(self, folder: Path) -> None:
        tree = iso_tree()
        early = f"search --no-floppy --set=root --fs-uuid {SERIAL[:4]}-{SERIAL[4:]}\n"
        early += "set prefix=($root)/boot/grub\nconfigfile /boot/grub/grub.cfg\n"
        core = grub_image(tree, folder, early)
        with self.file.open("r+b") as disk:
            boot = (tree / "usr/lib/grub/i386-pc/boot.img").read_bytes()
            disk.write(layout.boot_sector(boot, BIOS_AT))
            disk.seek(BIOS_AT * SECTOR)
            disk.write(layout.core_image(core, BIOS_AT))

    def start(self) -> str:
        """What GRUB says that it starts; the power is cut then."""
        log = self._folder / "console.log"
        log.unlink(missing_ok=True)
        argv = ["qemu-system-x86_64", "-nodefaults", "-display", "none", "-m", "128", "-serial", f"file:{log}"]
        process = subprocess.Popen([*argv, "-drive", f"file={self.file},format=raw,if=virtio"])
        try:
            end = deadline(START_S)
            while time.monotonic() < end and process.poll() is None:
                said = [line for line in _lines(log) if line.startswith("STARTED ")]
                if said:
                    return said[-1].removeprefix("STARTED ").strip()
                time.sleep(0.2)
            raise AssertionError(f"GRUB started nothing: {_lines(log)[-10:]}")
        finally:
            process.kill()
            process.wait()


def _lines(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines() if log.exists() else []


def menu(broken: str) -> str:
    text = f"serial --unit=0 --speed=115200\nterminal_output serial\n{MENU}set timeout=0\n"
    for name in "ab":
        load = "linux /none\n" if name in broken else ""
        stay = f'    echo\n    echo "STARTED {name} $trial_{name}"\n    sleep 600\n'
        text += f'menuentry "slot {name}" --id {name} {{\n    {load or stay}}}\n'
    return text


def grub_image(tree: Path, folder: Path, early: str) -> bytes:
    """GRUB's core image, made by the appliance's own GRUB."""
    (folder / "early.cfg").write_text(early)
    target, more = layout.BIOS_GRUB
    argv = ["-d", str(tree / "usr/lib/grub" / target), "-O", target, "-p", "/boot/grub"]
    argv += ["-c", str(folder / "early.cfg"), "-o", str(folder / "core.img")]
    of_tree("usr/bin/grub-mkimage", *argv, *layout.GRUB_MODULES, *more)
    return (folder / "core.img").read_bytes()


def of_tree(program: str, *words: str) -> None:
    """Run a program of the appliance, with the libraries it was built for."""
    tree = iso_tree()
    argv = [str(tree / "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", str(tree / "usr/lib/x86_64-linux-gnu")]
    subprocess.run([*argv, str(tree / program), *words], check=True, capture_output=True)


def test_the_good_slot_is_started_as_a_rule_and_nothing_is_written(tmp_path: Path) -> None:
    for good in ("a", "b"):
        choice = Choice.model_validate({"good": good, "count": 3})
        disk = Disk(tmp_path, choice.encode())
        assert [disk.start() for _ in range(2)] == [good, good]
        assert disk.choice() == choice


def test_a_trial_is_started_once_and_says_so(tmp_path: Path) -> None:
    disk = Disk(tmp_path, Choice(good="a", trial="b", count=4).encode())
    assert disk.start() == "b lunette.trial"
    assert disk.choice() == Choice(good="a", tried="b", count=4)
    assert disk.start() == "a", "whatever became of it: nobody said that it is healthy"


def test_what_cannot_be_loaded_falls_to_the_other_slot(tmp_path: Path) -> None:
    assert Disk(tmp_path, Choice(good="a", trial="b").encode(), broken="b").start() == "a"
    assert Disk(tmp_path, Choice(good="b").encode(), broken="b").start() == "a"
    assert Disk(tmp_path, Choice(good="b", trial="a").encode(), broken="a").start() == "b"


@pytest.mark.parametrize("content", [b"", b"rubbish" * 100, Choice(good="b").encode()[:700], Choice(good="b").encode()])
def test_grub_starts_what_the_system_reads_in_the_choice(tmp_path: Path, content: bytes) -> None:
    """A power cut of a drive that tears what it writes; without a choice it is slot a."""
    assert Disk(tmp_path, content).start() == latest([Choice.decode(content)]).next
