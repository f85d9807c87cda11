"""The journal of the API process."""

import logging
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import structlog

LINES_PER_MINUTE = 60
"""Per kind, so that repeated refusals cannot push important lines out of a journal of limited size."""
MOST_KINDS = 1000


class Brake:
    """Passes this many lines of one kind per minute; the first of the next minute gives the number of dropped ones."""

    def __init__(self, most: int = LINES_PER_MINUTE, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._lock = threading.Lock()
        self._minute = 0
        self._seen: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def left_out(self, kind: str) -> int | None:
        """None if a line of this kind exceeds the limit, else how many were dropped in the minute before."""
        with self._lock:
            minute = int(self._clock() // 60)
            if minute != self._minute:
                self._before = {one: seen - self._most for one, seen in self._seen.items() if seen > self._most}
                self._minute, self._seen = minute, {}
            if kind not in self._seen and len(self._seen) >= MOST_KINDS:
                kind = ""
            self._seen[kind] = self._seen.get(kind, 0) + 1
            return None if self._seen[kind] > self._most else self._before.pop(kind, 0)


def set_up_log(brake: Brake | None = None) -> None:
    """One line of JSON per record on standard error; systemd adds the time. Few lines of one kind in a minute."""
    used = brake or Brake()

    def slow_down(_logger: Any, level: str, record: structlog.typing.EventDict) -> structlog.typing.EventDict:
        left_out = used.left_out(f"{level} {record.get('event')}")
        if left_out is None:
            raise structlog.DropEvent
        return {**record, "left_out": left_out} if left_out else record

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            slow_down,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    handler.addFilter(lambda record: used.left_out(_kind(record)) is not None)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _kind(record: logging.LogRecord) -> str:
    """An exception's text may differ each time; its type repeats."""
    return f"{record.name} {record.exc_info[0] if record.exc_info else record.msg}"
