"""Watches SPDK's program: tells when it has ended or started anew, and ends one that hangs.

Its unit starts it again. All it served comes back from the boot ledger at the next pass of the loop.
"""

import logging
from collections.abc import Callable

from lunette.domain.errors import LunetteError, Unavailable
from lunette.domain.exports import ExportSet
from lunette.domain.mappings import ExportEngine
from lunette.domain.spdk import SpdkEnded
from lunette.providers.exports import parts
from lunette.providers.exports.spdk import process
from lunette.system.doorway import System

log = logging.getLogger(__name__)
POLL_S = 2.0
HANGS_S = 30.0
"""Its requests and its I/O share threads: whoever answers nothing for so long serves nobody either."""


class SpdkWatch:
    """Remembers between looks what was seen last. `tell` is called when `ended` changes."""

    def __init__(self, system: System, tell: Callable[[], None]) -> None:
        self._system, self._tell = system, tell
        self._was_set_up = True
        self._silent_since: float | None = None
        self.ended: SpdkEnded | None = None
        """The last time it hung; None if it has not since the agent started, or serves nothing any more."""

    def look(self, served: ExportSet | None) -> bool:
        """True if it has lost what it served since the last look, and has to be given it again."""
        if served is None or parts.engine_of(served) is not ExportEngine.SPDK:
            self._silent_since, self.ended = None, None
            return False
        try:
            is_set_up = process.is_set_up(self._system)
        except Unavailable:
            is_set_up = False
        except (LunetteError, OSError) as error:
            self._doubt(error)
            return False
        self._silent_since = None
        if is_set_up and self.ended and not self.ended.is_back:
            self._note(self.ended.model_copy(update={"is_back": True}))
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
            silent_s = now - self._silent_since
            log.error("SPDK does not answer for %.0f s and is ended: %s", silent_s, error)
            reason = error.detail if isinstance(error, LunetteError) else str(error)
            is_ended = process.kill(self._system)
            self._silent_since = None
            self._note(
                SpdkEnded(at=self._system.now(), silent_s=silent_s, reason=reason, is_ended=is_ended, is_back=False)
            )

    def _note(self, ended: SpdkEnded) -> None:
        self.ended = ended
        self._tell()
