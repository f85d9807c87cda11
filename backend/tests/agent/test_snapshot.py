"""Who gets which observation, when looking takes longer than an observation may be old."""

import threading
from collections.abc import Sequence

import pytest

from lunette.agent import snapshot
from lunette.agent.snapshot import MAX_AGE_S, Observer
from lunette.domain.errors import ToolFailed
from lunette.system.doorway import CommandResult
from lunette.system.fake import FakeSystem


class SlowMachine(FakeSystem):
    """Listing drives takes `seconds` of the machine's time, and `meanwhile` happens then."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.looks = seconds, 0
        self.asked = threading.Semaphore(0)
        """Counts up whenever somebody looks at the clock."""
        self.add_disks(2)

    def monotonic(self) -> float:
        self.asked.release()
        return super().monotonic()

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        if argv[0] == "lsblk":
            self.looks += 1
            self.sleep(self.seconds)
        return super().run(argv, timeout_s=timeout_s, stdin=stdin, ok=ok)


def test_a_fresh_observation_is_shared_and_an_old_one_is_not() -> None:
    machine = SlowMachine(0)
    observer = Observer(machine)
    first = observer.observe()
    assert observer.observe() is first
    machine.sleep(MAX_AGE_S + 0.1)
    assert observer.observe() is not first
    assert machine.looks == 2


def test_a_change_makes_every_observation_old() -> None:
    machine = SlowMachine(0)
    observer = Observer(machine)
    first = observer.observe()
    observer.forget()
    assert observer.observe() is not first


def test_a_look_is_as_old_as_its_beginning() -> None:
    machine = SlowMachine(9)
    before = machine.now()
    assert Observer(machine).observe().taken_at - before < 1


def test_those_who_wait_for_a_slow_look_do_not_all_look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten callers come while the first one looks: one more look serves them all."""
    machine = SlowMachine(9)
    observer = Observer(machine)
    everybody_waits = threading.Event()
    real = snapshot.take

    def take(system: FakeSystem) -> object:
        assert everybody_waits.wait(10)
        return real(system)

    monkeypatch.setattr(snapshot, "take", take)
    callers = [threading.Thread(target=observer.observe) for _ in range(11)]
    for caller in callers:
        caller.start()
    for _ in range(len(callers) + 1):
        assert machine.asked.acquire(timeout=10)
    everybody_waits.set()
    for caller in callers:
        caller.join(20)
    assert machine.looks <= 2


def test_a_look_that_fails_is_not_kept() -> None:
    machine = SlowMachine(0)
    observer = Observer(machine)
    machine.faults.break_calls(lambda call: call.detail.startswith("lsblk"))
    with pytest.raises(ToolFailed):
        observer.observe()
    machine.faults.break_calls(None)
    assert len(observer.observe().disks) == 2
