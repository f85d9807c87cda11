"""Performance: current rates and their recent history."""

from datetime import UTC, datetime

from lunette.api.answers.base import Answer, Page
from lunette.api.answers.sessions import Unseen
from lunette.api.metrics.names import Names
from lunette.domain.mappings import Protocol
from lunette.domain.performance import Key, Measured, Rates
from lunette.engine.counters.history import Point


class Performance(Answer):
    """Current performance of the appliance, a volume, a session, an array or a disk.

    All values are averages over the latest span, except `in_flight`.
    """

    of: Measured
    """Kind of the measured object."""
    id: str
    """Unique ID of the measured object, `appliance` for the appliance.

    The ID of a session differs from its ID in the list of sessions.
    """
    name: str
    """Name of the measured object. For a session, its initiator; for a disk, its ID."""
    host: str | None
    """Name of the host of a session. `null` for other objects, or if no host has the initiator."""
    protocol: Protocol | None
    """Protocol of a session. `null` for other objects."""
    target: str | None
    """Target of a session: an IQN, or the WWPN of an FC port of the appliance. `null` for other objects."""
    iops: float
    """Number of I/Os per second. For a session, the number of commands of any kind."""
    read_iops: float | None
    """Number of reads per second. `null` for a session."""
    write_iops: float | None
    """Number of writes per second. `null` for a session."""
    read_bytes_s: float
    """Bytes read per second. For a session, bytes are counted in whole MiB per volume."""
    write_bytes_s: float
    """Bytes written per second. For a session, bytes are counted in whole MiB per volume."""
    latency_ms: float | None
    """Mean latency of all reads and writes in milliseconds. `null` without I/O, or if not measured."""
    read_latency_ms: float | None
    """Mean latency of reads in milliseconds. `null` without reads, or if not measured."""
    write_latency_ms: float | None
    """Mean latency of writes in milliseconds. `null` without writes, or if not measured."""
    in_flight: int | None
    """Number of I/Os in progress at the end of the span. `null` if not measured."""
    busy_percent: float | None
    """Share of the span with at least one I/O in progress, in percent. `null` if not measured."""


class PerformancePage(Page[Performance]):
    """One page of current performance."""

    at: datetime
    """When the span ended, in UTC."""
    seconds: float | None
    """Length of the span in seconds. `null` if only one measurement exists, so that no rates are known."""
    unseen: tuple[Unseen, ...]
    """Families whose sessions are not measured, with the reason. Empty unless sessions are requested."""


class PerformancePoint(Answer):
    """Mean performance over one span, usually of 10 seconds."""

    at: datetime
    """When the span ended, in UTC."""
    iops: float
    """Number of I/Os per second. For a session, the number of commands of any kind."""
    read_bytes_s: float
    """Bytes read per second."""
    write_bytes_s: float
    """Bytes written per second."""
    latency_ms: float | None
    """Mean latency of all reads and writes in milliseconds. `null` without I/O, or if not measured."""


class PerformanceHistory(Answer):
    """Current performance of one object and its recent history."""

    of: Measured
    """Kind of the measured object."""
    id: str
    """Unique ID of the measured object, `appliance` for the appliance."""
    name: str
    """Name of the measured object. For a session, its initiator; for a disk, its ID."""
    now: Performance | None
    """Current performance. `null` if the agent does not respond or the object is not measured at present."""
    points: tuple[PerformancePoint, ...]
    """History of at most 360 spans, usually the last hour, oldest first.

    Spans without a measurement are left out. The history is lost when the API restarts.
    """


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
