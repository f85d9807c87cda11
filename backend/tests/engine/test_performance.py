"""The history is bounded, and passes are shared by all who ask."""

import pytest

from backend.tests.domain.test_performance import ZERO, counters
from lunette.domain.counters import Counters
from lunette.domain.errors import AgentAway
from lunette.domain.performance import APPLIANCE, Key, Measured, Rates
from lunette.engine.counters.history import History
from lunette.engine.counters.performance import FRESH_S, PERIOD_S, Recorder

VOLUME = Key(Measured.VOLUME, "v")


def doing(iops: float, latency_ms: float | None = None) -> Rates:
    return Rates(
        iops=iops,
        read_iops=iops,
        write_iops=0,
        read_bytes_s=iops * 4096,
        write_bytes_s=0,
        latency_ms=latency_ms,
        read_latency_ms=None,
        write_latency_ms=None,
        in_flight=None,
        busy_percent=None,
    )


def volume(number: int) -> Key:
    return Key(Measured.VOLUME, f"v{number}")


def test_the_oldest_points_make_room() -> None:
    history = History(length=3)
    for at in range(5):
        history.add(float(at), {VOLUME: doing(at + 1, 0.5 if at % 2 else None)})
    assert [(p.at, p.iops, p.latency_ms) for p in history.points(VOLUME)] == [(2, 3, None), (3, 4, 0.5), (4, 5, None)]


def test_spans_a_thing_was_not_there_for_are_left_out_and_idle_ones_are_not() -> None:
    history = History(length=4)
    for at, rates in enumerate(({VOLUME: doing(1)}, {}, {VOLUME: doing(0)}, {VOLUME: doing(2)})):
        history.add(float(at), rates)
    assert [(p.at, p.iops) for p in history.points(VOLUME)] == [(0, 1), (2, 0), (3, 2)]
    assert history.points(volume(9)) == ()


def test_what_never_did_anything_takes_no_room_and_the_appliance_always_has_some() -> None:
    history = History(length=2, most=1)
    history.add(0, {APPLIANCE: doing(0), volume(1): doing(0)})
    assert (len(history), len(history.points(APPLIANCE))) == (1, 1)


def test_the_one_that_was_idle_longest_makes_room_and_a_busy_one_never() -> None:
    history = History(length=8, most=2)
    history.add(0, {APPLIANCE: doing(1), volume(1): doing(1)})
    history.add(1, {APPLIANCE: doing(1), volume(2): doing(1)})
    history.add(2, {APPLIANCE: doing(1), volume(2): doing(1), volume(3): doing(1)})
    assert [len(history.points(volume(n))) for n in (1, 2, 3)] == [0, 2, 1]
    history.add(3, {APPLIANCE: doing(1), volume(2): doing(1), volume(3): doing(1), volume(4): doing(1)})
    assert [len(history.points(volume(n))) for n in (2, 3, 4)] == [3, 2, 0]
    assert len(history) == 3


class Clock:
    """A recorder whose agent counts one more read with every pass; time goes when told."""

    def __init__(self) -> None:
        self.now, self.passes, self.away = 100.0, 0, False
        self.recorder = Recorder(self.ask, dict, lambda: self.now)

    def ask(self) -> Counters:
        if self.away:
            raise AgentAway("the agent does not answer")
        self.passes += 1
        return counters(self.now, volumes={"v": ZERO._replace(reads=self.passes)})


def test_a_pass_is_shared_while_it_is_fresh() -> None:
    clock = Clock()
    first = clock.recorder.now()
    assert (first.seconds, first.rates) == (None, {})
    clock.now += FRESH_S / 2
    assert clock.recorder.now() is first
    clock.now += FRESH_S
    assert clock.recorder.now().rates[VOLUME].iops == pytest.approx(1 / (1.5 * FRESH_S))
    assert clock.passes == 2


def test_the_history_has_even_spans_however_often_somebody_looks() -> None:
    clock = Clock()
    for second in range(31):
        if second % PERIOD_S == 0:
            clock.recorder.round()
        clock.recorder.now()
        clock.now += 1
    points = clock.recorder.points(VOLUME)
    assert [point.at for point in points] == [110, 120, 130]
    assert sum(point.iops for point in points) * PERIOD_S == pytest.approx(clock.passes - 1, abs=1)


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


def test_while_the_agent_is_away_there_is_no_point_and_nobody_waits_twice() -> None:
    clock = Clock()
    clock.recorder.round()
    clock.now, clock.away = clock.now + PERIOD_S, True
    assert clock.recorder.round() == PERIOD_S
    with pytest.raises(AgentAway):
        clock.recorder.now()
    clock.now, clock.away = clock.now + PERIOD_S, False
    clock.recorder.round()
    (point,) = clock.recorder.points(VOLUME)
    assert point.iops == pytest.approx(1 / (2 * PERIOD_S))
