"""The response of GET /metrics: the metrics of families.py with the values of one pass over the counters.

Formatted here, because prometheus_client takes seconds for the 130,000 samples of 10,000 volumes: an object's labels
are the same in each of its metrics and are formatted once. The tests read the result with its parser.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lunette.api.metrics.families import (
    ALERTS,
    APPLIANCE,
    ARRAYS,
    DISK_HEALTH,
    DISKS,
    INFO,
    MOST,
    OMITTED,
    PORTS,
    SESSIONS,
    VOLUMES,
    Family,
)
from lunette.api.metrics.names import Names
from lunette.domain.counters import ArrayCounters, BlockCounters, Counters, SessionCounters
from lunette.domain.mappings import Protocol

Row = tuple[tuple[str, ...], Any]
"""The values of the labels, and the counters."""
_ESCAPED = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})


class Exposition:
    """At most MOST of each noun are exported."""

    def __init__(
        self, version: str, alerts: Mapping[str, int], names: Names, most: int = MOST, health: Iterable[Row] = ()
    ) -> None:
        self._version, self._alerts, self._names, self._most = version, alerts, names, most
        self._health = health

    def text(self, *, openmetrics: bool = False) -> str:
        """Text format 0.0.4, or OpenMetrics 1.0, which declares a counter without _total and has an end mark."""
        lines = [line for family, rows in self._families() for line in _lines(family, rows, openmetrics=openmetrics)]
        return "\n".join([*lines, *(["# EOF"] if openmetrics else []), ""])

    def _families(self) -> Iterator[tuple[Family, Iterable[Row]]]:
        measured = self._names.measurement
        yield APPLIANCE, [((), measured)]
        yield INFO, [((self._version,), 1)]
        yield ALERTS, [((severity,), count) for severity, count in sorted(self._alerts.items())]
        if measured is not None:
            yield from self._counted(measured.counters)

    def _counted(self, counters: Counters) -> Iterator[tuple[Family, Iterable[Row]]]:
        omitted = []
        for family, rows in (
            (VOLUMES, self._volumes(counters.volumes)),
            (SESSIONS, self._sessions(counters.sessions)),
            (ARRAYS, self._arrays(counters.arrays)),
            (DISKS, self._disks(counters.disks)),
            (DISK_HEALTH, self._health),
            (PORTS, (((port.kind.value, port.name), port) for port in counters.ports)),
        ):
            ordered = sorted(rows, key=lambda row: row[0])
            yield family, ordered[: self._most]
            omitted.append(((family.noun,), max(0, len(ordered) - self._most)))
        yield OMITTED, omitted

    def _volumes(self, found: Mapping[str, BlockCounters]) -> Iterator[Row]:
        names = self._names
        return (((names.volumes[id_], names.array_of[id_]), io) for id_, io in found.items() if id_ in names.volumes)

    def _arrays(self, found: Mapping[str, ArrayCounters]) -> Iterator[Row]:
        return (((self._names.arrays[id_],), counted) for id_, counted in found.items() if id_ in self._names.arrays)

    def _disks(self, found: Mapping[str, BlockCounters]) -> Iterator[Row]:
        ids = self._names.measurement.disk_ids if self._names.measurement else {}
        return (((ids[name],), io) for name, io in found.items() if name in ids)

    def _sessions(self, sessions: Iterable[SessionCounters]) -> Iterator[Row]:
        for session in sessions:
            host = self._names.hosts.get(session.initiator, "")
            port = session.target if session.protocol is Protocol.FC else ""
            for id_, counted in session.volumes.items():
                if id_ in self._names.volumes:
                    yield (host, session.initiator, session.protocol.value, port, self._names.volumes[id_]), counted


def _lines(family: Family, rows: Iterable[Row], *, openmetrics: bool) -> Iterator[str]:
    """The metrics of a noun. Values that are not counted have no sample."""
    counted = [(_labels(family.labels, values), one) for values, one in rows]
    for metric in family.metrics:
        name, value = metric.name, metric.value
        called = name.removesuffix("_total") if openmetrics and metric.kind == "counter" else name
        yield f"# HELP {called} {metric.help}"
        yield f"# TYPE {called} {metric.kind}"
        for labels, one in counted:
            number = value(one)
            if number is not None:
                yield f"{name}{labels} {number}"


def _labels(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    """As they follow the name of a metric."""
    pairs = [f'{name}="{value.translate(_ESCAPED)}"' for name, value in zip(names, values, strict=True)]
    return f"{{{','.join(pairs)}}}" if pairs else ""
