"""Long lists are read in the order of an index: nothing is sorted again for each page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import event, select, text
from sqlalchemy.orm import InstrumentedAttribute

from lunette.api.lists.paging import Spec, stored_page
from lunette.store.database import Store
from lunette.store.journal import Event, Job
from lunette.store.resources import DeletedVolume, Host, Mapping, Snapshot, Volume
from lunette.store.secrets import SecretBox

ORDERS = {
    "volumes by name": (Volume, Volume.name),
    "volumes by size": (Volume, Volume.size_bytes),
    "volumes by age": (Volume, Volume.created_at),
    "hosts by name": (Host, Host.name),
    "hosts by age": (Host, Host.created_at),
    "mappings by age": (Mapping, Mapping.created_at),
    "snapshots by name": (Snapshot, Snapshot.name),
    "snapshots by age": (Snapshot, Snapshot.created_at),
    "deleted volumes by the time they were deleted": (DeletedVolume, DeletedVolume.deleted_at),
    "jobs by age": (Job, Job.created_at),
    "events by number": (Event, Event.seq),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("orders")
    made = Store.open(f"sqlite:///{folder}/lunette.db", SecretBox(Fernet.generate_key()))
    yield made
    made.close()


@contextmanager
def plans_of(store: Store) -> Iterator[list[str]]:
    """How SQLite goes about every query within the block."""
    found: list[str] = []

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            asked = cursor.connection.cursor()
            asked.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            found.extend(row[3] for row in asked.fetchall())

    event.listen(store.engine, "before_cursor_execute", explain)
    try:
        yield found
    finally:
        event.remove(store.engine, "before_cursor_execute", explain)


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("order", ORDERS)
def test_no_page_is_sorted(store: Store, order: str, sign: str) -> None:
    kind, column = ORDERS[order]
    key: InstrumentedAttribute[Any] = getattr(kind, "seq" if kind is Event else "id")
    with store.read() as tx, plans_of(store) as found:
        stored_page(tx, select(kind), Spec(50, None, 100), f"{sign}{column.key}", {"id": key, column.key: column})
    assert [line for line in found if "TEMP B-TREE" in line] == [], found
    assert any("SCAN" in line for line in found), found


def test_the_plan_of_a_list_without_an_index_shows_that_it_is_sorted(store: Store) -> None:
    with store.read() as tx, plans_of(store) as found:
        tx.scalars(select(Volume).order_by(Volume.description, Volume.id)).all()
        tx.execute(text("SELECT 1"))
    assert any("TEMP B-TREE" in line for line in found)
