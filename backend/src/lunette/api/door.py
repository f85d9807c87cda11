"""The way in from the network: how many connections there may be, and how long each may keep the API waiting.

All of it happens before anything is known of who asks, TLS included, so that nobody without a login can use up the
process's file descriptors, its memory, or the time of the one thread that serves everybody.
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

import structlog

from lunette.api.protocol import HttpProtocol, Waiting

TLS_BUFFER_BYTES = 32 * 1024
"""Asyncio reads TLS into 256 KiB for each connection, too much for hundreds of them; a record is 16 KiB at most."""
BACKLOG = 512
ACCEPTED_A_TURN = 64
LEAVING = 50
"""Connections that may still be counted while they end for others."""
RESERVE = 256
"""File descriptors that connections never take: for root's socket, the database, the agent and the workers."""
LOOK_S = 1.0
"""How often it is looked who is late."""
PAUSE_S = 0.2
"""After the kernel had no descriptor for a new connection."""
_log = structlog.get_logger(__name__)
asyncio.sslproto.SSLProtocol.max_size = TLS_BUFFER_BYTES


@dataclass(frozen=True)
class Limits:
    """Connections at once, in all and from one source; seconds that a client may take for each part of its work.

    `take_s` is for the part of an answer that waits to be sent: about 128 KiB at the most. `parting_s` is for the end
    of TLS, once everything is sent.
    """

    in_all: int = 600
    per_source: int = 150
    handshake_s: float = 10.0
    head_s: float = 10.0
    rest_s: float = 10.0
    take_s: float = 60.0
    parting_s: float = 10.0


def limits_here() -> Limits:
    """The limits, with fewer connections where the process may open few files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    usual = Limits()
    if soft == resource.RLIM_INFINITY or soft - RESERVE >= usual.in_all:
        return usual
    in_all = max(soft - RESERVE, 16)
    return Limits(in_all=in_all, per_source=max(in_all // 4, 8))


def source_of(address: str) -> str:
    """Who counts as one source: an IPv4 address, or the /64 network of an IPv6 one, which is one client's to fill."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


class Guest:
    """One connection from the network, from before TLS is spoken to its end."""

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
        """True while a request of it is answered."""
        return self.inside is not None and self.inside.is_at_work

    def end(self) -> None:
        """Hangs up; it has left once that is noticed. By the socket, for TLS that was closed cannot be aborted."""
        self.is_leaving = True
        with contextlib.suppress(OSError):
            self._peer.shutdown(socket.SHUT_RDWR)

    def look(self, now: float, limits: Limits) -> None:
        """Ends what waits for its client longer than it may. Called about every second."""
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
        """None for what is limited elsewhere: a body by who reads it, the time between two requests by uvicorn."""
        if self.waits_for == "part" and self.inside and self.inside.waiting_bytes:
            return limits.take_s
        return {
            "handshake": limits.handshake_s, "head": limits.head_s, "rest": limits.rest_s, "take": limits.take_s,
            "part": limits.parting_s,
        }.get(self.waits_for or "")  # fmt: skip


class Room:
    """Who is in, by source. Used on the event loop's thread only."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._guests: dict[str, dict[Guest, None]] = {}
        self._count = 0

    def enter(self, guest: Guest) -> bool:
        """Counts one more, unless there is no room for it.

        Where all the room is taken, a source with more connections gives up its oldest one that waits for its client:
        the one with the most of them, if it has such a one.
        """
        mine = len(self._guests.get(guest.source, ()))
        if mine >= self._limits.per_source:
            return False
        if self._count >= self._limits.in_all + LEAVING or (
            self._count >= self._limits.in_all and not self._is_one_given_up(mine)
        ):
            return False
        self._guests.setdefault(guest.source, {})[guest] = None
        self._count += 1
        return True

    def leave(self, guest: Guest) -> None:
        theirs = self._guests[guest.source]
        del theirs[guest]
        self._count -= 1
        if not theirs:
            del self._guests[guest.source]

    def _is_one_given_up(self, mine: int) -> bool:
        for theirs in sorted(self._guests.values(), key=len, reverse=True):
            if len(theirs) <= mine:
                return False
            waiting = next((guest for guest in theirs if not guest.is_at_work and not guest.is_leaving), None)
            if waiting:
                waiting.end()
                return True
        return False

    def look(self, now: float) -> None:
        """Ends what waits for its client longer than it may."""
        for theirs in tuple(self._guests.values()):
            for guest in tuple(theirs):
                guest.look(now, self._limits)

    def __len__(self) -> int:
        return self._count


class Door:
    """Lets connections of one listening socket in, as far as there is room. It is closed as a server of asyncio is."""

    def __init__(
        self, listener: socket.socket, room: Room, limits: Limits, tls: ssl.SSLContext | None,
        let_in: Callable[[], HttpProtocol],
    ) -> None:  # fmt: skip
        self._listener, self._room, self._limits, self._tls, self._let_in = listener, room, limits, tls, let_in
        self._inside: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        listener.listen(BACKLOG)
        loop = asyncio.get_running_loop()
        self._tasks = (loop.create_task(self._accept()), loop.create_task(self._look()))

    @property
    def sockets(self) -> tuple[socket.socket, ...]:
        """What it listens on."""
        return (self._listener,)

    def close(self) -> None:
        """Lets nobody in any more; who is inside stays."""
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
                        _log.warning("no connection could be taken", reason=str(error))
                        await asyncio.sleep(PAUSE_S)
                        break
                    if self._is_let_in(peer, str(address[0])):
                        break
                await asyncio.sleep(0)  # others have their turn even while connections come without a pause
        finally:
            self._listener.close()

    def _is_let_in(self, peer: socket.socket, address: str) -> bool:
        guest = Guest(source_of(address), peer)
        if not self._room.enter(guest):
            peer.close()
            _log.warning("connection refused, too many are open", source=guest.source, open=len(self._room))
            return False
        task = asyncio.get_running_loop().create_task(self._serve(peer, guest))
        self._inside.add(task)
        task.add_done_callback(self._inside.discard)
        return True

    async def _look(self) -> None:
        """Until the loop ends: connections that part at a stop have their limits, too."""
        loop = asyncio.get_running_loop()
        period_s = min(LOOK_S, self._limits.head_s / 4)
        while True:
            await asyncio.sleep(period_s)
            self._room.look(loop.time())

    async def _serve(self, peer: socket.socket, guest: Guest) -> None:
        """Until the connection is gone, however it goes: a handshake that fails or lasts too long is an OSError."""
        loop = asyncio.get_running_loop()
        times = (
            {"ssl_handshake_timeout": self._limits.handshake_s, "ssl_shutdown_timeout": self._limits.take_s}
            if self._tls
            else {}
        )
        try:
            _, guest.inside = await loop.connect_accepted_socket(self._let_in, peer, ssl=self._tls, **times)
            await guest.inside.gone.wait()
        except OSError:
            peer.close()
        finally:
            self._room.leave(guest)


async def listen(host: str, port: int) -> list[socket.socket]:
    """Binds a socket for each address of the host, as asyncio does. Raises OSError."""
    loop = asyncio.get_running_loop()
    bound = await loop.create_server(asyncio.Protocol, host or None, port, start_serving=False)
    try:
        return [one.dup() for one in bound.sockets]
    finally:
        bound.close()
