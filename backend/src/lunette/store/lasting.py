"""A SQLite database that can be read, and accepts small changes, while its file system is full.

Every commit is written to SQLite's log first, so the log is the reserve: it is preallocated, written in place, and
stays when the last connection closes. Nothing is released when the drive is full, so no other program can use its
space, and a power failure meets no partially released reserve (docs/decisions/0056).
"""

import os
import shutil
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import structlog
from sqlalchemy import URL

from lunette.domain.sizes import KIB, MIB

LOG_BYTES = 15 * MIB
"""Pages of some hundred changes. One block of the log's index (`-shm`) reaches as far, so that does not grow either."""
LEAST_BYTES = 128 * KIB
"""Space for the log's index, which is created again by the first process that opens the database."""


def alone_where_full(url: URL) -> URL:
    """The URL by which the database is opened if there is no space for the log's index.

    The index is in memory then, so that other processes find the database locked.
    """
    path = Path(url.database or "")
    if not path.is_file() or shutil.disk_usage(path.parent).free >= LEAST_BYTES:
        return url
    structlog.get_logger(__name__).warning("the drive of the database is full: it is opened for this process alone")
    return url.set(database=f"file:{quote(str(path.absolute()))}", query={"vfs": "unix-excl", "uri": "true"})


def keep_log(connection: sqlite3.Connection, _record: Any) -> None:
    """Lets the log be when the connection closes."""
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)


def fill_log(database: Path) -> None:
    """Preallocates the log of a database that is open, as far as there is room; what is in it stays."""
    with suppress(OSError):
        handle = os.open(f"{database}-wal", os.O_WRONLY | os.O_CLOEXEC)
        try:
            found, room = os.fstat(handle), shutil.disk_usage(database.parent).free
            if room >= 2 * LOG_BYTES and min(found.st_size, found.st_blocks * 512) < LOG_BYTES:
                os.posix_fallocate(handle, 0, LOG_BYTES)
                os.fsync(handle)
        finally:
            os.close(handle)
