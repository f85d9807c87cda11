"""Access to the database: SQLite by default, PostgreSQL by URL.

Writers take turns (BEGIN IMMEDIATE, or an advisory lock), so what a change checked is still true when it commits, and
events are numbered in commit order. Readers see one snapshot and cannot write.
"""

import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from lunette.domain.errors import LunetteError
from lunette.store.lasting import alone_where_full, fill_log, keep_log
from lunette.store.migrate import upgrade
from lunette.store.refusals import as_refusal
from lunette.store.resources import Meta
from lunette.store.secrets import SecretBox

BUSY_TIMEOUT_S = 30
"""A writer that waits longer for its turn is refused; the one before it hangs."""
WRITERS_LOCK = 0x4C554E45
"""Key of the PostgreSQL advisory lock: 'LUNE'."""
_WRITES = "lunette_writes"
_AFTER_COMMIT = "after_commit"
_STORE = "store"

Callback = Callable[[], None]


class Store:
    """One per process. `read()` and `write()` give a session that is one transaction; only they commit."""

    def __init__(self, engine: Engine, box: SecretBox) -> None:
        self.box = box
        self.engine = engine
        self._writers = writing(engine)
        self._listeners: list[Callback] = []
        self._listeners_lock = threading.Lock()
        self._lasting: Path | None = None

    @classmethod
    def open(cls, url: str, box: SecretBox, busy_timeout_s: int = BUSY_TIMEOUT_S, *, lasting: bool = False) -> "Store":
        """Connects, brings the schema up to date and gives a new database its ids.

        `lasting`: a SQLite file is opened so that a full file system stops neither reading nor small changes.
        Raises Unavailable if the database cannot be reached or belongs to a newer version.
        """
        lasts = lasting and make_url(url).get_backend_name() == "sqlite"
        engine = connect(url, busy_timeout_s, lasting=lasts)
        store = cls(engine, box)
        store._lasting = Path(make_url(url).database or "") if lasts else None
        try:
            upgrade(store._writers)
            with store.write() as tx:
                _give_ids(tx)
        except DBAPIError as error:
            store.close()
            raise as_refusal(error) from error
        except LunetteError:
            store.close()
            raise
        store.fill_log()
        return store

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A read-only snapshot. Raises Unavailable if the database cannot be read."""
        with Session(self.engine, autoflush=False, expire_on_commit=False) as tx:
            try:
                yield tx
            except DBAPIError as error:
                raise as_refusal(error) from error

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that commits on leaving, or rolls back on an exception; then runs what `after_commit` queued.

        Raises Conflict for a broken unique rule, Unavailable if the database is locked, full or gone.
        """
        try:
            with Session(self._writers, expire_on_commit=False, info={_STORE: self}) as tx:
                yield tx
                tx.commit()
                callbacks: list[Callback] = tx.info.pop(_AFTER_COMMIT, [])
        except DBAPIError as error:
            raise as_refusal(error) from error
        for callback in callbacks:
            callback()

    def subscribe(self, listener: Callback) -> Callback:
        """Calls `listener` (quick, from any thread) after each commit that wrote an event. Returns how to stop it."""
        with self._listeners_lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._listeners_lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def announce(self) -> None:
        """Tells the subscribers that there are new events."""
        with self._listeners_lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()

    def fill_log(self) -> None:
        """Makes the reserve of a lasting database whole, as far as there is room."""
        if self._lasting is not None:
            fill_log(self._lasting)

    def close(self) -> None:
        if self._lasting is not None:
            with suppress(sqlite3.Error, DBAPIError), closing(self.engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA wal_checkpoint")  # the file alone is the whole database then
        self.engine.dispose()


def after_commit(tx: Session, callback: Callback) -> None:
    """Runs `callback` once this transaction is durable; never if it rolls back. The same callback is queued once."""
    callbacks: list[Callback] = tx.info.setdefault(_AFTER_COMMIT, [])
    if callback not in callbacks:
        callbacks.append(callback)


def store_of(tx: Session) -> Store:
    """The store whose write transaction this is."""
    store: Store = tx.info[_STORE]
    return store


def connect(url: str, busy_timeout_s: int = BUSY_TIMEOUT_S, *, lasting: bool = False) -> Engine:
    """The engine for a database URL: `sqlite:////path/file.db` or `postgresql://…` (psycopg 3)."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        arguments: dict[str, Any] = {"timeout": busy_timeout_s, "isolation_level": None}
        parsed = alone_where_full(parsed) if lasting else parsed
        engine = create_engine(parsed, pool_size=32, max_overflow=32, connect_args=arguments)
        if lasting:
            event.listen(engine, "connect", keep_log)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        parsed = parsed.set(drivername="postgresql+psycopg")
        arguments = {"options": f"-c lock_timeout={busy_timeout_s}s"}
        engine = create_engine(parsed, pool_size=32, max_overflow=32, pool_pre_ping=True, connect_args=arguments)
        event.listen(engine, "begin", _begin_postgresql)
    return engine


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write."""
    return engine.execution_options(**{_WRITES: True})


def _prepare_sqlite(connection: Any, _record: ConnectionPoolEntry) -> None:
    """WAL with FULL: a commit that was answered survives a power cut (NORMAL would lose the last ones)."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA temp_store=MEMORY")  # the drive may be full
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql(f"PRAGMA query_only={'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITES, False):
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITERS_LOCK})
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _give_ids(tx: Session) -> None:
    present = set(tx.scalars(select(Meta.key)))
    fresh = {"database_id": str(uuid.uuid4()), "appliance_id": uuid.uuid4().hex[:12], "export_generation": "1"}
    tx.add_all(Meta(key=key, value=value) for key, value in fresh.items() if key not in present)
