"""Watches the machine for unrequested changes: arrays that lose disks, drives that appear and disappear."""

import datetime as dt
import time
from collections.abc import Callable, Iterator, Sequence

from sqlalchemy import select

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray
from lunette.domain.errors import Unavailable
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.sizes import format_size
from lunette.engine.alerts.board import AlertBoard, Cause
from lunette.engine.changes import updates
from lunette.engine.conditions import (
    absence,
    array_roles,
    clock,
    disk_health,
    disk_readings,
    failed_logins,
    links,
    scrubs,
    spdk_ended,
    system_drive,
    system_mirror,
    unread,
    write_hole,
)
from lunette.engine.context.loop import Loop
from lunette.engine.context.observing import ObservationCache
from lunette.engine.exports import exportset, firewall, sharing
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.resources import Array, ArrayDisk, Portal
from lunette.store.schema import utc_now

PERIOD_S = 10.0
"""Maximum age of the last observation while no change is reported."""
WAIT_S = 1.0
"""How long one request for changes stays open; a stopping process waits no longer."""
MISSING_GRACE_S = 30.0
"""At boot the agent waits this long for disks before it starts an array without them."""
FAMILIES = (
    "array.",
    links.FAMILY,
    system_mirror.FAMILY,
    firewall.FAMILY,
    disk_health.FAMILY,
    clock.FAMILY,
    sharing.FAMILY,
    spdk_ended.FAMILY,
    failed_logins.FAMILY,
    unread.FAMILY,
)
AWAY_S = 2.0
_WORDS = {
    ArrayState.DEGRADED: (Severity.WARNING, "is degraded: it runs without {}", "some of its disks"),
    ArrayState.REBUILDING: (Severity.WARNING, "is rebuilding to replace {}", "a lost or replaced disk"),
    ArrayState.FAILED: (Severity.CRITICAL, "has failed: it lost {}", "too many disks"),
    ArrayState.MISSING: (Severity.CRITICAL, "is missing: {}", ""),
}
"""Severity and text; the placeholder takes the lost disks, or else the last item."""
_NO_REDUNDANCY = ", and has no redundancy left: it may not survive the loss of another disk"
_REPORTED = {
    ArrayState.DEGRADED: (Severity.WARNING, "is degraded"),
    ArrayState.REBUILDING: (Severity.WARNING, "is rebuilding"),
    ArrayState.FAILED: (Severity.CRITICAL, "has failed"),
    ArrayState.UNKNOWN: (Severity.WARNING, "does not report its health"),
}
AwaitChange = Callable[[int, float], int]


class Watcher:
    """Raises alerts for array health; writes events for changes of health and of the set of disks.

    `await_change` asks the agent whether a drive or an array changed, so that a loss is reported immediately. `tend` is
    called with each observation, for automatic maintenance.
    """

    def __init__(
        self,
        store: Store,
        cache: ObservationCache,
        now: Callable[[], dt.datetime] = utc_now,
        *,
        await_change: AwaitChange = lambda known, timeout_s: known,
        tend: Callable[[Observation], None] = lambda seen: None,
        pace: float = 1.0,
    ) -> None:
        self._store = store
        self._cache = cache
        self._now = now
        self._await_change = await_change
        self._wait_s, self._period_s = WAIT_S * pace, PERIOD_S * pace
        self._tend = tend
        self.name_disks: Callable[[Observation], None] = lambda seen: None
        """Called with each observation before anything is judged, for disks that have another ID now."""
        self.room: system_drive.Look = lambda: None
        """Checks the system drive."""
        self.failed_logins = failed_logins.FailedLogins(store)
        self._known = -1
        self._looked = float("-inf")
        self._board = AlertBoard(store, FAMILIES)
        self._health: dict[str, str] = {}
        self._scrubbed: scrubs.Known = {}
        self._disks: frozenset[str] | None = None
        self._read: disk_readings.Read = {}
        self._spdk_ended_at = 0.0
        self._loop = Loop("watcher", self._watch, pace)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake

    def _watch(self) -> float:
        """Waits for a change, no longer than the last observation stays fresh, and observes. Returns the loop's pause
        after it.
        """
        try:
            number = self._await_change(self._known, self._wait_s)
        except Unavailable:
            return AWAY_S
        if number == self._known and time.monotonic() - self._looked < self._period_s:
            return 0.0
        fresh = number != self._known
        self._known, self._looked = number, time.monotonic()
        return self.round(0.0 if fresh else self._period_s / 2)

    def round(self, max_age_s: float = PERIOD_S / 2) -> float:
        """One check. While the agent is down nothing is known, so nothing is raised or resolved."""
        try:
            seen = self._cache.get(max_age_s)
        except Unavailable:
            return AWAY_S
        self.name_disks(seen)
        with self._store.read() as tx:
            standing = tx.scalars(select(Array).where(exportset.is_served())).all()
            portals = tx.scalars(select(Portal).order_by(Portal.name)).all()
            ill = [*sharing.causes_of(tx, seen)]
        observed = {array.uuid: array for array in seen.arrays}
        pairs = [(row, observed.get(row.uuid)) for row in standing if not unread.is_hidden(row, seen)]
        ill += [cause for row, found in pairs for cause in causes_of(row, found, seen)]
        ill += [*links.causes_of(seen.interfaces, portals), *system_mirror.causes_of(seen), *updates.causes_of(seen)]
        ill += [*firewall.causes_of(seen), *clock.causes_of(seen), *system_drive.causes_of(self.room())]
        ill += [*spdk_ended.causes_of(seen), *self.failed_logins.causes(), *unread.causes_of(seen)]
        growth = disk_health.follow(self._store, seen.disks, self._now())
        ill += disk_health.causes_of(seen, standing, growth)
        ill += [cause for row, found in pairs for cause in scrubs.causes_of(row, found)]
        unknown = disk_health.unread(seen) | scrubs.unread(pairs) | unread.unknown(seen, standing)
        self._board.show(ill, self._now(), unknown)
        self._report_disks(seen)
        self._report_spdk(seen)
        self._scrubbed = scrubs.report(self._store, pairs, self._scrubbed)
        self._health = {row.id: self._health[row.id] for row in standing if row.id in self._health}
        self._report_health({row.id: (row.name, _state(found).value) for row, found in pairs})
        self._read = disk_readings.note(self._store, seen.disks, growth, self._read)
        self._tend(seen)
        return 0.0

    def _report_health(self, now: dict[str, tuple[str, str]]) -> None:
        changed = [
            (ref, name, self._health[ref], state)
            for ref, (name, state) in now.items()
            if ref in self._health and self._health[ref] != state
        ]
        self._health |= {ref: state for ref, (_, state) in now.items()}
        if changed:
            with self._store.write() as tx:
                for ref, name, before, state in changed:
                    message = f"Array {name} is {state} (was {before})"
                    emit(tx, "array.health", message, ref=ref, data={"before": before, "now": state})

    def _report_spdk(self, seen: Observation) -> None:
        if seen.spdk_ended is not None and seen.spdk_ended.at != self._spdk_ended_at:
            with self._store.write() as tx:
                spdk_ended.report(tx, seen.spdk_ended)
            self._spdk_ended_at = seen.spdk_ended.at

    def _report_disks(self, seen: Observation) -> None:
        if seen.hides_disks():
            return
        now = frozenset(disk.id for disk in seen.disks)
        before, self._disks = self._disks, now
        if before is None or before == now:
            return
        with self._store.write() as tx:
            for disk_id in sorted(now - before):
                emit(tx, "disk.appeared", f"Disk {disk_id} appeared", ref=disk_id)
            for disk_id in sorted(before - now):
                emit(tx, "disk.gone", f"Disk {disk_id} disappeared", ref=disk_id)


def _state(found: ObservedArray | None) -> ArrayState:
    return found.state if found else ArrayState.MISSING


def causes_of(row: Array, found: ObservedArray | None, seen: Observation) -> Iterator[Cause]:
    """The alerts for an array's health and its lost disks, naming array, disks and what to do."""
    state = _state(found)
    lost = [disk for disk in row.disks if _is_lost(row, disk, found, seen)]
    if found is not None:
        yield from array_roles.causes_of(row, [disk for disk in lost if array_roles.is_auxiliary(disk)])
        lost = [disk for disk in lost if not array_roles.is_auxiliary(disk)]
        yield from write_hole.causes_of(row, found, seen)
    if found is not None and found.locked:
        yield _locked(row)
    if grown := _grown(row, found):
        yield grown
    if found is not None and found.dirty_without:
        yield _stays_stopped(row, lost)
        return
    if row.health_command and found is not None and state is not ArrayState.MISSING:
        yield from _health_command_causes(row, found)
        return
    if state not in _WORDS:
        yield from (_spent(row, disk) for disk in lost)
        return
    severity, words, otherwise = _WORDS[state]
    named = _names(_being_replaced(row, lost, found) if state is ArrayState.REBUILDING else lost)
    why, fix = absence.words(row, seen) if state is ArrayState.MISSING else (named, _fix(row, state, lost, seen))
    is_bare = found is not None and found.survives_disks == 0 and severity is Severity.WARNING
    yield Cause(
        key=f"array.health:{row.id}",
        severity=Severity.CRITICAL if is_bare else severity,
        message=f"Array {row.name} {words.format(why or otherwise)}{_NO_REDUNDANCY if is_bare else ''}",
        cause=f"Not in sync: {_names(lost)}" if lost else f"The kernel reports the array as {state.value}",
        fix=fix,
        grace_s=MISSING_GRACE_S if state is ArrayState.MISSING else 0.0,
    )


def _being_replaced(row: Array, lost: Sequence[ArrayDisk], found: ObservedArray | None) -> Sequence[ArrayDisk]:
    """The lost disks in whose slots others are being filled; none if that cannot be determined.

    md forgets the slot of a lost disk. The slot in the row counts instead, as long as the slots of the working disks
    are correct.
    """
    members = found.members if found else ()
    filled = {m.slot for m in members if m.slot is not None and m.state in ("rebuilding", "replacing")}
    empty = {m.slot for m in members if m.slot is not None} - filled - {m.slot for m in members if m.state == "in_sync"}
    if len(lost) <= len(filled) and not empty:
        return lost
    slots = {m.disk_id: m.slot for m in members if m.slot is not None and m.disk_id}
    is_kept = all(slots.get(disk.disk_id, disk.slot) == disk.slot for disk in row.disks)
    return [disk for disk in lost if slots.get(disk.disk_id, disk.slot if is_kept else None) in filled]


def _stays_stopped(row: Array, lost: Sequence[ArrayDisk]) -> Cause:
    return Cause(
        key=f"array.health:{row.id}",
        severity=Severity.CRITICAL,
        message=f"Array {row.name} remains stopped: it is dirty and degraded",
        cause=(
            f"It was being written to when it stopped, and is without {_names(lost) or 'a disk'}. It has no partial "
            "parity log, so it is not known which blocks of that disk are correct"
        ),
        fix=(
            "Reattach the disk: the array then starts automatically. Only if the disk is permanently lost and wrong "
            f"blocks are acceptable: `lunette array force-start {row.name} --confirm {row.name}`."
        ),
        grace_s=MISSING_GRACE_S,
    )


def _health_command_causes(row: Array, found: ObservedArray) -> Iterator[Cause]:
    """The alert for the result of an external array's health command. Lunette knows no drive behind the device."""
    if found.state not in _REPORTED:
        return
    severity, words = _REPORTED[found.state]
    asks = f"Run health command {row.health_command} manually with the device as its only argument"
    yield Cause(
        key=f"array.health:{row.id}",
        severity=severity,
        message=f"Array {row.name} {words}",
        cause=found.health_words or f"Health command {row.health_command} reports {found.state.value}",
        fix=f"{asks}: it must print one line of JSON within ten seconds."
        if found.state is ArrayState.UNKNOWN
        else "Check and repair the device with the tools of the controller or engine that presents it.",
        grace_s=MISSING_GRACE_S if found.state is ArrayState.UNKNOWN else 0.0,
    )


def _grown(row: Array, found: ObservedArray | None) -> Cause | None:
    """Reports an external device that was enlarged: its volumes can use the space once LVM knows, which cannot be
    undone.
    """
    if found is None or found.size_bytes <= row.size_bytes:
        return None
    if not ARRAY_ENGINES[found.engine].is_enlarged_elsewhere:
        return None
    return Cause(
        key=f"array.size:{row.id}",
        severity=Severity.INFO,
        message=f"The device of array {row.name} has grown from {format_size(row.size_bytes)} to "
        f"{format_size(found.size_bytes)}",
        cause="The device was enlarged, and volumes do not use the added space",
        fix=(
            f"No action is required. To make the added space available to volumes, run `pvresize {found.device}` as "
            "root. This cannot be undone."
        ),
    )


def _locked(row: Array) -> Cause:
    """Reports an encrypted array that runs and cannot be read. If its key is stored, it is opened immediately, or the
    key does not fit.
    """
    kept = "the key stored on the appliance does not fit" if row.keep_key else "the appliance does not store its key"
    return Cause(
        key=f"array.locked:{row.id}",
        severity=Severity.CRITICAL,
        message=f"Array {row.name} is locked: its exports wait until it is unlocked",
        cause=f"It is encrypted and was stopped, or the appliance restarted, and {kept}",
        fix=f"Unlock it with `lunette array unlock {row.name}`, or on its page; its exports then start automatically.",
        grace_s=MISSING_GRACE_S if row.keep_key else 0.0,
    )


def _is_lost(row: Array, disk: ArrayDisk, found: ObservedArray | None, seen: Observation) -> bool:
    """True for a disk that should be active and is not. A disk that a job is just adding is not lost."""
    place = next((m for m in found.members if m.disk_id == disk.disk_id), None) if found else None
    if disk.leaving or place is not None:
        return not disk.leaving and place is not None and place.state in ("faulty", "missing")
    there = seen.disk(disk.disk_id)
    if there is None and seen.hides_disks():
        return False
    return row.state != ResourceState.CHANGING or there is None or there.array_uuid == row.uuid


def _spent(row: Array, disk: ArrayDisk) -> Cause:
    """Reports a lost disk that the array does not need: a spare took its place, or it was one."""
    return Cause(
        key=f"array.disk:{row.id}:{disk.disk_id}"[:255],
        severity=Severity.WARNING,
        message=f"Disk {disk.disk_id} of array {row.name} failed or is missing; the array remains redundant without it",
        cause=f"A spare replaced the disk with serial {disk.serial}, or the disk was a spare itself",
        fix=f"Add a spare again with `lunette array replace {row.name} {disk.disk_id} NEW`, or remove the disk with "
        f"`lunette array remove {row.name} {disk.disk_id}`.",
    )


def _names(disks: Sequence[ArrayDisk]) -> str:
    return ", ".join(f"{array_roles.words(disk)} {disk.disk_id} (serial {disk.serial})" for disk in disks[:10])


def _fix(row: Array, state: ArrayState, lost: Sequence[ArrayDisk], seen: Observation) -> str:
    match state:
        case ArrayState.REBUILDING:
            return "Wait for the rebuild to complete; until then the array is less redundant."
        case ArrayState.FAILED:
            return "Reattach the missing disks; nothing is written until then."
    if not lost:
        return "Replace the missing disk."
    name = lost[0].disk_id
    back = "Replace"
    if seen.disk(name) is not None:
        back = ARRAY_ENGINES[ArrayEngine(row.engine)].changes.WHEN_BACK.format(array=row.name, disk=name)
    lent = f" A suitable spare of another array in spare group {row.spare_group} is used automatically."
    return f"{back} it: `lunette array replace {row.name} {name} NEW`.{lent if row.spare_group else ''}"
