"""What a scrape of GET /metrics gets: the metrics of api/metrics.py with the values of one pass over the counters."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from lunette.api.measuring import Names
from lunette.api.metrics import ALERTS, APPLIANCE, ARRAYS, DISKS, INFO, MOST, OMITTED, PORTS, SESSIONS, VOLUMES, Family
from lunette.domain.counters import ArrayCounters, BlockCounters, Counters, SessionCounters
from lunette.domain.mappings import Protocol

Row = tuple[tuple[str, ...], Any]
"""The values of the labels, and what was counted."""
Samples = Iterator[CounterMetricFamily | GaugeMetricFamily]


class Exposition:
    """prometheus_client asks `collect` for all metrics. Of each noun the first MOST are told."""

    def __init__(self, version: str, alerts: Mapping[str, int], names: Names, most: int = MOST) -> None:
        self._version, self._alerts, self._names, self._most = version, alerts, names, most

    def collect(self) -> Samples:
        measured = self._names.measurement
        yield from _samples(APPLIANCE, [((), measured)])
        yield from _samples(INFO, [((self._version,), 1)])
        yield from _samples(ALERTS, [((severity,), count) for severity, count in sorted(self._alerts.items())])
        if measured is not None:
            yield from self._counted(measured.counters)

    def _counted(self, counters: Counters) -> Samples:
        omitted = []
        for family, rows in (
            (VOLUMES, self._volumes(counters.volumes)), (SESSIONS, self._sessions(counters.sessions)),
            (ARRAYS, self._arrays(counters.arrays)), (DISKS, self._disks(counters.disks)),
            (PORTS, (((port.kind.value, port.name), port) for port in counters.ports)),
        ):  # fmt: skip
            ordered = sorted(rows, key=lambda row: row[0])
            yield from _samples(family, ordered[: self._most])
            omitted.append(((family.noun,), max(0, len(ordered) - self._most)))
        yield from _samples(OMITTED, omitted)

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


def _samples(family: Family, rows: Iterable[Row]) -> Samples:
    """The metrics of a noun. What is not counted has no sample."""
    counted = list(rows)
    for metric in family.metrics:
        kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
        made = kind(metric.name, metric.help, labels=family.labels)
        for labels, one in counted:
            value = metric.value(one)
            if value is not None:
                made.add_metric(labels, value)
        yield made
