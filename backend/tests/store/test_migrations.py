"""The migrations build the schema of the tables, on both databases, from nothing."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Engine, String, inspect, select, sql, text
from sqlalchemy.orm import Session

from backend.tests.conftest import BOTH
from backend.tests.databases import PostgresServer
from lunette.domain.errors import Unavailable
from lunette.domain.plans import Plan
from lunette.store import access, journal, resources, schedules, settings, undo
from lunette.store.database import Store, connect, writing
from lunette.store.journal import Event, Job, JobStep
from lunette.store.migrate import MIGRATIONS, READABLE_FROM, upgrade
from lunette.store.resources import Host, HostLogin, Meta
from lunette.store.schema import Base, UtcTime, utc_now
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


def test_every_migration_is_in_a_file_that_begins_with_its_number_and_follows_the_one_before() -> None:
    scripts = [*ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]
    assert [Path(one.path).name[:4] for one in scripts] == [one.revision for one in scripts]
    assert [one.down_revision for one in scripts] == [None, *(one.revision for one in scripts[:-1])]
    assert [one.revision for one in scripts] == [f"{number:04}" for number in range(1, len(scripts) + 1)]


def test_a_start_that_migrates_nothing_loads_no_alembic(tmp_path: Path, box: SecretBox) -> None:
    url = f"sqlite:///{tmp_path}/lunette.db"
    Store.open(url, box).close()
    program = f"""
import sys, lunette.api.main
from cryptography.fernet import Fernet
from lunette.store.database import Store
from lunette.store.secrets import SecretBox
Store.open({url!r}, SecretBox(Fernet.generate_key())).close()
sys.exit("alembic" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


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


def test_a_database_of_a_newer_version_that_says_nothing_of_older_ones_is_refused_in_words(
    empty_url: str, box: SecretBox
) -> None:
    store = Store.open(empty_url, box)
    with store.write() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        tx.delete(tx.get_one(Meta, "schema_readable_from"))
    store.close()
    with pytest.raises(Unavailable, match="newer version"):
        Store.open(empty_url, box)


def newer(url: str, box: SecretBox, readable_from: str) -> None:
    """A database that the next version has migrated and written to: a column, a table, a row."""
    store = Store.open(url, box)
    with store.write() as tx:
        tx.execute(text('ALTER TABLE "array" ADD COLUMN colour VARCHAR(20) NULL'))
        tx.execute(text("CREATE TABLE shelf (id VARCHAR(36) PRIMARY KEY, name VARCHAR(63) NOT NULL)"))
        tx.execute(text("INSERT INTO shelf (id, name) VALUES ('1', 'left')"))
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        tx.get_one(Meta, "schema_readable_from").value = readable_from
    store.close()


def test_the_version_before_works_with_a_database_that_the_next_one_migrated(empty_url: str, box: SecretBox) -> None:
    newer(empty_url, box, READABLE_FROM)
    for value in ("2", "3"):
        store = Store.open(empty_url, box)
        with store.write() as tx:
            tx.get_one(Meta, "export_generation").value = value
        with store.read() as tx:
            assert tx.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
            assert tx.execute(text("SELECT name FROM shelf")).scalar() == "left", "what is not known is left alone"
            assert tx.get_one(Meta, "export_generation").value == value
        store.close()


def test_a_database_that_this_version_would_damage_is_refused(empty_url: str, box: SecretBox) -> None:
    newer(empty_url, box, "9998")
    with pytest.raises(Unavailable, match="newer version"):
        Store.open(empty_url, box)


def shape(engine: Engine) -> dict[str, dict[str, tuple[str, bool, bool]]]:
    """Type, whether it may be null, and whether it has a default, of every column of every table."""
    seen = inspect(engine)
    return {
        table: {
            column["name"]: (str(column["type"]), column["nullable"], column["default"] is not None)
            for column in seen.get_columns(table)
        }
        for table in seen.get_table_names()
    }


def rules(engine: Engine, tables: Iterable[str]) -> dict[str, set[str]]:
    """The constraints of each table: unique, check and foreign key."""
    seen = inspect(engine)
    return {
        table: {str(sorted(one["column_names"])) for one in seen.get_unique_constraints(table)}
        | {str(one["sqltext"]) for one in seen.get_check_constraints(table)}
        | {str((one["constrained_columns"], one["referred_table"])) for one in seen.get_foreign_keys(table)}
        for table in tables
    }


def what_breaks(
    before: dict[str, dict[str, tuple[str, bool, bool]]], after: dict[str, dict[str, tuple[str, bool, bool]]]
) -> list[str]:
    """What a program of the schema before could not live with."""
    found = [f"table {table} is gone" for table in before if table not in after]
    for table in before.keys() & after.keys():
        for name, column in before[table].items():
            if after[table].get(name) != column:
                found.append(f"{table}.{name} was {column} and is {after[table].get(name)}")
        for name in after[table].keys() - before[table].keys():
            _, may_be_null, has_default = after[table][name]
            if not may_be_null and not has_default:
                found.append(f"{table}.{name} must be given by a program that does not know it")
    return found


def test_programs_of_the_schema_that_is_named_can_work_with_todays(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path}/old.db")
    upgrade(writing(engine), READABLE_FROM)
    before = shape(engine)
    old_rules = rules(engine, before)
    upgrade(writing(engine))
    after = shape(engine)
    assert what_breaks(before, after) == []
    stricter = {table: found - old_rules[table] for table, found in rules(engine, before).items()}
    assert not any(stricter.values()), stricter
    engine.dispose()


def test_what_an_older_program_could_not_live_with_is_found() -> None:
    before = {"array": {"name": ("TEXT", False, False)}, "old": {}}
    after = {
        "array": {"name": ("TEXT", True, False), "colour": ("TEXT", False, False), "size": ("INTEGER", True, False)}
    }
    assert len(what_breaks(before, after)) == 3


def test_steps_of_the_first_versions_are_of_lvm(empty_url: str, box: SecretBox) -> None:
    engine = connect(empty_url)
    upgrade(writing(engine), "0029")
    old = {"kind": "volume.delete", "volume_id": "v", "group": "lunette-1", "lv_name": "v1", "size_bytes": 4096}
    zvol = {**old, "engine": "zvol"}
    sealed = {"change": {"noun": "volume"}, "kind": "site.volume"}
    plan = {
        "title": "Delete volume v",
        "changes": [],
        "steps": [old, zvol, {"kind": "exports.gone", "volume_ids": ["v"], "deadline_s": 60}],
    }
    with Session(writing(engine)) as tx:
        job = Job(id="j", kind="volume.delete", title="", resource_kind="volume", resource_ids=[], plan=plan, actor="a")
        job.steps_total = 3
        tx.add(job)
        tx.flush()
        for index, payload in enumerate((old, zvol, sealed)):
            tx.add(JobStep(job_id=job.id, index=index, kind="volume.delete", title="", payload=payload))
        tx.commit()
    upgrade(writing(engine))
    with Session(engine) as tx:
        found = tx.scalars(select(JobStep).order_by(JobStep.index)).all()
        assert [step.payload for step in found] == [{**old, "engine": "lvm"}, zvol, sealed]
        steps = Plan.model_validate(tx.get_one(Job, "j").plan).steps
        assert [getattr(step, "engine", None) for step in steps] == ["lvm", "zvol", None]
    engine.dispose()


def test_of_hosts_of_before_it_is_not_known_whether_they_ever_logged_in(empty_url: str, box: SecretBox) -> None:
    engine = connect(empty_url)
    upgrade(writing(engine), "0032")
    with Session(writing(engine)) as tx:
        tx.add(Host(id="h", name="db", os_type="linux"))
        tx.commit()
    upgrade(writing(engine))
    with Session(engine) as tx:
        assert tx.execute(select(HostLogin.host_id, HostLogin.last_seen_at)).all() == [("h", None)]
    engine.dispose()


def test_of_events_of_before_one_stands_for_each_job(empty_url: str, box: SecretBox) -> None:
    engine = connect(empty_url)
    upgrade(writing(engine), "0033")
    recorded = [
        ("volume.creating", None, {}),
        ("job.created", "made", {}),
        ("job.progress", "made", {}),
        ("volume.created", "v", {"ids": ["v"], "job_id": "made"}),
        ("job.finished", "made", {}),
        ("job.created", "runs", {}),
        ("host.changed", "h", {}),
    ]
    texts = [sql.column(name, String()) for name in ("kind", "noun", "ref", "actor", "message")]
    event = sql.table("event", sql.column("at", UtcTime()), sql.column("data", JSON()), *texts)
    with writing(engine).begin() as tx:
        for kind, ref, data in recorded:
            row = {"at": utc_now(), "kind": kind, "noun": kind.partition(".")[0], "ref": ref, "data": data}
            tx.execute(event.insert().values(**row, actor="a", message=""))
    upgrade(writing(engine))
    with Session(engine) as tx:
        found = tx.execute(select(Event.kind, Event.job_id, Event.is_folded).order_by(Event.seq)).all()
    assert found == [
        ("volume.creating", None, False),
        ("job.created", "made", True),
        ("job.progress", None, False),
        ("volume.created", "made", False),
        ("job.finished", "made", True),
        ("job.created", "runs", False),
        ("host.changed", None, False),
    ]
    engine.dispose()
