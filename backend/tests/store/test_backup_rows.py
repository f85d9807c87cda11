"""No row of a backup or of a sealed copy is taken over that Lunette would not have written."""

from __future__ import annotations

import datetime as dt
import shutil
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    JSON,
    Boolean,
    Engine,
    Integer,
    LargeBinary,
    String,
    Table,
    create_engine,
    insert,
    update,
)

from backend.tests.agent.test_border import HOSTILE, SAMPLES
from lunette.domain.errors import Invalid
from lunette.store.backup import tables
from lunette.store.backup.rows import FREE, checks, problems
from lunette.store.schema import Base

ENUMS = (
    "ready", "running", "info", "md", "raid5", "ppl", "thick", "data", "linux", "iqn", "scsi", "iscsi", "lio", "target",
    "viewer", "failed", "done", "warning", "scrub", "skip",
)  # fmt: skip
DOCUMENTS = ("2026-11-28", "{}")
TYPED = [(table, name) for table, columns in checks().items() for name in columns if name not in {"port", "lun"}]


def test_every_column_of_text_is_of_a_type_or_named_as_free() -> None:
    untyped = [
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        if table.name not in tables.LEFT_OUT
        for column in table.columns
        if isinstance(column.type, String | JSON)
        and column.name not in checks().get(table, {})
        and column.name not in FREE
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


def test_what_unpacks_to_more_than_anything_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_UNPACKED_BYTES", 4 * 1024**2)
    bomb = zlib.compress(b'{"keys": [], "certificate": null}\n' + b"\n" * 8 * 1024**2)
    with pytest.raises(Invalid, match="does not make a database"), tables.unpacked(bomb, "0001"):
        pytest.fail("it was unpacked")
    monkeypatch.setattr(tables, "MAX_LINE_BYTES", 1024**2)
    line = zlib.compress(b'{"keys": [], "certificate": null}\n' + b'"' * 3 * 1024**2)
    with pytest.raises(Invalid, match="does not make a database"), tables.unpacked(line, "0001"):
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
