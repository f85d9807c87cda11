"""The boot ledger: the exports as last applied, stored so that they can be restored without the API or the database.

It is sealed because it contains CHAP secrets; key and ledger are in root's own directory. It is written durably before
the exports change, so after a power failure the machine serves the last acknowledged exports or those before. If it
cannot be written, the previous one is marked as outdated (docs/decisions/0056).
"""

import contextlib
import json
import logging
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from pydantic import ValidationError

from lunette.domain.exports import ExportSet
from lunette.system.system_port import System

STATE_DIR = "/var/lib/lunette/agent"
_FORMAT = 1
log = logging.getLogger(__name__)


class Broken(Exception):
    """The ledger exists but cannot be read; the text says why."""


class Ledger:
    """Reads and writes the sealed document in `folder`."""

    def __init__(self, system: System, folder: str = STATE_DIR) -> None:
        self._system, self._path, self._key_path = system, f"{folder}/ledger.json", f"{folder}/ledger.key"
        self._outdated_path = f"{self._path}.outdated"
        self.unkept: str | None = None
        """Why the ledger does not contain what is served."""
        self.holds_back = False
        """The ledger was outdated when it was loaded: later changes may have removed volumes from hosts, so nothing is
        opened or closed until a newer document arrives.
        """

    def load(self) -> ExportSet | None:
        """The document, outdated or not; None if there never was one. Raises Broken."""
        if self._is_outdated():
            self.unkept, self.holds_back = "the boot ledger is outdated", True
            log.error("the boot ledger is outdated: the exports wait for the API to provide the configuration")
        sealed = self._system.read_file(self._current())
        if sealed is None:
            return None
        key = self._system.read_file(self._key_path)
        if key is None:
            raise Broken(f"{self._key_path} is missing")
        try:
            document = json.loads(Fernet(key).decrypt(sealed))
            if document["format"] != _FORMAT:
                raise Broken(f"{self._path} has format {document['format']}, not {_FORMAT}")
            return _as_known(document["exports"])
        except (InvalidToken, ValueError, KeyError, ValidationError) as error:
            raise Broken(f"{self._path} cannot be read ({type(error).__name__})") from error

    def save(self, exports: ExportSet) -> None:
        """Store the document. It is on stable storage when this returns, unless `unkept` gives a reason why not. In
        that case the previous ledger is marked as outdated, which takes no space.
        """
        before, self.unkept, self.holds_back = self.unkept, None, False
        document = {"format": _FORMAT, "exports": exports.model_dump(mode="json")}
        try:
            sealed = Fernet(self._key()).encrypt(json.dumps(document).encode())
            self._system.write_durably(self._path, sealed, 0o600)
        except OSError as error:
            self.unkept = f"the boot ledger cannot be written ({error.strerror})"
            if before != self.unkept:
                log.error("%s: after a restart the exports wait for the API", self.unkept)
            self._mark_outdated()
            return
        with contextlib.suppress(OSError):  # next to a newer ledger it means nothing
            self._system.unlink(self._outdated_path)

    def set_aside(self) -> None:
        """Move a damaged ledger aside for inspection, out of the way of the next one."""
        if self._system.exists(self._current()):
            self._system.rename(self._current(), f"{self._path}.broken")

    def _is_outdated(self) -> bool:
        return not self._system.exists(self._path) and self._system.exists(self._outdated_path)

    def _current(self) -> str:
        return self._outdated_path if self._is_outdated() else self._path

    def _mark_outdated(self) -> None:
        try:
            if self._system.exists(self._path):
                self._system.rename(self._path, self._outdated_path)
        except OSError as error:
            log.error("the boot ledger cannot be marked as outdated: %s", error)

    def _key(self) -> bytes:
        key = self._system.read_file(self._key_path)
        if key is None:
            key = Fernet.generate_key()
            self._system.write_durably(self._key_path, key, 0o600)
        return key


def _as_known(exports: Any) -> ExportSet:
    """The exports without fields that only a newer agent knows: after a failed update, that agent wrote the ledger
    last. What must not be served without being understood is written under another format. Raises ValidationError.
    """
    try:
        return ExportSet.model_validate(exports)
    except ValidationError as error:
        unknown = [one["loc"] for one in error.errors() if one["type"] == "extra_forbidden"]
        if len(unknown) < error.error_count():
            raise
    for place in unknown:
        holder = exports
        for part in place[:-1]:
            holder = holder[part]
        holder.pop(place[-1])
        log.warning("the boot ledger was written by a newer agent; unknown fields: %s", ".".join(map(str, place)))
    return ExportSet.model_validate(exports)
