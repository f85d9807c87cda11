"""A clock that no time server sets is reported after an hour, and only if systemd-timesyncd should set it."""

import pytest

from backend.tests import seen
from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.engine.background.watcher import Watcher
from lunette.engine.conditions import clock
from lunette.engine.context.observing import ObservationCache
from lunette.providers.clock import RUNNING, SET


def test_what_timesyncd_leaves_behind_says_whether_a_server_has_answered() -> None:
    machine = FakeSystem()
    agent = Agent(machine)
    assert agent.observe().clock_is_set is None
    machine.mkdir(RUNNING)
    assert agent.observe().clock_is_set is False
    machine.files.seed(SET, b"")
    assert agent.observe().clock_is_set is True


@pytest.mark.parametrize("is_set", [True, None])
def test_a_clock_that_is_set_or_managed_elsewhere_raises_no_alert(is_set: bool | None) -> None:
    assert list(clock.causes_of(seen.machine(clock_is_set=is_set))) == []


def test_a_clock_that_is_not_set_is_an_alert_after_an_hour_and_until_it_is(lone: Appliance) -> None:
    time = Clock()
    watcher = Watcher(lone.store, ObservationCache(lone.agent, monotonic=time.seconds), time)
    lone.agent.show(clock_is_set=False)
    watcher.round()
    time.advance(clock.GRACE_S - 60)
    watcher.round()
    assert alerts(lone) == {}
    time.advance(61)
    watcher.round()
    assert list(alerts(lone)) == ["clock.unset"]
    lone.agent.show(clock_is_set=True)
    time.advance(11)
    watcher.round()
    assert alerts(lone) == {}
