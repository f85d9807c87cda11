"""Both databases, for real: a SQLite file, and a private PostgreSQL on a Unix socket."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2.low_level import Type, hash_secret_raw
from cryptography.fernet import Fernet

from backend.tests import compiled
from backend.tests.databases import PostgresServer, migrated_file, postgresql_programs
from backend.tests.watch import _names_stand_behind_dashes, _requests_cross_the_border  # noqa: F401  (fixtures)
from lunette.store.backup import envelope
from lunette.store.database import Store
from lunette.store.secrets import SecretBox

ON_BOTH = (Path(__file__).parent / "store", Path(__file__).parent / "api/test_main.py")
"""What `make test` puts to PostgreSQL whole: the store, and the real process."""
BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`make test` puts all tests to SQLite, those of ON_BOTH and every eighth other one to PostgreSQL too.

    Tests of one file that share a fixture run in one process.
    """
    both = [item for item in items if item.get_closest_marker("postgres")]
    others = [item for item in both if not any(item.path.is_relative_to(path) for path in ON_BOTH)]
    for number, item in enumerate(sorted(others, key=lambda item: item.nodeid)):
        if number % 8:
            item.add_marker(pytest.mark.slow)
    for item in items:
        if isinstance(item, pytest.Function) and _shares(item) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.name))


def _shares(test: pytest.Function) -> bool:
    """Whether the tests of a file stand on one thing: it is made once, where all of them run in one process."""
    return any(made[-1].scope == "module" for made in test._fixtureinfo.name2fixturedefs.values())


@pytest.fixture(autouse=True, scope="session")
def _compiled_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        compiled.share(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def _quick_stretching() -> Iterator[None]:
    """Backups of tests are sealed with a passphrase that is stretched in no time; see test_backup.py of the store."""

    def quick(secret: bytes, salt: bytes, _passes: int, _kib: int, _lanes: int, length: int, kind: Type) -> bytes:
        return hash_secret_raw(secret, salt, 1, 8, 1, length, kind)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(envelope, "hash_secret_raw", quick)
        yield


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = PostgresServer(programs)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return migrated_file(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh database with the newest schema; each test that takes it runs on both kinds."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgresql_server")
        url = server.new_database()
        yield url
        server.drop(url)
    else:
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "lunette.db")
        yield f"sqlite:///{tmp_path}/lunette.db"


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A fresh SQLite database, for tests that are not about the database."""
    shutil.copy(sqlite_template, tmp_path / "lunette.db")
    return f"sqlite:///{tmp_path}/lunette.db"


@pytest.fixture
def box() -> SecretBox:
    return SecretBox(Fernet.generate_key())


@pytest.fixture
def store(database_url: str, box: SecretBox) -> Iterator[Store]:
    """A store on each kind of database."""
    opened = Store.open(database_url, box)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(sqlite_url: str, box: SecretBox) -> Iterator[Store]:
    opened = Store.open(sqlite_url, box)
    yield opened
    opened.close()
