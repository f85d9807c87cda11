"""The number of sessions of each target, and the TCP connections to its portals.

An ACL shows only the newest session of its initiator, and none shows its portal. But each target counts its sessions
(tiqn_nsessions, shown by fabric_statistics/iscsi_instance/sessions, Linux 6.12), and LIO's sockets are among all others
in /proc/net/tcp. The planner combines the three. iSER has no sockets.
"""

import socket
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from ipaddress import IPv6Address, ip_address

from lunette.domain.errors import ToolFailed
from lunette.domain.exports import ObservedConnection, SessionCount
from lunette.domain.identity import TARGET_AUTHORITY
from lunette.providers.exports.lio import stale
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.reading import reader
from lunette.system.system_port import System

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_ESTABLISHED = "01"


def observe(
    system: System, adopted: Collection[str] = ()
) -> tuple[tuple[SessionCount, ...], tuple[ObservedConnection, ...]]:
    """Both for Lunette's targets, including adopted ones; empty if there are none."""
    files = LioConfigfs(system)
    counts, ports = [], set()
    for iqn in stale.own_targets(files, f"{TARGET_AUTHORITY}:", adopted):
        number = files.read(f"iscsi/{iqn}/fabric_statistics/iscsi_instance/sessions").strip()
        if number.isdigit():
            counts.append(SessionCount(target=iqn, sessions=int(number)))
        for group in (name for name in files.names(f"iscsi/{iqn}") if name.startswith("tpgt_")):
            ports |= {int(portal.rpartition(":")[2]) for portal in files.names(f"iscsi/{iqn}/{group}/np")}
    return tuple(counts), tuple(_connections(system, ports)) if ports else ()


def _connections(system: System, ports: Collection[int]) -> Iterator[ObservedConnection]:
    for table in _TABLES:
        with suppress(OSError, ToolFailed):  # an odd line is not of LIO: then nothing is reported for any
            yield from parse_table(system.read(table), ports)


@reader("/proc/net/tcp")
def parse_table(text: str, ports: Collection[int]) -> tuple[ObservedConnection, ...]:
    """Established connections to these ports (Documentation/networking/proc_net_tcp.rst)."""
    return tuple(_established(text, ports))


def _established(text: str, ports: Collection[int]) -> Iterator[ObservedConnection]:
    for line in text.splitlines()[1:]:
        fields = line.split()
        if len(fields) < 4 or fields[3] != _ESTABLISHED:
            continue
        (address, port), (peer, _) = (_endpoint(field) for field in fields[1:3])
        if port in ports:
            yield ObservedConnection(address=address, port=port, peer=peer)


def _endpoint(text: str) -> tuple[str, int]:
    """`0F02000A:0CBC` as 10.0.2.15 and 3260: words of four bytes in the order of the machine, a port in hex."""
    packed, _, port = text.partition(":")
    words = [bytes.fromhex(packed[at : at + 8]) for at in range(0, len(packed), 8)]
    raw = b"".join(word[::-1] if sys.byteorder == "little" else word for word in words)
    address = ip_address(socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw))
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address), int(port, 16)
