"""A SQLite database on a real file system that has no block left."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from backend.tests.databases import fresh_file
from backend.tests.full_disk import empty, fill, small_file_system
from lunette.domain.errors import Unavailable
from lunette.store.database import Store
from lunette.store.lasting import LOG_BYTES
from lunette.store.resources import Meta
from lunette.store.secrets import SecretBox

pytestmark = pytest.mark.root
SIZE_BYTES = 40 << 20
BOX = SecretBox(Fernet.generate_key())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with small_file_system(tmp_path / "small", SIZE_BYTES) as made:
        yield made


def note(store: Store, text: str) -> None:
    with store.write() as tx:
        tx.merge(Meta(key="note", value=text))


def noted(store: Store) -> str:
    with store.read() as tx:
        return tx.get_one(Meta, "note").value


def test_hundreds_of_changes_are_written_in_place_while_there_is_no_space(folder: Path) -> None:
    store = Store.open(fresh_file(folder), BOX, lasting=True)
    assert (folder / "lunette.db-wal").stat().st_size >= LOG_BYTES
    note(store, "before")
    fill(folder)
    for number in range(200):
        with store.write() as tx:
            tx.add(Meta(key=f"added.{number}", value="x" * 1000))
    note(store, "after")
    assert noted(store) == "after"
    with pytest.raises(Unavailable, match="is full; nothing was changed"):  # noqa: PT012 whichever is one too many
        for number in range(4000):
            with store.write() as tx:
                tx.add(Meta(key=f"many.{number}", value="x" * 40000))
    assert noted(store) == "after"
    empty(folder)
    note(store, "again")
    assert noted(store) == "again"
    store.close()


def test_it_is_opened_and_read_without_space_for_an_index_of_its_log(folder: Path) -> None:
    url = fresh_file(folder)
    store = Store.open(url, BOX)
    note(store, "kept")
    store.close()
    assert not (folder / "lunette.db-shm").exists()
    fill(folder)
    store = Store.open(url, BOX, lasting=True)
    with store.read() as one, store.read() as other:
        assert one.get_one(Meta, "note").value == other.get_one(Meta, "note").value == "kept"
    with pytest.raises(Unavailable, match="is full; nothing was changed"):
        note(store, "no room")
    assert not (folder / "lunette.db-shm").exists()
    store.close()
    empty(folder)
    store = Store.open(url, BOX, lasting=True)
    assert noted(store) == "kept"
    note(store, "as ever")
    store.close()


def test_a_log_that_was_not_made_at_the_start_is_made_once_there_is_room(folder: Path) -> None:
    url = fresh_file(folder)
    (folder / "others").write_bytes(bytes(20 << 20))
    store = Store.open(url, BOX, lasting=True)
    note(store, "written")
    log = folder / "lunette.db-wal"
    assert log.stat().st_size < LOG_BYTES
    (folder / "others").unlink()
    for _ in range(2):
        store.fill_log()
        assert log.stat().st_size == LOG_BYTES
    note(store, "written in place")
    assert noted(store) == "written in place"
    assert log.stat().st_size == LOG_BYTES
    store.close()


def test_an_extended_log_loses_nothing_in_a_power_failure(folder: Path) -> None:
    """What lies in it beyond the last change is no change."""
    store = Store.open(fresh_file(folder), BOX, lasting=True)
    note(store, "acknowledged")
    (folder / "after").mkdir()
    for name in ("lunette.db", "lunette.db-wal"):
        shutil.copy(folder / name, folder / "after" / name)
    store.close()
    assert (folder / "after/lunette.db-wal").stat().st_size == LOG_BYTES
    again = Store.open(f"sqlite:///{folder}/after/lunette.db", BOX)
    assert noted(again) == "acknowledged"
    again.close()
