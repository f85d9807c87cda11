"""A real PostgreSQL server for one test run: its own data folder, no TCP port, gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_DEADLINE_S = 120


def programs() -> Path | None:
    """The folder of initdb and pg_ctl of the newest server installed, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


@contextmanager
def private_postgres() -> Iterator[str]:
    """Yields the SQLAlchemy URL of an empty database `lunette`, reached through a socket in a private folder.

    As root it runs as the user `postgres`, because the server refuses root.
    Raises RuntimeError if no server is installed.
    """
    folder = programs()
    if folder is None:
        raise RuntimeError(
            "no PostgreSQL server programs were found: run `make deps` or install the package postgresql"
        )
    with tempfile.TemporaryDirectory(prefix="lunette-pg-", ignore_cleanup_errors=True) as name:
        base = Path(name)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(base, owner.pw_uid, owner.pw_gid)
        data = str(base / "data")
        _run([str(folder / "initdb"), "-D", data, "-A", "trust", "-U", "lunette", "-E", "UTF8", "--no-sync"], base)
        options = f"-c listen_addresses='' -c unix_socket_directories='{base}' -c fsync=off"
        _run([str(folder / "pg_ctl"), "-D", data, "-w", "-l", str(base / "log"), "-o", options, "start"], base)
        try:
            _run([str(folder / "createdb"), "-h", name, "-U", "lunette", "lunette"], base)
            yield f"postgresql+psycopg://lunette@/lunette?host={name}"
        finally:
            _run([str(folder / "pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop"], base)


def _run(argv: Sequence[str], folder: Path) -> None:
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.geteuid() == 0 else []
    # pg_ctl's server keeps what it inherits: a pipe would never see its end.
    with (folder.parent / f"{folder.name}.output").open("w+") as output:
        Path(output.name).unlink()
        done = subprocess.run(
            [*user, *argv], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            timeout=_DEADLINE_S, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        if done.returncode:
            output.seek(0)
            raise RuntimeError(f"{argv[0]} failed with exit code {done.returncode}: {output.read().strip()}")
