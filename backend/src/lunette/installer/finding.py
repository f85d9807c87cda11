"""Finds the installation document, and reports the result on the consoles."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lunette.domain.errors import Conflict, NotFound, ToolFailed
from lunette.installer.document import MAX_BYTES
from lunette.system.system_port import System

LABEL = "LUNETTE_CFG"
"""Label of the FAT or ISO 9660 file system with the document; as long as FAT allows."""
FILE = "install.yaml"
MEDIUM = "/run/live/medium"
"""The ISO itself."""
MOUNTED = "/run/lunette-install/document"
LOCK = Path("/run/lunette-install.lock")
WAIT_S = 60.0
_WORD = "lunette.install="


def named_document(system: System) -> bytes | None:
    """The document of `lunette.install=` on the kernel command line or of the medium with the label; None without one.

    Raises NotFound for a named document that does not exist, ToolFailed for a medium that cannot be read.
    """
    words = [word for word in system.read("/proc/cmdline").split() if word.startswith(_WORD)]
    named = words[-1].removeprefix(_WORD) if words else None
    if named == "off":
        return None
    if named is not None and named.startswith("/"):
        return _read(Path(MEDIUM + named), "the ISO")
    label, _, path = (named or LABEL).partition(":")
    device = f"/dev/disk/by-label/{label}"
    end = system.monotonic() + (WAIT_S if named else 0.0)
    while not system.is_block_device(device):
        if system.monotonic() >= end:
            if named is None:
                return None
            raise NotFound(
                f"the medium with the label {label}, which the kernel command line specifies, is missing: connect it"
            )
        system.sleep(1.0)
    with mounted(system, device, MOUNTED, "ro", types="vfat,iso9660") as folder:
        return _read(folder / (path.lstrip("/") or FILE), f"the medium {label}")


def _read(file: Path, medium: str) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotFound(f"{medium} has no installation document {file.name}: {error.strerror}") from error


@contextmanager
def mounted(system: System, device: str, folder: str, options: str, *, types: str) -> Iterator[Path]:
    """A file system, mounted while it is used. Raises ToolFailed if it cannot be mounted or unmounted."""
    Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        system.run(["mount", "-t", types, "-o", f"{options},nosuid,nodev,noexec", device, folder])
    except ToolFailed as error:
        raise ToolFailed(f"{device} could not be mounted as {types}: is it damaged?", log=error.log) from error
    try:
        yield Path(folder)
    finally:
        system.run(["umount", folder], timeout_s=600)


@contextmanager
def only_one(lock: Path = LOCK) -> Iterator[None]:
    """Allows one installation at a time: there are several consoles, and the installation by a document. Raises
    Conflict.
    """
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Conflict("another installation is running on this machine: wait until it has finished") from error
        yield


def say(*lines: str) -> None:
    """Tell the journal and every console."""
    text = "".join(f"installer: {line}\n" for line in lines)
    sys.stderr.write(text)
    for console in Path("/sys/class/tty/console/active").read_text().split():
        with suppress(OSError):
            Path("/dev", console).write_text("\r\n" + text.replace("\n", "\r\n"))
