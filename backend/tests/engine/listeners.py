"""Real servers on 127.0.0.1 that receive alerts: SMTP, HTTPS and syslog, with certificates of a test authority."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message as Mail
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

from tests.machines.pace import within
from tests.machines.sockets import free_port

USER, PASSWORD = "lunette", "mail-password-1"


@dataclass
class Authority:
    """An authority that no one else trusts, and the certificate of 127.0.0.1 and localhost."""

    ca: trustme.CA = field(default_factory=trustme.CA)

    @property
    def pem(self) -> str:
        return self.ca.cert_pem.bytes().decode()

    def context(self) -> ssl.SSLContext:
        made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.ca.issue_cert("127.0.0.1", "localhost").configure_cert(made)
        return made


@dataclass
class MailServer:
    """What came in `mails`; `refuses` is the answer to DATA, None to take it."""

    mails: list[Mail] = field(default_factory=list)
    logins: list[bytes] = field(default_factory=list)
    refuses: str | None = None
    port: int = 0

    async def handle_DATA(self, _server: SMTP, _session: Any, envelope: Envelope) -> str:  # noqa: N802 aiosmtpd's name
        if self.refuses:
            return self.refuses
        content = envelope.content or b""
        self.mails.append(BytesParser().parsebytes(content if isinstance(content, bytes) else content.encode()))
        return "250 taken"

    def login(self, _server: SMTP, _session: Any, _envelope: Envelope, _mechanism: str, given: Any) -> AuthResult:
        right = isinstance(given, LoginPassword) and (given.login, given.password) == (USER.encode(), PASSWORD.encode())
        self.logins.append(given.login)
        return AuthResult(success=right, handled=False)


class _Controller(Controller):
    """aiosmtpd ends its loop while the end of a connection is still to be read: the connection stays open."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._made: list[SMTP] = []

    def factory(self) -> SMTP:
        self._made.append(super().factory())  # type: ignore[no-untyped-call]
        return self._made[-1]

    def stop(self, no_assert: bool = False) -> None:
        asyncio.run_coroutine_threadsafe(self._part(), self.loop).result(60)
        super().stop(no_assert)

    async def _part(self) -> None:
        for made in self._made:
            below_tls = made._original_transport or made.transport
            if isinstance(below_tls, asyncio.Transport):
                below_tls.abort()
        while any(made.transport is not None for made in self._made):
            await asyncio.sleep(0)


@contextmanager
def mail_server(authority: Authority, port: int = 0) -> Iterator[MailServer]:
    """An SMTP server that takes mail after STARTTLS and a login only."""
    server = MailServer()
    controller = _Controller(
        server,
        hostname="127.0.0.1",
        port=port or free_port(),
        tls_context=authority.context(),
        require_starttls=True,
        auth_required=True,
        authenticator=server.login,
        server_hostname="localhost",
        ready_timeout=60,
    )
    controller.start()
    server.port = controller.port
    try:
        yield server
    finally:
        controller.stop()


@dataclass
class Posted:
    headers: dict[str, str]
    body: bytes
    path: str


@dataclass
class HttpServer:
    """What was posted; `status` is what each post is answered with, `quotes` whether with its path, as many do."""

    posts: list[Posted] = field(default_factory=list)
    status: int = 204
    quotes: bool = False
    port: int = 0


@contextmanager
def https_server(authority: Authority, port: int = 0) -> Iterator[HttpServer]:
    found = HttpServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.posts.append(Posted(dict(self.headers.items()), body, self.path))
            self.send_response(found.status)
            self.end_headers()
            if found.quotes:
                self.wfile.write(f"<p>Moved to &quot;https://127.0.0.1{quote(self.path, safe='/?=')}&quot;".encode())

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.socket = authority.context().wrap_socket(server.socket, server_side=True)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def log_server(kind: socket.SocketKind, authority: Authority | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """A syslog server over UDP or TCP (TLS with an authority): its port, and all that came, one entry a connection."""
    came: list[bytes] = []
    with socket.socket(socket.AF_INET, kind) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(60)
        if kind is socket.SOCK_STREAM:
            listener.listen()
        thread = threading.Thread(target=_take_one, args=(listener, kind, authority, came))
        thread.start()
        yield listener.getsockname()[1], came
        thread.join()


def _take_one(listener: socket.socket, kind: socket.SocketKind, authority: Authority | None, came: list[bytes]) -> None:
    if kind is socket.SOCK_DGRAM:
        came.append(listener.recv(65536))
        return
    plain, _ = listener.accept()
    try:
        with authority.context().wrap_socket(plain, server_side=True) if authority else plain as taken:
            taken.settimeout(60)
            whole = b""
            while part := taken.recv(65536):
                whole += part
            came.append(whole)
    except OSError:
        came.append(b"")  # the client did not trust our certificate


@contextmanager
def one_answer(answer: bytes, authority: Authority | None = None) -> Iterator[tuple[int, threading.Event]]:
    """Answers one connection with these bytes (over TLS with an authority): its port, and whether the client closed it.

    Without TLS the answer is followed by the end of the stream.
    """
    closed = threading.Event()

    def serve(listener: socket.socket) -> None:
        plain, _ = listener.accept()
        with authority.context().wrap_socket(plain, server_side=True) if authority else plain as peer:
            peer.settimeout(within(20))
            try:
                peer.recv(65536)
                peer.sendall(answer)
                if authority is None:
                    peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
            except TimeoutError:
                return
            except OSError:  # closed before everything was read, or without TLS's close_notify
                pass
            closed.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield listener.getsockname()[1], closed
        finally:
            thread.join()
