"""The certificate: self-signed at the first start, so clients trust it by its fingerprint, until it is replaced.

It is replaced in its files, and while the server runs.
"""

import os
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from lunette.domain.self_signed import self_signed_pair


def ensure_certificate(cert: Path, key: Path, hostname: str, addresses: Iterable[str]) -> None:
    """Creates key and certificate if one is missing. The key is written first, readable by this user only."""
    if cert.exists() and key.exists():
        return
    write_pair(cert, key, *self_signed_pair(hostname, addresses))


def write_pair(cert: Path, key: Path, cert_pem: str, key_pem: str) -> None:
    """Puts both files in place. Raises OSError before either is touched; only a power failure can separate them."""
    cert.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    drafts = [_draft(key, key_pem.encode(), 0o600), _draft(cert, cert_pem.encode(), 0o644)]
    for draft, path in zip(drafts, (key, cert), strict=True):
        draft.rename(path)
    _sync_folder(cert.parent)
    if key.parent != cert.parent:
        _sync_folder(key.parent)


def check_takes(cert_pem: str, key_pem: str) -> None:
    """Raises ssl.SSLError if OpenSSL would not present this pair. Nothing is written to a disk."""
    with _in_memory(cert_pem) as cert, _in_memory(key_pem) as key:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)


@contextmanager
def _in_memory(text: str) -> Iterator[str]:
    """A path of a file that exists only in memory."""
    number = os.memfd_create("lunette", os.MFD_CLOEXEC)
    try:
        os.write(number, text.encode())
        yield f"/proc/self/fd/{number}"
    finally:
        os.close(number)


class LiveCertificate:
    """The certificate that the server presents now: the files as last read."""

    def __init__(self) -> None:
        self._current: ssl.SSLContext | None = None
        self._read: Callable[[], ssl.SSLContext] | None = None

    def factory(self, _config: uvicorn.Config, read: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
        """For uvicorn: `read` creates a context from the files each time it is called."""
        listening = self._current = read()
        listening.minimum_version = ssl.TLSVersion.TLSv1_2
        self._read = read
        listening.sni_callback = self._choose
        return listening

    def renew(self) -> None:
        """New connections get the certificate in the files. Open connections stay unchanged."""
        if self._read is not None:
            self._current = self._read()

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _listening: ssl.SSLContext) -> None:
        if self._current is not None:
            connection.context = self._current


def own_address() -> str | None:
    """This machine's own address toward others; None without network. Connecting a UDP socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        try:
            peer.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(peer.getsockname()[0])


def write_durably(path: Path, data: bytes, mode: int) -> None:
    """Replaces a file completely, on stable storage when it returns. Raises OSError, with the old one unchanged."""
    _draft(path, data, mode).rename(path)
    _sync_folder(path.parent)


def _draft(path: Path, data: bytes, mode: int) -> Path:
    """The content next to its destination, on stable storage."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return draft


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
