"""What scrubs found: an event when one is over, and an alert until a later one has read everything and found nothing.

What a mismatch of md means is in md(4), "Scrubbing and mismatches".
"""

from collections.abc import Iterable, Iterator, Mapping

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine, Level, ObservedArray, ScrubOutcome
from lunette.domain.sizes import format_size
from lunette.engine.alerts.board import Cause
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.resources import Array

Known = Mapping[str, ScrubOutcome | None]
"""By array: what was seen of its last scrub."""
Pairs = Iterable[tuple[Array, ObservedArray | None]]
_MIRRORS = (Level.RAID1, Level.RAID10)


def causes_of(row: Array, found: ObservedArray | None) -> Iterator[Cause]:
    """An alert where the last scrub found something."""
    outcome = found.scrubbed if found else None
    if outcome is None or not (outcome.mismatches or outcome.lost):
        return
    pool = row.engine == ArrayEngine.ZFS
    cause, fix = (_of_pool if pool else _of_md)(row, outcome)
    yield Cause(
        key=f"array.scrub:{_thing(row)}",
        severity=Severity.CRITICAL if outcome.lost else Severity.WARNING,
        message=f"A scrub of array {row.name} {_words(row, outcome)}",
        cause=cause,
        fix=fix,
    )


def unread(pairs: Pairs) -> frozenset[str]:
    """Arrays of which no whole scrub is known: what an earlier one found still stands. As the end of an alert's key."""
    return frozenset(
        _thing(row) for row, found in pairs if found is None or not found.scrubbed or not found.scrubbed.is_whole
    )


def tell(store: Store, pairs: Pairs, before: Known) -> Known:
    """An event for each scrub that ended since `before`; what is known now. An array that is away is as it was."""
    seen = [(row, found) for row, found in pairs if found is not None]
    last = {row.id: None if found.progress else found.scrubbed or before.get(row.id) for row, found in seen}
    now = dict(before) | last
    ended = [(row, now[row.id]) for row, _ in seen if row.id in before and before[row.id] != now[row.id]]
    told = [(row, outcome) for row, outcome in ended if outcome is not None]
    if told:
        with store.write() as tx:
            for row, outcome in told:
                data = {"mismatches": outcome.mismatches, "lost": outcome.lost, "is_whole": outcome.is_whole}
                emit(tx, "array.scrubbed", f"A scrub of array {row.name} {_words(row, outcome)}", ref=row.id, data=data)
    return now


def _thing(row: Array) -> str:
    """What stands behind the colon of the key. It is not the bare id, so that other alerts of the array go on."""
    return f"{row.id}:data"


def _words(row: Array, outcome: ScrubOutcome) -> str:
    cut = "" if outcome.is_whole else ", and was stopped early"
    if not outcome.mismatches and not outcome.lost:
        return f"found no errors{cut}"
    if row.engine == ArrayEngine.ZFS:
        found = [f"repaired {format_size(outcome.mismatches)}"] if outcome.mismatches else []
        found += [f"found {outcome.lost} errors that could not be repaired"] if outcome.lost else []
        return f"{' and '.join(found)}{cut}"
    what = "copies" if Level(row.level) in _MIRRORS else "parity"
    wrote = ", and overwrote them" if outcome.repaired else ""
    return f"found {outcome.mismatches} sectors with mismatched {what}{wrote}{cut}"


def _of_md(row: Array, outcome: ScrubOutcome) -> tuple[str, str]:
    check = f"`lunette array scrub {row.name}`"
    if Level(row.level) in _MIRRORS:
        cause = (
            "A disk returned or stored wrong data; or, on a mirror, memory changed while it was being written, for "
            "example in swap: such blocks are not read, and no harm is done. md cannot distinguish the two cases"
        )
    else:
        cause = "A disk returned or stored wrong data: with parity, software alone does not cause this"
    look = "Check the health of its disks, and verify the data on the volumes with the applications that use it"
    if outcome.repaired:
        return cause, f"{look}. Then scrub again with {check}: this alert resolves when no mismatches are found."
    keeps = "the first copy" if Level(row.level) in _MIRRORS else "the data and rewrites the parity to match"
    return cause, (
        f"{look}. Then remove the mismatches with `lunette array scrub {row.name} --action repair`: md keeps {keeps}, "
        f"whether correct or not. This alert resolves when {check} then finds no mismatches."
    )


def _of_pool(row: Array, outcome: ScrubOutcome) -> tuple[str, str]:
    cause = "A disk returned data that did not match its checksums, or no data"
    again = f"This alert resolves when another `lunette array scrub {row.name}` finds no errors."
    disks = f"`lunette array show {row.name}` shows the errors of each disk: replace a disk that has many."
    if outcome.lost:
        where = "`zpool status -v` as root lists the volumes with unreadable blocks: restore them from a backup."
        return cause, f"{where} {disks} {again}"
    return cause, f"No data was lost. {disks} {again}"
