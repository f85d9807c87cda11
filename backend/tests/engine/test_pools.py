"""Thin pools raise alerts before they are full, and grow by themselves where there is room."""

import datetime as dt

import pytest
from sqlalchemy import select

from backend.tests import seen
from backend.tests.engine.conftest import Appliance
from lunette.domain.arrays import ArrayEngine
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.observations import Observation
from lunette.domain.sizes import GIB, MIB
from lunette.domain.volumes import ObservedGroup, Provisioning
from lunette.engine.background.thin_pools import PoolWatcher
from lunette.store.journal import Alert, Job
from lunette.store.resources import Array, Volume
from lunette.store.schema import utc_now


class Pooled:
    """An array whose pool the test fills."""

    def __init__(self, appliance: Appliance) -> None:
        appliance.array()
        appliance.volumes("v1")
        self.store = appliance.store
        with self.store.write() as tx:
            tx.scalars(select(Volume)).one().provisioning = Provisioning.THIN.value
        with self.store.read() as tx:
            self.group = tx.scalars(select(Array.group_name)).one()
        self.now = utc_now()
        self.machine = appliance.control.observation()
        self.looks = 0
        self.pause_s = 0.0
        self.watcher = PoolWatcher(self.store, appliance.control.services, self.see, lambda: self.now)

    def look(self, used: int, metadata: int = 0, free: int = 0) -> None:
        self.show(seen.thin(self.group, free, used=used, metadata=metadata))

    def show(self, pool: ObservedGroup) -> None:
        self.machine = self.machine.model_copy(update={"groups": (pool,)})
        self.pause_s = self.watcher.round()

    def see(self, max_age_s: float) -> Observation:
        self.looks += 1
        return self.machine

    def alerts(self) -> list[tuple[str, str]]:
        with self.store.read() as tx:
            open_ = tx.scalars(select(Alert).where(Alert.resolved_at.is_(None)).order_by(Alert.key)).all()
        return [(alert.severity, alert.message) for alert in open_]

    def jobs(self) -> list[Job]:
        with self.store.read() as tx:
            return list(tx.scalars(select(Job).where(Job.kind == JobKind.THIN_POOL_GROW.value)))


@pytest.fixture
def pooled(lone: Appliance) -> Pooled:
    return Pooled(lone)


def test_alerts_come_at_75_85_and_95_percent_and_go_again(pooled: Pooled) -> None:
    found = []
    for used in (74, 75, 85, 95, 100, 50):
        pooled.look(used)
        found.append(pooled.alerts())
    words = "The data of the thin pool of array tank is "
    assert found[0] == found[5] == []
    assert found[1] == [("warning", f"{words}more than 75 % full")]
    assert found[2] == [("warning", f"{words}more than 85 % full")]
    assert found[3] == [("critical", f"{words}more than 95 % full")]
    ((severity, message),) = found[4]
    assert severity == "critical"
    assert message.startswith(f"{words}full: hosts get errors")


def test_an_array_whose_thin_volumes_need_no_pool_has_an_alert_of_its_own_space(pooled: Pooled) -> None:
    filled = seen.pool(pooled.group, 100 * GIB).model_copy(update={"free_bytes": 10 * GIB})
    pooled.show(filled)
    assert pooled.alerts() == []
    with pooled.store.write() as tx:
        tx.scalars(select(Array)).one().engine = ArrayEngine.ZFS.value
    pooled.show(filled)
    assert pooled.alerts() == [("warning", "The space of array tank is more than 85 % full")]
    assert (pooled.jobs(), pooled.pause_s) == ([], 3)


def test_metadata_has_alerts_of_its_own(pooled: Pooled) -> None:
    pooled.look(80, metadata=96)
    assert [(severity, message.split()[1]) for severity, message in pooled.alerts()] == [
        ("warning", "data"),
        ("critical", "metadata"),
    ]


def test_a_pool_grows_by_itself_once_and_not_again_while_that_is_under_way(pooled: Pooled) -> None:
    pooled.look(69, free=4 * GIB)
    assert pooled.jobs() == []
    pooled.look(70, free=4 * GIB)
    pooled.look(71, free=4 * GIB)
    (job,) = pooled.jobs()
    assert (job.actor, job.plan["steps"][0]["data_bytes"]) == ("system", GIB + 256 * MIB)


def test_a_pool_that_could_not_grow_is_tried_again_after_a_while(pooled: Pooled) -> None:
    pooled.look(70, free=4 * GIB)
    with pooled.store.write() as tx:
        tx.scalars(select(Job).where(Job.kind == JobKind.THIN_POOL_GROW.value)).one().state = JobState.FAILED.value
    pooled.look(70, free=4 * GIB)
    assert len(pooled.jobs()) == 1
    pooled.now += dt.timedelta(minutes=11)
    pooled.look(70, free=4 * GIB)
    assert len(pooled.jobs()) == 2


def test_a_pool_without_room_does_not_grow_and_the_alert_says_what_to_do(pooled: Pooled) -> None:
    pooled.look(99)
    assert pooled.jobs() == []
    with pooled.store.read() as tx:
        assert "fstrim" in tx.scalars(select(Alert.fix)).one()


def test_a_filling_pool_is_checked_more_often_and_only_with_thin_volumes(pooled: Pooled) -> None:
    pauses = []
    for used in (59, 60):
        pooled.look(used)
        pauses.append(pooled.pause_s)
    assert pauses == [10, 3]
    looks = pooled.looks
    with pooled.store.write() as tx:
        tx.scalars(select(Volume)).one().provisioning = Provisioning.THICK.value
    pooled.look(99)
    assert (pooled.looks, pooled.alerts()) == (looks, [])


def test_pools_of_others_are_left_alone(pooled: Pooled) -> None:
    pooled.show(seen.thin("foreign", GIB, used=99))
    pooled.show(seen.thin(pooled.group, GIB, used=99).model_copy(update={"ours": False}))
    assert (pooled.jobs(), pooled.alerts()) == ([], [])
