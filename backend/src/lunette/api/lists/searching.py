"""What people paste into a search, and where it is found: in rows by SQL, in what is observed by hand."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query
from sqlalchemy import ColumnElement, String, case, false, func, or_
from sqlalchemy.orm import InstrumentedAttribute

from lunette.api.answers.search import SearchField, SearchMatch
from lunette.store.resources import DeletedVolume, Target, Volume

Column = InstrumentedAttribute[str]
Columns = tuple[tuple[SearchField, Column], ...]
TextFilter = Annotated[
    str | None,
    Query(
        max_length=255,
        description="Only objects with this text in their name, description or an identifier, also as an operating "
        "system writes it (`naa.6001405...`). Case is ignored. Identifiers are searched for texts of four characters "
        "and more.",
    ),
]
_ANYWHERE = frozenset({SearchField.NAME, SearchField.ADDRESS, SearchField.DEVICE})
_SHORTEST_IDENTIFIER = 4
_DECORATION = re.compile(
    r"^(?:/dev/)?(?:disk/by-id/)?(?:dm-uuid-mpath-|scsi-|wwn-|nvme-)?(?:naa\.|eui\.|uuid\.|0x|3(?=6[0-9a-f]{31}$))?"
)
_HEX = re.compile(r"[0-9a-f]+")
TARGET: Columns = ((SearchField.TARGET, Target.iqn), (SearchField.TARGET, Target.nqn))


def named(table: Any, *columns: tuple[SearchField, Column]) -> Columns:
    """Where objects with a name are found: there, by ID, and in further columns."""
    return ((SearchField.NAME, table.name), *columns, (SearchField.ID, table.id))


def described(table: Any, *columns: tuple[SearchField, Column]) -> Columns:
    """Where objects with a name and a description are found."""
    return named(table, *columns, (SearchField.DESCRIPTION, table.description))


def volume_columns(table: type[Volume] | type[DeletedVolume]) -> Columns:
    """Where volumes are found: by all that a host or a log calls them."""
    return described(
        table,
        (SearchField.NAA, table.naa),
        (SearchField.SERIAL, table.serial),
        (SearchField.NGUID, table.nguid),
        (SearchField.EUI64, table.eui64),
        (SearchField.UUID, table.uuid),
    )


class Term:
    """The text of a search, in every form in which the same identifier is written."""

    def __init__(self, text: str) -> None:
        self.forms = _forms(text.strip().lower())

    def rank(self, field: SearchField, value: str) -> SearchMatch | None:
        """How well a value matches; None if it does not."""
        lower, forms = value.lower(), self._forms_for(field)
        if lower in forms:
            return SearchMatch.EXACT
        if any(lower.startswith(form) for form in forms):
            return SearchMatch.PREFIX
        return SearchMatch.PART if any(form in lower for form in forms) else None

    def found_in(self, columns: Sequence[tuple[SearchField, Column]]) -> ColumnElement[bool]:
        """The condition that one of the columns contains the text."""
        return self._any(columns, "%", "%")

    def order(self, columns: Sequence[tuple[SearchField, Column]]) -> ColumnElement[int]:
        """Sorts rows by their best match."""
        return case((self._any(columns, "", ""), 0), (self._any(columns, "", "%"), 1), else_=2)

    def _any(self, columns: Sequence[tuple[SearchField, Column]], before: str, after: str) -> ColumnElement[bool]:
        likes = (
            func.lower(column, type_=String).like(f"{before}{_escaped(form)}{after}", escape="\\")
            for field, column in columns
            for form in self._forms_for(field)
        )
        return or_(false(), *likes)

    def _forms_for(self, field: SearchField) -> tuple[str, ...]:
        return self.forms if field in _ANYWHERE else tuple(f for f in self.forms if len(f) >= _SHORTEST_IDENTIFIER)


def _forms(text: str) -> tuple[str, ...]:
    plain = _DECORATION.sub("", text)
    digits = re.sub(r"[:-]", "", plain)
    found = [text, plain]
    if _HEX.fullmatch(digits) and len(digits) >= _SHORTEST_IDENTIFIER:
        found.append(digits)
        if len(digits) in (12, 16):
            found.append(":".join(re.findall("..", digits)))
        if len(digits) == 32:
            found.append("-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])))
    return tuple(dict.fromkeys(form for form in found if form))


def _escaped(form: str) -> str:
    return form.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
