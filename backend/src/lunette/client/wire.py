"""One HTTP connection to one appliance, on the standard library alone: it starts in a tenth of the time of others.

A pinned certificate is compared on the very connection that then carries the token, before the token is sent.
"""

import hashlib
import hmac
import http.client
import io
import json
import os
import select
import socket
import ssl
import threading
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

from lunette.client.endpoint import Endpoint
from lunette.client.errors import ConfigProblem, Refused, Unreachable, Untrusted

API = "/api/v1"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Where plain HTTP is spoken: by a developer's server."""
DEFAULT_PORTS = {"https": 443, "http": 80}
_MAX_TEXT = 200
JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came back: a success; every problem is raised."""

    status: int
    headers: http.client.HTTPMessage = field(repr=False)
    body: bytes = field(repr=False)

    def json(self) -> Any:
        """The body; an empty object where there is none."""
        return json.loads(self.body) if self.body else {}


class _LocalConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class _PinnedConnection(http.client.HTTPSConnection):
    """HTTPS to a server that is known by its certificate alone."""

    def __init__(self, host: str, port: int, timeout_s: float, fingerprint: str | None) -> None:
        self._fingerprint = (fingerprint or "").replace(":", "").lower()
        super().__init__(host, port, timeout=timeout_s, context=_context(pinned=bool(self._fingerprint)))

    def connect(self) -> None:
        super().connect()
        if self._fingerprint:
            shown = _fingerprint_of(self.sock)
            if not hmac.compare_digest(shown, self._fingerprint):
                self.close()
                raise Untrusted(
                    f"https://{self.host}:{self.port} presents another certificate ({shown}) than the trusted one; "
                    "if the certificate was replaced intentionally, run `lunette login` again"
                )


def _context(*, pinned: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if pinned:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the fingerprint is compared instead
    return context


def _fingerprint_of(peer: ssl.SSLSocket) -> str:
    return hashlib.sha256(peer.getpeercert(binary_form=True) or b"").hexdigest()


def fetch_fingerprint(url: str, timeout_s: float = 10.0) -> str:
    """SHA-256, in hex, of the certificate that a server presents, for manual comparison. Raises Unreachable."""
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname:
        raise ConfigProblem(f"{url} is not the address of an appliance: expected https://ADDRESS:8443")
    context = _context(pinned=True)
    try:
        with (
            socket.create_connection((parts.hostname, parts.port or 443), timeout_s) as plain,
            context.wrap_socket(plain) as peer,
        ):
            return _fingerprint_of(peer)
    except OSError as error:
        raise Unreachable(f"no answer from {url} ({error}); check the address and that the appliance is up") from error


def _open(endpoint: Endpoint, timeout_s: float) -> http.client.HTTPConnection:
    if endpoint.is_local:
        return _LocalConnection(endpoint.url.removeprefix("unix:"), timeout_s)
    parts = urlsplit(endpoint.url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ConfigProblem(f"{endpoint.url!r} is not the address of an appliance: expected https://ADDRESS:8443")
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    if parts.scheme == "http":
        if parts.hostname not in LOOPBACK:
            raise ConfigProblem(f"{endpoint.url} is not encrypted: a token would be sent over the network unprotected")
        return http.client.HTTPConnection(parts.hostname, port, timeout=timeout_s)
    return _PinnedConnection(parts.hostname, port, timeout_s, endpoint.fingerprint)


class Wire:
    """Sends requests one at a time over a persistent connection. Thread-safe."""

    def __init__(self, endpoint: Endpoint, timeout_s: float = 60.0) -> None:
        self.endpoint, self.timeout_s = endpoint, timeout_s
        self.headers: dict[str, str] = {"Accept": "application/json"}
        if endpoint.token:
            self.headers["Authorization"] = f"Bearer {endpoint.token}"
        self._connection: http.client.HTTPConnection | None = None
        self._turn = threading.Lock()

    def close(self) -> None:
        """Ends the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        """One request below /api/v1. Raises Refused for a problem, Unreachable if the appliance does not answer.

        `timeout_s` is for requests that take longer than others.

        A POST carries an Idempotency-Key, so a request whose connection broke is safely sent again. A `body` that
        is bytes on disk (a file opened for reading) is sent as it is.
        """
        target = API + path + _query(params)
        sent = {**self.headers, **(headers or {})}
        if method == "POST":
            sent.setdefault("Idempotency-Key", uuid.uuid4().hex)
        data: bytes | IO[bytes] | None = None
        if isinstance(body, io.BufferedReader):
            data, sent["Content-Type"] = body, "application/octet-stream"
            sent["Content-Length"] = str(os.fstat(body.fileno()).st_size)
            self.close()  # a persistent connection may end while the file is sent, and it is not sent twice
        elif body is not None or method == "POST":
            data, sent["Content-Type"] = json.dumps(body or {}).encode(), "application/json"
        with self._turn:
            answer = self._exchange(method, target, data, sent, timeout_s or self.timeout_s)
        self._note_cookie(answer)
        if answer.status >= 400:
            raise Refused(answer.status, _problem(answer))
        return answer

    def _exchange(
        self, method: str, target: str, data: bytes | IO[bytes] | None, headers: Mapping[str, str], timeout_s: float
    ) -> Answer:
        kept = self._connection
        if kept is not None and (kept.sock is None or _has_ended(kept.sock)):
            self.close()
        reused = self._connection is not None
        try:
            return self._once(method, target, data, headers, timeout_s)
        except (ConnectionError, http.client.HTTPException) as error:
            self.close()
            if not reused or method in {"PATCH", "DELETE"}:
                raise self._unreachable(error) from error
        except OSError as error:
            self.close()
            raise self._unreachable(error) from error
        try:
            return self._once(method, target, data, headers, timeout_s)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error

    def _once(
        self, method: str, target: str, data: bytes | IO[bytes] | None, headers: Mapping[str, str], timeout_s: float
    ) -> Answer:
        if self._connection is None:
            self._connection = _open(self.endpoint, self.timeout_s)
            self._connection.connect()
        self._connection.sock.settimeout(timeout_s)
        self._connection.request(method, target, data, dict(headers))
        with self._connection.getresponse() as response:
            return Answer(response.status, response.headers, response.read())

    def stream(self, path: str, headers: Mapping[str, str]) -> Generator[bytes, None, None]:
        """The lines of an endless response, on a separate connection. Raises Refused or Unreachable."""
        connection = _open(self.endpoint, self.timeout_s)
        try:
            connection.request("GET", API + path, headers={**self.headers, **headers})
            with connection.getresponse() as response:
                if response.status >= 400:
                    raise Refused(response.status, _problem(Answer(response.status, response.headers, response.read())))
                yield from response
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _unreachable(self, error: Exception) -> Unreachable:
        if isinstance(error, ssl.SSLCertVerificationError):
            return Untrusted(
                f"the certificate of {self.endpoint.url} is not trusted ({error.verify_message}); "
                "run `lunette login` to trust it by its fingerprint"
            )
        if isinstance(error, PermissionError):
            return Unreachable(f"{self.endpoint.url} is only for root: run the command as root, or use `lunette login`")
        return Unreachable(f"{self.endpoint.url} does not answer ({str(error) or type(error).__name__})")

    def _note_cookie(self, answer: Answer) -> None:
        """Keeps the session cookie of a login for as long as this object lives."""
        for line in answer.headers.get_all("Set-Cookie") or ():
            self.headers["Cookie"] = line.split(";", 1)[0]


def _query(params: Mapping[str, Any] | None) -> str:
    given = {key: _text(value) for key, value in (params or {}).items() if value is not None}
    return "?" + urlencode(given, doseq=True) if given else ""


def _text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _has_ended(sock: socket.socket) -> bool:
    """True if the other side has closed an idle connection: something can be read, where nothing was asked."""
    return bool(select.select([sock], [], [], 0)[0])


def _problem(answer: Answer) -> JsonObject:
    try:
        found = json.loads(answer.body)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return {"title": f"HTTP {answer.status}", "detail": answer.body.decode(errors="replace")[:_MAX_TEXT]}
