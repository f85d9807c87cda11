"""Files in one folder of a WebDAV server (RFC 4918), over HTTPS.

A file is uploaded under another name, read back, and only then renamed: under its own name there is a whole file or
none.
"""

import base64
import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from lunette.domain.settings import BackupSettings
from lunette.engine.notifications.failure import DeliveryFailed, trust, words_of
from lunette.engine.notifications.outward import HttpsConnection

TIMEOUT_S = 30.0
PARTIAL = ".partial"
"""How the name of a file ends until it is whole."""
_MAX_SHOWN = 200
_CREATED = (200, 201, 204)
_GONE = (404, 410)
_REASONS = {
    401: "the server refuses the login: check user and password",
    403: "the user may not write to this folder",
    404: "the folder does not exist: create it on the server",
    405: "the server or this folder does not support WebDAV",
    409: "the folder does not exist: create it on the server",
    412: "a file of this name exists already",
    413: "the server does not accept files of this size",
    423: "the file is locked on the server",
    501: "the server or this folder does not support WebDAV",
    507: "the server has no space left",
}


class Folder:
    """One folder, over one connection. Every method raises DeliveryFailed with the reason in words."""

    def __init__(self, settings: BackupSettings, connection: HttpsConnection) -> None:
        self._where, self._url = settings.server, settings.url
        self._path = urlsplit(settings.url).path
        self._connection = connection
        self._headers = {"User-Agent": "Lunette"}
        if settings.user is not None and settings.password is not None:
            login = f"{settings.user}:{settings.password.get_secret_value()}"
            self._headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"

    def store(self, name: str, content: bytes) -> None:
        """Stores a file. If it fails, no file has this name, unless the server renamed it and the answer was lost."""
        draft = name + PARTIAL
        self._require("PUT", *self._ask("PUT", draft, content, {"Content-Type": "application/octet-stream"}))
        status, found = self._ask("GET", draft, most=len(content) + 1)
        self._require("GET", status, found)
        if found != content:
            raise DeliveryFailed(
                f"{self._where} does not return what was uploaded: {len(found)} of {len(content)} bytes were read back",
                was_answered=True,
            )
        headers = {"Destination": f"{self._url}/{name}", "Overwrite": "F"}
        self._require("MOVE", *self._ask("MOVE", draft, None, headers))

    def has(self, name: str) -> bool:
        """Whether a whole file of this name exists."""
        status, found = self._ask("HEAD", name)
        if status in _GONE:
            return False
        self._require("HEAD", status, found)
        return True

    def delete(self, name: str) -> None:
        """Deletes a file; does nothing if it does not exist."""
        status, found = self._ask("DELETE", name)
        if status not in _GONE:
            self._require("DELETE", status, found)

    def _ask(
        self,
        method: str,
        name: str,
        body: bytes | None = None,
        more: dict[str, str] | None = None,
        most: int = _MAX_SHOWN,
    ) -> tuple[int, bytes]:
        try:
            self._connection.request(method, f"{self._path}/{name}", body, {**self._headers, **(more or {})})
            with self._connection.getresponse() as answer:
                found = answer.read(most)
                if answer.read(1):  # the rest of a long answer would precede the next one
                    self._connection.close()
                return answer.status, found
        except OSError as error:
            self._connection.close()
            raise DeliveryFailed(words_of(error, self._where, TIMEOUT_S), was_answered=False) from error
        except (http.client.HTTPException, ValueError) as error:
            self._connection.close()
            words = f"{self._where} does not respond with HTTP ({type(error).__name__}: {error})"
            raise DeliveryFailed(words, was_answered=False) from error

    def _require(self, method: str, status: int, found: bytes) -> None:
        if status in _CREATED:
            return
        said = " ".join(found.decode(errors="replace").split())[:_MAX_SHOWN]
        reason = _REASONS.get(status) or said or "without a reason"
        raise DeliveryFailed(f"{self._where} answers {status} to {method}: {reason}", was_answered=True)


@contextmanager
def opened(settings: BackupSettings, trusted_ca: str | None) -> Iterator[Folder]:
    """The folder of these settings, which have their secrets."""
    parts = urlsplit(settings.url)
    connection = HttpsConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S, context=trust(trusted_ca))
    try:
        yield Folder(settings, connection)
    finally:
        connection.close()
