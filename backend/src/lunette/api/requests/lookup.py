"""Finds a stored resource by its ID or its name."""

from typing import Annotated, TypeVar

from fastapi import Path
from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session
from starlette.convertors import Convertor, register_url_convertor

from lunette.domain.errors import NotFound


class _Plain(Convertor[str]):
    """A reference without a colon, `{job:plain}` in a path, so that `/jobs/x:resolve` is not a job of that name."""

    regex = "[^/:]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _Bare(_Plain):
    """A reference that may contain colons, as `usb-Stick-0:0` does, but does not end in a verb: `/disks/x:wipe` is no
    disk.
    """

    regex = "(?![^/]*:[a-z_-]+$)[^/]+"


register_url_convertor("plain", _Plain())
register_url_convertor("bare", _Bare())
Reference = Annotated[str, Path(min_length=1, max_length=255)]
"""A resource by its ID or its name. The API document describes it by the name of the parameter."""
Row = TypeVar("Row")


def find(tx: Session, kind: type[Row], reference: str, name: InstrumentedAttribute[str] | None = None) -> Row:
    """The row with this ID, or else with this name. Raises NotFound naming the reference."""
    row = tx.get(kind, reference)
    if row is None and name is not None:
        row = tx.scalars(select(kind).where(name == reference)).one_or_none()
    if row is None:
        noun = str(getattr(kind, "__tablename__", "resource")).replace("_", " ").removeprefix("api ")
        raise NotFound(f"There is no {noun} {reference!r}; see the list of {noun}s.")
    return row
