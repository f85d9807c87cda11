"""Faults on demand, and the log of every call through the system port.

A crash is a BaseException, so that no `except Exception` of the code under test survives what a `kill -9` would not.
After it the process is dead: every further call crashes too, until the test starts a new one (`restart_process`).
"""

import errno
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from lunette.domain.errors import ToolFailed


class Crash(BaseException):
    """The agent was killed here."""


class When(StrEnum):
    """Where a fault strikes: before the call took effect, half-way through it, or after it took effect.

    A failure that strikes `after` is a tool that did its work and then ran into its timeout.
    """

    BEFORE = "before"
    DURING = "during"
    AFTER = "after"


@dataclass(frozen=True)
class Call:
    """One call through the system port. `changes` is false for calls that only read."""

    number: int
    name: str
    detail: str
    changes: bool


@dataclass(frozen=True)
class _Fault:
    when: When
    kills: bool
    point: int = 1
    """Which of the points between effects a fault with DURING strikes at."""


class Hang:
    """Commands that do not return until they are released. Others work meanwhile."""

    def __init__(self, picks: Callable[[str], bool]) -> None:
        self._picks = picks
        self.began = threading.Event()
        """Set once one hangs."""
        self.lines: list[str] = []
        """Those that hang or hung."""
        self._over = threading.Event()
        self._is_killed = False

    def let_go(self) -> None:
        """They do their work, and no later one hangs."""
        self._over.set()

    def kill(self) -> None:
        """Their time is over and they are killed before they did anything; no later one hangs."""
        self._is_killed = True
        self._over.set()

    def hold(self, line: str) -> None:
        """Raises ToolFailed if the command is killed."""
        if self._over.is_set() or not self._picks(line):
            return
        self.lines.append(line)
        self.began.set()
        self._over.wait()
        if self._is_killed:
            words = (
                f"{line.split(maxsplit=1)[0]} did not finish within 60 s and was stopped: check whether a disk hangs"
            )
            raise ToolFailed(words, log=f"{line}: no end after 60.0 s")


class Faults:
    """Counts calls and strikes at those that were armed."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.dead = False
        self._armed: dict[int, _Fault] = {}
        self._striking: tuple[_Fault, Call] | None = None
        self._broken: Callable[[Call], bool] | None = None
        self._points = 0
        self._hangs: list[Hang] = []
        self._processes = 0

    def hang(self, picks: Callable[[str], bool]) -> Hang:
        """Commands whose line matches `picks` hang until they are released."""
        self._hangs.append(Hang(picks))
        return self._hangs[-1]

    def hold(self, line: str) -> None:
        """Called by each command before anything else. Raises ToolFailed, or Crash if its process was killed meanwhile.

        A command that runs while the agent is killed would continue; here it has done nothing yet.
        """
        process = self._processes
        for hang in self._hangs:
            hang.hold(line)
        if process != self._processes:
            raise Crash("the process that waited for this command was killed")

    def fail_at(self, number: int, when: When = When.BEFORE, point: int = 1) -> None:
        """The call `number` from now (1 is the next one) raises ToolFailed if it is a command, OSError(EIO) if not."""
        self._armed[len(self.calls) + number] = _Fault(when, False, point)

    def crash_at(self, number: int, when: When = When.BEFORE, point: int = 1) -> None:
        """The process is killed at the call `number` from now (1 is the next one)."""
        self._armed[len(self.calls) + number] = _Fault(when, True, point)

    def break_calls(self, broken: Callable[[Call], bool] | None) -> None:
        """Every call that `broken` picks fails before it takes effect, until this is called again with None."""
        self._broken = broken

    def disarm(self) -> None:
        """Forget what was armed: the machine works again."""
        self._armed.clear()
        self._broken = None

    def restart_process(self) -> None:
        """A new process came up after a crash."""
        self.dead = False
        self._striking = None
        self._processes += 1

    @contextmanager
    def call(self, name: str, detail: str, *, changes: bool) -> Iterator[None]:
        """Wrap one call: log it, and strike where it is armed."""
        if self.dead:
            raise Crash("the process is dead already")
        call = Call(len(self.calls) + 1, name, detail, changes)
        self.calls.append(call)
        fault = self._armed.pop(call.number, None)
        if fault is None and self._broken is not None and self._broken(call):
            fault = _Fault(When.BEFORE, kills=False)
        if fault is None:
            yield
            return
        if fault.when is When.BEFORE:
            self._strike(fault, call)
        self._striking = (fault, call) if fault.when is When.DURING else None
        self._points = 0
        try:
            yield
        except OSError as error:
            if fault.kills:
                self._strike(fault, call)
            raise error
        finally:
            self._striking = None
        self._strike(fault, call)

    def half_way(self) -> None:
        """Simulated tools call this between two effects; a fault armed with DURING strikes here."""
        self._points += 1
        if self._striking and self._striking[0].point == self._points:
            self._strike(*self._striking)

    def _strike(self, fault: _Fault, call: Call) -> None:
        if fault.kills:
            self.dead = True
            raise Crash(f"killed {fault.when} call {call.number}: {call.name} {call.detail}")
        if call.name == "run":
            raise ToolFailed(
                f"{call.detail.split(' ')[0]} was refused by the test; take the fault away and try again",
                log=f"injected {fault.when} {call.detail}",
            )
        raise OSError(errno.EIO, "injected by the test", call.detail)
