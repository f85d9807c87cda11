"""Connections to configured web servers, but not to addresses that only this machine or one of its links can reach.

Private networks are allowed: that is where the web server of a data center is.
"""

import http.client
import ipaddress
import socket
from typing import Any

FORBIDDEN = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "224.0.0.0/4",
        "255.255.255.255/32",
        "::/96",
        "fe80::/10",
        "ff00::/8",
    )
)
"""This machine, link-local (where clouds hand out credentials), multicast, broadcast; `::/96` has `::1` and `::`."""
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses behind a translator (RFC 6052)."""


class Forbidden(OSError):
    """The name resolves to forbidden addresses only."""


def is_allowed(address: str) -> bool:
    """True if an address may be connected to, in any notation."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        if found in _TRANSLATED:
            return is_allowed(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
        if found.ipv4_mapped is not None:
            return is_allowed(str(found.ipv4_mapped))
    return not any(found.version == network.version and found in network for network in FORBIDDEN)


def connect(place: tuple[str, int], timeout_s: Any = None, source: Any = None) -> socket.socket:
    """As socket.create_connection, to allowed addresses only.

    The name is resolved once: the checked address is the one connected to. Raises Forbidden, or OSError.
    """
    host, port = place
    found = dict.fromkeys(str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    allowed = [address for address in found if is_allowed(address)]
    failed: OSError = Forbidden(f"{host} has only loopback, link-local or multicast addresses, which are not allowed")
    for address in allowed:
        try:
            return socket.create_connection((address, port), timeout_s, source)
        except OSError as error:
            failed = error
    raise failed


class HttpConnection(http.client.HTTPConnection):
    """Over TCP to allowed addresses only."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._create_connection = connect


class HttpsConnection(http.client.HTTPSConnection):
    """The same with TLS; the certificate is checked as `context` says."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._create_connection = connect
