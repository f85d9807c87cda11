"""No row of a backup or of a sealed copy is taken over that Lunette would not have written."""

from __future__ import annotations

import datetime as dt
import shutil
import tracemalloc
import zlib
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Engine,
    Integer,
    LargeBinary,
    String,
    Table,
    create_engine,
    insert,
    select,
    update,
)

from backend.tests.agent.test_border import HOSTILE, SAMPLES
from lunette.api.appliance import backup_extras
from lunette.domain.errors import Invalid
from lunette.domain.uptime import LONGEST_S, Uptime
from lunette.engine.alerts import outbox
from lunette.engine.background import housekeeping
from lunette.engine.context import uptime
from lunette.engine.exports import firewall
from lunette.engine.recovery import backups
from lunette.store.backup import tables
from lunette.store.backup.rows import FREE, META, TYPES, checks, problems
from lunette.store.database import Store
from lunette.store.resources import Meta
from lunette.store.schema import Base

ENUMS = ["iqn"] + [
    next(iter(kind)).value
    for types in TYPES.values()
    for one in types.values()
    for kind in (one, *get_args(one))
    if isinstance(kind, EnumType)
]
"""The first value of each enum that a column may hold, and of the kinds of initiators."""
TABLES = Base.metadata.tables
DOCUMENTS = ("2026-11-28", "{}")
COUNTED = [
    (table, column)
    for table in checks()
    for column in table.columns
    if isinstance(column.type, Integer) and [*table.primary_key.columns] == [column]
]
"""Numbers of rows: SQLite takes no text there."""
TYPED = [
    (table, name)
    for table, columns in checks().items()
    for name in columns
    if name not in {"port", "lun"} and (table, table.columns[name]) not in COUNTED
]
NUMBERS = [(table, name) for table, name in TYPED if isinstance(table.columns[name].type, Integer)]


def test_every_column_of_text_is_of_a_type_or_named_as_free() -> None:
    untyped = [
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        if table.name not in tables.LEFT_OUT
        for column in table.columns
        if isinstance(column.type, String | JSON)
        and column.name not in checks().get(table, {})
        and column.name not in FREE
        and column is not TABLES["meta"].columns["value"]  # by the key of its row: META
        and not column.name.endswith(tables.SEALED)
    ]
    assert untyped == []


def good(table: Table, types: dict[str, TypeAdapter[Any]]) -> dict[str, Any]:
    """A row that fits."""
    row: dict[str, Any] = {}
    for column in table.columns:
        if column.name in types:
            row[column.name] = next(
                one
                for one in (*ENUMS, *SAMPLES, *DOCUMENTS, 1, ["words"], ["ab" * 32], None)
                if fits(types[column.name], one)
            )
        elif column.nullable:
            row[column.name] = None
        else:
            row[column.name] = _plain(column.type)
    if table.name in {"target", "mapping"}:  # of a host or of a group
        row["host_group_id"] = None
    return row


def _plain(kind: object) -> Any:
    samples: tuple[tuple[type, Any], ...] = (
        (Boolean, False),
        (Integer, 1),
        (JSON, {}),
        (LargeBinary, b""),
        (String, "words"),
    )
    return next((value for one, value in samples if isinstance(kind, one)), dt.datetime.now(dt.UTC))


def fits(check: TypeAdapter[Any], value: Any) -> bool:
    try:
        check.validate_python(value)
    except ValidationError:
        return False
    return True


@pytest.fixture(scope="module")
def engine(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A database in which rows may point to what is not there."""
    made = create_engine(f"sqlite:///{shutil.copy(sqlite_template, tmp_path_factory.mktemp('rows'))}")
    yield made
    made.dispose()


@pytest.mark.parametrize(("table", "name"), TYPED, ids=[f"{table.name}.{name}" for table, name in TYPED])
def test_a_hostile_value_is_named(engine: Engine, table: Table, name: str) -> None:
    with engine.begin() as connection:
        connection.execute(table.delete())
        connection.execute(insert(table), good(table, checks()[table]))
        assert [*problems(connection)] == []
        for hostile in (HOSTILE[0], "a/../../owned", "owned\nowned"):
            as_stored = [hostile] if isinstance(table.columns[name].type, JSON) else hostile
            is_whose = name == "host_group_id" and table.name in {"target", "mapping"}
            whose = {"host_id": None} if is_whose else {}
            connection.execute(update(table).values(whose | {name: as_stored}))
            found = [*problems(connection)]
            assert bool(found) is not fits(checks()[table][name], as_stored)
            assert all(one.startswith(f"{table.name} ") and f": {name}: " in one for one in found)
            assert not any("owned" in one.partition(f": {name}: ")[2] for one in found), "the value is not shown"
        connection.rollback()


@pytest.mark.parametrize(("table", "name"), NUMBERS, ids=[f"{table.name}.{name}" for table, name in NUMBERS])
@pytest.mark.parametrize("hostile", [-1000, 1.5, "many"])
def test_an_invalid_number_is_named(engine: Engine, table: Table, name: str, hostile: Any) -> None:
    with engine.begin() as connection:
        connection.execute(table.delete())
        connection.execute(insert(table), good(table, checks()[table]) | {name: hostile})
        (found,) = problems(connection)
        assert f": {name}: " in found
        connection.rollback()


@pytest.mark.parametrize(("table", "column"), COUNTED, ids=[table.name for table, _ in COUNTED])
def test_no_row_has_the_last_number_that_there_is(engine: Engine, table: Table, column: Column[Any]) -> None:
    """SQLite gives none after it: no event could be filed any more, and so nothing be changed."""
    with engine.begin() as connection:
        connection.execute(table.delete())
        connection.execute(insert(table), good(table, checks()[table]) | {column.name: 2**63 - 1})
        (found,) = problems(connection)
        assert f": {column.name}: " in found
        connection.rollback()


@pytest.mark.parametrize("table", [TABLES[name] for name in ("deleted_volume", "deleted_snapshot", "held_number")])
def test_a_moment_beyond_all_dates_is_named(engine: Engine, table: Table) -> None:
    with engine.begin() as connection:
        connection.execute(table.delete())
        connection.execute(insert(table), good(table, checks()[table]) | {"due_s": LONGEST_S})
        assert [*problems(connection)] == []
        assert Uptime(seconds=0.0, at=dt.datetime.now(dt.UTC)).when(LONGEST_S).year > 5000
        connection.execute(update(table).values(due_s=LONGEST_S + 1))
        (found,) = problems(connection)
        assert ": due_s: " in found
        connection.rollback()


@pytest.mark.parametrize("text", ["never", "9999-99-99 00:00:00.000000", ""])
def test_a_time_that_cannot_be_read_is_named_with_its_table(engine: Engine, text: str) -> None:
    table = TABLES["deleted_volume"]
    with engine.begin() as connection:
        connection.execute(table.delete())
        connection.execute(insert(table), good(table, checks()[table]))
        connection.exec_driver_sql("UPDATE deleted_volume SET deleted_at = ?", (text,))
        assert [*problems(connection)] == ["deleted_volume: a time or a document in it cannot be read"]
        connection.rollback()


@pytest.mark.parametrize("key", sorted(META))
@pytest.mark.parametrize(
    "hostile", ["-1", '{"seconds": 1e300, "at": "2026-01-01T00:00:00Z"}', "9" * 30 + "\n", "x" * (2 << 20)]
)
def test_a_hostile_value_of_a_key_is_named(engine: Engine, key: str, hostile: str) -> None:
    """Only the length of a sealed certificate can be checked: no key opens an invented one."""
    table = TABLES["meta"]
    with engine.begin() as connection:
        connection.execute(table.delete())
        connection.execute(insert(table), {"key": key, "value": hostile})
        found = [*problems(connection)]
        assert [one.startswith(f"meta '{key}': value: ") for one in found] == (
            [] if key == "restored_certificate" and len(hostile) < 1 << 20 else [True]
        )
        connection.rollback()


def test_every_key_that_is_written_has_a_type(store: Store) -> None:
    with store.read() as tx:
        given = set(tx.scalars(select(Meta.key)))
    engine = {uptime.KEY, housekeeping.CLOCK, outbox.HEARTBEAT, firewall._PORT, backups.KEY}
    assert given | engine | {backup_extras._STAGED} == set(META)


def test_what_unpacks_to_more_than_anything_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_UNPACKED_BYTES", 4 * 1024**2)
    bomb = zlib.compress(b'{"keys": [], "certificate": null}\n' + b"\n" * 8 * 1024**2)
    with pytest.raises(Invalid, match="is not a valid database"), tables.unpacked(bomb, "0001"):
        pytest.fail("it was unpacked")
    monkeypatch.setattr(tables, "MAX_LINE_BYTES", 1024**2)
    line = zlib.compress(b'{"keys": [], "certificate": null}\n' + b'"' * 3 * 1024**2)
    with pytest.raises(Invalid, match="is not a valid database"), tables.unpacked(line, "0001"):
        pytest.fail("it was unpacked")


@pytest.mark.parametrize(("line", "times"), [(b"0" * 65535 + b"\n", 2048), (b"12\n", 2_000_000)], ids=["long", "short"])
def test_a_bomb_is_unpacked_a_piece_at_a_time(line: bytes, times: int) -> None:
    """At once it would take 128 MiB, or 80."""
    bomb = zlib.compress(line * times)
    tracemalloc.start()
    try:
        lines = sum(1 for _ in tables._lines_of(bomb))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == times
    assert most < 48 * 1024**2
