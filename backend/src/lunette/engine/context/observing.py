"""The snapshot of the machine everybody shares: the agent is asked once however many want to know."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from lunette.domain.agent_protocol import DoStep, Observe, UseKey
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep
from lunette.system.agent_port import AgentPort

SILENCE_S = 2.0
"""For so long after the agent failed to answer nobody asks again: one request does not wait twice for a hung agent."""
SHARE = 4.0
"""While a job does steps, what is only shown may be this many times as old as a look takes: so all who watch a job take
at most a fifth of the machine's time from it."""


@dataclass(frozen=True)
class _Look:
    """One answer: which look it was, when it came, how long it took, and how many steps were done before it began."""

    number: int
    at: float
    took_s: float
    steps: int
    found: Observation


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
        self._held: _Look | None = None
        self._failed: tuple[float, LunetteError] | None = None
        self._steps, self._ended = 0, 0

    def get(self, max_age_s: float = 2.0, *, amid_steps: bool = False) -> Observation:
        """A snapshot at most this old; with 0, of a look that began after the call.

        It began after the last step of any job. One that is only to be shown (`amid_steps`) may miss steps of a job
        that goes on, and be as old as SHARE says; what a job made is in it once the job is over. Raises Unavailable if
        the agent does not answer, or did not a moment ago.
        """
        wanted_from, begun_before = self._monotonic() - max_age_s, self._begun
        with self._asking:
            held, failed = self._held, self._failed
            if held is not None and (held.steps == self._steps or amid_steps):
                if amid_steps and held.steps != self._steps:
                    wanted_from = min(wanted_from, self._monotonic() - SHARE * held.took_s)
                if held.number > begun_before or (max_age_s > 0 and held.at >= wanted_from):
                    return held.found
            if failed is not None and self._monotonic() - failed[0] < SILENCE_S:
                raise failed[1]
            return self._ask()

    def _ask(self) -> Observation:
        steps, began = self._steps, self._monotonic()
        ended = self._ended
        self._begun += 1
        try:
            found = self._agent.ask(Observe())
        except LunetteError as error:
            self._held = None  # nothing is planned on what was before the agent fell silent
            self._failed = (self._monotonic(), error)
            raise
        self._failed = None
        with self._lock:
            # A job that ended while the agent was looking may be missing from what it saw.
            if ended == self._ended:
                now = self._monotonic()
                self._held = _Look(self._begun, now, now - began, steps, found)
        return found

    def stepped(self) -> None:
        """A job did a step: what is planned now takes a new look. Does not wait for one that is under way."""
        with self._lock:
            self._steps += 1

    def forget(self) -> None:
        """A job is over: whoever asks now sees all it did. Does not wait for a look that is under way."""
        with self._lock:
            self._ended += 1
            self._held = None


def use_key(agent: AgentPort, cache: ObservationCache, order: KeyOrder) -> str | None:
    """Has the agent hold or use a key; whoever asks then sees what it did."""
    try:
        return agent.ask(UseKey(order=order))
    finally:
        cache.forget()


def do_now(agent: AgentPort, cache: ObservationCache, step: AnyStep) -> None:
    """Does a step outside any job; whoever asks then sees what it did."""
    try:
        agent.ask(DoStep(job_id=None, step=step))
    finally:
        cache.forget()
