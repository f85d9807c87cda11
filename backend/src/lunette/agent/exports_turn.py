"""Whose turn it is to change the exports, or to look at all of them."""

import threading
import time
from types import TracebackType

_POLL_S = 0.0005


class Superseded(Exception):
    """Another desired state was served during a look at everything: the look ends, and begins again later."""


class ExportsTurn:
    """A lock. Who holds it for long lets those in between who wait."""

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), threading.Lock()
        self._waiting = 0

    def __enter__(self) -> None:
        with self._count:
            self._waiting += 1
        self._lock.acquire()
        with self._count:
            self._waiting -= 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def let_others(self) -> bool:
        """Called by the holder: lets everyone in who waits, and has the turn again when this returns. Returns whether
        someone waited.
        """
        if not self._waiting:
            return False
        self._lock.release()
        try:
            while self._waiting:
                time.sleep(_POLL_S)
        finally:
            self._lock.acquire()
        return True
