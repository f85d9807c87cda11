"""The boot ledger: what is served, kept so that it comes back where the API or the database does not start.

It is sealed because it holds CHAP secrets; key and ledger lie in root's own folder. Written durably before the exports
change, so after a power cut the machine serves what it had promised, or what it had promised before. Where it cannot be
written, the one before is marked as outdated (docs/decisions/0056).
"""

import contextlib
import json
import logging
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from pydantic import ValidationError

from lunette.domain.exports import ExportSet
from lunette.system.doorway import System

STATE_DIR = "/var/lib/lunette/agent"
_FORMAT = 1
log = logging.getLogger(__name__)


class Broken(Exception):
    """There is a ledger and it cannot be read; the text says why."""


class Ledger:
    """Reads and writes the sealed document in `folder`."""

    def __init__(self, system: System, folder: str = STATE_DIR) -> None:
        self._system, self._path, self._key_path = system, f"{folder}/ledger.json", f"{folder}/ledger.key"
        self._outdated_path = f"{self._path}.outdated"
        self.unkept: str | None = None
        """Why it does not hold what is served."""
        self.holds_back = False
        """It was loaded outdated: what has changed since may have taken volumes away from hosts, so nothing of it is
        opened or closed before a newer document has come."""

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
        """Keep the document: it is on stable storage when this returns, unless `unkept` says why it is not.

        Then the one before is marked as outdated, which takes no room.
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
        with contextlib.suppress(OSError):  # beside a newer one it means nothing
            self._system.unlink(self._outdated_path)

    def set_aside(self) -> None:
        """Keep a broken ledger for a look at it, out of the way of the next one."""
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
    """The exports, without what only a newer agent knows: after an update that failed it wrote the ledger last.

    What must not be served without being understood is written under another format. Raises ValidationError.
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
        log.warning("the ledger was written by a newer agent; not known here: %s", ".".join(map(str, place)))
    return ExportSet.model_validate(exports)
