"""Transactions: writers take turns, readers see one snapshot, refusals are words, a commit wakes those who wait."""

import datetime as dt
import threading

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from lunette.domain.errors import Conflict, NotFound, Unavailable
from lunette.store.database import Store, after_commit
from lunette.store.events import emit
from lunette.store.journal import Event
from lunette.store.resources import Host, Meta
from lunette.store.secrets import SecretBox


def host(name: str, id_: str | None = None) -> Host:
    return Host(id=id_ or name, name=name, os_type="linux")


def names(store: Store) -> list[str]:
    with store.read() as tx:
        return list(tx.scalars(select(Host.name).order_by(Host.name)))


def test_a_transaction_that_raises_leaves_nothing(store: Store) -> None:
    def refused(tx: Session) -> None:
        tx.add(host("a"))
        tx.flush()
        raise RuntimeError

    with pytest.raises(RuntimeError), store.write() as tx:
        refused(tx)
    assert names(store) == []


def test_a_taken_name_is_a_conflict_in_words(store: Store) -> None:
    with store.write() as tx:
        tx.add(host("a", "1"))
    with pytest.raises(Conflict, match="host name is now taken or in use") as refusal, store.write() as tx:
        tx.add(host("a", "2"))
    assert refusal.value.log


def test_a_reader_cannot_write(store: Store) -> None:
    with pytest.raises(Unavailable), store.read() as tx:
        tx.execute(text("INSERT INTO meta (key, value) VALUES ('a', 'b')"))
    with store.read() as tx:
        assert tx.get(Meta, "a") is None


def test_a_reader_after_a_failed_write_attempt_does_not_lame_the_next_writer(store: Store) -> None:
    for number in range(3):
        with pytest.raises(Unavailable), store.read() as tx:
            tx.execute(text("DELETE FROM host"))
        with store.write() as tx:
            tx.add(host(f"h{number}"))
    assert names(store) == ["h0", "h1", "h2"]


def test_a_reader_retains_its_snapshot_while_others_commit(store: Store) -> None:
    with store.read() as tx:
        assert tx.scalars(select(Host.name)).all() == []
        with store.write() as other:
            other.add(host("late"))
        assert tx.scalars(select(Host.name)).all() == []
    assert names(store) == ["late"]


def test_writers_take_turns_so_that_a_check_still_holds_at_the_commit(store: Store) -> None:
    """Without turns, every thread would read the same number and write the same successor."""
    failures: list[BaseException] = []

    def count_up() -> None:
        try:
            for _ in range(10):
                with store.write() as tx:
                    row = tx.get_one(Meta, "export_generation")
                    row.value = str(int(row.value) + 1)
        except BaseException as error:  # noqa: BLE001 a thread's failure must reach the test
            failures.append(error)

    with store.read() as tx:
        before = int(tx.get_one(Meta, "export_generation").value)
    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with store.read() as tx:
        assert int(tx.get_one(Meta, "export_generation").value) == before + 40


def test_callbacks_run_once_after_the_commit_and_never_after_a_rollback(store: Store) -> None:
    calls: list[list[str]] = []

    def callback() -> None:
        calls.append(names(store))

    def rolls_back(tx: Session) -> None:
        after_commit(tx, callback)
        raise NotFound("no")

    with store.write() as tx:
        tx.add(host("a"))
        after_commit(tx, callback)
        after_commit(tx, callback)
        assert calls == []
    assert calls == [["a"]]
    with pytest.raises(NotFound), store.write() as tx:
        rolls_back(tx)
    assert len(calls) == 1


def test_an_event_is_numbered_and_wakes_the_subscribers_until_they_stop(store: Store) -> None:
    woken: list[int] = []
    stop = store.subscribe(lambda: woken.append(1))
    with store.write() as tx:
        emit(tx, "host.created", "one", actor="admin", ref="1")
        emit(tx, "host.created", "two", actor="admin", ref="2")
    with store.write() as tx:
        tx.add(host("quiet"))
    assert len(woken) == 1
    stop()
    with store.write() as tx:
        emit(tx, "host.created", "three", actor="admin", ref="3")
    assert len(woken) == 1
    with store.read() as tx:
        events = tx.scalars(select(Event).order_by(Event.seq)).all()
    assert [event.message for event in events] == ["one", "two", "three"]
    assert [event.seq for event in events] == [1, 2, 3]
    assert events[0].noun == "host"


def test_a_change_raises_the_version_behind_the_etag(store: Store) -> None:
    with store.write() as tx:
        tx.add(host("a"))
    with store.write() as tx:
        tx.get_one(Host, "a").description = "new"
    with store.write() as tx:
        tx.get_one(Host, "a").touch()
    with store.read() as tx:
        assert tx.get_one(Host, "a").version == 3


def test_times_keep_their_zone(store: Store) -> None:
    with store.write() as tx:
        tx.add(host("a"))
    with store.read() as tx:
        created = tx.get_one(Host, "a").created_at
    assert created.tzinfo is dt.UTC


def test_a_commit_survives_closing_the_store(store: Store, database_url: str) -> None:
    with store.write() as tx:
        tx.add(host("a"))
    store.close()
    again = Store.open(database_url, store.box)
    assert names(again) == ["a"]
    again.close()


def test_a_writer_that_waits_too_long_for_its_turn_is_refused_in_words(store: Store, database_url: str) -> None:
    impatient = Store.open(database_url, store.box, busy_timeout_s=1)
    with store.write() as tx:
        tx.add(host("a"))
        tx.flush()
        with pytest.raises(Unavailable, match="busy with another writer"), impatient.write() as other:
            other.add(host("b"))
    impatient.close()
    assert names(store) == ["a"]


def test_sqlite_flushes_every_commit(sqlite_store: Store) -> None:
    with sqlite_store.read() as tx:
        assert tx.scalar(text("PRAGMA journal_mode")) == "wal"
        assert tx.scalar(text("PRAGMA synchronous")) == 2
        assert tx.scalar(text("PRAGMA foreign_keys")) == 1


def test_a_database_that_cannot_be_reached_is_unavailable(box: SecretBox) -> None:
    with pytest.raises(Unavailable, match="cannot be used"):
        Store.open("postgresql://nobody@/none?host=/nonexistent", box)
