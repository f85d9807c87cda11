"""Reserved space on the system drive for the agent's durable writes, so that a full drive does not stop them.

The reserve is a preallocated file that is truncated step by step when a write finds no space, and restored once there
is plenty. Its content means nothing and its size is its state: after a power failure, or doing either twice, the
reserve is shorter or longer and nothing needs repair.
"""

import os
from pathlib import Path

from lunette.domain.sizes import MIB

SIZE_BYTES = 32 * MIB
"""Enough for several boot ledgers of the largest appliance."""
STEP_BYTES = MIB
"""Freed per write: another program that fills the drive can take at most this much of the reserve."""


class Reserve:
    """The file at `path`."""

    def __init__(self, path: str, size_bytes: int = SIZE_BYTES, step_bytes: int = STEP_BYTES) -> None:
        self._path, self._size, self._step = path, size_bytes, step_bytes

    def give(self, folder: str) -> bool:
        """Free a step for a file in `folder`. False if the reserve is used up, or is on another file system."""
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            found = os.fstat(handle)
            left = found.st_size
            if left == 0 or found.st_dev != Path(folder).stat().st_dev:
                return False
            os.ftruncate(handle, max(0, left - self._step))
            os.fsync(handle)  # the freed space can be used once this is written
        finally:
            os.close(handle)
        return True

    def fill(self) -> None:
        """Restore the reserve if as much space again stays free. Raises OSError."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            found = os.fstat(handle)
            missing = self._size - min(found.st_size, found.st_blocks * 512)  # a copy of it may be sparse
            room = os.fstatvfs(handle)
            if missing > 0 and room.f_bavail * room.f_frsize >= missing + self._size:
                os.posix_fallocate(handle, 0, self._size)
                os.fsync(handle)
        finally:
            os.close(handle)
