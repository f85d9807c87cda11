"""Counts what happens to drives and arrays by itself, so that whoever watches need not look all the time."""

import threading


class Changes:
    """A number that grows with every change. Safe from any thread."""

    def __init__(self) -> None:
        self._number = 0
        self._grown = threading.Condition()

    def happened(self) -> None:
        """Something changed: everybody who waits looks again."""
        with self._grown:
            self._number += 1
            self._grown.notify_all()

    def wait(self, known: int, timeout_s: float) -> int:
        """The number as soon as it is not `known`, or after so many seconds."""
        with self._grown:
            self._grown.wait_for(lambda: self._number != known, timeout_s)
            return self._number
