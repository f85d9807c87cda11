"""Alerts about an md raid5 without its partial parity log, or with one that its disks make unsafe."""

from collections.abc import Iterator

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, WriteHole
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.md.write_hole import cached_members
from lunette.providers.arrays.md.plan import no_log
from lunette.store.resources import Array

HOLE_GRACE_S = 300.0
"""How long the log may be missing after a reshape, or may stay on disks with volatile write caches."""


def causes_of(row: Array, found: ObservedArray, seen: Observation) -> Iterator[Cause]:
    """At most one alert for an array whose desired protection is the log."""
    if not ARRAY_ENGINES[ArrayEngine(row.engine)].has_parity_log:
        return
    if row.write_hole != WriteHole.PPL or found.level != Level.RAID5:
        return
    if found.state is ArrayState.MISSING:
        return
    caches = cached_members(found, seen)
    if caches:
        yield _over_caches(row, found, caches)
    elif row.growing and found.write_hole is not WriteHole.PPL and found.progress is None:
        yield Cause(
            key=f"array.write_hole:{row.id}",
            severity=Severity.WARNING,
            message=f"The write hole of array {row.name} is open: its partial parity log is not restored yet",
            cause="The log was removed while the array was expanded, and could not be restored",
            fix="This is retried every ten minutes; `lunette job list` shows the reason. Replace a disk that is lost.",
            grace_s=HOLE_GRACE_S,
        )


def _over_caches(row: Array, found: ObservedArray, caches: tuple[str, ...]) -> Cause:
    """The log is still on, which can lose data, or off, which leaves the write hole open."""
    key, why = f"array.write_hole:{row.id}", no_log(caches)
    cause = why[0].upper() + why[1:]
    turn_off = (
        f"Turn off the write cache of {', '.join(caches)} permanently, as docs/howto/watch-disks.md shows, or replace "
        "them with disks without a write cache: the partial parity log is then restored automatically."
    )
    if found.write_hole is WriteHole.PPL:
        return Cause(
            key=key,
            severity=Severity.CRITICAL,
            message=f"Array {row.name} could lose flushed data in a power cut",
            cause=cause,
            fix=f"Once the array is clean, a write-intent bitmap replaces the log automatically. {turn_off}",
            grace_s=HOLE_GRACE_S,
        )
    return Cause(
        key=key,
        severity=Severity.WARNING,
        message=f"The write hole of array {row.name} is open: it cannot have its partial parity log",
        cause=cause,
        fix=turn_off,
    )
