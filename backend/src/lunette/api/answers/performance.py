"""Performance: what everything does now, and did in the last hour."""

from datetime import UTC, datetime

from lunette.api.answers.base import Answer, Page
from lunette.api.answers.sessions import Unseen
from lunette.api.measuring import Names
from lunette.domain.mappings import Protocol
from lunette.domain.performance import Key, Measured, Rates
from lunette.engine.history import Point


class Performance(Answer):
    """What one thing does. Times are in milliseconds; null: the kernel does not count it, or there was no I/O.

    Of a session commands of every kind are counted, and bytes in whole MiB for each volume.
    """

    of: Measured
    id: str
    name: str
    """Of a session the initiator."""
    host: str | None
    """Of a session."""
    protocol: Protocol | None
    """Of a session."""
    target: str | None
    """Of a session: the target's IQN, or the WWPN of our port."""
    iops: float
    read_iops: float | None
    write_iops: float | None
    read_bytes_s: float
    write_bytes_s: float
    latency_ms: float | None
    """The mean of all I/Os; so are those of reads and of writes."""
    read_latency_ms: float | None
    write_latency_ms: float | None
    in_flight: int | None
    busy_percent: float | None


class PerformancePage(Page[Performance]):
    """`seconds` is the span the rates are over, null while there was only one pass. `unseen`: what is not counted."""

    at: datetime
    seconds: float | None
    unseen: tuple[Unseen, ...]


class PerformancePoint(Answer):
    """One span of 10 s, by its end."""

    at: datetime
    iops: float
    read_bytes_s: float
    write_bytes_s: float
    latency_ms: float | None


class PerformanceHistory(Answer):
    """`now` is null where nothing is measured now. The last hour at most, oldest first; without gaps filled."""

    of: Measured
    id: str
    name: str
    now: Performance | None
    points: tuple[PerformancePoint, ...]


def performance_answer(key: Key, rates: Rates, names: Names) -> Performance:
    """`key` must have a name."""
    session = names.sessions.get(key)
    return Performance(
        of=key.of,
        id=key.id,
        name=names.of(key) or key.id,
        host=names.hosts.get(session.initiator) if session else None,
        protocol=session.protocol if session else None,
        target=session.target if session else None,
        **rates._asdict(),
    )


def point_answer(point: Point) -> PerformancePoint:
    return PerformancePoint(
        at=datetime.fromtimestamp(point.at, UTC),
        iops=point.iops,
        read_bytes_s=point.read_bytes_s,
        write_bytes_s=point.write_bytes_s,
        latency_ms=point.latency_ms,
    )
