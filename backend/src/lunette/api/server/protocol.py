"""HTTP/1.1 by uvicorn and h11, with a time limit for all that a client has to do, and equal turns for all clients.

It does not know the user: the limits are the same before and after a login.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any, Literal

import h11
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from lunette.api.answers.problems import MEDIA_TYPE, problem_of
from lunette.domain.errors import LunetteError, Malformed, TooSlow

HEAD_BYTES = 32 * 1024
"""A request's line and headers together."""
HEAD_LINES = 100
EVENTS_A_TURN = 64
"""Events that h11 reads from one connection before others get their turn; each chunk of a body is one event."""
BUFFERED_BYTES = 64 * 1024
"""Unsent bytes of an answer at which its producer has to wait; asyncio's limit under TLS is 512 KiB."""
Waiting = Literal["handshake", "head", "body", "rest", "take", "part"]
"""What a connection waits for: the TLS handshake, send a request's head, its body, or the rest of an
unread body, receive a response, or close the connection.
"""


class PacedConnection(h11.Connection):
    """A connection of h11 that reads a few events at a time, and refuses a head of too many lines before parsing it.

    30,000 bytes can hold 10,000 headers or chunks, and a short one takes as much time to parse as a long one.
    """

    def __init__(self) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        self.left = EVENTS_A_TURN
        self.is_behind = False
        """True if data was received that may hold further events."""

    @property
    def unread_bytes(self) -> int:
        """Bytes that were received and not read yet."""
        return len(self._receive_buffer)

    def next_event(self) -> Any:
        """Like h11's. Raises RemoteProtocolError."""
        if self.left <= 0:
            self.is_behind = True
            return h11.NEED_DATA
        if self.their_state is h11.IDLE:
            head = self.trailing_data[0].partition(b"\r\n\r\n")[0]
            if head.count(b"\n") > HEAD_LINES:
                raise h11.RemoteProtocolError("too many headers", error_status_hint=431)
        event = super().next_event()
        if isinstance(event, h11.Request) and not event.http_version.startswith(b"1."):
            raise h11.RemoteProtocolError("neither HTTP/1.1 nor HTTP/1.0")  # h11 would take any digits
        if isinstance(event, h11.Request) and _is_chunked(event):
            self.left = 0  # its first chunk is read after the application has seen the head
        elif event is not h11.NEED_DATA and event is not h11.PAUSED:
            self.left -= 1
        return event


def _is_chunked(request: h11.Request) -> bool:
    return any(name == b"transfer-encoding" for name, _ in request.headers)


class PacedFlow(FlowControl):
    """Uvicorn's resumes reading after each answer, however much received data is still unread; this one asks first."""

    def __init__(self, transport: asyncio.Transport, may_read: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._may_read = may_read

    def resume_reading(self) -> None:
        if self._may_read():
            super().resume_reading()


class HttpProtocol(H11Protocol):
    """One connection. It is checked regularly what it `waits_for`, and for how long."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = self._paced = PacedConnection()
        self.gone = asyncio.Event()
        self.progress = 0
        """Grows with each request, and each time that sending resumes after the client was too slow."""
        self._socket: socket.socket | None = None
        self._has_begun = False
        self._has_ended = False
        self._turn: asyncio.Handle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._socket = transport.get_extra_info("socket")
        transport.set_write_buffer_limits(high=BUFFERED_BYTES)
        if hasattr(transport, "set_read_buffer_limits"):  # under TLS
            transport.set_read_buffer_limits(high=HEAD_BYTES)
        super().connection_made(transport)
        self.flow = PacedFlow(transport, self._may_read)

    def _may_read(self) -> bool:
        return not self._turn and not self.transport.is_closing() and self._paced.unread_bytes <= HEAD_BYTES

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        if self._turn:
            self._turn.cancel()
        self.gone.set()

    def eof_received(self) -> None:
        self._has_ended = True
        super().eof_received()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._turn:  # earlier data has not been read yet
            self._unset_keepalive_if_required()
            self.conn.receive_data(data)
            return
        self._has_begun = self._has_begun or bool(data.strip())
        self._paced.left = EVENTS_A_TURN
        super().data_received(data)
        self._go_on_in_turn()

    def on_response_complete(self) -> None:
        """A body that is unread after its response is read only to find its end: cheap by length, but not by chunks."""
        self.progress += 1
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.SEND_BODY and b"transfer-encoding" in dict(self.headers):
            self.transport.close()
            return
        if self.conn.their_state is h11.IDLE:
            self._has_begun = bool(self.conn.trailing_data[0])
        self._go_on_in_turn()

    def resume_writing(self) -> None:
        self.progress += 1
        super().resume_writing()

    def _go_on_in_turn(self) -> None:
        if self.transport.is_closing():
            return
        if self._paced.is_behind and not self._turn:
            self._paced.is_behind = False
            self._turn = self.loop.call_soon(self._take_turn)
        if not self._may_read():
            self.flow.pause_reading()

    def _take_turn(self) -> None:
        self._turn = None
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        self._paced.left = EVENTS_A_TURN
        self.handle_events()
        self._go_on_in_turn()

    @property
    def waits_for(self) -> Waiting | None:
        """What the client has to do next; None while a request is processed, and between two requests."""
        if self.transport.is_closing() or self._has_ended:
            return "part"
        if self.flow.write_paused:
            return "take"
        if self.conn.their_state is h11.IDLE:
            return "head" if self.timeout_keep_alive_task is None else None
        if self.conn.their_state is h11.SEND_BODY:
            cycle: RequestResponseCycle | None = self.cycle
            return "rest" if cycle and cycle.response_complete else "body"
        return None

    @property
    def is_at_work(self) -> bool:
        """True while a request is being answered and the client has nothing to do."""
        cycle: RequestResponseCycle | None = self.cycle
        return self.waits_for is None and cycle is not None and not cycle.response_complete

    @property
    def waiting_bytes(self) -> int:
        """Bytes of responses that are not sent yet."""
        try:
            return self.transport.get_write_buffer_size()
        except AttributeError:  # raised by Python 3.11 for TLS that was closed twice
            return 0

    def is_late(self, allowed_s: float) -> None:
        """Closes the connection, after a response with the reason if HTTP allows one."""
        waits_for = self.waits_for
        if waits_for in ("take", "part"):
            self.hang_up()
        elif waits_for == "head" and self._has_begun:
            self._refuse(TooSlow(f"The request was not complete after {allowed_s:g} seconds; send it without delay."))
        elif waits_for:
            self.transport.close()

    def hang_up(self) -> None:
        """Ends the connection without sending what is buffered, for which `transport.close()` would wait forever."""
        if self._socket:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def send_400_response(self, msg: str) -> None:
        self._refuse(
            Malformed(
                "The request cannot be read as HTTP/1.1, or its line and headers are longer than "
                f"{HEAD_BYTES} bytes or {HEAD_LINES} lines."
            )
        )

    def _refuse(self, error: LunetteError) -> None:
        """Answers with a problem if none has been started, and closes the connection."""
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle
        has_begun = False
        if cycle is not None and not cycle.response_complete:  # stops the application's answer
            has_begun = cycle.response_started
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not has_begun:
            body = problem_of(error, "").model_dump_json().encode()
            headers = [
                (b"content-type", MEDIA_TYPE.encode()),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]
            for event in (
                h11.Response(status_code=error.status, headers=headers, reason=error.title.encode()),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
