"""Reads the machine part by part: a part that cannot be read, or does not answer, costs only its own view."""

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from lunette.domain.errors import LunetteError
from lunette.domain.observations import Part, Unread
from lunette.providers.reading import ODD

log = logging.getLogger(__name__)
PATIENCE_S = 40.0
"""How long an observation waits for one part. The API waits two minutes for all of them."""
T = TypeVar("T")
Reader = Callable[[dict[str, str]], T]
"""Reads a part; what it cannot read goes into the dictionary, by name with the reason."""


class Readings:
    """Running readings, for the lifetime of the agent: a part that hangs is not read again before it has answered."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._hanging: dict[Part, threading.Thread] = {}

    def look(self) -> "PartReader":
        """One observation of all parts."""
        return PartReader(self._hanging, self._patience_s)


class PartReader:
    """Reads parts one after another and records what could not be read."""

    def __init__(self, hanging: dict[Part, threading.Thread], patience_s: float) -> None:
        self._hanging, self._patience_s = hanging, patience_s
        self._unread: dict[tuple[Part, str], str] = {}

    @property
    def unread(self) -> tuple[Unread, ...]:
        return tuple(Unread(part=part, name=name, reason=why) for (part, name), why in sorted(self._unread.items()))

    def read(self, part: Part, function: Reader[T]) -> T | None:
        """The content of a part; None if it cannot be read, which is recorded."""
        before = self._hanging.get(part)
        if before is not None and before.is_alive():
            self._unread[part, ""] = self._late
            return None
        reading = _Reading(function, f"read {part.value}")
        reading.start()
        reading.join(self._patience_s)
        if reading.is_alive():
            self._hanging[part] = reading
            self._unread[part, ""] = self._late
            return None
        self._hanging.pop(part, None)
        for name, why in reading.unread.items():
            self._unread.setdefault((part, name), why)
        if reading.error is None:
            return reading.found[0]
        if not isinstance(reading.error, (LunetteError, OSError, *ODD)):
            raise reading.error
        if isinstance(reading.error, LunetteError):
            log.warning("%s cannot be read: %s %s", part.value, reading.error, reading.error.log[:2000])
        else:
            log.warning("%s cannot be read", part.value, exc_info=reading.error)
        self._unread[part, ""] = _words(reading.error)
        return None

    @property
    def _late(self) -> str:
        return f"it did not answer within {self._patience_s:.0f} s"


class _Reading(threading.Thread, Generic[T]):
    def __init__(self, function: Reader[T], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._function = function
        self.unread: dict[str, str] = {}
        self.found: list[T] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.found.append(self._function(self.unread))
        except BaseException as error:  # noqa: BLE001 - the waiting caller raises or records it
            self.error = error


def _words(error: BaseException) -> str:
    if isinstance(error, LunetteError):
        return error.detail
    return f"{type(error).__name__}: {error}"[:300]
