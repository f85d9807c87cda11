"""A file system of a few MiB that a test may fill."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_CHUNK = bytes(4096)
FILLER = "filler"


@contextmanager
def small_file_system(folder: Path, size_bytes: int) -> Iterator[Path]:
    """A tmpfs mounted there. The test is skipped where mounting is not allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", str(folder)]
    mounted = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> None:
    """Writes to a file until not a block is left."""
    handle = os.open(folder / FILLER, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        while True:
            os.write(handle, _CHUNK)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    finally:
        os.close(handle)


def empty(folder: Path) -> None:
    """There is room again."""
    (folder / FILLER).unlink()
