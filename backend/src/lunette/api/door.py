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
from typing import Any, Literal

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from lunette.api.answers.problems import MEDIA_TYPE, problem_of
from lunette.domain.errors import LunetteError, Malformed, TooSlow

HEAD_BYTES = 32 * 1024
"""Of a request's line and headers together."""
TLS_BUFFER_BYTES = 32 * 1024
"""Asyncio reads TLS into 256 KiB for each connection, too much for hundreds of them; a record is 16 KiB at most."""
BACKLOG = 512
RESERVE = 256
"""File descriptors that connections never take: for root's socket, the database, the agent and the workers."""
PAUSE_S = 0.2
"""After the kernel had no descriptor for a new connection."""
_log = structlog.get_logger(__name__)
asyncio.sslproto.SSLProtocol.max_size = TLS_BUFFER_BYTES


@dataclass(frozen=True)
class Limits:
    """Connections at once, in all and from one source; seconds that a client may take for each part of its work.

    `take_s` is for the part of an answer that waits to be sent: 64 KiB at the most.
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


class HttpProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn that waits for no client without end, and refuses in the words of the API.

    A head must be complete `head_s` after its first byte, or after the connection was made. A body that nobody reads
    any more (its request was refused) must end in `rest_s`. An answer that is not taken is given up after `take_s`.
    Between requests uvicorn's own keep-alive time counts.
    """

    def __init__(self, *given: Any, limits: Limits | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.gone = asyncio.Event()
        self._limits = limits or Limits()
        self._awaited: Literal["head", "rest"] | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._untaken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._deadline, self._untaken):
            if timer:
                timer.cancel()
        self.gone.set()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self._untaken:
            self._untaken = self.loop.call_later(self._limits.take_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._untaken:
            self._untaken.cancel()
            self._untaken = None

    def send_400_response(self, msg: str) -> None:
        self._refuse(
            Malformed(
                f"The request cannot be read as HTTP/1.1, or its line and headers are longer than {HEAD_BYTES} bytes."
            )
        )

    @property
    def is_at_work(self) -> bool:
        """True while a request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return bool(cycle and not cycle.response_complete)

    def _watch(self) -> None:
        awaited = self._waits_for()
        if awaited == self._awaited:
            return
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
        self._awaited = awaited
        if awaited:
            allowed_s = self._limits.head_s if awaited == "head" else self._limits.rest_s
            self._deadline = self.loop.call_later(allowed_s, self._out_of_time, allowed_s)

    def _waits_for(self) -> Literal["head", "rest"] | None:
        if self.transport.is_closing():
            return None
        if self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            return "head"
        cycle: RequestResponseCycle | None = self.cycle
        if self.conn.their_state is h11.SEND_BODY and cycle and cycle.response_complete:
            return "rest"
        return None

    def _out_of_time(self, allowed_s: float) -> None:
        self._refuse(TooSlow(f"The request was not complete after {allowed_s:g} seconds; send it at once."))

    def _refuse(self, error: LunetteError) -> None:
        """Answers, if an answer can still be given, and ends the connection."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self._has_begun_to_answer():
            body = problem_of(error, "").model_dump_json().encode()
            headers = [
                (b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]  # fmt: skip
            reason = error.title.encode()
            for event in (
                h11.Response(status_code=error.status, headers=headers, reason=reason),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _has_begun_to_answer(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return bool(cycle and cycle.response_started and not cycle.response_complete)


class Guest:
    """One connection from the network, from before TLS is spoken to its end."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.inside: HttpProtocol | None = None
        self.ending: Callable[[], object] = lambda: None
        """Ends it while it is not inside yet."""

    @property
    def is_at_work(self) -> bool:
        """True while a request of it is being answered."""
        return self.inside is not None and self.inside.is_at_work

    def end(self) -> None:
        if self.inside:
            self.inside.transport.abort()
        else:
            self.ending()


class Room:
    """Who is in, by source. Used on the event loop's thread only."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._guests: dict[str, dict[Guest, None]] = {}
        self._count = 0

    def enter(self, guest: Guest) -> bool:
        """Counts one more, unless there is no room for it.

        Where all the room is taken, a source with more connections gives up its oldest one that waits for a request:
        the one with the most of them, if it has such a one.
        """
        mine = len(self._guests.get(guest.source, ()))
        if mine >= self._limits.per_source:
            return False
        if self._count >= self._limits.in_all and not self._is_one_given_up(mine):
            return False
        self._guests.setdefault(guest.source, {})[guest] = None
        self._count += 1
        return True

    def leave(self, guest: Guest) -> None:
        """For who has left already, too."""
        theirs = self._guests.get(guest.source, {})
        if guest in theirs:
            del theirs[guest]
            self._count -= 1
            if not theirs:
                del self._guests[guest.source]

    def _is_one_given_up(self, mine: int) -> bool:
        for theirs in sorted(self._guests.values(), key=len, reverse=True):
            if len(theirs) <= mine:
                return False
            waiting = next((guest for guest in theirs if not guest.is_at_work), None)
            if waiting:
                self.leave(waiting)
                waiting.end()
                return True
        return False

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
        self._accepting = asyncio.get_running_loop().create_task(self._accept())

    @property
    def sockets(self) -> tuple[socket.socket, ...]:
        """What it listens on."""
        return (self._listener,)

    def close(self) -> None:
        """Lets nobody in any more; who is inside stays."""
        self._accepting.cancel()

    async def wait_closed(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await self._accepting

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    peer, address = await loop.sock_accept(self._listener)
                except OSError as error:
                    _log.warning("no connection could be taken", reason=str(error))
                    await asyncio.sleep(PAUSE_S)
                    continue
                self._greet(peer, Guest(source_of(str(address[0]))))
                await asyncio.sleep(0)  # others have their turn even while connections come without a pause
        finally:
            self._listener.close()

    def _greet(self, peer: socket.socket, guest: Guest) -> None:
        if not self._room.enter(guest):
            peer.close()
            _log.warning("connection refused, too many are open", source=guest.source, open=len(self._room))
            return
        task = asyncio.get_running_loop().create_task(self._serve(peer, guest))
        guest.ending = task.cancel
        self._inside.add(task)
        task.add_done_callback(self._inside.discard)

    async def _serve(self, peer: socket.socket, guest: Guest) -> None:
        """Until the connection is gone, however it goes: a handshake that fails or lasts too long is an OSError."""
        loop = asyncio.get_running_loop()
        times = (
            {"ssl_handshake_timeout": self._limits.handshake_s, "ssl_shutdown_timeout": self._limits.parting_s}
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
