"""Watches SPDK's program: tells when it has ended or started anew, and ends one that hangs.

Its unit starts it again. All it served comes back from the boot ledger at the next pass of the loop.
"""

import logging

from lunette.domain.errors import LunetteError, Unavailable
from lunette.providers.exports.spdk import process
from lunette.system.doorway import System

log = logging.getLogger(__name__)
POLL_S = 2.0
HANGS_S = 30.0
"""Its requests and its I/O share threads: whoever answers nothing for so long serves nobody either."""


class SpdkWatch:
    """Remembers between looks what was seen last."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._was_set_up = True
        self._silent_since: float | None = None

    def look(self) -> bool:
        """True if it has lost what it served since the last look, and has to be given it again."""
        try:
            is_set_up = process.is_set_up(self._system)
        except Unavailable:
            is_set_up = False
        except (LunetteError, OSError) as error:
            self._doubt(error)
            return False
        self._silent_since = None
        lost = self._was_set_up and not is_set_up
        self._was_set_up = is_set_up
        if lost:
            log.warning("SPDK ended, or started anew: what it served is given to it again")
        return lost

    def _doubt(self, error: Exception) -> None:
        now = self._system.monotonic()
        if self._silent_since is None:
            self._silent_since = now
        elif now - self._silent_since >= HANGS_S:
            log.error("SPDK does not answer for %.0f s and is ended: %s", now - self._silent_since, error)
            process.kill(self._system)
            self._silent_since = None
