"""The boot ledger: the exports as last applied, stored so that they can be restored without the API or the database.

It is sealed because it contains CHAP secrets; key and ledger are in root's own directory. It is written durably before
the exports change, so after a power failure the machine serves the last acknowledged exports or those before. If it
cannot be written, the previous one is marked as outdated (docs/decisions/0056).

A change is appended to a log, one sealed line for each; the whole document is written again once the log is long, and
at an orderly stop, in a format that an older agent reads as well. The lines name the document that they continue, so a
log that a crash left behind an older or newer document is ignored. Only the last line can be incomplete, or have a hole
where a block was not on the drive yet: its change was not acknowledged, and the exports had not changed yet.
"""

import contextlib
import json
import logging
import uuid
from typing import Any, TypeVar

from cryptography.fernet import Fernet, InvalidToken
from pydantic import TypeAdapter, ValidationError

from lunette.domain.base import Model
from lunette.domain.export_change import ExportChange, change_between
from lunette.domain.exports import ExportSet
from lunette.system.system_port import System

STATE_DIR = "/var/lib/lunette/agent"
_ALONE, _WHOLE_TARGETS, _FORMAT = 1, 2, 3
"""A document of format 1 has no log. In the log of format 2, a target or subsystem that differs is given whole, from
format 3 on possibly by its LUNs that differ. An agent that only knows an earlier format must not serve a document
without what its log says.
"""
LONGEST_LOG = 256 * 1024
"""A log of so many bytes is read within milliseconds, and costs less space than a second document of a large site."""
log = logging.getLogger(__name__)
Known = TypeVar("Known", ExportSet, ExportChange)


class _Document(Model):
    """What is sealed: the exports, and unless they are alone the ID by which the lines of the log name them."""

    format: int
    id: str | None = None
    exports: ExportSet


_DOCUMENT = TypeAdapter(_Document)
"""To and from bytes: at thousands of volumes, dictionaries in between would need more memory than the exports."""


class Broken(Exception):
    """The ledger exists but cannot be read; the text says why."""


class Ledger:
    """Reads and writes the sealed document in `folder`."""

    def __init__(self, system: System, folder: str = STATE_DIR) -> None:
        self._system, self._path, self._key_path = system, f"{folder}/ledger.json", f"{folder}/ledger.key"
        self._outdated_path, self._log_path = f"{self._path}.outdated", f"{folder}/ledger.log"
        self.unkept: str | None = None
        """Why the ledger does not contain what is served."""
        self.holds_back = False
        """The ledger was outdated when it was loaded: later changes may have removed volumes from hosts, so nothing is
        opened or closed until a newer document arrives.
        """
        self._continues: str | None = None
        """ID of the document that a line can be appended to; None if only a whole document can be written."""
        self._log_bytes = 0

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
            document = self._document(Fernet(key).decrypt(sealed))
            exports = self._continued(document.exports, document.id, Fernet(key))
        except (InvalidToken, ValueError, LookupError, TypeError, AttributeError) as error:
            raise Broken(f"{self._path} cannot be read ({type(error).__name__})") from error
        if document.format != _FORMAT:  # an earlier agent serves it, and would not understand what is appended
            self._continues = None
        return exports

    def save(self, exports: ExportSet, before: ExportSet | None = None) -> None:
        """Store the document, as the change of the one that was stored last where that is `before`. It is on stable
        storage when this returns, unless `unkept` gives a reason why not. In that case the previous ledger is marked as
        outdated, which takes no space.
        """
        if before is not None and self._append(before, exports):
            return
        self._save_whole(exports)

    def settle(self, exports: ExportSet | None) -> None:
        """At an orderly stop: replace document and log by a document alone. If that fails, they stay as they are."""
        if exports is None or self._continues is None or self.unkept is not None:
            return
        try:
            self._write(_Document(format=_ALONE, exports=exports))
        except OSError as error:
            log.warning("the boot ledger stays in a format that older agents do not read: %s", error)
            return
        self._continues = None
        with contextlib.suppress(OSError):
            self._system.unlink(self._log_path)

    def _save_whole(self, exports: ExportSet) -> None:
        was, self.unkept, self.holds_back = self.unkept, None, False
        id_ = str(uuid.uuid4())
        self._continues = None
        try:
            self._write(_Document(format=_FORMAT, id=id_, exports=exports))
        except OSError as error:
            self.unkept = f"the boot ledger cannot be written ({error.strerror})"
            if was != self.unkept:
                log.error("%s: after a restart the exports wait for the API", self.unkept)
            self._mark_outdated()
            return
        for path in (self._outdated_path, self._log_path):  # next to a newer document they mean nothing
            with contextlib.suppress(OSError):
                self._system.unlink(path)
        self._continues, self._log_bytes = id_, 0

    def _write(self, document: _Document) -> None:
        sealed = Fernet(self._key()).encrypt(_DOCUMENT.dump_json(document))
        self._system.write_durably(self._path, sealed, 0o600)

    def _append(self, before: ExportSet, exports: ExportSet) -> bool:
        """Whether the change is on stable storage; if not, the whole document has to be written."""
        if self._continues is None or self.unkept is not None or self._log_bytes > LONGEST_LOG:
            return False
        change = change_between(before, exports)
        if change is None:
            return False
        line = {"id": self._continues, "base": before.generation, "change": change.model_dump(mode="json")}
        try:
            key = self._system.read_file(self._key_path)
            if key is None:
                return False
            sealed = Fernet(key).encrypt(json.dumps(line).encode()) + b"\n"
            self._system.append_durably(self._log_path, sealed, 0o600)
        except OSError as error:
            log.warning("the whole boot ledger is written, because it could not be continued: %s", error)
            self._continues = None
            return False
        self._log_bytes += len(sealed)
        return True

    def _document(self, opened: bytes) -> _Document:
        """Raises Broken for another format, and ValueError or KeyError for what is no document."""
        try:
            document = _DOCUMENT.validate_json(opened)
        except ValidationError:
            stored = json.loads(opened)
            self._check_format(stored["format"])
            exports = _as_known(ExportSet, stored["exports"])
            return _Document(format=stored["format"], id=stored.get("id"), exports=exports)
        self._check_format(document.format)
        return document

    def _check_format(self, number: int) -> None:
        if number not in (_ALONE, _WHOLE_TARGETS, _FORMAT):
            raise Broken(f"{self._path} has format {number}, not {_FORMAT}")

    def _continued(self, exports: ExportSet, id_: str | None, box: Fernet) -> ExportSet:
        """The document with the changes of its log. Raises what a damaged line raises."""
        stored = b"" if id_ is None else self._system.read_file(self._log_path) or b""
        *lines, rest = stored.split(b"\n")
        if lines and b"\0" in lines[-1]:
            rest = lines.pop()
        for sealed in lines:
            line = json.loads(box.decrypt(sealed))
            if line["id"] != id_:
                continue
            if line["base"] != exports.generation:
                raise ValueError("a change is missing")
            exports = _as_known(ExportChange, line["change"]).applied_to(exports)
        if not rest and not self.holds_back:
            if stored:  # what is served from now on is on stable storage, whatever ended the process that wrote it
                self._system.append_durably(self._log_path, b"", 0o600)
            self._continues, self._log_bytes = id_, len(stored)
        return exports

    def set_aside(self) -> None:
        """Move a damaged ledger aside for inspection, out of the way of the next one."""
        for path, to in ((self._log_path, f"{self._log_path}.broken"), (self._current(), f"{self._path}.broken")):
            if self._system.exists(path):
                self._system.rename(path, to)

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


def _as_known(kind: type[Known], stored: Any) -> Known:
    """What was stored without fields that only a newer agent knows: after a failed update, that agent wrote the ledger
    last. What must not be served without being understood is written under another format. Raises ValidationError.
    """
    try:
        return kind.model_validate(stored)
    except ValidationError as error:
        unknown = [one["loc"] for one in error.errors() if one["type"] == "extra_forbidden"]
        if len(unknown) < error.error_count():
            raise
    for place in unknown:
        holder = stored
        for part in place[:-1]:
            holder = holder[part]
        holder.pop(place[-1])
        log.warning("the boot ledger was written by a newer agent; unknown fields: %s", ".".join(map(str, place)))
    return kind.model_validate(stored)
