"""The boot ledger: what is served, kept so that it comes back where the API or the database does not start.

It is sealed because it holds CHAP secrets; key and ledger lie in root's own folder. Written durably before the exports
change, so after a power cut the machine serves what it had promised, or what it had promised before.
"""

import json
import logging
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from pydantic import ValidationError

from lunette.domain.errors import ToolFailed
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

    def load(self) -> ExportSet | None:
        """The document, None if there never was one. Raises Broken."""
        sealed = self._system.read_file(self._path)
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
        """Keep the document; it is on stable storage when this returns. Raises ToolFailed, with the old one kept."""
        document = {"format": _FORMAT, "exports": exports.model_dump(mode="json")}
        try:
            sealed = Fernet(self._key()).encrypt(json.dumps(document).encode())
            self._system.write_durably(self._path, sealed, 0o600)
        except OSError as error:
            raise ToolFailed(
                f"the boot ledger cannot be written ({error.strerror}), so the exports stay as they are: "
                "free space on the system drive"
            ) from error

    def set_aside(self) -> None:
        """Keep a broken ledger for a look at it, out of the way of the next one."""
        sealed = self._system.read_file(self._path)
        if sealed is not None:
            self._system.write_durably(f"{self._path}.broken", sealed, 0o600)
            self._system.unlink(self._path)

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
