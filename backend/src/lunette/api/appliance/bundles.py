"""The uploaded or downloaded update bundle: a file in the API's own directory, where the agent finds it by its ID.

An accepted bundle replaces the previous one; a refused one does not. An incomplete upload has another name, and is
removed with the next one.
"""

import http.client
import os
import shutil
import ssl
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from starlette.concurrency import run_in_threadpool

from lunette.domain.errors import Conflict, FieldProblem, Invalid, NoSpace, TooLarge
from lunette.domain.secret_urls import SecretUrl
from lunette.domain.sizes import format_size
from lunette.domain.updates import MAX_BUNDLE_BYTES
from lunette.engine.notifications import outward

FOLDER = "updates"
ENDING, HALF = ".raucb", ".half"
SPARE_BYTES = 256 * 1024 * 1024
"""Space reserved for database and logs, which are on the same partition."""
PIECE_BYTES = 1024 * 1024
SILENT_S = 60.0
"""How long a server from which a bundle is downloaded may be silent."""


class Incoming:
    """An incoming bundle. `declared` is the announced number of bytes, None if unknown."""

    def __init__(self, data: Path, declared: int | None) -> None:
        self.id = uuid.uuid4().hex
        self._folder, self._declared, self._size = data / FOLDER, declared, 0
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for left in self._folder.glob(f"*{HALF}"):
            left.unlink(missing_ok=True)
        _check_room(self._folder, declared or 0)
        self._file = (self._folder / f"{self.id}{HALF}").open("wb")

    def take(self, piece: bytes) -> None:
        """Raises TooLarge or NoSpace."""
        self._size += len(piece)
        _check_size(self._size)
        try:
            self._file.write(piece)
        except OSError as error:
            raise NoSpace(f"The bundle was not stored: {error.strerror}. Free space on the system drive.") from error

    def keep(self) -> None:
        """The upload is complete: it is stored next to the previous one. Raises Invalid if less arrived than was
        announced.
        """
        if self._declared is not None and self._size != self._declared:
            raise Invalid(f"Only {self._size} of {self._declared} bytes arrived, and nothing was stored: try again.")
        self._file.flush()
        os.fsync(self._file.fileno())
        Path(self._file.name).rename(self._folder / f"{self.id}{ENDING}")

    def close(self) -> None:
        """Removes everything that was not accepted."""
        self._file.close()
        Path(self._file.name).unlink(missing_ok=True)


@contextmanager
def incoming(data: Path, declared: int | None) -> Iterator[Incoming]:
    """Space for a bundle. Raises TooLarge or NoSpace; with any exception inside, nothing is stored."""
    made = Incoming(data, declared)
    try:
        yield made
    finally:
        made.close()


async def receive(data: Path, pieces: AsyncIterator[bytes], declared: int | None) -> str:
    """Stores an upload; returns its ID. Raises TooLarge, NoSpace or Invalid, with nothing stored."""
    with incoming(data, declared) as made:
        async for piece in pieces:
            await run_in_threadpool(made.take, piece)
        await run_in_threadpool(made.keep)
        return made.id


def fetch(data: Path, url: SecretUrl) -> str:
    """Stores the response of a web server; returns its ID. Raises Invalid naming the server, TooLarge or NoSpace.

    Addresses that only this machine or one of its links can reach are refused.
    """
    try:
        with _opener().open(url.get_secret_value(), timeout=SILENT_S) as answer:
            length = answer.headers.get("Content-Length", "")
            with incoming(data, int(length) if length.isdecimal() else None) as made:
                while piece := answer.read(PIECE_BYTES):
                    made.take(piece)
                made.keep()
                return made.id
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        message = f"it was not downloaded: {_why(error, url)}"
        raise Invalid(
            f"Nothing was stored: {message}.", errors=(FieldProblem(field="url", value=url.shown, message=message),)
        ) from error


def _why(error: Exception, url: SecretUrl) -> str:
    """Without path and query of any address, redirects included: they may contain a token."""
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {http.client.responses.get(error.code, '')}".rstrip()
    if not isinstance(error, OSError | http.client.HTTPException) or isinstance(error, http.client.InvalidURL):
        return "the address, or one that the server redirects to, is not a valid one"
    words = str(getattr(error, "reason", None) or error)
    return type(error).__name__ if "://" in words or url.is_quoted_in(words) else words


def forget(data: Path, bundle_id: str) -> None:
    """Removes a bundle that was refused."""
    with suppress(OSError):
        (data / FOLDER / f"{bundle_id}{ENDING}").unlink()


def replace_earlier(data: Path, bundle_id: str) -> None:
    """Removes every other bundle, once this one has been accepted."""
    for one in (data / FOLDER).glob(f"*{ENDING}"):
        if one.name != f"{bundle_id}{ENDING}":
            one.unlink(missing_ok=True)


def size_of(data: Path, bundle_id: str) -> int:
    """Bytes. Raises Conflict if another one has replaced it."""
    try:
        return (data / FOLDER / f"{bundle_id}{ENDING}").stat().st_size
    except OSError as error:
        raise Conflict("The bundle is no longer available because a later one replaced it: upload it again.") from error


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(outward.HttpConnection, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(outward.HttpsConnection, req, context=ssl.create_default_context())


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few, each to an address that is checked like the first, and none from TLS to plain HTTP."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.lower().startswith("https:"):
            fp.close()
            raise urllib.error.URLError(f"the server redirects from https to {newurl.partition(':')[0]}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
    ) -> Any:
        """Closes the response, too, if the address in it is not a valid one. Raises ValueError."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except ValueError:
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener() -> urllib.request.OpenerDirector:
    """HTTP and HTTPS only: no files, whatever an address or a redirect contains. Certificates are checked."""
    made = urllib.request.OpenerDirector()
    for handler in (
        _Http,
        _Https,
        _Redirects,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
    ):
        made.add_handler(handler())
    return made


def _check_size(size: int) -> None:
    if size > MAX_BUNDLE_BYTES:
        raise TooLarge(f"A bundle can have at most {format_size(MAX_BUNDLE_BYTES)}, the size of a slot.")


def _check_room(folder: Path, size: int) -> None:
    _check_size(size)
    kept = sum(file.stat().st_size for file in folder.glob(f"*{ENDING}"))
    free = shutil.disk_usage(folder).free
    if size + SPARE_BYTES > free:
        more = f" The present bundle uses {format_size(kept)}." if kept else ""
        raise NoSpace(
            f"The data partition has {format_size(free)} free; the bundle needs {format_size(size)}, and "
            f"{format_size(SPARE_BYTES)} are reserved for the database.{more}"
        )
