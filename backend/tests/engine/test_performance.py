"""Passes are shared by all who ask, and the history has even intervals."""

import pytest

from backend.tests.domain.test_performance import ZERO, counters
from lunette.domain.counters import Counters
from lunette.domain.errors import AgentAway
from lunette.domain.performance import Key, Measured
from lunette.domain.performance_history import HistoryRange
from lunette.engine.counters.performance import FRESH_S, PERIOD_S, Recorder

VOLUME = Key(Measured.VOLUME, "v")


class Clock:
    """A recorder whose agent counts one more read with every pass, on a clock that the test advances."""

    def __init__(self) -> None:
        self.now, self.passes, self.away = 100.0, 0, False
        self.recorder = Recorder(self.ask, dict, lambda: self.now)

    def ask(self) -> Counters:
        if self.away:
            raise AgentAway("the agent does not answer")
        self.passes += 1
        return counters(self.now, volumes={"v": ZERO._replace(reads=self.passes)})

    def points(self) -> list[tuple[int, float]]:
        """Start and mean of the intervals that were measured."""
        found = self.recorder.history(VOLUME, HistoryRange.HOUR)
        means = enumerate(found.courses["iops"].mean)
        return [(found.first_at + n * found.step_s, mean) for n, mean in means if mean is not None]


def test_a_pass_is_shared_while_it_is_fresh() -> None:
    clock = Clock()
    first = clock.recorder.now()
    assert (first.seconds, first.rates) == (None, {})
    clock.now += FRESH_S / 2
    assert clock.recorder.now() is first
    clock.now += FRESH_S
    assert clock.recorder.now().rates[VOLUME].iops == pytest.approx(1 / (1.5 * FRESH_S))
    assert clock.passes == 2


def test_the_history_has_even_spans_however_often_it_is_read() -> None:
    clock = Clock()
    for second in range(31):
        if second % PERIOD_S == 0:
            clock.recorder.round()
        clock.recorder.now()
        clock.now += 1
    points = clock.points()
    assert [at for at, _ in points] == [100, 110, 120]
    assert sum(iops for _, iops in points) * PERIOD_S == pytest.approx(clock.passes - 1, abs=1)


def test_passes_that_take_long_come_more_seldom_and_one_alone_changes_nothing() -> None:
    clock = Clock()

    def slow() -> Counters:
        clock.now += takes_s[0]
        return counters(clock.now)

    takes_s = [7.0]
    recorder = Recorder(slow, dict, lambda: clock.now)
    pauses = [recorder.round() for _ in range(6)]
    assert pauses == [PERIOD_S, PERIOD_S, 2 * PERIOD_S, 4 * PERIOD_S, 60.0, 60.0]
    takes_s[0] = 0.1
    clock.now += 10.0
    assert recorder.round() == PERIOD_S


def test_while_the_agent_is_away_there_is_no_point_and_no_request_waits_twice() -> None:
    clock = Clock()
    clock.recorder.round()
    clock.now, clock.away = clock.now + PERIOD_S, True
    assert clock.recorder.round() == PERIOD_S
    with pytest.raises(AgentAway):
        clock.recorder.now()
    clock.now, clock.away = clock.now + PERIOD_S, False
    clock.recorder.round()
    assert dict(clock.points()) == pytest.approx({100: 0.05, 110: 0.05})
