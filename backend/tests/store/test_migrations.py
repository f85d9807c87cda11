"""The migrations build the schema of the tables, on both databases, from nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from backend.tests.conftest import BOTH
from backend.tests.databases import PostgresServer
from lunette.domain.errors import Unavailable
from lunette.store import access, journal, resources, schedules, settings, undo
from lunette.store.database import Store
from lunette.store.resources import Meta
from lunette.store.schema import Base
from lunette.store.secrets import SecretBox

MODULES = (access, journal, resources, schedules, settings, undo)


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgresql_server")
        url = server.empty_database()
        yield url
        server.drop(url)
    else:
        yield f"sqlite:///{tmp_path}/folder/lunette.db"


def test_the_migrations_make_exactly_the_schema_of_the_tables(empty_url: str, box: SecretBox) -> None:
    store = Store.open(empty_url, box)
    with store.engine.connect() as connection:
        difference = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    store.close()
    assert difference == []


def test_a_new_database_gets_ids_once(empty_url: str, box: SecretBox) -> None:
    first = Store.open(empty_url, box)
    with first.read() as tx:
        before = {key: tx.get_one(Meta, key).value for key in ("database_id", "appliance_id", "export_generation")}
    first.close()
    second = Store.open(empty_url, box)
    with second.read() as tx:
        after = {key: tx.get_one(Meta, key).value for key in before}
    second.close()
    assert before == after
    assert len(before["appliance_id"]) == 12
    assert before["export_generation"] == "1"


def test_a_database_of_a_newer_version_is_refused_in_words(empty_url: str, box: SecretBox) -> None:
    store = Store.open(empty_url, box)
    with store.write() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(Unavailable, match="newer version"):
        Store.open(empty_url, box)
