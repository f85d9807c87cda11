"""A loop ends at once, wherever it is in its round."""

import threading

import pytest
from structlog.testing import capture_logs

from lunette.domain.errors import Unavailable
from lunette.engine.context.loop import Loop

PATIENCE_S = 50
"""What waits for longer waits out its 600 s."""


def ends(loop: Loop) -> bool:
    """Whether it ends once it is stopped."""
    thread = loop._thread
    assert thread
    loop.stop()
    thread.join(PATIENCE_S)
    return not thread.is_alive()


def test_a_pause_between_rounds_is_not_waited_out() -> None:
    rounds = threading.Semaphore(0)

    def work() -> float:
        rounds.release()
        return 600.0

    loop = Loop("pauses", work)
    loop.start()
    assert rounds.acquire(timeout=PATIENCE_S)
    assert ends(loop)


def test_a_pause_within_a_round_ends_at_a_stop_but_not_at_a_wake() -> None:
    resting, rested = threading.Event(), threading.Event()

    def work() -> float:
        resting.set()
        loop.rest(600)
        rested.set()
        return 0.0

    loop = Loop("rests", work)
    loop.start()
    assert resting.wait(PATIENCE_S)
    loop.wake()
    assert not rested.wait(0.2)
    assert ends(loop)
    assert rested.is_set()


def test_a_stop_between_the_check_and_the_round_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread is held where it forgets what woke it, and stopped there."""
    loop, held, go_on = Loop("held", lambda: 600.0), threading.Event(), threading.Event()
    forget = loop._woken.clear

    def forget_slowly() -> None:
        held.set()
        assert go_on.wait(PATIENCE_S)
        forget()

    monkeypatch.setattr(loop._woken, "clear", forget_slowly)
    loop.start()
    assert held.wait(PATIENCE_S)
    threading.Timer(0.2, go_on.set).start()
    assert ends(loop)


def test_a_round_that_a_full_drive_prevents_is_one_short_line_in_the_journal() -> None:
    def work() -> float:
        loop.wake()
        if lines:
            loop._stopping.set()
        raise Unavailable("The disk that holds the database is full.")

    loop = Loop("full", work)
    with capture_logs() as lines:
        loop._run()
    reason = "The disk that holds the database is full."
    assert lines[0] == {"loop": "full", "reason": reason, "event": "a pass was not possible", "log_level": "warning"}
