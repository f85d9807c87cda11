"""The shared observation of the machine: the agent is asked once, however many callers need it."""

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
"""Pause after the agent failed to answer, so that one request does not wait twice for a hung agent."""
SHARE = 4.0
"""While a job runs steps, an observation that is only shown may be this many times as old as it takes, so that all
watchers together slow the job by at most a fifth.
"""


@dataclass(frozen=True)
class _Look:
    """One answer: its number, when it came, how long it took, and how many steps were done before it began."""

    number: int
    at: float
    took_s: float
    steps: int
    found: Observation


class ObservationCache:
    """The age counts from the arrival of the answer, on this process's own clock.

    So a change that observed before its transaction finds that observation still fresh in it, however long it took.
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
        """An observation at most this old; with 0, one that began after the call.

        It began after the last step of any job. One that is only shown (`amid_steps`) may miss steps of a running job,
        and be as old as SHARE allows; it contains the results of finished jobs. Raises Unavailable if the agent does
        not answer, or did not a moment ago.
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
        """A job ran a step: plans need a new observation from now on. Does not wait for a running one."""
        with self._lock:
            self._steps += 1

    def forget(self) -> None:
        """A job is over: later observations contain all it did. Does not wait for a running one."""
        with self._lock:
            self._ended += 1
            self._held = None


def use_key(agent: AgentPort, cache: ObservationCache, order: KeyOrder) -> str | None:
    """Sends an order about a key to the agent; later observations contain its effect."""
    try:
        return agent.ask(UseKey(order=order))
    finally:
        cache.forget()


def do_now(agent: AgentPort, cache: ObservationCache, step: AnyStep) -> None:
    """Runs a step outside any job; later observations contain its effect."""
    try:
        agent.ask(DoStep(job_id=None, step=step))
    finally:
        cache.forget()
