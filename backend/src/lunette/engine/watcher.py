"""Watches the machine for what nobody asked for: arrays that lose disks, drives that come and go."""

import datetime as dt
from collections.abc import Callable, Iterator

from sqlalchemy import select

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.errors import Unavailable
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.engine.alerts import AlertBoard, Cause
from lunette.engine.loop import Loop
from lunette.engine.observing import ObservationCache
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.resources import Array
from lunette.store.schema import utc_now

PERIOD_S = 10.0
MISSING_GRACE_S = 30.0
"""At boot the agent waits this long for disks before it starts an array without them."""
FAMILIES = ("array.",)
_WORDS = {
    ArrayState.DEGRADED: (Severity.WARNING, "is degraded: it runs without all its disks", "Replace the missing disk."),
    ArrayState.REBUILDING: (Severity.WARNING, "is rebuilding", "Wait for the rebuild; until then it is not redundant."),
    ArrayState.FAILED: (Severity.CRITICAL, "has failed: too many disks are gone", "Bring back the disks that left."),
    ArrayState.MISSING: (Severity.CRITICAL, "is not there: its disks do not show", "Check cables and power of disks."),
}


class Watcher:
    """Array health becomes alerts; changes of health and of the set of disks become events."""

    def __init__(self, store: Store, cache: ObservationCache, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._store = store
        self._cache = cache
        self._now = now
        self._board = AlertBoard(store, FAMILIES)
        self._health: dict[str, str] = {}
        self._disks: frozenset[str] | None = None
        self._loop = Loop("watcher", self.round)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake

    def round(self) -> float:
        """One look. While the agent is away nothing is known, so nothing is raised or resolved."""
        try:
            seen = self._cache.get(PERIOD_S / 2)
        except Unavailable:
            return PERIOD_S
        with self._store.read() as tx:
            ready = tx.scalars(select(Array).where(Array.state == ResourceState.READY.value)).all()
        observed = {array.uuid: array for array in seen.arrays}
        pairs = [(row, observed.get(row.uuid)) for row in ready]
        self._board.show((cause for row, found in pairs for cause in causes_of(row, found)), self._now())
        self._tell_disks(seen)
        self._tell_health({row.id: (row.name, _state(found).value) for row, found in pairs})
        return PERIOD_S

    def _tell_health(self, now: dict[str, tuple[str, str]]) -> None:
        changed = [
            (ref, name, self._health[ref], state)
            for ref, (name, state) in now.items()
            if ref in self._health and self._health[ref] != state
        ]
        self._health = {ref: state for ref, (_, state) in now.items()}
        if changed:
            with self._store.write() as tx:
                for ref, name, before, state in changed:
                    message = f"Array {name} was {before} and is {state}"
                    emit(tx, "array.health", message, ref=ref, data={"before": before, "now": state})

    def _tell_disks(self, seen: Observation) -> None:
        now = frozenset(disk.id for disk in seen.disks)
        before, self._disks = self._disks, now
        if before is None or before == now:
            return
        with self._store.write() as tx:
            for disk_id in sorted(now - before):
                emit(tx, "disk.appeared", f"Disk {disk_id} appeared", ref=disk_id)
            for disk_id in sorted(before - now):
                emit(tx, "disk.gone", f"Disk {disk_id} is gone", ref=disk_id)


def _state(found: ObservedArray | None) -> ArrayState:
    return found.state if found else ArrayState.MISSING


def causes_of(row: Array, found: ObservedArray | None) -> Iterator[Cause]:
    """The alert an array's health is worth, if any."""
    state = _state(found)
    if state not in _WORDS:
        return
    severity, words, fix = _WORDS[state]
    lost = [m.disk_id or f"slot {slot}" for slot, m in enumerate(found.members) if m.state in ("missing", "faulty")] \
        if found else [disk.disk_id for disk in row.disks]  # fmt: skip
    yield Cause(
        key=f"array.health:{row.id}",
        severity=severity,
        message=f"Array {row.name} {words}",
        cause=f"Not in sync: {', '.join(lost[:10])}" if lost else f"The kernel reports the array as {state.value}",
        fix=fix,
        grace_s=MISSING_GRACE_S if state is ArrayState.MISSING else 0.0,
    )
