"""How fast this machine and its guests are today: every wait of the tests on machines is multiplied by it.

A fixed piece of work is timed natively when a run begins, on two processors at once as the lanes of a run have them,
again when a tier of it begins (`tests/run/suite.py`), and once in the first guest of each kind. A machine that needs
twice as long as the one on which the waits were chosen has twice as long for them. What is faster does not shorten a
wait.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import ClassVar, Protocol

ENVIRONMENT = "LUNETTE_PACE"
"""Where a run hands its native factor to the processes that it starts."""
NATIVE_S = 0.2
"""The native work on 2 cores of the machine on which the waits were chosen, without other load."""
GUEST_S = {"uml": 0.9, "qemu": 3.0}
"""The work in a guest there, by kind of machine."""
MOST = 6.0
"""A machine slower than that is not waited for: something else is wrong with it."""
_ROUNDS = 80
_ENOUGH_S = 3.0
"""No sample begins later."""
_GUEST_WORK = "for i in $(seq 100); do /bin/true; done"
"""Programs that start and end: what guests are slowest at."""
_guests: dict[str, float] = {}


class Guest(Protocol):
    """A booted machine."""

    kind: ClassVar[str]

    def check(self, command: str, /) -> str:
        """Runs a command in the guest."""


def measure_native(samples: int = 3, pause_s: float = 0.0) -> float:
    """Times the native work several times, with a pause before each. The factor, 1 at least.

    It is the median: what happens to run during one sample does not weigh for the whole run, and a machine that is
    slow is so in most of them. Where they take long, a few are enough.
    """
    took_s: list[float] = []
    end = time.monotonic() + _ENOUGH_S
    while len(took_s) < samples and time.monotonic() < end:
        time.sleep(pause_s)
        took_s.append(_sample())
    return _factor(median(took_s) / NATIVE_S)


def _sample() -> float:
    """The seconds of the slower of two processes that do the work side by side, each by its own clock."""
    argv = [sys.executable, "-I", __file__]
    both = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    return max(float(one.communicate()[0]) for one in both)


def _work() -> float:
    """Hashes, which are arithmetic of the processor, and objects, which are memory. The seconds it took."""
    block = bytes(1 << 20)
    began = time.monotonic()
    for number in range(_ROUNDS):
        digest = hashlib.sha256(block).hexdigest()
        _ = {digest[i : i + 3]: [number] * i for i in range(2000)}
    return time.monotonic() - began


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


def native() -> float:
    """The native factor of the run this process belongs to, measured here where it belongs to none."""
    if not os.environ.get(ENVIRONMENT):
        keep_native(measure_native())
    return _factor(float(os.environ[ENVIRONMENT]))


def keep_native(measured: float) -> None:
    """From now on this is the native factor, here and in the processes that are started."""
    os.environ[ENVIRONMENT] = f"{measured:.2f}"


def factor() -> float:
    """What a wait is multiplied by: the slowest of what was measured so far."""
    return max([native(), *_guests.values()])


def deadline(seconds: float, clock: Callable[[], float] = time.monotonic) -> float:
    """The moment, on the clock, until which something that takes so long at most may take today."""
    return clock() + within(seconds)


def within(seconds: float) -> float:
    """The seconds that something which takes so long at most may take today: for what is given a time to wait."""
    return seconds * factor()


def _factor(ratio: float) -> float:
    return min(max(1.0, ratio), MOST)


if __name__ == "__main__":
    print(_work())
