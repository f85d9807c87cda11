"""TCP connections of hosts to portals, as ss(8) of iproute2 shows and ends them.

The connections of LIO and nvmet are the kernel's own sockets, and ss shows them among all others. `lastrcv` is the time
since the host sent its last data (tcpi_last_data_recv, include/uapi/linux/tcp.h): acknowledgements of TCP do not count,
so who answers within the seconds in which initiators and LIO ping each other is alive, and not only its network card.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from lunette.domain.steps import HostLink
from lunette.providers.reading import reader
from lunette.system.system_port import System

_LAST_RECEIVED = re.compile(r"\blastrcv:(\d+)\b")
_HAS_TIMES = re.compile(r"\bcwnd:\d")  # never 0, so that ss always shows the times: it omits those that are 0
_LIST = ("ss", "-H", "-O", "-t", "-n", "-i", "state", "established")


@dataclass(frozen=True)
class Connection:
    """`ours` and `theirs` are the ends as ss prints them; `silent_s` is None if ss does not show it."""

    address: str
    port: int
    peer: str
    ours: str
    theirs: str
    silent_s: float | None


def established(system: System) -> tuple[Connection, ...]:
    """Every connection. Raises Unavailable without ss, ToolFailed."""
    return parse(system.run(_LIST).stdout)


@reader("ss")
def parse(text: str) -> tuple[Connection, ...]:
    """`0 0 192.0.2.1:3260 192.0.2.10:51000 cubic … lastrcv:16 …`, one line each."""
    return tuple(_connections(text))


def _connections(text: str) -> Iterator[Connection]:
    for line in text.splitlines():
        words = line.split()
        if len(words) < 4:
            continue
        ours, theirs = words[2], words[3]
        try:
            (address, port), (peer, _) = _end(ours), _end(theirs)
        except ValueError:
            continue
        yield Connection(address, port, peer, ours, theirs, _silent_s(line))


def _silent_s(line: str) -> float | None:
    if reported := _LAST_RECEIVED.search(line):
        return int(reported[1]) / 1000
    return 0.0 if _HAS_TIMES.search(line) else None


def of_link(connections: Sequence[Connection], link: HostLink) -> list[Connection]:
    """Those from the host's address to the portal."""
    wanted = (str(ip_address(link.address)), link.port, str(ip_address(link.peer)))
    return [one for one in connections if (one.address, one.port, one.peer) == wanted]


def end(system: System, connection: Connection) -> None:
    """Ends one connection on both sides (CONFIG_INET_DIAG_DESTROY, set in Debian 13's kernel)."""
    argv = ["ss", "-K", "-H", "-t", "-n", "state", "established", "src", connection.ours, "dst", connection.theirs]
    system.run(argv)


def _end(text: str) -> tuple[str, int]:
    """`[::ffff:192.0.2.1]:3260` is 192.0.2.1 and 3260. Raises ValueError for an invalid address."""
    place, _, port = text.rpartition(":")
    address = ip_address(place.strip("[]").partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address), int(port)
