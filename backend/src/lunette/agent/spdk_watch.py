"""Watches the SPDK process: reports when it has ended or restarted, and ends one that hangs. Its unit starts it again.
Its exports are restored from the boot ledger at the next pass of the loop.
"""

import logging
from collections.abc import Callable

from lunette.domain.errors import LunetteError, Unavailable
from lunette.domain.exports import ExportSet
from lunette.domain.mappings import ExportEngine
from lunette.domain.spdk import SpdkEnded
from lunette.providers.exports import parts
from lunette.providers.exports.spdk import process
from lunette.system.system_port import System

log = logging.getLogger(__name__)
POLL_S = 2.0
HANGS_S = 30.0
"""Requests and I/O of SPDK share threads: a process that answers nothing for this long does not serve hosts either."""


class SpdkWatch:
    """Remembers the last observation. `notify` is called when `ended` changes."""

    def __init__(self, system: System, notify: Callable[[], None]) -> None:
        self._system, self._notify = system, notify
        self._was_set_up = True
        self._silent_since: float | None = None
        self.ended: SpdkEnded | None = None
        """The last time that it hung; None if it has not since the agent started, or serves nothing any more."""

    def look(self, served: ExportSet | None) -> bool:
        """True if it has lost its exports since the last check, and needs them again."""
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
            log.warning("SPDK ended or restarted: its exports are restored")
        return lost

    def _doubt(self, error: Exception) -> None:
        now = self._system.monotonic()
        if self._silent_since is None:
            self._silent_since = now
        elif now - self._silent_since >= HANGS_S:
            silent_s = now - self._silent_since
            log.error("SPDK has not answered for %.0f s and is killed: %s", silent_s, error)
            reason = error.detail if isinstance(error, LunetteError) else str(error)
            is_ended = process.kill(self._system)
            self._silent_since = None
            self._note(
                SpdkEnded(at=self._system.now(), silent_s=silent_s, reason=reason, is_ended=is_ended, is_back=False)
            )

    def _note(self, ended: SpdkEnded) -> None:
        self.ended = ended
        self._notify()
