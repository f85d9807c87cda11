"""Rates between two readings of the counters, as shown by the web page, `lunette top` and scripts.

A counter that decreased belongs to an object that was created again: that object has no rate until the next reading.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from lunette.domain.counters import BlockCounters, Counters, LunCounters, SessionCounters

APPLIANCE_ID = "appliance"
_IN_FLIGHT = BlockCounters._fields.index("in_flight")


class Measured(StrEnum):
    """Kind of object for which performance is measured."""

    APPLIANCE = "appliance"
    """The whole appliance, as the sum of its volumes."""
    VOLUME = "volume"
    """A volume."""
    SESSION = "session"
    """A session."""
    HOST = "host"
    """A host, as the sum of its sessions."""
    ARRAY = "array"
    """An array."""
    DISK = "disk"
    """A disk."""


class Key(NamedTuple):
    """One object whose performance is measured."""

    of: Measured
    id: str


APPLIANCE = Key(Measured.APPLIANCE, APPLIANCE_ID)
NO_HOSTS: Mapping[str, str] = {}


class Rates(NamedTuple):
    """Rates per second over one interval, latencies in milliseconds.

    None for a value that is not counted, and for the latency if there was no I/O.
    """

    iops: float
    read_iops: float | None
    write_iops: float | None
    read_bytes_s: float
    write_bytes_s: float
    latency_ms: float | None
    read_latency_ms: float | None
    write_latency_ms: float | None
    in_flight: int | None
    busy_percent: float | None


def session_key(target: str, initiator: str) -> Key:
    """Names may be too long, and hold what a path cannot."""
    return Key(Measured.SESSION, hashlib.sha256(f"{target}\n{initiator}".encode()).hexdigest()[:16])


def rates(
    before: Counters, after: Counters, disk_ids: Mapping[str, str], host_ids: Mapping[str, str] = NO_HOSTS
) -> dict[Key, Rates]:
    """What happened between two passes. `disk_ids` gives a disk's id by its kernel name, `host_ids` a host's by its
    initiators; others are left out.
    """
    seconds = after.clock_s - before.clock_s
    if seconds <= 0:
        return {}
    deltas = dict(_deltas(before, after, disk_ids))
    sums = [delta for key, delta in deltas.items() if key.of is Measured.VOLUME]
    found = {key: _rates(delta, seconds) for key, delta in deltas.items()}
    sessions = _sessions(before.sessions, after.sessions, seconds)
    found |= sessions | _hosts(after.sessions, sessions, host_ids)
    return {APPLIANCE: _rates(_total(sums), seconds), **found}


def difference(before: BlockCounters, after: BlockCounters) -> BlockCounters | None:
    """What was counted between; None if a counter went back. What is in flight is what it is after."""
    pairs = zip(before, after, strict=True)
    deltas = [None if then is None or now is None else now - then for then, now in pairs]
    deltas[_IN_FLIGHT] = after.in_flight
    return None if any(delta is not None and delta < 0 for delta in deltas) else BlockCounters._make(deltas)


def _deltas(before: Counters, after: Counters, disk_ids: Mapping[str, str]) -> Iterator[tuple[Key, BlockCounters]]:
    was = {id_: one.io for id_, one in before.arrays.items()}
    sides = (
        (Measured.VOLUME, before.volumes, after.volumes),
        (Measured.ARRAY, was, {id_: one.io for id_, one in after.arrays.items()}),
        (
            Measured.DISK,
            {disk_ids[name]: one for name, one in before.disks.items() if name in disk_ids},
            {disk_ids[name]: one for name, one in after.disks.items() if name in disk_ids},
        ),
    )
    for of, earlier, later in sides:
        for id_, now in later.items():
            then = earlier.get(id_)
            delta = difference(then, now) if then is not None and now is not None else None
            if delta is not None:
                yield Key(of, id_), delta


def _total(deltas: Iterable[BlockCounters]) -> BlockCounters:
    """The sum; what one of them does not count is not known of all."""
    columns = list(zip(*deltas, strict=True))
    if not columns:
        return BlockCounters(0, 0, 0, 0)
    total = BlockCounters._make(None if None in column else sum(column) for column in columns)
    return total._replace(busy_ms=None)


def _rates(delta: BlockCounters, seconds: float) -> Rates:
    times = None if delta.read_ms is None or delta.write_ms is None else delta.read_ms + delta.write_ms
    return Rates(
        iops=(delta.reads + delta.writes) / seconds,
        read_iops=delta.reads / seconds,
        write_iops=delta.writes / seconds,
        read_bytes_s=delta.read_bytes / seconds,
        write_bytes_s=delta.write_bytes / seconds,
        latency_ms=_per(times, delta.reads + delta.writes),
        read_latency_ms=_per(delta.read_ms, delta.reads),
        write_latency_ms=_per(delta.write_ms, delta.writes),
        in_flight=delta.in_flight,
        busy_percent=None if delta.busy_ms is None else min(100.0, delta.busy_ms / seconds / 10),
    )


def _per(milliseconds: int | None, count: int) -> float | None:
    return milliseconds / count if milliseconds is not None and count else None


def _sessions(before: Iterable[SessionCounters], after: Iterable[SessionCounters], seconds: float) -> dict[Key, Rates]:
    then = {session_key(one.target, one.initiator): one.volumes for one in before}
    found = {}
    for session in after:
        key = session_key(session.target, session.initiator)
        if key in then:
            found[key] = _session(then[key], session.volumes, seconds)
    return found


def _session(before: Mapping[str, LunCounters], after: Mapping[str, LunCounters], seconds: float) -> Rates:
    deltas = [
        [now - then for then, now in zip(before[volume], counters, strict=True)]
        for volume, counters in after.items()
        if volume in before
    ]
    commands, read_bytes, write_bytes = (sum(max(0, delta[n]) for delta in deltas) for n in range(3))
    return _of_sessions(commands / seconds, read_bytes / seconds, write_bytes / seconds)


def _hosts(
    sessions: Iterable[SessionCounters], found: Mapping[Key, Rates], host_ids: Mapping[str, str]
) -> dict[Key, Rates]:
    parts: dict[Key, list[Rates]] = {}
    for session in sessions:
        rate, host = found.get(session_key(session.target, session.initiator)), host_ids.get(session.initiator)
        if rate is not None and host is not None:
            parts.setdefault(Key(Measured.HOST, host), []).append(rate)
    return {
        key: _of_sessions(
            sum(one.iops for one in each),
            sum(one.read_bytes_s for one in each),
            sum(one.write_bytes_s for one in each),
        )
        for key, each in parts.items()
    }


def _of_sessions(iops: float, read_bytes_s: float, write_bytes_s: float) -> Rates:
    """Reads and writes are not counted separately, and neither latency nor commands in flight are measured."""
    return Rates(
        iops=iops,
        read_iops=None,
        write_iops=None,
        read_bytes_s=read_bytes_s,
        write_bytes_s=write_bytes_s,
        latency_ms=None,
        read_latency_ms=None,
        write_latency_ms=None,
        in_flight=None,
        busy_percent=None,
    )
