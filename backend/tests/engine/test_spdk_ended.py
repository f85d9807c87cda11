"""An SPDK process that hung is reported by one event, and by an alert for an hour."""

import pytest

from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from backend.tests.engine.test_watcher import look, reported
from lunette.domain.spdk import SpdkEnded
from lunette.engine.background.watcher import Watcher
from lunette.engine.conditions.spdk_ended import REPORTED_S
from lunette.engine.context.observing import ObservationCache
from lunette.store.journal import Alert

HUNG = SpdkEnded(at=-REPORTED_S / 2, silent_s=30, reason="no answer within 5 s", is_ended=True, is_back=False)
"""Half an hour ago, as the machine of these tests, where it is always 0, has it."""
EVENT = "SPDK did not respond for 30 s and was stopped"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watcher(lone: Appliance, clock: Clock) -> Watcher:
    """As a process has it that has just started."""
    return Watcher(lone.store, ObservationCache(lone.agent, monotonic=clock.seconds), clock)


def severity(lone: Appliance) -> str:
    with lone.store.read() as tx:
        return tx.query(Alert).filter(Alert.resolved_at.is_(None)).one().severity


def test_it_is_critical_until_it_is_back_and_over_an_hour_after_it_hung(lone: Appliance, clock: Clock) -> None:
    watch = watcher(lone, clock)
    look(watch, clock)
    assert alerts(lone) == {}
    lone.agent.show(spdk_ended=HUNG)
    look(watch, clock)
    assert alerts(lone) == {"spdk.ended": EVENT}
    assert severity(lone) == "critical"
    lone.agent.show(spdk_ended=HUNG.model_copy(update={"is_back": True}))
    look(watch, clock)
    assert alerts(lone) == {"spdk.ended": f"{EVENT}: it is running again"}
    assert severity(lone) == "warning"
    lone.agent.show(spdk_ended=HUNG.model_copy(update={"is_back": True, "at": -REPORTED_S}))
    look(watch, clock)
    assert alerts(lone) == {}


def test_each_time_is_one_event_however_many_processes_check(lone: Appliance, clock: Clock) -> None:
    lone.agent.show(spdk_ended=HUNG)
    for _ in range(2):
        watch = watcher(lone, clock)
        look(watch, clock)
        look(watch, clock)
    assert reported(lone, "spdk") == [EVENT]
    lone.agent.show(spdk_ended=HUNG.model_copy(update={"at": HUNG.at + 60, "is_ended": False}))
    look(watch, clock)
    assert reported(lone, "spdk") == [EVENT, "SPDK did not respond for 30 s and could not be stopped"]
    lone.agent.show(spdk_ended=None)
    look(watch, clock)
    assert alerts(lone) == {}
