"""The watch over SPDK's program: a killed one is noticed once, a hanging one is ended."""

import pytest

from backend.tests.agent.exports import id_of, nvme_portal
from backend.tests.agent.test_serving_spdk import SpdkFloor
from lunette.agent.spdk_watch import HANGS_S
from lunette.domain.exports import Release, ReleaseKind


@pytest.fixture
def floor() -> SpdkFloor:
    floor = SpdkFloor()
    floor.agent.converge(floor.desired())
    return floor


def test_a_killed_program_is_noticed_once_even_if_it_is_back_already(floor: SpdkFloor) -> None:
    assert not floor.agent.watch_spdk()
    floor.machine.spdk.die()
    floor.machine.advance(5)
    assert floor.agent.watch_spdk()
    assert not floor.agent.watch_spdk()
    floor.agent.bring_up()
    assert not floor.agent.watch_spdk()
    floor.machine.spdk.die()
    assert floor.agent.watch_spdk()


def test_a_program_that_does_not_answer_is_ended_and_restarted(floor: SpdkFloor) -> None:
    floor.machine.spdk.is_hanging = True
    assert not floor.agent.watch_spdk()
    floor.machine.advance(HANGS_S / 2)
    assert not floor.agent.watch_spdk()
    assert floor.machine.spdk.starts == 1
    assert floor.agent.observe().spdk_ended is None
    floor.machine.advance(HANGS_S / 2)
    assert not floor.agent.watch_spdk()
    ended = floor.agent.observe().spdk_ended
    assert ended is not None
    assert (round(ended.silent_s), ended.is_ended, ended.is_back) == (HANGS_S, True, False)
    floor.machine.advance(5)
    assert floor.agent.watch_spdk()
    assert floor.machine.spdk.starts == 2
    floor.agent.bring_up()
    reported = floor.agent.changes.wait(0, 0)
    assert not floor.agent.watch_spdk()
    assert floor.agent.observe().spdk_ended == ended.model_copy(update={"is_back": True})
    assert floor.agent.changes.wait(reported, 0) != reported, "whoever watches looks at once"


def test_a_hang_is_forgotten_once_the_last_portal_is_removed(floor: SpdkFloor) -> None:
    floor.machine.spdk.is_hanging = True
    floor.agent.watch_spdk()
    floor.machine.advance(HANGS_S)
    floor.agent.watch_spdk()
    assert floor.agent.observe().spdk_ended is not None
    floor.machine.advance(5)
    gone = Release(kind=ReleaseKind.PORTAL, id=id_of(22), generation=2)
    floor.agent.converge(floor.desired(generation=2, portals=(nvme_portal(23),), released=(gone,)))
    assert not floor.agent.watch_spdk()
    assert floor.agent.observe().spdk_ended is None


def test_one_late_answer_ends_nothing(floor: SpdkFloor) -> None:
    for is_hanging in (True, False, True):
        floor.machine.spdk.is_hanging = is_hanging
        assert not floor.agent.watch_spdk()
        floor.machine.advance(HANGS_S - 1)
    assert floor.machine.spdk.starts == 1
