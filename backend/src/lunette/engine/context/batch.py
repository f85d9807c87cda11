"""Collects the objects of a batch for its plan."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from lunette.domain.errors import LunetteError
from lunette.planner.checks.batch import Chosen, Named

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
