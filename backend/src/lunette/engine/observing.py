"""The snapshot of the machine everybody shares: the agent is asked once however many want to know."""

import threading
import time
from collections.abc import Callable

from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.system.agent_port import AgentPort

SILENCE_S = 2.0
"""For so long after the agent failed to answer nobody asks again: one request does not wait twice for a hung agent."""


class ObservationCache:
    """Age is counted from when the answer came, on this process's own clock.

    So a change that looked before its transaction finds that look still fresh in it, however long the look took.
    """

    def __init__(self, agent: AgentPort, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._agent = agent
        self._monotonic = monotonic
        self._asking = threading.Lock()
        self._lock = threading.Lock()
        self._begun = 0
        self._held: tuple[int, float, Observation] | None = None
        """Which look it was, when its answer came, and the answer."""
        self._failed: tuple[float, LunetteError] | None = None
        self._changes = 0

    def get(self, max_age_s: float = 2.0) -> Observation:
        """A snapshot at most this old; with 0, of a look that began after the call.

        Raises Unavailable if the agent does not answer, or did not a moment ago.
        """
        wanted_from, begun_before = self._monotonic() - max_age_s, self._begun
        with self._asking:
            held, failed = self._held, self._failed
            if held is not None and (held[0] > begun_before or (max_age_s > 0 and held[1] >= wanted_from)):
                return held[2]
            if failed is not None and self._monotonic() - failed[0] < SILENCE_S:
                raise failed[1]
            return self._ask()

    def _ask(self) -> Observation:
        changes = self._changes
        self._begun += 1
        try:
            found = self._agent.observe()
        except LunetteError as error:
            self._held = None  # nothing is planned on what was before the agent fell silent
            self._failed = (self._monotonic(), error)
            raise
        self._failed = None
        with self._lock:
            # A step that ended while the agent was looking may be missing from what it saw.
            if changes == self._changes:
                self._held = (self._begun, self._monotonic(), found)
        return found

    def forget(self) -> None:
        """The machine was changed: the next question goes to the agent. Does not wait for one that is under way."""
        with self._lock:
            self._changes += 1
            self._held = None
