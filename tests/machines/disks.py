"""Data disks as sparse files with fixed serials, and the drives that forget what was not flushed."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

from tests.machines.model import DiskInfo, MachineError
from tests.machines.pace import deadline
from tests.machines.process import OwnedProcess, is_alive, spawn

GIB = 1 << 30
ROOT_SERIAL = "LUN-SYSTEM"
_SERVER_DEADLINE_S = 20.0


def disk_names(nvme: int, scsi: int, size_bytes: int) -> list[DiskInfo]:
    """The disks of a QEMU machine: LUN-NVME-01…, LUN-SCSI-01…."""
    found = [
        DiskInfo(serial, size_bytes, "nvme", f"nvme-QEMU_NVMe_Ctrl_{serial}")
        for serial in (f"LUN-NVME-{number:02}" for number in range(1, nvme + 1))
    ]
    found += [
        DiskInfo(serial, size_bytes, "scsi", f"wwn-{wwn(serial):#x}")
        for serial in (f"LUN-SCSI-{number:02}" for number in range(1, scsi + 1))
    ]
    return found


def wwn(serial: str) -> int:
    """A World Wide Name of the locally assigned kind, fixed by the serial's number."""
    return 0x3000_0000_4C55_4E00 + int(serial.rsplit("-", 1)[1])


def make_empty(path: Path, size_bytes: int) -> None:
    """A sparse file."""
    with path.open("xb") as file:
        file.truncate(size_bytes)


def copy_sparse(source: Path, target: Path) -> None:
    """A private copy that keeps holes holes."""
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", "--", source, target], check=True)


def serve_forgetful(image: Path, socket: Path, log: Path) -> OwnedProcess:
    """Serve a file as a drive whose write cache is lost when this server is killed.

    nbdkit's cache filter in write-back mode keeps every write in an unlinked temporary file and moves
    it to the image only when the client flushes, so killing nbdkit is the power cut of a drive.
    """
    program = shutil.which("nbdkit")
    if program is None:
        raise MachineError("a power cut needs nbdkit: install the package nbdkit")
    socket.unlink(missing_ok=True)
    process = spawn(
        [
            *(program, "--foreground", "--threads=4", f"--unix={socket.name}"),
            *("--filter=cache", "file", f"file={image}", "cache=writeback"),
        ],
        log,
        cwd=socket.parent,
        env={**os.environ, "TMPDIR": str(socket.parent)},
    )
    end = deadline(_SERVER_DEADLINE_S)
    while not socket.exists():
        if not is_alive(process) or time.monotonic() > end:
            raise MachineError(f"nbdkit did not serve {image.name} within {_SERVER_DEADLINE_S:.0f} s: read {log}")
        time.sleep(0.02)
    return process
