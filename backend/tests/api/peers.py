"""Clients that speak HTTP byte by byte, to a server whose limits are short."""

import socket
import time
from collections.abc import Callable
from contextlib import closing

from lunette.api.server.connections import Limits
from tests.machines.pace import deadline

SHORT = Limits(in_all=5, per_source=3, handshake_s=0.5, head_s=0.5, rest_s=0.5, take_s=0.5, parting_s=0.5)
HEALTH = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
SOON_S = 20.0
"""For what takes half a second on a machine that has nothing else to do."""


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), SOON_S, (source, 0))
    made.settimeout(SOON_S)
    return made


def answer(peer: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """The next answer on a connection: status, headers, body."""
    got = b""
    while b"\r\n\r\n" not in got:
        more = peer.recv(65536)
        assert more, f"the connection ended after {got!r}"
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += peer.recv(65536)
    return int(first.split()[1]), headers, body


def is_over(peer: socket.socket) -> bool:
    """True once the server has ended the connection, whatever it said before."""
    try:
        while peer.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def ends_while_bytes_drip_in(peer: socket.socket) -> bool:
    until = deadline(SOON_S)
    try:
        while time.monotonic() < until:
            peer.sendall(b"x")
            time.sleep(0.05)
    except ConnectionError:
        return True
    return False


def is_in(port: int, source: str = "127.0.0.1") -> bool:
    """True if a new connection is answered."""
    with closing(connected(port, source)) as peer:
        try:
            peer.sendall(HEALTH)
            return bool(peer.recv(1))
        except ConnectionError:
            return False


def soon(holds: Callable[[], bool]) -> bool:
    until = deadline(SOON_S)
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
