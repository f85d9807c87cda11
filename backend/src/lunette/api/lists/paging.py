"""Pages of lists. A page continues at a key, not at an offset, so that a changing list neither repeats nor skips items.

Clients that read a whole list use the cursor; a view that jumps into a list gives the number of rows to skip. The
cursor contains the sort order and the value and ID of the last row. It is not secret, and an invalid one is refused.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query
from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from lunette.domain.errors import FieldProblem, Invalid
from lunette.store.schema import UtcTime

MAX_LIMIT = 1000
MAX_OFFSET = 10_000_000
Value = str | int | datetime
Row = TypeVar("Row")
Item = TypeVar("Item")
Columns = Mapping[str, InstrumentedAttribute[Any]]

NameFilter = Annotated[
    str | None, Query(max_length=255, description="Only names that match; `*` matches any text, `?` one character.")
]


@dataclass(frozen=True)
class Spec:
    """The requested page."""

    limit: int
    cursor: str | None
    offset: int = 0
    """Rows to skip, after the cursor if there is one."""
    fields: str | None = None
    """Fields of each item to return, of which the route takes care."""


def _spec(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Maximum number of items per page.")] = 100,
    cursor: Annotated[
        str | None, Query(max_length=2000, description="Value of `next_cursor` of the previous page.")
    ] = None,
    offset: Annotated[
        int,
        Query(
            ge=0,
            le=MAX_OFFSET,
            description="Number of items to skip. To read a whole list, use `cursor` instead: offsets repeat or skip "
            "items if the list changes between requests.",
        ),
    ] = 0,
    fields: Annotated[
        str | None,
        Query(
            max_length=1000,
            description="Fields of each item to return, comma-separated, such as `id,name`. By default, all fields.",
        ),
    ] = None,
) -> Spec:
    return Spec(limit, cursor, offset, fields)


Paging = Annotated[Spec, Depends(_spec)]


@dataclass(frozen=True)
class Rows(Iterable[Row]):
    """The rows of one page, the cursor of the next page, and the total number of rows."""

    rows: Sequence[Row]
    next_cursor: str | None
    total: int

    def __iter__(self) -> Any:
        return iter(self.rows)


def stored_page(tx: Session, query: Select[Row], spec: Spec, sort: str, columns: Columns) -> Rows[Row]:
    """One page by SQL. `columns` maps sort fields to columns that are never null; the column `id` breaks ties."""
    field, descending = sort.removeprefix("-"), sort.startswith("-")
    column, tie = columns[field], columns["id"]
    total = tx.scalar(select(func.count()).select_from(query.order_by(None).subquery())) or 0
    if spec.cursor:
        value, last = _decode(spec.cursor, sort, _kind(column), _kind(tie))
        query = query.where(_beyond(column, value, tie, last, descending=descending))
    order = [column.desc(), tie.desc()] if descending else [column.asc(), tie.asc()]
    # First the keys, from an index in this order. Without such an index only keys are sorted, not whole rows.
    keys = tx.scalars(query.with_only_columns(tie).order_by(*order).limit(spec.limit + 1).offset(spec.offset)).all()
    rows = tx.scalars(query.where(tie.in_(keys[: spec.limit]))).all() if keys else ()
    place = {key: index for index, key in enumerate(keys)}
    page = sorted(rows, key=lambda row: place[getattr(row, tie.key)])
    more = len(keys) > spec.limit
    cursor = _encode(sort, getattr(page[-1], column.key), getattr(page[-1], tie.key)) if more else None
    return Rows(page, cursor, total)


def observed_page(
    items: Iterable[Item], spec: Spec, sort: str, key: Callable[[Item, str], tuple[Value, str]]
) -> Rows[Item]:
    """One page of observed items. `key(item, field)` returns the sort value and the ID."""
    field, descending = sort.removeprefix("-"), sort.startswith("-")
    ordered = sorted(items, key=lambda item: key(item, field), reverse=descending)
    total = len(ordered)
    if spec.cursor:
        kind = type(key(ordered[0], field)[0]) if ordered else str
        last = _decode(spec.cursor, sort, kind, str)
        ordered = [i for i in ordered if (key(i, field) < last if descending else key(i, field) > last)]
    ordered = ordered[spec.offset :]
    page = ordered[: spec.limit]
    cursor = _encode(sort, *key(page[-1], field)) if len(ordered) > spec.limit else None
    return Rows(page, cursor, total)


def name_like(column: InstrumentedAttribute[str], pattern: str | None) -> list[ColumnElement[bool]]:
    """The condition of a name filter, none without a pattern. The case of letters is ignored."""
    if pattern is None:
        return []
    escaped = pattern.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return [func.lower(column).like(escaped.replace("*", "%").replace("?", "_"), escape="\\")]


def _kind(column: InstrumentedAttribute[Any]) -> type:
    return datetime if isinstance(column.type, UtcTime) else column.type.python_type


def _beyond(
    column: InstrumentedAttribute[Any], value: Value, tie: InstrumentedAttribute[Any], last: Value, *, descending: bool
) -> ColumnElement[bool]:
    if descending:
        return or_(column < value, and_(column == value, tie < last))
    return or_(column > value, and_(column == value, tie > last))


def _encode(sort: str, value: Value, last: Value) -> str:
    plain = value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
    return base64.urlsafe_b64encode(json.dumps([sort, plain, last], separators=(",", ":")).encode()).decode()


def _decode(cursor: str, sort: str, kind: type, tie_kind: type) -> tuple[Any, Any]:
    try:
        used, value, last = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if kind is datetime:
            value = datetime.fromisoformat(value)
            if value.tzinfo is None:
                raise ValueError("a time without a time zone")
        fits = type(value) is kind and type(last) is tie_kind and _is_storable(value) and _is_storable(last)
        if used != sort or not fits:
            raise ValueError("made for another list")
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise Invalid(
            "The cursor does not belong to this list; start again without it, and keep sort and filters the same.",
            errors=(FieldProblem(field="cursor", value=cursor[:100], message="is not a cursor of this list"),),
        ) from error
    return value, last


def _is_storable(value: object) -> bool:
    """Neither NUL, which PostgreSQL refuses, nor a number too large for a database."""
    if isinstance(value, str):
        return value.isprintable()
    return not isinstance(value, int) or abs(value) < 2**63
