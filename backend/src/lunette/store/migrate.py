"""Brings the schema up to date at start-up, in one transaction.

After an update that failed, the version before starts on a database that the new one has migrated already. So
migrations only add, and the database says in `meta` from which schema on its programs can work with it; such a program
uses it as it is. Nothing is migrated back: what was made meanwhile, identities above all, stays.

Alembic, an eighth of what the process imports, is loaded only where something is to be migrated.
"""

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from lunette.domain.errors import Unavailable

MIGRATIONS = Path(__file__).parent / "migrations"
READABLE_FROM = "0013"
"""The oldest schema whose programs can work with today's. A test compares the two; it moves on once no appliance can
fall back to a program that old."""
_META_KEY = "schema_readable_from"


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Applies every migration that is missing.

    A database of a newer version is used as it is if it says that this one can; else Unavailable is raised.
    """
    with engine.begin() as connection:
        current = _current(connection)
        if revision == "head" and (
            current == _newest() or (current not in (None, *known()) and _is_readable(connection))
        ):
            return
        _migrate(connection, revision)
        if revision == "head":
            connection.execute(text("DELETE FROM meta WHERE key = :key"), {"key": _META_KEY})
            connection.execute(
                text("INSERT INTO meta (key, value) VALUES (:key, :value)"), {"key": _META_KEY, "value": READABLE_FROM}
            )


def _migrate(connection: Connection, revision: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise Unavailable(
            f"The database was written by a newer version (this one knows schema {_newest()}). Start that version.",
            log=str(error),
        ) from error


def _current(connection: Connection) -> str | None:
    """The schema of the database, or None if it has none: Alembic stores one line in a table of its own."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _is_readable(connection: Connection) -> bool:
    """Whether a database of an unknown schema says that a program of this one can work with it."""
    if not inspect(connection).has_table("meta"):
        return False
    oldest = connection.execute(text("SELECT value FROM meta WHERE key = :key"), {"key": _META_KEY}).scalar()
    return oldest is not None and oldest in known()


@cache
def known() -> frozenset[str]:
    """Every schema this program knows: the number that the file of its migration begins with."""
    return frozenset(script.name[:4] for script in (MIGRATIONS / "versions").glob("[0-9]*.py"))


@cache
def _newest() -> str:
    return max(known())
