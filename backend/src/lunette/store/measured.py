"""The file of what was measured: performance and capacity of the past (docs/decisions/0067).

It is a SQLite database of its own, so that neither its writes nor its loss concern the database of the appliance. A
damaged file is replaced by an empty one; while it cannot be written, nothing is recorded.
"""

import datetime as dt
import sqlite3
import threading
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import structlog

from lunette.domain.capacity import CapacityDay
from lunette.domain.performance import Key, Measured
from lunette.domain.performance_history import WIDTH

SCHEMA = 1
CAPACITY_DAYS = 730
_TABLES = f"""
CREATE TABLE IF NOT EXISTS block (
    kind TEXT NOT NULL, id TEXT NOT NULL, step INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL,
    UNIQUE (kind, id, step, number)
);
CREATE TABLE IF NOT EXISTS capacity (
    array TEXT NOT NULL, day TEXT NOT NULL, used INTEGER NOT NULL, usable INTEGER NOT NULL,
    PRIMARY KEY (array, day)
) WITHOUT ROWID;
PRAGMA user_version = {SCHEMA};
"""
_log = structlog.get_logger("lunette.store")
_KINDS = frozenset(kind.value for kind in Measured)
_T = TypeVar("_T")


class Block(NamedTuple):
    """Consecutive intervals of one object; `number` counts blocks of this step from the epoch."""

    key: Key
    step_s: int
    number: int
    numbers: "array[float]"


class MeasuredFile:
    """Opened at its first use, never at start-up. Thread-safe."""

    def __init__(
        self,
        path: Path | None = None,
        on_loss: Callable[[str], None] = lambda _reason: None,
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        """Without a path, everything is lost with the process. `on_loss` is called with the reason when a damaged file
        was replaced. Nothing is added while there is no room.
        """
        self._path, self._on_loss, self._has_room = path, on_loss, has_room
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def keys(self) -> tuple[Key, ...]:
        """The objects with stored blocks."""
        rows: list[tuple[str, str]] = self._do(
            lambda db: db.execute("SELECT DISTINCT kind, id FROM block").fetchall(), []
        )
        return tuple(Key(Measured(kind), id_) for kind, id_ in rows if kind in _KINDS)

    def blocks(self, key: Key, step_s: int, first: int, last: int) -> dict[int, "array[float]"]:
        """The blocks of an object from `first` to `last`, by number."""
        question = "SELECT number, data FROM block WHERE kind = ? AND id = ? AND step = ? AND number BETWEEN ? AND ?"
        given = (key.of.value, key.id, step_s, first, last)
        return self._do(lambda db: {n: _unpacked(data) for n, data in db.execute(question, given)}, {})

    def write(self, blocks: Iterable[Block]) -> None:
        """Stores these blocks in place of their earlier state, all or none."""
        if not self._has_room():
            return
        rows = [(b.key.of.value, b.key.id, b.step_s, b.number, _packed(b.numbers)) for b in blocks]
        order = "INSERT INTO block VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data"
        self._do(lambda db: db.executemany(order, rows), None)

    def forget(self, keys: Collection[Key]) -> None:
        """Deletes these objects."""
        rows = [(key.of.value, key.id) for key in keys]
        self._do(lambda db: db.executemany("DELETE FROM block WHERE kind = ? AND id = ?", rows), None)

    def keep(self, step_s: int, first: int, last: int) -> None:
        """Deletes the blocks of this step before `first` and after `last`."""
        order = "DELETE FROM block WHERE step = ? AND number NOT BETWEEN ? AND ?"
        self._do(lambda db: db.execute(order, (step_s, first, last)), None)

    def record(self, array_id: str, today: CapacityDay) -> None:
        """The use of an array today. Days after today come from a clock that was wrong, and are deleted."""

        def act(db: sqlite3.Connection) -> None:
            day = today.day.isoformat()
            db.execute("DELETE FROM capacity WHERE array = ? AND day >= ?", (array_id, day))
            db.execute("INSERT INTO capacity VALUES (?, ?, ?, ?)", (array_id, day, *today[1:]))
            oldest = "SELECT day FROM capacity WHERE array = ? ORDER BY day DESC LIMIT 1 OFFSET ?"
            for (old,) in db.execute(oldest, (array_id, CAPACITY_DAYS)).fetchall():
                db.execute("DELETE FROM capacity WHERE array = ? AND day <= ?", (array_id, old))

        self._do(act, None)

    def days(self, array_id: str) -> tuple[CapacityDay, ...]:
        """The recorded days of an array, oldest first."""
        question = "SELECT day, used, usable FROM capacity WHERE array = ? ORDER BY day"
        rows: list[tuple[str, int, int]] = self._do(lambda db: db.execute(question, (array_id,)).fetchall(), [])
        return tuple(CapacityDay(dt.date.fromisoformat(day), used, usable) for day, used, usable in rows)

    def keep_arrays(self, known: Collection[str]) -> None:
        """Deletes the capacity of all other arrays."""

        def act(db: sqlite3.Connection) -> None:
            for (id_,) in db.execute("SELECT DISTINCT array FROM capacity").fetchall():
                if id_ not in known:
                    db.execute("DELETE FROM capacity WHERE array = ?", (id_,))

        self._do(act, None)

    def close(self) -> None:
        """The next use opens it again."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None

    def _do(self, act: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        """One transaction. `otherwise` while the file cannot be used."""
        with self._lock:
            try:
                if self._db is None:
                    self._db = self._opened()
                with self._db:
                    return act(self._db)
            except (sqlite3.OperationalError, OSError) as error:  # full, read-only or locked: it may end
                _log.warning("the history of measurements cannot be used", reason=str(error))
            except (sqlite3.DatabaseError, zlib.error, ValueError) as error:
                self._drop(str(error))
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._path is None:
            db = sqlite3.connect(":memory:", check_same_thread=False)
            db.executescript(_TABLES)
            return db
        db = sqlite3.connect(self._path, check_same_thread=False)
        try:
            db.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000;"
            )
            (version,), (state,) = (
                db.execute(f"PRAGMA {word}").fetchone() for word in ("user_version", "quick_check(1)")
            )
            if state != "ok" or version not in {0, SCHEMA}:
                raise sqlite3.DatabaseError(state if state != "ok" else f"it has version {version}")
            db.executescript(_TABLES)
        except BaseException:
            db.close()
            raise
        return db

    def _drop(self, reason: str) -> None:
        """A damaged file is not a loss of user data: its measurements are lost, and the next use creates a new file."""
        if self._db is not None:
            with suppress(sqlite3.Error), closing(self._db):
                self._db = None
        self._db = None
        if self._path is not None:
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink()
        _log.warning("the history of measurements was damaged and starts over", reason=reason)
        self._on_loss(reason)


def _packed(numbers: "array[float]") -> bytes:
    """By column, which changes little from one interval to the next and not at all without I/O."""
    columns = array("f")
    for n in range(WIDTH):
        columns.extend(numbers[n::WIDTH])
    return zlib.compress(columns.tobytes(), 1)


def _unpacked(data: bytes) -> "array[float]":
    columns = array("f")
    columns.frombytes(zlib.decompress(data))
    length = len(columns) // WIDTH
    numbers = array("f", bytes(columns.itemsize * length * WIDTH))
    for n in range(WIDTH):
        numbers[n::WIDTH] = columns[n * length : (n + 1) * length]
    return numbers
