"""A backup is whole, sealed and readable by both databases; what is wrong with a file is said in time."""

import datetime as dt
import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from argon2.low_level import Type, hash_secret_raw
from cryptography.fernet import Fernet
from pydantic import SecretStr
from sqlalchemy import func, select, text

from backend.tests.databases import migrated_file
from lunette.domain.errors import Invalid
from lunette.store.backup import envelope, tables
from lunette.store.backup.tables import Extras
from lunette.store.database import Store, connect, writing
from lunette.store.events import emit
from lunette.store.journal import Event, Job
from lunette.store.migrate import MIGRATIONS, upgrade
from lunette.store.resources import DiskReading, Host, Meta, ReleaseRow
from lunette.store.schema import Base, utc_now
from lunette.store.secrets import SecretBox

PASSPHRASE = "correct horse battery"
NOTHING = Extras(keys=(), certificate=None)
ABOUT = envelope.About(
    version="1.2.3",
    schema_revision="0006",
    appliance="box",
    appliance_id="0123456789ab",
    made_at=dt.datetime(2026, 11, 22, tzinfo=dt.UTC),
    has_certificate=False,
)


@pytest.fixture(scope="module")
def sealed() -> bytes:
    return envelope.seal(b"some content", PASSPHRASE, ABOUT)


def test_a_file_says_what_it_is_and_opens_by_its_passphrase_alone(sealed: bytes) -> None:
    assert envelope.read_header(sealed).appliance == "box"
    assert envelope.unseal(sealed, PASSPHRASE)[1] == b"some content"
    assert b"some content" not in sealed
    with pytest.raises(Invalid, match="passphrase does not match this backup"):
        envelope.unseal(sealed, PASSPHRASE + "x")


def test_the_passphrase_is_stretched_as_the_header_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2id over 64 MiB in 3 passes: what the tests leave out elsewhere."""
    asked: list[tuple[int, ...]] = []

    def real(secret: bytes, salt: bytes, passes: int, kib: int, lanes: int, length: int, kind: Type) -> bytes:
        asked.append((passes, kib, lanes))
        assert kind is Type.ID
        return hash_secret_raw(secret, salt, passes, kib, lanes, length, kind)

    monkeypatch.setattr(envelope, "hash_secret_raw", real)
    sealed = envelope.seal(b"some content", PASSPHRASE, ABOUT)
    assert envelope.unseal(sealed, PASSPHRASE)[1] == b"some content"
    how = envelope.read_header(sealed).stretching
    assert asked == [(how.passes, how.memory_kib, how.lanes)] * 2 == [(3, 65536, 4)] * 2
    monkeypatch.undo()
    with pytest.raises(Invalid, match="passphrase does not match this backup"):
        envelope.unseal(sealed, PASSPHRASE)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda file: b"PK\3\4 something else", "not a Lunette backup"),
        (lambda file: file[:5], "not a Lunette backup"),
        (lambda file: file[:40], "incomplete"),
        (lambda file: file[:-1], "the file is incomplete: 1 bytes are missing"),
        (lambda file: file + b"\0", "the file has 1 extra bytes"),
        (lambda file: file[:-1] + bytes([file[-1] ^ 1]), "damaged"),
        (lambda file: file.replace(b'"box"', b'"bax"'), "the file was changed"),
        (lambda file: file.replace(b'"format":1', b'"format":2'), "upgrade this appliance"),
        (lambda file: file.replace(b'"memory_kib":65536', b'"memory_kib":99999999'), "cannot be read"),
        (lambda file: file.replace(b'"salt":"', b'"salt":"\xff'), "cannot be read"),
    ],
)
def test_a_file_that_is_not_whole_is_refused_with_the_reason(sealed: bytes, spoil: object, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        envelope.unseal(spoil(sealed), PASSPHRASE)  # type: ignore[operator]


def filled(store: Store) -> None:
    """A row of many kinds: text beyond ASCII, times, JSON, none and null, numbers."""
    with store.write() as tx:
        tx.add(
            Host(
                id="h",
                name="host",
                description="höst\u2028\n",
                os_type="linux",
                chap_user="u",
                chap_secret_sealed=store.box.seal(SecretStr("s3")),
            )
        )
        tx.add(
            Job(
                id="j",
                kind="array.create",
                title="t",
                state="failed",
                resource_kind="volume",
                resource_ids=["a"],
                plan={"ä": [1, None]},
                actor="me",
                error=None,
                steps_total=1,
                started_at=dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC),
            )
        )
        tx.add(ReleaseRow(kind="mapping", ref="m", generation=1))
        for number in range(1203):
            emit(tx, "host.created", f"number {number}", data={"number": number})


def content_of(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.read() as tx:
        return {
            table.name: sorted((tuple(row) for row in tx.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
            if table.name not in tables.LEFT_OUT
        }


def test_everything_is_restored_in_place_of_the_present_state(store: Store, tmp_path: Path) -> None:
    filled(store)
    before = content_of(store)
    with store.read() as tx:
        packed, revision = tables.dump(tx, NOTHING), tables.revision(tx)
    with store.write() as tx:
        tx.add(Host(id="other", name="other", os_type="linux"))
        tx.get_one(Host, "h").name = "renamed"
        emit(tx, "host.created", "later")
    with tables.unpacked(packed, revision) as (_, scratch), store.write() as tx, scratch.connect() as rows:
        tables.replace(tx, rows)
        released = tx.scalar(select(func.count()).select_from(ReleaseRow))
        last = max(row[0] for row in before["event"])
        emit(tx, "host.created", "after")
    assert released == 0, "a restored release could take away what is served by now"
    after = content_of(store)
    new = [row for row in after["event"] if row not in before["event"]]
    assert [row[0] > last + 1 for row in new] == [True], "a number that was given is not given again"
    after["event"] = [row for row in after["event"] if row in before["event"]]
    assert after == before


def test_it_moves_from_one_kind_of_database_to_the_other(store: Store, tmp_path: Path) -> None:
    filled(store)
    before = content_of(store)
    with store.read() as tx:
        packed, revision = tables.dump(tx, NOTHING), tables.revision(tx)
    other = Store.open(f"sqlite:///{tmp_path}/other.db", SecretBox(Fernet.generate_key()))
    with tables.unpacked(packed, revision) as (_, scratch), other.write() as tx, scratch.connect() as rows:
        tables.replace(tx, rows)
    assert content_of(other) == before
    other.close()


DIES = """
import os, sys
from cryptography.fernet import Fernet
from lunette.store.backup import tables
from lunette.store.database import Store
from lunette.store.secrets import SecretBox
store = Store.open(sys.argv[1], SecretBox(Fernet.generate_key()))
with tables.unpacked(open(sys.argv[2], "rb").read(), sys.argv[3]) as (_, scratch):
    with store.write() as tx, scratch.connect() as rows:
        tables.replace(tx, rows)
        os._exit(9)
"""


def test_a_process_that_dies_before_the_commit_leaves_the_state_before(store: Store, tmp_path: Path) -> None:
    filled(store)
    with store.read() as tx:
        packed, revision = tables.dump(tx, NOTHING), tables.revision(tx)
    with store.write() as tx:
        tx.get_one(Host, "h").name = "since"
    before = content_of(store)
    (tmp_path / "packed").write_bytes(packed)
    url = store.engine.url.render_as_string(hide_password=False).replace("+psycopg", "")
    ended = subprocess.run(
        [sys.executable, "-c", DIES, url, str(tmp_path / "packed"), revision], check=False, timeout=120
    )
    assert ended.returncode == 9
    assert content_of(store) == before


REVISIONS = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]


@pytest.mark.parametrize(
    "old",
    [
        # the oldest, the newest and every fifth in `make test`; the rest in the full matrix
        pytest.param(old, marks=[] if at % 5 == 0 or old == REVISIONS[-1] else pytest.mark.slow)
        for at, old in enumerate(REVISIONS)
    ],
)
def test_a_backup_of_every_older_schema_is_migrated(old: str, tmp_path: Path) -> None:
    """The rows are those an older version would have written: it had these tables and columns and no others."""
    engine = connect(f"sqlite:///{tmp_path}/old.db")
    upgrade(writing(engine), old)
    with writing(engine).begin() as connection:
        connection.execute(text("INSERT INTO meta (key, value) VALUES ('appliance_id', 'abc')"))
        stored = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
        names = ("id", "version", "created_at", "updated_at", "name", "os_type", "description")
        connection.exec_driver_sql(
            f"INSERT INTO host ({', '.join(names)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            ("h", 1, "2026-01-01 00:00:00.000000", "2026-01-01 00:00:00.000000", "old", "linux", ""),
        )
        lines = [NOTHING.model_dump_json()]
        for name in ("meta", "host"):
            assert name in stored
            rows = connection.exec_driver_sql(f"SELECT * FROM {name}").mappings().all()
            lines.append(json.dumps({"table": name, "columns": list(rows[0])}))
            lines += [json.dumps(list(row.values())) for row in rows]
    engine.dispose()
    assert not tables.is_newer(old)
    with tables.unpacked(zlib.compress("\n".join(lines).encode()), old) as (_, scratch):
        found = Store(scratch, SecretBox(Fernet.generate_key()))
        with found.read() as tx:
            assert tx.get_one(Host, "h").name == "old"
            assert tx.get_one(Meta, "appliance_id").value == "abc"
            assert tables.revision(tx) == REVISIONS[-1]


def test_a_newer_schema_is_known_to_be_newer() -> None:
    assert tables.is_newer("9999")


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["{}"],
        ['{"keys": [], "certificate": null}', '{"table": "no such", "columns": ["a"]}', "[1]"],
        ['{"keys": [], "certificate": null}', '{"table": "meta", "columns": ["key", "value"]}', '["a", null]'],
        ['{"keys": [], "certificate": null}', '{"table": "volume", "columns": ["id"]}', '["a"]'],
        ['{"keys": [], "certificate": null}', "[1]"],
        ['{"keys": [], "certificate": null}', '{"table": "alembic_version", "columns": ["version_num"]}', '["9999"]'],
        ['{"keys": [], "certificate": null}', '{"table": "sqlite_sequence", "columns": ["name"]}', '["event"]'],
    ],
)
def test_content_that_makes_no_database_is_refused(lines: list[str]) -> None:
    with pytest.raises(Invalid, match="is not a valid database"):  # noqa: SIM117
        with tables.unpacked(zlib.compress("\n".join(lines).encode()), "0006"):
            pass


def test_rows_that_no_backup_has_are_left_out(store: Store) -> None:
    """A made-up login, message or release is none after a restore."""
    with store.read() as tx:
        packed, revision = tables.dump(tx, NOTHING), tables.revision(tx)
    more = {"table": "release", "columns": ["kind", "ref", "generation"]}, ["mapping", "m", 1]
    lines = zlib.decompress(packed) + "\n".join(json.dumps(line) for line in more).encode()
    with tables.unpacked(zlib.compress(lines), revision) as (_, scratch), scratch.connect() as rows:
        for name in tables.LEFT_OUT:
            assert rows.execute(select(Base.metadata.tables[name])).all() == []


def test_a_drive_is_read_on_after_a_restore(store: Store) -> None:
    """PostgreSQL counts the rows of this table itself."""

    def reading(day: str) -> DiskReading:
        return DiskReading(disk_id="d", serial="s", day=day, read_at=utc_now(), state="ok", told="{}")

    with store.write() as tx:
        tx.add_all(reading(f"2026-01-0{day}") for day in range(1, 4))
    with store.read() as tx:
        packed, revision = tables.dump(tx, NOTHING), tables.revision(tx)
    with store.write() as tx:
        tx.execute(text("DELETE FROM disk_reading"))
        if store.engine.dialect.name == "postgresql":  # as on a newly installed appliance
            tx.execute(text("ALTER SEQUENCE disk_reading_id_seq RESTART"))
    with tables.unpacked(packed, revision) as (_, scratch), store.write() as tx, scratch.connect() as rows:
        tables.replace(tx, rows)
    with store.write() as tx:
        tx.add(reading("2026-01-04"))
    with store.read() as tx:
        assert len(tx.scalars(select(DiskReading)).all()) == 4


def test_events_that_are_written_meanwhile_are_not_half_in_it(store: Store) -> None:
    """One snapshot: what was committed after the first read is in no table of the backup."""
    filled(store)
    with store.read() as tx:
        count = tx.scalar(select(func.count()).select_from(Event))
        with store.write() as other:
            emit(other, "host.created", "meanwhile")
            other.add(Host(id="meanwhile", name="meanwhile", os_type="linux"))
        packed = tables.dump(tx, NOTHING)
    lines = zlib.decompress(packed).decode()
    assert "meanwhile" not in lines
    assert count is not None


def test_a_box_opens_what_the_keys_of_a_backup_sealed_and_retains_its_own(tmp_path: Path) -> None:
    mine, other = SecretBox.at(tmp_path / "mine.key"), SecretBox.at(tmp_path / "other.key")
    own, foreign = mine.seal(SecretStr("own")), other.seal(SecretStr("foreign"))
    mine.learn(other.keys)
    again = SecretBox.at(tmp_path / "mine.key")
    for box in (mine, again):
        assert [box.open(one).get_secret_value() for one in (own, foreign)] == ["own", "foreign"]
    assert again.mac(b"x") == mine.mac(b"x")
    assert (tmp_path / "mine.key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ValueError, match="Fernet key"):
        mine.learn([b"no key"])
    assert SecretBox.at(tmp_path / "mine.key").open(foreign).get_secret_value() == "foreign"


def test_a_migrated_file_has_the_newest_schema(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{migrated_file(tmp_path)}")
    store = Store(engine, SecretBox(Fernet.generate_key()))
    with store.read() as tx:
        assert tables.revision(tx) == REVISIONS[-1]
    store.close()
