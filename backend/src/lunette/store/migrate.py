"""Brings the schema up to date at start-up, in one transaction."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine

from lunette.domain.errors import Unavailable

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Applies every migration that is missing. Raises Unavailable for a database of a newer version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, revision)
        except CommandError as error:
            newest = ScriptDirectory.from_config(config).get_current_head()
            raise Unavailable(
                f"The database was written by a newer version (this one knows schema {newest}). Start that version.",
                log=str(error),
            ) from error
