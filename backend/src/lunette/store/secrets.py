"""Secrets at rest: Fernet (AES-128-CBC with HMAC-SHA256) under a key file only this process's user can read."""

import hashlib
import hmac
import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

from lunette.domain.errors import Unavailable


class SecretBox:
    """Seals text for the database and opens it again."""

    def __init__(self, key: bytes) -> None:
        self._fernet = Fernet(key)
        self._mac_key = hashlib.sha256(b"mac " + key).digest()

    @classmethod
    def at(cls, path: Path) -> "SecretBox":
        """The box whose key lies in `path`; the file is made (0600, durable) if it is not there yet.

        Raises Unavailable if the file cannot be read or holds no key.
        """
        try:
            if not path.exists():
                _create_key(path)
            return cls(path.read_bytes().strip())
        except (OSError, ValueError) as error:
            raise Unavailable(
                f"The key for stored secrets in {path} cannot be used; restore it from a backup of this appliance.",
                log=str(error),
            ) from error

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

    def mac(self, data: bytes) -> str:
        """A keyed fingerprint in hex: equal for equal data, and no help in guessing a password that is in the data."""
        return hmac.new(self._mac_key, data, hashlib.sha256).hexdigest()


def _create_key(path: Path) -> None:
    """Writes the key aside and links it in place, so that a crash leaves either no key or a whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, Fernet.generate_key())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
