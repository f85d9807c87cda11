"""How fast this machine and its guests are today: every wait of the tests on machines is multiplied by it.

A fixed piece of work is timed natively when a run begins, on two processors at once as the lanes of a run have them,
and once in the first guest of each kind. A machine that needs twice as long as the one on which the waits were chosen
has twice as long for them. What is faster does not shorten a wait.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import ClassVar, Protocol

ENVIRONMENT = "LUNETTE_PACE"
"""Where a run hands its native factor to the processes that it starts."""
NATIVE_S = 0.49
"""The native work on 2 cores of the machine on which the waits were chosen, with nothing beside it."""
GUEST_S = {"uml": 0.9, "qemu": 3.0}
"""The work in a guest there, by kind of machine."""
MOST = 6.0
"""A machine slower than that is not waited for: something else is wrong with it."""
_ROUNDS = 200
_GUEST_WORK = "for i in $(seq 100); do /bin/true; done"
"""Programs that start and end: what guests are slowest at."""
_guests: dict[str, float] = {}


class Guest(Protocol):
    """A booted machine."""

    kind: ClassVar[str]

    def check(self, command: str, /) -> str:
        """Runs a command in the guest."""


def _work(_: int) -> int:
    """Hashes, which are arithmetic of the processor, and objects, which are memory; the figure is of no use."""
    block = bytes(1 << 20)
    count = 0
    for number in range(_ROUNDS):
        digest = hashlib.sha256(block).hexdigest()
        count += len({digest[i : i + 3]: [number] * i for i in range(2000)})
    return count


def measure_native() -> float:
    """Times the native work, half a second of it on a quick machine. The factor, 1 at least."""
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(len, [(), ()]))  # both processes are there before the clock starts
        began = time.monotonic()
        list(pool.map(_work, [0, 1]))
        return _factor((time.monotonic() - began) / NATIVE_S)


def measure_guest(machine: Guest) -> None:
    """Times the guest's work in the first machine of its kind that this process boots."""
    if machine.kind in _guests or machine.kind not in GUEST_S:
        return
    took_s = []
    for _ in range(2):  # the services of a guest that has just booted may still be starting during the first
        began = time.monotonic()
        machine.check(_GUEST_WORK)
        took_s.append(time.monotonic() - began)
    _guests[machine.kind] = _factor(min(took_s) / GUEST_S[machine.kind])


@cache
def native() -> float:
    """The native factor of the run this process belongs to, measured here where it belongs to none."""
    known = os.environ.get(ENVIRONMENT)
    return _factor(float(known)) if known else measure_native()


def factor() -> float:
    """What a wait is multiplied by: the slowest of what was measured so far."""
    return max([native(), *_guests.values()])


def deadline(seconds: float, clock: Callable[[], float] = time.monotonic) -> float:
    """The moment, on the clock, until which something that takes so long at most may take today."""
    return clock() + seconds * factor()


def _factor(ratio: float) -> float:
    return min(max(1.0, ratio), MOST)
