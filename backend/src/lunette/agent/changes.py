"""Counts spontaneous changes of drives and arrays, so that watchers do not have to poll continuously."""

import threading


class Changes:
    """A number that grows with every change. Thread-safe."""

    def __init__(self) -> None:
        self._number = 0
        self._grown = threading.Condition()

    def happened(self) -> None:
        """Count a change: every waiting watcher reads again."""
        with self._grown:
            self._number += 1
            self._grown.notify_all()

    def wait(self, known: int, timeout_s: float) -> int:
        """The number as soon as it differs from `known`, or after the timeout."""
        with self._grown:
            self._grown.wait_for(lambda: self._number != known, timeout_s)
            return self._number
