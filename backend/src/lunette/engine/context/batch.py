"""Collects the objects of a batch for its plan."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import LunetteError
from lunette.planner.checks.batch import Chosen, Named
from lunette.store.resources import Snapshot, Volume

Row = TypeVar("Row")
Known = TypeVar("Known", bound=Named)


def chosen(
    references: Sequence[str],
    rows: Mapping[str, Row],
    known: Callable[[Row], Known],
    must_be_free: Callable[[Row], None],
) -> list[Chosen[Known]]:
    """In the order of the references. `must_be_free` raises the reason why a row cannot be changed now."""
    return [
        Chosen(one, known(rows[one]), _reason(must_be_free, rows[one])) if one in rows else Chosen(one, None)
        for one in references
    ]


def _reason(must_be_free: Callable[[Row], None], row: Row) -> str | None:
    try:
        must_be_free(row)
    except LunetteError as error:
        return error.detail.removesuffix(".")
    return None


def taken_names(tx: Session, table: type[Volume] | type[Snapshot], names: Sequence[str]) -> dict[str, str]:
    """By name, why objects that had these names cannot all have them again."""
    noun, several = table.__tablename__, Counter(names)
    taken = {name: f"several of these {noun}s were named {name}" for name, count in several.items() if count > 1}
    now = tx.scalars(select(table.name).where(table.name.in_(several)))
    return taken | {name: f"another {noun} is now named {name}" for name in now}
