"""Who gets which observation, when looking takes longer than an observation may be old."""

import sys
import threading
import time
from collections.abc import Sequence

import pytest

from backend.tests.fakemachine import FakeSystem
from lunette.agent import snapshot
from lunette.agent.readings import PartReader
from lunette.agent.snapshot import Observer
from lunette.system.system_port import CommandResult
from tests.machines.pace import deadline


class SlowMachine(FakeSystem):
    """Listing drives takes `seconds` of the machine's time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.looks = seconds, 0
        self.add_disks(2)

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        if argv[0] == "lsblk":
            self.looks += 1
            self.sleep(self.seconds)
        return super().run(argv, timeout_s=timeout_s, stdin=stdin, ok=ok)


def test_what_happened_just_before_the_question_is_seen() -> None:
    """A change between two requests is in the second answer, however quickly they follow each other."""
    machine = SlowMachine(0)
    observer = Observer(machine)
    before = observer.observe()
    machine.add_disks(1)
    assert len(observer.observe().disks) == len(before.disks) + 1


def test_an_observation_is_as_old_as_its_beginning() -> None:
    machine = SlowMachine(9)
    before = machine.now()
    assert Observer(machine).observe().taken_at - before < 1


def test_callers_that_wait_for_a_slow_observation_do_not_all_observe_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten callers come while the first one looks: one more look serves them all."""
    machine = SlowMachine(9)
    observer = Observer(machine)
    everybody_waits = threading.Event()
    real = snapshot.take

    def take(system: FakeSystem, look: PartReader) -> object:
        assert everybody_waits.wait(60)
        return real(system, look)

    monkeypatch.setattr(snapshot, "take", take)
    callers = [threading.Thread(target=observer.observe) for _ in range(11)]
    for caller in callers:
        caller.start()
    end = deadline(60)
    while not all(_is_in(caller, {"observe", "take"}) for caller in callers):
        assert time.monotonic() < end, "not every caller asked within 60 s"
        time.sleep(0.01)
    everybody_waits.set()
    for caller in callers:
        caller.join(60)
    assert machine.looks <= 3  # two, and one more if a caller was just about to ask


def _is_in(thread: threading.Thread, functions: set[str]) -> bool:
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_name in functions:
            return True
        frame = frame.f_back
    return False


def test_a_failed_observation_is_not_stored() -> None:
    machine = SlowMachine(0)
    observer = Observer(machine)
    machine.faults.break_calls(lambda call: call.detail.startswith("lsblk"))
    assert observer.observe().hides_disks()
    machine.faults.break_calls(None)
    assert len(observer.observe().disks) == 2
    assert observer.observe().unread == ()
