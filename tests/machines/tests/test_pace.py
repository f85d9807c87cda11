"""A wait is as long as the machine of today is slow, and never shorter than it was chosen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import ClassVar

import pytest

from tests.machines import pace
from tests.run.command import ROOT


class Guest:
    """Counts what it is asked, and takes its time."""

    kind: ClassVar[str] = "uml"

    def __init__(self, moves: list[float]) -> None:
        self.asked = 0
        self._moves = moves

    def check(self, command: str, /) -> str:
        self.asked += 1
        self._moves.pop(0)
        return ""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is known of guests, and the run says that this machine is as fast as that of the waits."""
    monkeypatch.setattr(pace, "_guests", {})
    monkeypatch.setenv(pace.ENVIRONMENT, "1.00")
    pace.native.cache_clear()
    yield
    pace.native.cache_clear()


def clock_of(monkeypatch: pytest.MonkeyPatch, moves: list[float]) -> None:
    """A clock that has moved on by the next of these each time a guest was asked."""
    total = sum(moves)
    monkeypatch.setattr(time, "monotonic", lambda: total - sum(moves))


def test_a_slow_machine_waits_longer_and_a_quick_one_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    for told, factor in (("2.50", 2.5), ("0.40", 1.0), ("50", pace.MOST)):
        monkeypatch.setenv(pace.ENVIRONMENT, told)
        pace.native.cache_clear()
        assert pace.factor() == factor
        assert pace.deadline(10.0, lambda: 100.0) == 100.0 + 10.0 * factor


def test_a_guest_is_timed_once_by_the_better_of_two_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [9.0, 3 * pace.GUEST_S["uml"]]
    clock_of(monkeypatch, moves)
    first, second = Guest(moves), Guest(moves)
    pace.measure_guest(first)
    pace.measure_guest(second)
    assert (first.asked, second.asked) == (2, 0)
    assert pace.factor() == pytest.approx(3.0)


def test_a_test_of_a_slow_run_may_take_longer() -> None:
    """The timeouts of markers follow the pace, as the one of pytest.toml does by the environment."""
    program = (
        "import pytest\n"
        "from tests.conftest import pytest_collection_modifyitems as follow\n"
        "class Item:\n"
        "    marks = []\n"
        "    def get_closest_marker(self, name): return pytest.mark.timeout(10).mark if name == 'timeout' else None\n"
        "    def add_marker(self, mark, append): self.marks.insert(0, mark)\n"
        "item = Item(); follow([item]); print(item.marks[0].args)\n"
    )
    environment = {**os.environ, pace.ENVIRONMENT: "2.5"}
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout == "(25.0,)\n"
