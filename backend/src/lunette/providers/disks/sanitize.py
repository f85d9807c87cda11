"""Sanitize status, common to all kinds of drives."""

from enum import Enum, auto


class Sanitize(Enum):
    """DONE: none is running, and the last one did not fail. FAILED: the drive refuses reads and writes."""

    RUNNING = auto()
    DONE = auto()
    FAILED = auto()
