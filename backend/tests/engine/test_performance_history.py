"""The history of performance survives, is bounded, and is what a naive model makes of the same spans."""

import datetime as dt
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from lunette.domain.performance import APPLIANCE, Key, Measured, Rates
from lunette.domain.performance_history import RESOLUTIONS, History, HistoryRange
from lunette.engine.counters.history import FLUSH_S, LONGEST_SPAN_S, SETTLED_S, PerformanceHistory
from lunette.store.measured import MeasuredFile

BEGIN = dt.datetime(2026, 11, 1, tzinfo=dt.UTC).timestamp()
HOUR_S, DAY_S = 3600.0, 86400.0


def doing(iops: float, latency_ms: float | None = None, written: float = 0) -> Rates:
    return Rates(
        iops=iops,
        read_iops=iops,
        write_iops=0,
        read_bytes_s=iops * 4096,
        write_bytes_s=written,
        latency_ms=latency_ms,
        read_latency_ms=latency_ms,
        write_latency_ms=None,
        in_flight=None,
        busy_percent=None,
    )


def volume(number: int) -> Key:
    return Key(Measured.VOLUME, f"v{number}")


VOLUME = volume(0)


def run(
    past: PerformanceHistory, start: float, end: float, rates: Callable[[float], Rates], key: Key = VOLUME
) -> float:
    """Spans of 10 s; returns the end of the last."""
    at = start
    while at + 10 <= end:
        at += 10
        past.add(at, 10, {key: rates(at)})
    return at


def measured(history: History, figure: str = "iops") -> dict[int, tuple[float | None, float | None]]:
    """Mean and maximum by the start of the interval, where there is a mean."""
    course = history.courses[figure]
    pairs = zip(course.mean, course.maximum, strict=True)
    return {history.first_at + n * history.step_s: pair for n, pair in enumerate(pairs) if pair[0] is not None}


@pytest.mark.parametrize("range_", HistoryRange)
def test_every_resolution_is_what_a_naive_model_makes_of_the_same_spans(range_: HistoryRange) -> None:
    draw = random.Random(67)
    past, spans, at = PerformanceHistory(MeasuredFile()), [], BEGIN
    for _ in range(2000):
        seconds = draw.choice((7.5, 10, 10.3, 60, 250))
        if draw.random() < 0.02:
            at += draw.choice((30, 700))  # the agent was away
        at += seconds
        iops = draw.choice((0, 5, 1000 * draw.random()))
        rates = doing(iops, draw.random() * 9 if iops else None, iops * 4096)
        spans.append((at - seconds, at, rates))
        past.add(at, seconds, {APPLIANCE: doing(0), VOLUME: rates})
    step = RESOLUTIONS[range_].step_s
    found = past.history(VOLUME, range_, at)
    means, latencies = measured(found), measured(found, "latency_ms")
    first_active = next(start for start, _, rates in spans if rates.iops)
    assert len(means) > 20
    for number in range(math.floor(max(first_active, found.first_at) / step) + 1, math.floor(at / step)):
        start, end = number * step, (number + 1) * step
        parts = [(min(end, b) - max(start, a), rates) for a, b, rates in spans if a < end and b > start]
        if not parts:
            assert start not in means
            continue
        seconds = sum(part for part, _ in parts)
        mean = sum(part * rates.iops for part, rates in parts) / seconds
        most = max(rates.iops for _, rates in parts)
        assert means[start] == pytest.approx((mean, most), rel=1e-3, abs=1e-3)
        busy = [(part * rates.iops, rates.latency_ms) for part, rates in parts if rates.latency_ms is not None]
        if busy:
            mean = sum(count * ms for count, ms in busy) / sum(count for count, _ in busy)
            most = max(ms for _, ms in busy)
            assert latencies[start] == pytest.approx((mean, most), rel=1e-3, abs=1e-3)
        else:
            assert start not in latencies


def test_a_restart_goes_on_where_the_last_process_ended(tmp_path: Path) -> None:
    once, twice = PerformanceHistory(MeasuredFile()), PerformanceHistory(MeasuredFile(tmp_path / "measured.db"))
    middle, end = BEGIN + 3 * HOUR_S + 1234, BEGIN + 5 * HOUR_S
    load = lambda at: doing(at % 97)  # noqa: E731
    at = run(twice, BEGIN, middle, load)
    twice.close()
    again = PerformanceHistory(MeasuredFile(tmp_path / "measured.db"))
    run(again, at, end, load)
    run(once, BEGIN, end, load)
    for range_ in HistoryRange:
        whole, parts = (measured(past.history(VOLUME, range_, end)) for past in (once, again))
        assert parts.keys() == whole.keys()
        assert all(parts[at] == pytest.approx(whole[at], rel=1e-3) for at in whole)


def test_a_crash_costs_at_most_what_was_measured_since_the_last_write(tmp_path: Path) -> None:
    path = tmp_path / "measured.db"
    at = run(PerformanceHistory(MeasuredFile(path)), BEGIN, BEGIN + 2 * HOUR_S + 300, lambda _at: doing(5))
    left = measured(PerformanceHistory(MeasuredFile(path)).history(VOLUME, HistoryRange.DAY, at))
    assert max(left) >= at - FLUSH_S - 60
    assert min(left) == BEGIN


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 99, None])
def test_a_damaged_file_is_replaced_and_told_and_stops_nothing(tmp_path: Path, damage: bytes | None) -> None:
    path, told = tmp_path / "measured.db", list[str]()
    past = PerformanceHistory(MeasuredFile(path))
    at = run(past, BEGIN, BEGIN + HOUR_S, lambda _at: doing(5))
    past.close()
    whole = path.read_bytes()
    torn = whole[:4096] + bytes(len(whole) // 2) if damage is None else damage
    path.write_bytes(torn)
    again = PerformanceHistory(MeasuredFile(path, told.append))
    assert measured(again.history(VOLUME, HistoryRange.DAY, at)) == {}
    assert bool(told) == (damage != b"")  # an empty file is one that was never written
    end = run(again, at, at + HOUR_S, lambda _at: doing(7))
    again.close()
    assert measured(PerformanceHistory(MeasuredFile(path)).history(VOLUME, HistoryRange.DAY, end))[int(at)] == (7, 7)


def test_a_file_that_cannot_be_opened_or_written_costs_the_history_only(tmp_path: Path) -> None:
    past = PerformanceHistory(MeasuredFile(tmp_path / "missing" / "measured.db"))
    at = run(past, BEGIN, BEGIN + HOUR_S, lambda _at: doing(5))
    assert measured(past.history(VOLUME, HistoryRange.MONTH, at))[int(BEGIN)] == (5, 5)
    full = PerformanceHistory(MeasuredFile(tmp_path / "measured.db", has_room=lambda: False))
    run(full, BEGIN, BEGIN + HOUR_S, lambda _at: doing(5))
    full.close()
    assert MeasuredFile(tmp_path / "measured.db").keys() == ()


def test_after_the_longest_range_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "measured.db"
    past, at = PerformanceHistory(MeasuredFile(path)), BEGIN
    for _ in range(int(40 * DAY_S / 300)):
        at += 300
        past.add(at, 300, {VOLUME: doing(1)})
    past.close()
    file = MeasuredFile(path)
    for step_s, length, size in RESOLUTIONS.values():
        numbers = file.blocks(VOLUME, step_s, 0, 2**40)
        assert max(numbers) == at // step_s // size or at % (step_s * size) == 0
        kept = (max(numbers) - min(numbers) + 1) * size
        assert length <= kept <= length + (FLUSH_S / step_s) + 2 * size
        assert len(numbers) <= math.ceil(kept / size)


def test_the_clock_set_back_replaces_what_is_to_come() -> None:
    past = PerformanceHistory(MeasuredFile())
    run(past, BEGIN, BEGIN + 6 * HOUR_S, lambda _at: doing(100))
    at = run(past, BEGIN + HOUR_S, BEGIN + 8 * HOUR_S, lambda _at: doing(1))
    found = measured(past.history(VOLUME, HistoryRange.DAY, at))
    assert found[int(BEGIN)] == (100, 100)
    assert {found[at][0] for at in found if at > BEGIN + HOUR_S + 60} == {1}
    month = measured(past.history(VOLUME, HistoryRange.MONTH, at))
    assert [month[int(BEGIN + hour * HOUR_S)][0] for hour in (0, 2, 5, 7)] == [100, 1, 1, 1]


def test_a_clock_that_was_years_ahead_for_a_while_empties_nothing() -> None:
    past = PerformanceHistory(MeasuredFile())
    at = run(past, BEGIN, BEGIN + 6 * HOUR_S, lambda _at: doing(100))
    ahead = BEGIN + 2000 * DAY_S
    run(past, ahead, ahead + SETTLED_S - 60, lambda _at: doing(7))
    end = run(past, at + SETTLED_S, at + 2 * SETTLED_S, lambda _at: doing(1))
    found = measured(past.history(VOLUME, HistoryRange.DAY, end))
    assert found[int(BEGIN)] == (100, 100)
    assert int(at + SETTLED_S / 2) not in found
    assert found[int(end - 60)] == (1, 1)


def test_a_span_that_is_too_long_is_a_gap() -> None:
    past = PerformanceHistory(MeasuredFile())
    past.add(BEGIN, 10, {VOLUME: doing(1)})
    past.add(BEGIN + 2 * LONGEST_SPAN_S, 2 * LONGEST_SPAN_S, {VOLUME: doing(9)})
    end = run(past, BEGIN + 2 * LONGEST_SPAN_S, BEGIN + 2 * LONGEST_SPAN_S + 60, lambda _at: doing(1))
    assert {mean for mean, _ in measured(past.history(VOLUME, HistoryRange.HOUR, end)).values()} == {1}


def test_what_never_did_anything_takes_no_place_and_the_appliance_always_has_one() -> None:
    past = PerformanceHistory(MeasuredFile(), most=1)
    past.add(BEGIN + 10, 10, {APPLIANCE: doing(0), VOLUME: doing(0)})
    assert len(past) == 1
    assert measured(past.history(APPLIANCE, HistoryRange.HOUR, BEGIN + 10)) == {int(BEGIN): (0, 0)}
    assert past.history(VOLUME, HistoryRange.HOUR, BEGIN).courses["iops"].mean == ()


def test_the_one_that_was_idle_longest_makes_room_and_a_busy_one_never(tmp_path: Path) -> None:
    past = PerformanceHistory(MeasuredFile(tmp_path / "measured.db"), most=2)
    at = run(past, BEGIN, BEGIN + HOUR_S, lambda _at: doing(1), volume(1))
    at = run(past, at, at + HOUR_S, lambda _at: doing(1), volume(2))
    past.add(at + 10, 10, {volume(2): doing(1), volume(3): doing(1)})
    past.add(at + 20, 10, {volume(4): doing(1)})
    has = [bool(past.history(volume(n), HistoryRange.DAY, at + 20).courses["iops"].mean) for n in (1, 2, 3, 4)]
    assert has == [False, True, True, False]
    assert len(past) == 2
    past.close()
    assert set(MeasuredFile(tmp_path / "measured.db").keys()) == {volume(2), volume(3)}


def test_objects_that_were_deleted_go_and_others_stay(tmp_path: Path) -> None:
    past, array = PerformanceHistory(MeasuredFile(tmp_path / "measured.db")), Key(Measured.ARRAY, "a")
    at = run(past, BEGIN, BEGIN + HOUR_S, lambda _at: doing(1))
    at = run(past, at, at + HOUR_S, lambda _at: doing(1), array)
    past.keep_only({Measured.VOLUME: {"other"}})
    past.close()
    assert MeasuredFile(tmp_path / "measured.db").keys() == (array,)
