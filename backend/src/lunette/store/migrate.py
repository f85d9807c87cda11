"""Brings the schema up to date at start-up, in one transaction."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine

from lunette.domain.errors import Unavailable

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Applies every migration that is missing. Raises Unavailable for a database of a newer version."""
    with engine.begin() as connection:
        if MigrationContext.configure(connection).get_current_revision() == _newest() and revision == "head":
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


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


@cache
def _newest() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()
