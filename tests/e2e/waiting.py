"""Waiting for a named condition with a deadline; never a bare sleep."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tests.machines.pace import deadline, factor

T = TypeVar("T")
LONGEST_PAUSE_S = 3.0
SPIN_S = 0.4


def wait_until(what: str, condition: Callable[[], T | None], deadline_s: float = 120.0, pause_s: float = 0.5) -> T:
    """The first truthy answer of `condition`. AssertionError names what did not happen, with the last answer.

    An emulated appliance takes a while to answer: it is left alone for as long as it took, within reason.
    """
    until = deadline(deadline_s)
    while True:
        asked = time.monotonic()
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > until:
            waited = f"{deadline_s:.0f} s at a pace of {factor():.1f}"
            raise AssertionError(f"not within {waited}: {what} (last answer: {answer!r})")
        time.sleep(max(pause_s, min(time.monotonic() - asked, LONGEST_PAUSE_S)))


def slowness() -> float:
    """How many times longer work takes now than on idle processors: the wall time of `SPIN_S` of work.

    Limits of a few seconds are scaled by it, because other processes run on the same processors, and by how much slower
    this machine and its guests are than those on which the limits were chosen.
    """
    began, worked = time.monotonic(), time.process_time()
    while time.process_time() - worked < SPIN_S:
        pass
    return max(1.0, (time.monotonic() - began) / SPIN_S, factor())
