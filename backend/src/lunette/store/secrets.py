"""Secrets at rest: Fernet (AES-128-CBC with HMAC-SHA256) under a key file only this process's user can read.

The file holds a key per line: the first seals, all of them open. A restored database brings the keys it needs.
"""

import hashlib
import hmac
import os
from collections.abc import Iterable
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from pydantic import SecretStr

from lunette.domain.errors import Unavailable


class SecretBox:
    """Seals text for the database and opens it again. Without a `path` its keys are only in memory."""

    def __init__(self, *keys: bytes, path: Path | None = None) -> None:
        self.keys, self._path = keys, path
        self._fernet = MultiFernet([Fernet(key) for key in keys])

    @classmethod
    def at(cls, path: Path) -> "SecretBox":
        """The box with the keys in `path`; the file is created (0600, durable) if it does not exist yet.

        Raises Unavailable if the file cannot be read or contains no key.
        """
        try:
            if not path.exists():
                _create_key(path)
            return cls(*path.read_bytes().split(), path=path)
        except (OSError, ValueError, IndexError) as error:
            raise Unavailable(
                f"The key for stored secrets in {path} cannot be used; restore it from a backup of this appliance.",
                log=str(error),
            ) from error

    def learn(self, keys: Iterable[bytes]) -> None:
        """Opens also what these keys sealed, from now on and after a restart; what it could open it still can.

        On stable storage when it returns. Raises Unavailable if the file cannot be written, ValueError for no key.
        """
        known = tuple(dict.fromkeys((*self.keys, *keys)))
        if known == self.keys:
            return
        fernet = MultiFernet([Fernet(key) for key in known])
        if self._path is not None:
            try:
                _write_keys(self._path, known)
            except OSError as error:
                raise Unavailable(
                    f"The keys of the backup cannot be written to {self._path}; nothing was changed.", log=str(error)
                ) from error
        self.keys, self._fernet = known, fernet

    def seal(self, secret: SecretStr) -> str:
        return self._fernet.encrypt(secret.get_secret_value().encode()).decode("ascii")

    def open(self, sealed: str) -> SecretStr:
        """Raises Unavailable if the text was sealed with another key."""
        try:
            return SecretStr(self._fernet.decrypt(sealed.encode("ascii")).decode())
        except InvalidToken as error:
            raise Unavailable(
                "A stored secret was sealed with another key; restore the key file, or set the secret again."
            ) from error

    def open_if_known(self, sealed: str) -> SecretStr | None:
        """None if the text was sealed with another key: the secret is lost for this box."""
        try:
            return self.open(sealed)
        except Unavailable:
            return None

    def mac(self, data: bytes) -> str:
        """A keyed fingerprint in hex: equal for equal data, and no help in guessing a password that is in the data."""
        return hmac.new(_mac_key(self.keys[0]), data, hashlib.sha256).hexdigest()

    def has_made(self, mac: str, data: bytes) -> bool:
        """Whether this is the fingerprint of the data with any of its keys."""
        made = (hmac.new(_mac_key(key), data, hashlib.sha256).hexdigest() for key in self.keys)
        return any(hmac.compare_digest(one.encode(), mac.encode()) for one in made)


def _mac_key(key: bytes) -> bytes:
    return hashlib.sha256(b"mac " + key).digest()


def _create_key(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_keys(path, (Fernet.generate_key(),))


def _write_keys(path: Path, keys: Iterable[bytes]) -> None:
    """Writes the keys aside and renames them in place, so that a crash leaves the file as it was or all of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, b"\n".join(keys))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
