"""The watch over SPDK's program: a killed one is noticed once, a hanging one is ended."""

import pytest

from backend.tests.agent.test_serving_spdk import SpdkFloor
from lunette.agent.spdk_watch import HANGS_S, SpdkWatch


@pytest.fixture
def floor() -> SpdkFloor:
    floor = SpdkFloor()
    floor.agent.converge(floor.wish())
    return floor


def test_a_killed_program_is_noticed_once_even_if_it_is_back_already(floor: SpdkFloor) -> None:
    watch = SpdkWatch(floor.machine)
    assert floor.agent.serves_over_spdk()
    assert not watch.look()
    floor.machine.spdk.die()
    floor.machine.advance(5)
    assert watch.look()
    assert not watch.look()
    floor.agent.bring_up()
    assert not watch.look()
    floor.machine.spdk.die()
    assert watch.look()


def test_a_program_that_answers_nothing_is_ended_and_comes_back(floor: SpdkFloor) -> None:
    watch = SpdkWatch(floor.machine)
    floor.machine.spdk.is_hanging = True
    assert not watch.look()
    floor.machine.advance(HANGS_S / 2)
    assert not watch.look()
    assert floor.machine.spdk.starts == 1
    floor.machine.advance(HANGS_S / 2)
    assert not watch.look()
    floor.machine.advance(5)
    assert watch.look()
    assert floor.machine.spdk.starts == 2


def test_one_late_answer_ends_nothing(floor: SpdkFloor) -> None:
    watch = SpdkWatch(floor.machine)
    for is_hanging in (True, False, True):
        floor.machine.spdk.is_hanging = is_hanging
        assert not watch.look()
        floor.machine.advance(HANGS_S - 1)
    assert floor.machine.spdk.starts == 1
