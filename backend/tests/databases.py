"""A private PostgreSQL server on a Unix socket, and databases that are migrated once and then copied."""

import functools
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from lunette.store.database import connect
from lunette.store.migrate import upgrade

TEMPLATE = "lunette_template"
START_S = 60


def postgresql_programs() -> Path | None:
    """The folder of Debian's newest PostgreSQL programs, None where it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


class PostgresServer:
    """PostgreSQL refuses to run as root, so root runs it as `postgres` (Debian's package makes that user)."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="lunette-pg-", dir="/tmp"))
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            account = pwd.getpwnam(self._user)
            os.chown(self._folder, account.pw_uid, account.pw_gid)
        self._run("initdb", "--auth=trust", "--username=lunette", "--encoding=UTF8", "--no-locale", "--no-sync")
        options = (
            f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off -c max_connections=200"
        )
        self._run(
            "pg_ctl", "start", "--wait", f"--timeout={START_S}", f"--log={self._folder}/log", f"--options={options}"
        )
        self._sql(f"CREATE DATABASE {TEMPLATE}")
        engine = connect(self._url(TEMPLATE))
        upgrade(engine.execution_options(lunette_writes=True))
        engine.dispose()

    def new_database(self) -> str:
        """The URL of a database with the newest schema and nothing in it."""
        name = f"t{uuid.uuid4().hex}"
        self._sql(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        return self._url(name)

    def empty_database(self) -> str:
        """The URL of a database without any table."""
        name = f"t{uuid.uuid4().hex}"
        self._sql(f"CREATE DATABASE {name}")
        return self._url(name)

    def drop(self, url: str) -> None:
        name = url.rpartition("?")[0].rpartition("/")[2]
        self._sql(f"DROP DATABASE {name} WITH (FORCE)")

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "--mode=immediate", "--wait")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _url(self, name: str) -> str:
        return f"postgresql://lunette@/{name}?host={self._folder}"

    def _sql(self, statement: str) -> None:
        engine = create_engine(
            self._url("postgres").replace("postgresql:", "postgresql+psycopg:"),
            isolation_level="AUTOCOMMIT",
            poolclass=NullPool,
        )
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), f"--pgdata={self._folder}/data", *arguments],
            check=True,
            user=self._user,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            timeout=START_S * 2,
        )


def migrated_file(folder: Path) -> Path:
    """A SQLite file with the newest schema and nothing in it, to be copied."""
    path = folder / "template.db"
    engine = connect(f"sqlite:///{path}")
    upgrade(engine.execution_options(lunette_writes=True))
    engine.dispose()
    return path


def fresh_file(folder: Path) -> str:
    """The URL of the SQLite file of `folder`; a new one has the newest schema and nothing in it."""
    path = folder / "lunette.db"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_template())
    return f"sqlite:///{path}"


@functools.cache
def _template() -> bytes:
    """Migrations take as long as many a test: they run once per process."""
    with tempfile.TemporaryDirectory() as folder:
        return migrated_file(Path(folder)).read_bytes()
