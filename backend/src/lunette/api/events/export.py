"""The log as a file: CSV for a spreadsheet, JSON for a program. It is streamed, however long it is."""

import csv
import io
from collections.abc import Iterator, Sequence
from enum import StrEnum

from sqlalchemy import Select

from lunette.api.answers.journal import EventRecord, event_record
from lunette.store.database import Store
from lunette.store.journal import Event

CHUNK = 1000
COLUMNS = (
    "seq",
    "at",
    "actor",
    "outcome",
    "kind",
    "noun",
    "ref",
    "message",
    "changes",
    "hosts_interrupted",
    "warnings",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Text that a spreadsheet would treat as a formula (OWASP, CSV injection)."""


class ExportFormat(StrEnum):
    """Format of exported events."""

    CSV = "csv"
    """CSV, for spreadsheets."""
    JSON = "json"
    """JSON array, for programs."""

    @property
    def media_type(self) -> str:
        return "text/csv; charset=utf-8" if self is ExportFormat.CSV else "application/json"


def export(store: Store, query: Select[Event], shape: ExportFormat) -> Iterator[str]:
    """The events of the query, newest first, as text in pieces."""
    return _csv(store, query) if shape is ExportFormat.CSV else _json(store, query)


def _csv(store: Store, query: Select[Event]) -> Iterator[str]:
    yield _line(COLUMNS)
    for records in _chunks(store, query):
        yield "".join(_line([_cell(record, column) for column in COLUMNS]) for record in records)


def _json(store: Store, query: Select[Event]) -> Iterator[str]:
    yield "["
    comma = "\n"
    for records in _chunks(store, query):
        yield comma + ",\n".join(record.model_dump_json() for record in records)
        comma = ",\n"
    yield "\n]\n"


def _chunks(store: Store, query: Select[Event]) -> Iterator[Sequence[EventRecord]]:
    """Each part in its own transaction; by number, so that concurrent events do not matter."""
    below: int | None = None
    while True:
        part = query if below is None else query.where(Event.seq < below)
        with store.read() as tx:
            rows = tx.scalars(part.order_by(Event.seq.desc()).limit(CHUNK)).all()
            records = [event_record(row) for row in rows]
        if not records:
            return
        yield records
        below = records[-1].seq


def _cell(record: EventRecord, column: str) -> str:
    match column:
        case "at":
            return record.at.isoformat(timespec="milliseconds")
        case "changes":
            text = "; ".join(f"{one.action} {one.noun} {one.name}: {one.detail}" for one in record.changes)
        case "hosts_interrupted" | "warnings":
            text = "; ".join(getattr(record, column))
        case _:
            value = getattr(record, column)
            text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()
