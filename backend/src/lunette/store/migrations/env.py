"""Alembic's entry: runs on the connection that `store.migrate` opened."""

from alembic import context
from sqlalchemy import Connection

from lunette.store import access, journal, resources, schedules, settings
from lunette.store.schema import Base

TABLES = (access, journal, resources, schedules, settings)
"""Importing them fills the metadata."""

connection: Connection = context.config.attributes["connection"]
context.configure(
    connection=connection, target_metadata=Base.metadata, render_as_batch=connection.dialect.name == "sqlite"
)
context.run_migrations()
