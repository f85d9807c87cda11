"""Results of scrubs: an event when one ends, and an alert until a later one has read everything and found nothing.

The wording depends on the engine.
"""

from collections.abc import Iterable, Iterator, Mapping

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine, Level, ObservedArray, ScrubOutcome
from lunette.engine.alerts.board import Cause
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.planning import ArrayPlanning
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.resources import Array

Known = Mapping[str, ScrubOutcome | None]
"""By array: the observed result of its last scrub."""
Pairs = Iterable[tuple[Array, ObservedArray | None]]


def causes_of(row: Array, found: ObservedArray | None) -> Iterator[Cause]:
    """An alert if the last scrub found something."""
    outcome = found.scrubbed if found else None
    if outcome is None or not (outcome.mismatches or outcome.lost):
        return
    cause, fix = _planning(row).scrub_advice(row.name, Level(row.level), outcome)
    yield Cause(
        key=f"array.scrub:{_thing(row)}",
        severity=Severity.CRITICAL if outcome.lost else Severity.WARNING,
        message=f"A scrub of array {row.name} {_words(row, outcome)}",
        cause=cause,
        fix=fix,
    )


def unread(pairs: Pairs) -> frozenset[str]:
    """Arrays without a known complete scrub, as the end of an alert's key: earlier results still count."""
    return frozenset(
        _thing(row) for row, found in pairs if found is None or not found.scrubbed or not found.scrubbed.is_whole
    )


def report(store: Store, pairs: Pairs, before: Known) -> Known:
    """An event for each scrub that ended since `before`. Returns what is known now; arrays that are missing keep their
    result.
    """
    seen = [(row, found) for row, found in pairs if found is not None]
    last = {row.id: None if found.progress else found.scrubbed or before.get(row.id) for row, found in seen}
    now = dict(before) | last
    ended = [(row, now[row.id]) for row, _ in seen if row.id in before and before[row.id] != now[row.id]]
    reported = [(row, outcome) for row, outcome in ended if outcome is not None]
    if reported:
        with store.write() as tx:
            for row, outcome in reported:
                data = {"mismatches": outcome.mismatches, "lost": outcome.lost, "is_whole": outcome.is_whole}
                emit(tx, "array.scrubbed", f"A scrub of array {row.name} {_words(row, outcome)}", ref=row.id, data=data)
    return now


def _thing(row: Array) -> str:
    """The part of the key after the colon. It is not the bare ID, so that other alerts of the array continue."""
    return f"{row.id}:data"


def _words(row: Array, outcome: ScrubOutcome) -> str:
    cut = "" if outcome.is_whole else ", and was stopped early"
    if not outcome.mismatches and not outcome.lost:
        return f"found no errors{cut}"
    return f"{_planning(row).scrub_words(Level(row.level), outcome)}{cut}"


def _planning(row: Array) -> ArrayPlanning:
    return ARRAY_ENGINES[ArrayEngine(row.engine)]
