"""A database that cannot be written: reads work, changes are refused with the reason, and all works afterward.

The refusals are SQLite's own: a file opened read-only, and one that may not grow by another page.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from backend.tests.wiring import Api
from lunette.api.requests.services import ApiServices

Trouble = Callable[[ApiServices], Any]


@contextmanager
def read_only(services: ApiServices) -> Iterator[None]:
    """Every new connection opens the file as a read-only file system would. None that can write is left in the pool."""
    engine = services.store.engine

    def connect(_dialect: Any, _record: Any, arguments: list[str], options: dict[str, Any]) -> sqlite3.Connection:
        opened: sqlite3.Connection = sqlite3.connect(f"file:{arguments[0]}?mode=ro", uri=True, **options)
        return opened

    event.listen(engine, "do_connect", connect)
    engine.dispose()
    yield
    event.remove(engine, "do_connect", connect)
    engine.dispose()


@contextmanager
def full(services: ApiServices) -> Iterator[None]:
    """No new connection may make the file larger."""
    engine = services.store.engine

    def limit(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the size the file has for the least

    event.listen(engine, "connect", limit)
    engine.dispose()
    yield
    event.remove(engine, "connect", limit)
    engine.dispose()


def large(name: str) -> dict[str, Any]:
    """A host that no free page of a small file has room for."""
    iqns = [f"iqn.2026-01.com.example:{name}-{number}-{'x' * 150}" for number in range(64)]
    return {"iqns": iqns, "description": "x" * 1000}


@pytest.mark.parametrize(
    ("trouble", "words"),
    [(read_only, "is read-only"), (full, "The disk that holds the database is full")],
    ids=["read-only", "full"],
)
def test_reads_go_on_and_changes_are_refused_with_the_reason(
    appliance_on_sqlite: tuple[Api, ApiServices], trouble: Trouble, words: str
) -> None:
    api, services = appliance_on_sqlite
    api.made("/hosts", {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
    with trouble(services):
        hosts = {host["name"] for host in api.items("/hosts")}
        events = len(api.items("/events"))
        for method, path, body in (
            ("POST", "/hosts", {"name": "late", **large("late")}),
            ("PATCH", "/hosts/h1", large("h1")),
            ("POST", "/site:apply", {"site": {"hosts": [{"name": "late", **large("late")}]}}),
        ):
            refused = api.call(method, path, json=body, headers={"If-Match": "*"} if method == "PATCH" else {})
            assert (refused.status_code, refused.json()["type"]) == (503, "unavailable"), (path, refused.text)
            assert words in refused.json()["detail"]
            assert "nothing was changed" in refused.json()["detail"]
        assert api.get("/hosts/h1")["description"] == ""
        assert {host["name"] for host in api.items("/hosts")} == hosts
        assert len(api.items("/events")) == events
        for path in ("/status", "/disks", "/volumes", "/site"):
            assert api.call("GET", path).status_code == 200, path
    assert api.made("/hosts", {"name": "late"})["name"] == "late"
    assert api.patch("/hosts/h1", {"description": "again"}).status_code == 200
