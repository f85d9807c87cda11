"""A WebDAV server over TLS on a real directory, with the faults that servers have."""

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from backend.tests.engine.listeners import PASSWORD, USER, Authority

FOLDER = "/dav/san1"
_LOGIN = f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"


@dataclass
class WebDav:
    """`answers`: status of a method instead of its effect. `cut`: bytes of an upload after which the line breaks.

    `lost`: methods that take effect and are not answered. `spoils`: what was uploaded is not what can be read.
    """

    root: Path
    port: int = 0
    asked: list[str] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=dict)
    cut: int | None = None
    lost: set[str] = field(default_factory=set)
    spoils: bool = False

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}{FOLDER}"

    def names(self) -> list[str]:
        return sorted(one.name for one in self.root.iterdir())

    def whole(self) -> list[str]:
        return [name for name in self.names() if name.endswith(".lunette-backup")]


class _Handler(BaseHTTPRequestHandler):
    """Answers of `found`."""

    protocol_version = "HTTP/1.1"
    found: WebDav
    body: bytes

    def do_PUT(self) -> None:
        if self._goes_on():
            self._place(self.path).write_bytes(self.body[::-1] if self.found.spoils else self.body)
            if self.found.cut is None:
                self._end(201)
            else:
                self.close_connection = True

    def do_GET(self) -> None:
        if self._goes_on(must_exist=True):
            self._end(200, self._place(self.path).read_bytes())

    do_HEAD = do_GET  # noqa: N815 http.server's name

    def do_DELETE(self) -> None:
        if self._goes_on(must_exist=True):
            self._place(self.path).unlink()
            self._end(204)

    def do_MOVE(self) -> None:
        if not self._goes_on(must_exist=True):
            return
        wanted = self._place(urlsplit(self.headers["Destination"]).path)
        if wanted.exists() and self.headers["Overwrite"] == "F":
            self._end(412)
        else:
            self._place(self.path).rename(wanted)
            self._end(201)

    def _goes_on(self, *, must_exist: bool = False) -> bool:
        """Reads the request; False if it is answered already."""
        self.found.asked.append(f"{self.command} {self.path.rpartition('/')[2]}")
        length, cut = int(self.headers["Content-Length"] or 0), self.found.cut
        self.body = self.rfile.read(length if cut is None else min(length, cut))
        if self.headers["Authorization"] != _LOGIN:
            self._end(401)
        elif self.command in self.found.answers:
            self._end(self.found.answers[self.command], b"the disk of the server is on fire")
        elif must_exist and not self._place(self.path).exists():
            self._end(404)
        else:
            return True
        return False

    def _place(self, path: str) -> Path:
        folder, _, name = path.rpartition("/")
        assert folder == FOLDER, path
        return self.found.root / name

    def _end(self, status: int, body: bytes = b"") -> None:
        if self.command in self.found.lost:
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


@contextmanager
def webdav_server(authority: Authority, root: Path, port: int = 0) -> Iterator[WebDav]:
    """The server, while the block runs."""
    root.mkdir(exist_ok=True)
    found = WebDav(root)
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"found": found}))
    server.daemon_threads = True
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
