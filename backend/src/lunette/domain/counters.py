"""Counters of the engines and the kernel, from one pass.

Counters only grow until their object is removed; a rate needs two passes. What the kernel does not count is None or
omitted, never 0.
"""

from enum import StrEnum
from typing import NamedTuple

from lunette.domain.base import Model
from lunette.domain.exports import UnseenSessions
from lunette.domain.mappings import Protocol


class BlockCounters(NamedTuple):
    """Block layer counters of one device (Documentation/admin-guide/iostats.rst, Linux 6.12), or ZFS's of a pool.

    The times are sums over all I/Os, in milliseconds; `busy_ms` is the time with at least one I/O in flight.
    `in_flight` is not a counter but the present number of outstanding I/Os.
    """

    reads: int
    read_bytes: int
    writes: int
    write_bytes: int
    read_ms: int | None = None
    write_ms: int | None = None
    in_flight: int | None = None
    busy_ms: int | None = None
    discards: int | None = None
    discard_bytes: int | None = None
    flushes: int | None = None


class LunCounters(NamedTuple):
    """Counters of LIO for one initiator on one volume since it was mapped; bytes in whole MiB, rounded down.

    Every SCSI command counts, also those that carry no data.
    """

    commands: int
    read_bytes: int
    write_bytes: int


class SessionCounters(Model):
    """One initiator that is logged in, with its counters by volume id."""

    target: str
    """The target's IQN, or the WWPN of our port."""
    initiator: str
    protocol: Protocol
    volumes: dict[str, LunCounters]


class ArrayCounters(Model):
    """Counters of an array's engine. `io` is the I/O of its volumes, not that of its disks."""

    io: BlockCounters | None
    stripe_cache_bytes: int | None = None
    """md with parity: used part of its stripe cache."""
    mismatch_sectors: int | None = None
    missing_disks: int | None = None
    """md: number of missing disks."""
    synced_sectors: int | None = None
    """md: progress of the running resync, rebuild or check, per disk; None while there is none."""


class PortKind(StrEnum):
    FC = "fc"
    RDMA = "rdma"
    ETHERNET = "ethernet"


class PortCounters(Model):
    """Traffic of one port of the machine: a Fibre Channel HBA's, an RDMA device's, a network interface.

    `errors` are frames or packets that arrived damaged.
    """

    kind: PortKind
    name: str
    received_bytes: int | None
    sent_bytes: int | None
    received_packets: int | None
    sent_packets: int | None
    errors: int | None
    link_failures: int | None = None


class Counters(Model):
    """One pass. `taken_at` is seconds since the epoch, `clock_s` a clock that only goes forward, for rates."""

    taken_at: float
    clock_s: float
    disks: dict[str, BlockCounters]
    """By kernel name, whole drives and their partitions."""
    volumes: dict[str, BlockCounters]
    """By ID, only mapped volumes: others are not used."""
    arrays: dict[str, ArrayCounters]
    """By ID, those that are up."""
    sessions: tuple[SessionCounters, ...]
    ports: tuple[PortCounters, ...]
    unseen: tuple[UnseenSessions, ...] = ()
    """Sessions that may be there and have no counters."""
