"""What all kinds of drive say of a sanitize."""

from enum import Enum, auto


class Sanitize(Enum):
    """DONE: none is under way, and the last one did not fail. FAILED: the drive lets nobody read or write."""

    RUNNING = auto()
    DONE = auto()
    FAILED = auto()
