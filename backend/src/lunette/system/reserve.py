"""Room on the system drive that is set aside for the agent's durable writes, so that a full one does not stop them.

It is a preallocated file that is cut shorter, a step at a time, when a write finds no room, and made whole again once
there is plenty. Its content means nothing and its size is its state: a power cut, or doing either twice, leaves a
shorter or a longer reserve and nothing to repair.
"""

import os
from pathlib import Path

from lunette.domain.sizes import MIB

SIZE_BYTES = 32 * MIB
"""Several boot ledgers of the largest appliance."""
STEP_BYTES = MIB
"""Who else fills the drive gets hold of one step at most for each write."""


class Reserve:
    """The file at `path`."""

    def __init__(self, path: str, size_bytes: int = SIZE_BYTES, step_bytes: int = STEP_BYTES) -> None:
        self._path, self._size, self._step = path, size_bytes, step_bytes

    def give(self, folder: str) -> bool:
        """Free a step for a file in `folder`. False if nothing is left of it, or if that is another file system."""
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
            os.fsync(handle)  # what was freed can be used once this is written
        finally:
            os.close(handle)
        return True

    def fill(self) -> None:
        """Make it whole again where that leaves as much free as it takes. Raises OSError."""
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
