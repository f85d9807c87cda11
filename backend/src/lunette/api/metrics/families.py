"""Every metric of GET /metrics: its name with the unit, its help, and where its value comes from.

docs/reference/metrics.md lists them, and a test compares. A name never changes its meaning; a new one is added.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Literal

MOST = 10_000
"""Maximum objects exported of each noun, the first by name; `lunette_omitted` counts the others."""
_SECTOR_BYTES = 512
Value = float | None


@dataclass(frozen=True)
class Metric:
    """One metric. `value` returns its number from the counters, None if the kernel does not count it."""

    name: str
    help: str
    value: Callable[[Any], Value]
    kind: Literal["counter", "gauge"] = "counter"


@dataclass(frozen=True)
class Family:
    """The metrics of one noun. All have the same labels: names of our nouns, of hosts' initiators, of ports."""

    noun: str
    labels: tuple[str, ...]
    metrics: tuple[Metric, ...]


def _field(name: str, divided_by: int | None = None, times: int = 1) -> Callable[[Any], Value]:
    """A counted field, converted to seconds or bytes."""
    if divided_by is None and times == 1:
        return attrgetter(name)

    def value(counted: Any) -> Value:
        found: int | None = attrgetter(name)(counted)
        if found is None:
            return None
        return found / divided_by if divided_by else found * times

    return value


def _same(counted: Any) -> Value:
    return float(counted)


def _block(noun: str, device: str) -> tuple[Metric, ...]:
    """Counters of the block layer for one device."""
    at = f"lunette_{noun}"
    return (
        Metric(f"{at}_reads_total", f"Reads of {device}.", _field("reads")),
        Metric(f"{at}_read_bytes_total", f"Bytes read from {device}.", _field("read_bytes")),
        Metric(f"{at}_read_seconds_total", f"Total time of all reads of {device}.", _field("read_ms", 1000)),
        Metric(f"{at}_writes_total", f"Writes to {device}.", _field("writes")),
        Metric(f"{at}_written_bytes_total", f"Bytes written to {device}.", _field("write_bytes")),
        Metric(f"{at}_write_seconds_total", f"Total time of all writes to {device}.", _field("write_ms", 1000)),
        Metric(f"{at}_discards_total", f"Discards (UNMAP, TRIM) of {device}.", _field("discards")),
        Metric(f"{at}_discarded_bytes_total", f"Bytes discarded on {device}.", _field("discard_bytes")),
        Metric(f"{at}_busy_seconds_total", f"Time with I/O in progress on {device}.", _field("busy_ms", 1000)),
        Metric(f"{at}_ios_in_flight", f"I/Os in progress on {device} now.", _field("in_flight"), "gauge"),
    )


def _of_its_io(metric: Metric) -> Metric:
    """The same for an array, whose I/O may be uncounted."""
    return replace(metric, value=lambda array: None if array.io is None else metric.value(array.io))


APPLIANCE = Family(
    "appliance",
    (),
    (
        Metric(
            "lunette_up",
            "1 if the agent answers, else 0. While the value is 0, the metrics that the agent counts are absent.",
            lambda measured: float(measured is not None),
            "gauge",
        ),
        Metric(
            "lunette_counted_timestamp_seconds",
            "When the counters were read, by the appliance's clock.",
            lambda measured: None if measured is None else measured.at,
            "gauge",
        ),
    ),
)
INFO = Family("info", ("version",), (Metric("lunette_info", "Always 1; the label is the version.", _same, "gauge"),))
ALERTS = Family("alerts", ("severity",), (Metric("lunette_alerts", "Active alerts.", _same, "gauge"),))
OMITTED = Family(
    "omitted",
    ("noun",),
    (Metric("lunette_omitted", f"Objects omitted because a noun has more than {MOST}.", _same, "gauge"),),
)
VOLUMES = Family("volume", ("volume", "array"), _block("volume", "the volume over any protocol"))
SESSIONS = Family(
    "session",
    ("host", "initiator", "protocol", "port", "volume"),
    (
        Metric(
            "lunette_session_commands_total",
            "SCSI commands of all kinds from the initiator to the volume.",
            _field("commands"),
        ),
        Metric(
            "lunette_session_read_bytes_total",
            "Bytes the initiator read from the volume, in whole MiB.",
            _field("read_bytes"),
        ),
        Metric(
            "lunette_session_written_bytes_total",
            "Bytes the initiator wrote to the volume, in whole MiB.",
            _field("write_bytes"),
        ),
    ),
)
ARRAYS = Family(
    "array",
    ("array",),
    (
        *(_of_its_io(metric) for metric in _block("array", "the array by its volumes")),
        Metric("lunette_array_missing_disks", "Missing disks of the array.", _field("missing_disks"), "gauge"),
        Metric(
            "lunette_array_mismatch_bytes",
            "Size of the mismatches found by the last scrub.",
            _field("mismatch_sectors", times=_SECTOR_BYTES),
            "gauge",
        ),
        Metric(
            "lunette_array_synced_bytes",
            "Progress of the running resync, rebuild or scrub on each disk.",
            _field("synced_sectors", times=_SECTOR_BYTES),
            "gauge",
        ),
        Metric("lunette_array_stripe_cache_bytes", "Stripe cache in use.", _field("stripe_cache_bytes"), "gauge"),
    ),
)
DISKS = Family("disk", ("disk",), _block("disk", "the disk"))
DISK_HEALTH = Family(
    "disk_health",
    ("disk",),
    (
        Metric(
            "lunette_disk_health_state",
            "0 if the disk is healthy, 1 if it needs attention, 2 if it is failing.",
            attrgetter("state"),
            "gauge",
        ),
        Metric(
            "lunette_disk_health_read_timestamp_seconds",
            "When the disk last reported its health.",
            attrgetter("read_at"),
            "gauge",
        ),
        Metric(
            "lunette_disk_temperature_celsius", "Temperature of the disk.", attrgetter("values.temperature_c"), "gauge"
        ),
        Metric(
            "lunette_disk_used_ratio",
            "Used part of the disk's rated life; may exceed 1.",
            _field("values.used_percent", divided_by=100),
            "gauge",
        ),
        Metric(
            "lunette_disk_available_spare_ratio",
            "Remaining part of the disk's spare blocks.",
            _field("values.available_spare_percent", divided_by=100),
            "gauge",
        ),
        Metric(
            "lunette_disk_power_on_seconds",
            "How long the disk has been powered on.",
            _field("values.power_on_hours", times=3600),
            "gauge",
        ),
        Metric(
            "lunette_disk_lifetime_written_bytes",
            "Bytes that hosts wrote to the disk during its life.",
            attrgetter("values.written_bytes"),
            "gauge",
        ),
        Metric(
            "lunette_disk_unsafe_shutdowns",
            "Number of unexpected power losses of the disk.",
            attrgetter("values.unsafe_shutdowns"),
            "gauge",
        ),
        Metric(
            "lunette_disk_media_errors",
            "Media errors that the disk counted.",
            attrgetter("values.media_errors"),
            "gauge",
        ),
        Metric(
            "lunette_disk_reallocations",
            "Sectors that the disk has reallocated.",
            attrgetter("values.reallocated_sectors"),
            "gauge",
        ),
        Metric(
            "lunette_disk_pending_reallocations",
            "Unreadable sectors that the disk has yet to reallocate.",
            attrgetter("values.pending_sectors"),
            "gauge",
        ),
        Metric(
            "lunette_disk_uncorrectable_errors",
            "Sectors that the disk could not correct.",
            attrgetter("values.uncorrectable_sectors"),
            "gauge",
        ),
        Metric(
            "lunette_disk_grown_defects",
            "Entries in the disk's list of grown defects.",
            attrgetter("values.grown_defects"),
            "gauge",
        ),
        Metric(
            "lunette_disk_self_test_failed",
            "1 if a self-test of the disk failed and none passed since, else 0.",
            attrgetter("self_test_failed"),
            "gauge",
        ),
        Metric(
            "lunette_disk_interface_errors",
            "Errors on the connection to the disk: cable, bay or backplane.",
            attrgetter("values.interface_errors"),
            "gauge",
        ),
        Metric(
            "lunette_disk_error_log_entries",
            "Failed commands of an NVMe disk during its life.",
            attrgetter("values.error_log_entries"),
            "gauge",
        ),
    ),
)
PORTS = Family(
    "port",
    ("kind", "port"),
    (
        Metric("lunette_port_received_bytes_total", "Bytes received.", _field("received_bytes")),
        Metric("lunette_port_sent_bytes_total", "Bytes sent.", _field("sent_bytes")),
        Metric("lunette_port_received_packets_total", "Packets or frames received.", _field("received_packets")),
        Metric("lunette_port_sent_packets_total", "Packets or frames sent.", _field("sent_packets")),
        Metric("lunette_port_errors_total", "Damaged packets or frames received.", _field("errors")),
        Metric("lunette_port_link_failures_total", "Number of link losses.", _field("link_failures")),
    ),
)
FAMILIES = (APPLIANCE, INFO, ALERTS, OMITTED, VOLUMES, SESSIONS, ARRAYS, DISKS, DISK_HEALTH, PORTS)
