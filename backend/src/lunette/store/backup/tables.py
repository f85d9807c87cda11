"""The content of a backup: every row of every table as lines of JSON, the same from SQLite and from PostgreSQL.

Values are written as SQLite would store them. A backup is read into a scratch database of its own schema, which is
then migrated: what an older version wrote arrives in today's tables, and what breaks a rule is refused in time.
"""

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Table, insert, inspect, select, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from lunette.domain.base import Model
from lunette.domain.errors import Invalid
from lunette.domain.sealed_copies import LOST
from lunette.store import access, journal, resources, schedules, settings
from lunette.store.access import IdempotencyKey, LoginSession
from lunette.store.backup.rows import MOST_PROBLEMS, problems
from lunette.store.database import connect, writing
from lunette.store.migrate import known, upgrade
from lunette.store.resources import ReleaseRow
from lunette.store.schema import Base
from lunette.store.settings import Delivery

MODULES = (access, journal, resources, schedules, settings)
"""Importing them fills the metadata."""
LEFT_OUT = frozenset({one.__tablename__ for one in (LoginSession, IdempotencyKey, Delivery, ReleaseRow)})
"""What is of the moment. Above all releases: a restored one could take away what is served by now."""
SEALED = "_sealed"
"""How the columns end that hold secrets."""
_ROWS_AT_ONCE = 500
_CHUNK_BYTES = 1024**2
MAX_UNPACKED_BYTES = 512 * 1024**2
MAX_LINE_BYTES = 16 * 1024**2
"""A row is a line: the longest hold the plan of a job with thousands of steps."""
_SQLITE = sqlite.dialect()


class Certificate(Model):
    """PEM, as the files hold them."""

    cert: str
    key: str


class Extras(Model):
    """The content of a backup in addition to rows. `keys` are those of the stored secrets, the current one first."""

    keys: tuple[str, ...]
    certificate: Certificate | None


def revision(tx: Session) -> str:
    """The schema of a database."""
    return str(tx.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def dump(tx: Session, extras: Extras) -> bytes:
    """Everything, compressed. `tx` reads one snapshot, so changes may continue meanwhile."""
    tables = [table for table in Base.metadata.sorted_tables if table.name not in LEFT_OUT]
    return _packed(_lines(tx, extras, tables))


def dump_without_secrets(tx: Session, tables: Sequence[Table]) -> bytes:
    """The rows of some tables, compressed. Sealed values are omitted: LOST shows that they existed."""
    return _packed(_lines(tx, Extras(keys=(), certificate=None), tables, _without_secret))


def _packed(lines: Iterable[bytes]) -> bytes:
    packer = zlib.compressobj()
    packed = [packer.compress(line) for line in lines]
    return b"".join(packed) + packer.flush()


def _lines(
    tx: Session, extras: Extras, tables: Iterable[Table], shown: Callable[[str, Any], Any] = lambda _, value: value
) -> Iterator[bytes]:
    yield extras.model_dump_json().encode() + b"\n"
    for table in tables:
        names = [column.name for column in table.columns]
        yield _line({"table": table.name, "columns": names})
        for row in _rows(tx, table):
            yield _line([shown(name, value) for name, value in zip(names, row, strict=True)])


def _without_secret(column: str, value: Any) -> Any:
    return LOST if column.endswith(SEALED) and value is not None else value


def _rows(tx: Session, table: Table) -> Iterator[list[Any]]:
    binders = [column.type.dialect_impl(_SQLITE).bind_processor(_SQLITE) for column in table.columns]
    for row in tx.execute(
        select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_ROWS_AT_ONCE)
    ):
        values = (bind(value) if bind else value for bind, value in zip(binders, row, strict=True))
        yield [_plain(value) for value in values]


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    return {"base64": base64.b64encode(bytes(value)).decode()} if isinstance(value, bytes | memoryview) else value


def is_newer(revision_of_backup: str) -> bool:
    """True for a schema this version does not know."""
    return revision_of_backup not in known()


@contextmanager
def unpacked(content: bytes, schema_revision: str) -> Iterator[tuple[Extras, Engine]]:
    """The content as a database of today's schema, for as long as the block runs. Raises Invalid if it does not fit."""
    with TemporaryDirectory(prefix="lunette-restore-") as folder:
        engine = connect(f"sqlite:///{Path(folder) / 'scratch.db'}")
        try:
            extras = _fill(writing(engine), content, schema_revision)
            with engine.connect() as source:
                wrong = [*islice(problems(source), MOST_PROBLEMS)]
            if wrong:
                raise Invalid(
                    "Nothing was changed: this copy has rows that this version of Lunette does not write. It was "
                    f"altered or damaged, or a newer version wrote it. Use another copy. {'; '.join(wrong)}",
                )
            yield extras, engine
        finally:
            engine.dispose()


def _lines_of(content: bytes) -> Iterator[bytes]:
    """The lines of a compressed content, one by one. Raises ValueError where it grows beyond all measure."""
    unpacker, rest, total = zlib.decompressobj(), b"", 0
    while content and not unpacker.eof:
        part = unpacker.decompress(content, _CHUNK_BYTES)
        content, total = unpacker.unconsumed_tail, total + len(part)
        *lines, rest = (rest + part).split(b"\n")
        if total > MAX_UNPACKED_BYTES or len(rest) > MAX_LINE_BYTES:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED_BYTES} bytes, or {MAX_LINE_BYTES} in a line")
        yield from lines
    if not unpacker.eof:
        raise ValueError("it is incomplete")
    if rest:
        yield rest


def _fill(engine: Engine, content: bytes, schema_revision: str) -> Extras:
    try:
        lines = _lines_of(content)
        extras = Extras.model_validate_json(next(lines))
        upgrade(engine, schema_revision)
        with engine.begin() as connection:
            _insert(connection, lines)
        upgrade(engine)
        with engine.begin() as connection:
            for name in LEFT_OUT:  # no backup has any, so an attacker gains nothing by it
                connection.execute(Base.metadata.tables[name].delete())
    except (DBAPIError, zlib.error, ValueError, LookupError, TypeError, StopIteration) as error:
        raise Invalid(
            "Nothing was changed: the content of this backup is not a valid database. Use another backup.",
            log=f"{type(error).__name__}: {error}",
        ) from error
    return extras


def _insert(connection: Connection, lines: Iterable[bytes]) -> None:
    statement, rows = "", list[tuple[Any, ...]]()
    present = {*inspect(connection).get_table_names()} - {"alembic_version"}
    for line in lines:
        found = json.loads(line)
        if isinstance(found, dict):
            _flush(connection, statement, rows)
            if found["table"] not in present:
                raise ValueError("it has a table that is unknown to every version of Lunette")
            columns = ", ".join(_quoted(name) for name in found["columns"])
            marks = ", ".join("?" * len(found["columns"]))
            statement = f"INSERT INTO {_quoted(found['table'])} ({columns}) VALUES ({marks})"  # noqa: S608 quoted
        else:
            rows.append(tuple(_stored(value) for value in found))
            if len(rows) == _ROWS_AT_ONCE:
                _flush(connection, statement, rows)
    _flush(connection, statement, rows)


def _flush(connection: Connection, statement: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        connection.exec_driver_sql(statement, rows)
        rows.clear()


def _stored(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def replace(tx: Session, scratch: Connection) -> None:
    """Puts the rows of a scratch database in the place of all that is there, in the transaction of `tx`."""
    tx.flush()
    tables = Base.metadata.sorted_tables
    for table in reversed(tables):
        tx.execute(table.delete())
    for table in tables:
        for rows in scratch.execute(select(table)).mappings().partitions(_ROWS_AT_ONCE):
            tx.execute(insert(table), [dict(row) for row in rows])
    tx.expire_all()
    if tx.get_bind().dialect.name == "postgresql":
        for table in tables:
            if table.autoincrement_column is not None:
                _count_on(tx, table, table.autoincrement_column.name)


def _count_on(tx: Session, table: Table, column: str) -> None:
    """Makes PostgreSQL's counter continue above the highest number: none is reused. SQLite does so automatically."""
    tx.execute(
        text(
            f"SELECT setval(s, GREATEST(nextval(s), (SELECT COALESCE(MAX({column}), 1) FROM {table.name}))) "  # noqa: S608
            "FROM (SELECT pg_get_serial_sequence(:name, :column)::regclass AS s) AS counter WHERE s IS NOT NULL"
        ),
        {"name": table.name, "column": column},
    )
