"""What all tables share: naming of constraints, UTC times, ids and the version behind every ETag."""

import datetime as dt
from typing import Any, ClassVar

from sqlalchemy import DateTime, Dialect, MetaData, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

Json = dict[str, Any]
"""A JSON object as stored; it is parsed into a domain model before anything looks inside."""


def utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class UtcTime(TypeDecorator[dt.datetime]):
    """A moment in UTC. SQLite keeps no zone, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("a stored time requires a time zone")
        return value.astimezone(dt.UTC) if value else None

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {dt.datetime: UtcTime()}


class Resource:
    """Columns of every noun the API serves. `version` grows with each update of the row and is its ETag."""

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[dt.datetime] = mapped_column(default=utc_now)
    updated_at: Mapped[dt.datetime] = mapped_column(default=utc_now, onupdate=utc_now)

    @declared_attr.directive
    def __mapper_args__(cls) -> dict[str, Any]:  # noqa: N805 SQLAlchemy hands over the class
        return {"version_id_col": cls.version}

    def touch(self) -> None:
        """Marks the row as changed where only its children did, so that the ETag changes too."""
        self.updated_at = utc_now()
