"""Performance: current rates and their recent history."""

from datetime import UTC, datetime

from lunette.api.answers.base import Answer, Page
from lunette.api.answers.sessions import Unseen
from lunette.api.metrics.names import Names
from lunette.domain.mappings import Protocol
from lunette.domain.performance import Key, Measured, Rates
from lunette.domain.performance_history import History, HistoryRange


class Performance(Answer):
    """Current performance of the appliance, a volume, a session, a host, an array or a disk.

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
    """Number of I/Os per second. For a session or a host, the number of commands of any kind."""
    read_iops: float | None
    """Number of reads per second. `null` for a session or a host."""
    write_iops: float | None
    """Number of writes per second. `null` for a session or a host."""
    read_bytes_s: float
    """Bytes read per second. For a session or a host, bytes are counted in whole MiB per volume."""
    write_bytes_s: float
    """Bytes written per second. For a session or a host, bytes are counted in whole MiB per volume."""
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


class PerformanceCourse(Answer):
    """One figure over time: the mean and the maximum of each interval.

    The maximum is that of the measurements, which are 10 seconds long or longer. `null` where nothing was measured.
    """

    mean: tuple[float | None, ...]
    """Mean of each interval, oldest first."""
    max: tuple[float | None, ...]
    """Maximum of each interval, oldest first."""


class PerformanceHistory(Answer):
    """Current performance of one object and its history.

    The history consists of intervals of equal length. It is empty for an object that had no I/O yet.
    """

    of: Measured
    """Kind of the measured object."""
    id: str
    """Unique ID of the measured object, `appliance` for the appliance."""
    name: str
    """Name of the measured object. For a session, its initiator; for a disk, its ID."""
    now: Performance | None
    """Current performance. `null` if the agent does not respond or the object is not measured at present."""
    range: HistoryRange
    """Time range of the history."""
    step_seconds: int
    """Length of an interval in seconds."""
    times: tuple[datetime, ...]
    """Start of each interval, in UTC, oldest first. The last interval is the current one."""
    iops: PerformanceCourse
    """Number of I/Os per second. For a session or a host, the number of commands of any kind."""
    read_iops: PerformanceCourse
    """Number of reads per second."""
    write_iops: PerformanceCourse
    """Number of writes per second."""
    read_bytes_s: PerformanceCourse
    """Bytes read per second."""
    write_bytes_s: PerformanceCourse
    """Bytes written per second."""
    latency_ms: PerformanceCourse
    """Mean latency of all reads and writes in milliseconds, weighted by the number of I/Os."""
    read_latency_ms: PerformanceCourse
    """Mean latency of reads in milliseconds, weighted by the number of reads."""
    write_latency_ms: PerformanceCourse
    """Mean latency of writes in milliseconds, weighted by the number of writes."""


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


def courses_answer(history: History) -> dict[str, PerformanceCourse]:
    """The figures of a history by name."""
    return {name: PerformanceCourse(mean=one.mean, max=one.maximum) for name, one in history.courses.items()}


def times_answer(history: History) -> tuple[datetime, ...]:
    """The start of each interval."""
    count = len(history.courses["iops"].mean)
    return tuple(datetime.fromtimestamp(history.first_at + n * history.step_s, UTC) for n in range(count))
