"""Brings the schema up to date at start-up, in one transaction.

After an update that failed, the version before starts on a database that the new one has migrated already. So
migrations only add, and the database says in `meta` from which schema on its programs can work with it; such a program
uses it as it is. Nothing is migrated back: what was made meanwhile, identities above all, stays.
"""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
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
        current = MigrationContext.configure(connection).get_current_revision()
        if revision == "head" and (current == _newest() or (current not in _known() and _is_readable(connection))):
            return
        config = _config()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, revision)
        except CommandError as error:
            raise Unavailable(
                f"The database was written by a newer version (this one knows schema {_newest()}). Start that version.",
                log=str(error),
            ) from error
        if revision == "head":
            connection.execute(text("DELETE FROM meta WHERE key = :key"), {"key": _META_KEY})
            connection.execute(
                text("INSERT INTO meta (key, value) VALUES (:key, :value)"), {"key": _META_KEY, "value": READABLE_FROM}
            )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _is_readable(connection: Connection) -> bool:
    """Whether a database of an unknown schema says that a program of this one can work with it."""
    if not inspect(connection).has_table("meta"):
        return False
    oldest = connection.execute(text("SELECT value FROM meta WHERE key = :key"), {"key": _META_KEY}).scalar()
    return oldest is not None and oldest in _known()


@cache
def _known() -> frozenset[str | None]:
    """Every schema this program knows; None is that of an empty database."""
    return frozenset({None, *(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())})


@cache
def _newest() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()
