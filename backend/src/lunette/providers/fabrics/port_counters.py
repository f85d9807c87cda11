"""Traffic counters of the machine's ports: Fibre Channel, RDMA and network, from sysfs and /proc/net/dev (Linux 6.12).

The available counters depend on the driver. fc_host shows all ones for what it does not count (scsi_transport_fc.c); an
RDMA device without a hardware port, such as soft RoCE, has hw_counters only, and counts packets.
"""

from collections.abc import Iterator

from lunette.domain.counters import PortCounters, PortKind
from lunette.domain.errors import ToolFailed
from lunette.providers.fabrics import fc_host, rdma
from lunette.providers.reading import reader
from lunette.system.system_port import System

NET = "/proc/net/dev"
_UNKNOWN = 2**64 - 1
_WORD_BYTES = 4
"""Fibre Channel and InfiniBand count words."""


def read(system: System) -> tuple[PortCounters, ...]:
    """Every present port."""
    return (*_fc(system), *_rdma(system), *_network(system))


@reader(NET)
def parse_net(text: str) -> tuple[PortCounters, ...]:
    """/proc/net/dev: two lines of heading, then `name:` with eight numbers received and eight sent."""
    found = []
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(":")
        numbers = [int(word) for word in rest.split() if word.isdigit()]
        if len(numbers) == 16 and name.strip() != "lo":
            received, sent = numbers[:8], numbers[8:]
            found.append(
                PortCounters(
                    kind=PortKind.ETHERNET,
                    name=name.strip(),
                    received_bytes=received[0],
                    received_packets=received[1],
                    sent_bytes=sent[0],
                    sent_packets=sent[1],
                    errors=received[2],
                )
            )
    return tuple(found)


def _network(system: System) -> tuple[PortCounters, ...]:
    try:
        return parse_net(system.read(NET))
    except (OSError, ToolFailed):
        return ()


def _fc(system: System) -> Iterator[PortCounters]:
    for wwpn, host in sorted(fc_host.hosts(system).items()):
        base = f"{fc_host.HOSTS}/{host}/statistics"
        yield PortCounters(
            kind=PortKind.FC,
            name=wwpn,
            received_bytes=_words(_number(system, f"{base}/rx_words")),
            sent_bytes=_words(_number(system, f"{base}/tx_words")),
            received_packets=_number(system, f"{base}/rx_frames"),
            sent_packets=_number(system, f"{base}/tx_frames"),
            errors=_sum(_number(system, f"{base}/error_frames"), _number(system, f"{base}/invalid_crc_count")),
            link_failures=_number(system, f"{base}/link_failure_count"),
        )


def _rdma(system: System) -> Iterator[PortCounters]:
    for name in sorted(system.listdir(rdma.DEVICES)):
        for port in sorted(system.listdir(f"{rdma.DEVICES}/{name}/ports"), key=int):
            base = f"{rdma.DEVICES}/{name}/ports/{port}"
            yield PortCounters(
                kind=PortKind.RDMA,
                name=f"{name}/{port}",
                received_bytes=_words(_number(system, f"{base}/counters/port_rcv_data")),
                sent_bytes=_words(_number(system, f"{base}/counters/port_xmit_data")),
                received_packets=_first(system, f"{base}/counters/port_rcv_packets", f"{base}/hw_counters/rcvd_pkts"),
                sent_packets=_first(system, f"{base}/counters/port_xmit_packets", f"{base}/hw_counters/sent_pkts"),
                errors=_number(system, f"{base}/counters/port_rcv_errors"),
                link_failures=_first(system, f"{base}/counters/link_downed", f"{base}/hw_counters/link_downed"),
            )


def _first(system: System, *paths: str) -> int | None:
    return next((value for path in paths if (value := _number(system, path)) is not None), None)


def _number(system: System, path: str) -> int | None:
    """A counter, decimal or hexadecimal; None if the driver has none."""
    try:
        value = int(system.read(path).strip(), 0)
    except (OSError, ValueError):
        return None
    return value if 0 <= value < _UNKNOWN else None


def _words(count: int | None) -> int | None:
    return None if count is None else count * _WORD_BYTES


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
