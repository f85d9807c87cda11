"""Accepts connections from the network: how many there may be, and how long each may keep the API waiting.

The limits apply before anything is known about the client, and before TLS, so that no one without a login can exhaust
the process's file descriptors, its memory, or the time of the one thread that serves all clients.
"""

import asyncio
import asyncio.sslproto
import contextlib
import ipaddress
import resource
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from lunette.api.server.protocol import HttpProtocol, Waiting

TLS_BUFFER_BYTES = 32 * 1024
"""Asyncio allocates 256 KiB for reading TLS on each connection, too much for hundreds; a record has 16 KiB at most."""
BACKLOG = 4096
"""How many connections the kernel completes while the event loop is busy: the default of net.core.somaxconn. While the
queue is full, requests to connect are dropped, and a client repeats its own only after a second (RFC 6298).
"""
ACCEPTED_A_TURN = 64
LEAVING = 50
"""How far the count may exceed the limit while evicted connections are being closed."""
RESERVE = 256
"""File descriptors that connections never take: for root's socket, the database, the agent and the workers."""
SWEEP_S = 1.0
"""Between two checks for clients that exceeded their time."""
PAUSE_S = 0.2
"""Before the next attempt after the kernel could not accept a connection."""
_log = structlog.get_logger(__name__)
asyncio.sslproto.SSLProtocol.max_size = TLS_BUFFER_BYTES


@dataclass(frozen=True)
class Limits:
    """Concurrent connections, in all and from one source; seconds that a client may take for each phase.

    `take_s` is for receiving the buffered part of a response: at most about 128 KiB. `parting_s` is for closing TLS,
    once everything has been sent.
    """

    in_all: int = 600
    per_source: int = 150
    handshake_s: float = 10.0
    head_s: float = 10.0
    rest_s: float = 10.0
    take_s: float = 60.0
    parting_s: float = 10.0


def limits_here() -> Limits:
    """The default limits, with fewer connections where the process may open few files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    usual = Limits()
    if soft == resource.RLIM_INFINITY or soft - RESERVE >= usual.in_all:
        return usual
    in_all = max(soft - RESERVE, 16)
    return Limits(in_all=in_all, per_source=max(in_all // 4, 8))


def source_of(address: str) -> str:
    """One source: an IPv4 address, or the /64 network of an IPv6 one, all of which belongs to one client."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


class Connection:
    """One connection from the network, from before its TLS handshake to its end."""

    def __init__(self, source: str, peer: socket.socket) -> None:
        self.source = source
        self.inside: HttpProtocol | None = None
        self.is_leaving = False
        self._peer = peer
        self._awaited: tuple[Waiting | None, int] | None = None
        self._since = 0.0

    @property
    def waits_for(self) -> Waiting | None:
        return self.inside.waits_for if self.inside else "handshake"

    @property
    def is_at_work(self) -> bool:
        """True while one of its requests is being answered."""
        return self.inside is not None and self.inside.is_at_work

    def end(self) -> None:
        """Shuts the socket down; asyncio then drops the connection.

        Not `transport.abort()`: that does nothing on a TLS transport that has already been closed.
        """
        self.is_leaving = True
        with contextlib.suppress(OSError):
            self._peer.shutdown(socket.SHUT_RDWR)

    def check(self, now: float, limits: Limits) -> None:
        """Ends the connection if its client has exceeded its time. Called about every second."""
        awaited = (self.waits_for, self.inside.progress if self.inside else 0)
        if awaited != self._awaited:
            self._awaited, self._since = awaited, now
            return
        allowed_s = self._allowed_s(limits)
        if allowed_s is None or now - self._since <= allowed_s:
            return
        if self.inside:
            self.inside.is_late(allowed_s)
        else:
            self.end()

    def _allowed_s(self, limits: Limits) -> float | None:
        """None for what is limited elsewhere: a body by its reader, the time between two requests by uvicorn."""
        if self.waits_for == "part" and self.inside and self.inside.waiting_bytes:
            return limits.take_s
        return {
            "handshake": limits.handshake_s,
            "head": limits.head_s,
            "rest": limits.rest_s,
            "take": limits.take_s,
            "part": limits.parting_s,
        }.get(self.waits_for or "")


class OpenConnections:
    """The open connections by source. Used on the event loop's thread only."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: dict[str, dict[Connection, None]] = {}
        self._count = 0

    def enter(self, connection: Connection) -> bool:
        """Counts a new connection and returns True, unless a limit is reached.

        At the overall limit a connection of another source is evicted first: the oldest one that waits for its client,
        of the source with the most connections, and only if that source has more of them than the new one's.
        """
        mine = len(self._connections.get(connection.source, ()))
        if mine >= self._limits.per_source:
            return False
        if self._count >= self._limits.in_all + LEAVING or (
            self._count >= self._limits.in_all and not self._evicts_one(mine)
        ):
            return False
        self._connections.setdefault(connection.source, {})[connection] = None
        self._count += 1
        return True

    def leave(self, connection: Connection) -> None:
        theirs = self._connections[connection.source]
        del theirs[connection]
        self._count -= 1
        if not theirs:
            del self._connections[connection.source]

    def _evicts_one(self, mine: int) -> bool:
        for theirs in sorted(self._connections.values(), key=len, reverse=True):
            if len(theirs) <= mine:
                return False
            waiting = next(
                (connection for connection in theirs if not connection.is_at_work and not connection.is_leaving), None
            )
            if waiting:
                waiting.end()
                return True
        return False

    def sweep(self, now: float) -> None:
        """Ends the connections whose clients have exceeded their time."""
        for theirs in tuple(self._connections.values()):
            for connection in tuple(theirs):
                connection.check(now, self._limits)

    def __len__(self) -> int:
        return self._count


class Listener:
    """Accepts connections of one listening socket within the limits. It is closed like a server of asyncio."""

    def __init__(
        self,
        listener: socket.socket,
        open_connections: OpenConnections,
        limits: Limits,
        tls: ssl.SSLContext | None,
        let_in: Callable[[], HttpProtocol],
    ) -> None:
        self._listener, self._open_connections, self._limits, self._tls, self._let_in = (
            listener,
            open_connections,
            limits,
            tls,
            let_in,
        )
        self._inside: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        # An answer is written in parts, and no part waits until the client has acknowledged the one before, which takes
        # 40 ms. Connections inherit this; asyncio sets it only for sockets that name their protocol.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.listen(BACKLOG)
        loop = asyncio.get_running_loop()
        self._tasks = (loop.create_task(self._accept()), loop.create_task(self._sweep()))

    @property
    def sockets(self) -> tuple[socket.socket, ...]:
        """The listening socket."""
        return (self._listener,)

    def close(self) -> None:
        """Stops accepting connections; open ones stay open."""
        self._tasks[0].cancel()

    async def wait_closed(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await self._tasks[0]

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while True:
                for _ in range(ACCEPTED_A_TURN):
                    try:
                        peer, address = await loop.sock_accept(self._listener)
                    except OSError as error:
                        _warn("cannot accept a connection", reason=str(error))
                        await asyncio.sleep(PAUSE_S)
                        break
                    if self._is_let_in(peer, str(address[0])):
                        break
                await asyncio.sleep(0)  # lets other tasks run even under a steady stream of connections
        finally:
            self._listener.close()

    def _is_let_in(self, peer: socket.socket, address: str) -> bool:
        connection = Connection(source_of(address), peer)
        if not self._open_connections.enter(connection):
            peer.close()
            _warn("connection refused, too many are open", source=connection.source, open=len(self._open_connections))
            return False
        task = asyncio.get_running_loop().create_task(self._serve(peer, connection))
        self._inside.add(task)
        task.add_done_callback(self._inside.discard)
        return True

    async def _sweep(self) -> None:
        """Runs until the loop ends: connections that are closing at a stop have their limits, too."""
        loop = asyncio.get_running_loop()
        period_s = min(SWEEP_S, self._limits.head_s / 4)
        while True:
            await asyncio.sleep(period_s)
            self._open_connections.sweep(loop.time())

    async def _serve(self, peer: socket.socket, connection: Connection) -> None:
        """Returns when the connection is closed. A handshake that fails or takes too long is an OSError."""
        loop = asyncio.get_running_loop()
        times = (
            {"ssl_handshake_timeout": self._limits.handshake_s, "ssl_shutdown_timeout": self._limits.take_s}
            if self._tls
            else {}
        )
        try:
            _, connection.inside = await loop.connect_accepted_socket(self._let_in, peer, ssl=self._tls, **times)
            await connection.inside.gone.wait()
        except OSError:
            peer.close()
        finally:
            self._open_connections.leave(connection)


def _warn(event: str, **facts: Any) -> None:
    """Logs without ever failing: a standard error that cannot be written must not end the accept loop."""
    with contextlib.suppress(Exception):
        _log.warning(event, **facts)


async def listen(host: str, port: int) -> list[socket.socket]:
    """Binds a socket for each address of the host, as asyncio does. Raises OSError."""
    loop = asyncio.get_running_loop()
    bound = await loop.create_server(asyncio.Protocol, host or None, port, start_serving=False)
    try:
        return [one.dup() for one in bound.sockets]
    finally:
        bound.close()
