"""The reconciler hands over the document, forgets what was acknowledged, and turns what is wrong into alerts."""

import datetime as dt
import threading
import time

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, Appliance
from lunette.domain.exports import ExportSet
from lunette.domain.hosts import Chap, HostPatch
from lunette.domain.mappings import MappingCreate
from lunette.engine.changes import hosts, mappings
from lunette.engine.control import Control
from lunette.engine.exports import exportset
from lunette.engine.exports.reconciler import BLOCKED_PERIOD_S, PERIOD_S, Reconciler
from lunette.store.journal import Alert, Event
from lunette.store.resources import Mapping, ReleaseRow
from lunette.store.secrets import SecretBox
from tests.machines.pace import deadline


class Clock:
    def __init__(self) -> None:
        self.now = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.now

    def seconds(self) -> float:
        return self.now.timestamp()

    def advance(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reconciler(appliance: Appliance, clock: Clock) -> Reconciler:
    return Reconciler(appliance.store, appliance.agent, clock)


def alerts(appliance: Appliance, *, resolved: bool = False) -> dict[str, str]:
    with appliance.store.read() as tx:
        rows = tx.scalars(select(Alert)).all()
    return {row.key.partition(":")[0]: row.message for row in rows if (row.resolved_at is not None) == resolved}


def furnish(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1")
    appliance.host("h1")
    appliance.portal()
    appliance.map(MappingCreate(volume="v1", host="h1"))


def test_a_round_sends_the_document(appliance: Appliance, reconciler: Reconciler, clock: Clock) -> None:
    furnish(appliance)
    assert reconciler.round() == PERIOD_S
    assert appliance.agent.wanted
    assert len(appliance.agent.wanted.targets) == 1
    assert reconciler.last
    assert reconciler.last[1] == clock.now
    assert alerts(appliance) == {}


def test_a_document_is_sent_as_the_change_of_the_one_before(appliance: Appliance, reconciler: Reconciler) -> None:
    furnish(appliance)
    reconciler.round()
    assert appliance.agent.amended == 0
    appliance.host("db2", "iqn.2026-01.com.example:db2")
    appliance.map(MappingCreate(volume="v1", host="db2", shared=True))
    reconciler.round()
    assert appliance.agent.amended == 1
    assert built(appliance) == appliance.agent.wanted
    reconciler.round()
    assert appliance.agent.amended == 1, "a round without a change sends everything"
    with appliance.store.write() as tx:
        mappings.delete(appliance.control.change(tx, ADMIN), tx.scalars(select(Mapping.id)).first() or "")
    reconciler.round()
    assert appliance.agent.amended == 2
    reconciler.round()
    assert built(appliance) == appliance.agent.wanted


def test_an_agent_that_has_another_document_gets_all_of_it(appliance: Appliance, reconciler: Reconciler) -> None:
    furnish(appliance)
    reconciler.round()
    appliance.agent.wanted = None
    appliance.host("db2", "iqn.2026-01.com.example:db2")
    appliance.map(MappingCreate(volume="v1", host="db2", shared=True))
    reconciler.round()
    assert appliance.agent.amended == 0
    assert built(appliance) == appliance.agent.wanted


def built(appliance: Appliance) -> ExportSet:
    """The document of the database as it is made without a memory of earlier ones, in the order of the agent's."""
    with appliance.store.read() as tx:
        found = exportset.build(tx, appliance.store.box)
    wanted = appliance.agent.wanted
    assert wanted is not None
    order = {target.target_id: at for at, target in enumerate(wanted.targets)}
    numbers = {volume.volume_id: at for at, volume in enumerate(wanted.volumes)}
    return found.model_copy(
        update={
            "targets": tuple(sorted(found.targets, key=lambda one: order[one.target_id])),
            "volumes": tuple(sorted(found.volumes, key=lambda one: numbers[one.volume_id])),
        }
    )


def test_an_acknowledged_release_is_forgotten_and_not_sent_again(appliance: Appliance, reconciler: Reconciler) -> None:
    furnish(appliance)
    reconciler.round()
    with appliance.store.write() as tx:
        mappings.delete(appliance.control.change(tx, ADMIN), tx.scalars(select(Mapping.id)).one())
    reconciler.round()
    assert appliance.agent.wanted
    assert len(appliance.agent.wanted.released) == 4
    with appliance.store.read() as tx:
        assert tx.scalars(select(ReleaseRow)).all() == []
    reconciler.round()
    assert list(appliance.agent.wanted.released) == []


def test_a_refused_document_retains_its_releases_and_raises_an_alert(
    appliance: Appliance, reconciler: Reconciler
) -> None:
    furnish(appliance)
    with appliance.store.write() as tx:
        mappings.delete(appliance.control.change(tx, ADMIN), tx.scalars(select(Mapping.id)).one())
    appliance.agent.refusal = "the database is older"
    reconciler.round()
    assert list(alerts(appliance)) == ["exports.refused"]
    with appliance.store.read() as tx:
        assert len(tx.scalars(select(ReleaseRow)).all()) == 4
    appliance.agent.refusal = None
    reconciler.round()
    assert alerts(appliance) == {}
    assert list(alerts(appliance, resolved=True)) == ["exports.refused"]


def test_releases_last_until_the_boot_ledger_holds_what_is_served(appliance: Appliance, reconciler: Reconciler) -> None:
    """After a restart with the older ledger they are what takes the volume from its host."""
    furnish(appliance)
    with appliance.store.write() as tx:
        mappings.delete(appliance.control.change(tx, ADMIN), tx.scalars(select(Mapping.id)).one())
    appliance.agent.unkept = "the boot ledger cannot be written (No space left on device)"
    reconciler.round()
    assert "after a restart, the exports wait for the API" in alerts(appliance)["exports.unkept"]
    with appliance.store.read() as tx:
        assert len(tx.scalars(select(ReleaseRow)).all()) == 4
    appliance.agent.unkept = None
    reconciler.round()
    assert alerts(appliance) == {}
    with appliance.store.read() as tx:
        assert tx.scalars(select(ReleaseRow)).all() == []


def test_an_agent_that_answers_and_cannot_do_it_is_not_said_to_be_away(
    appliance: Appliance, reconciler: Reconciler, clock: Clock
) -> None:
    appliance.agent.fails = "the system refused (Input/output error)"
    for _ in range(2):
        assert reconciler.round() == BLOCKED_PERIOD_S
        clock.advance(60)
    assert list(alerts(appliance)) == ["exports.failed"]
    appliance.agent.fails = None
    reconciler.round()
    assert alerts(appliance) == {}


def test_a_secret_that_cannot_be_opened_is_an_alert_and_takes_nothing_away(
    appliance: Appliance, reconciler: Reconciler
) -> None:
    furnish(appliance)
    with appliance.store.write() as tx:
        chap = Chap(user="u", secret=SecretStr("secret-12345"))
        hosts.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(chap=chap))
    appliance.store.box = SecretBox(Fernet.generate_key())
    reconciler.round()
    assert appliance.agent.wanted is None, "no document without the host is sent"
    assert list(alerts(appliance)) == ["exports.unbuilt"]
    with appliance.store.read() as tx:
        causes = tx.scalars(select(Alert.cause).where(Alert.key == "exports.unbuilt")).all()
    assert ["CHAP secret of host h1" in cause for cause in causes] == [True]


def test_what_the_brake_retains_is_an_alert_naming_it(appliance: Appliance, reconciler: Reconciler) -> None:
    appliance.agent.unexplained = ("mapping m1: the present export remains",)
    reconciler.round()
    assert "The agent serves 1 export that" in alerts(appliance)["exports.unexplained"]
    appliance.agent.unexplained = ()
    reconciler.round()
    assert alerts(appliance) == {}


def test_an_agent_that_is_away_for_long_is_an_alert_that_resolves_by_itself(
    appliance: Appliance, reconciler: Reconciler, clock: Clock
) -> None:
    appliance.agent.away = True
    assert reconciler.round() == BLOCKED_PERIOD_S
    clock.advance(9)
    reconciler.round()
    assert alerts(appliance) == {}
    clock.advance(2)
    reconciler.round()
    assert list(alerts(appliance)) == ["agent.away"]
    appliance.agent.away = False
    assert reconciler.round() == PERIOD_S
    assert alerts(appliance) == {}


def test_a_target_that_stays_blocked_is_an_alert_naming_host_and_reason(
    appliance: Appliance, reconciler: Reconciler, clock: Clock
) -> None:
    furnish(appliance)
    reconciler.round()
    assert appliance.agent.wanted
    reason = "waiting for array tank: 3 of 8 disks present"
    appliance.agent.blocked = {appliance.agent.wanted.targets[0].target_id: reason}
    assert reconciler.round() == BLOCKED_PERIOD_S
    clock.advance(11)
    reconciler.round()
    assert alerts(appliance) == {"target.blocked": "Host h1 cannot reach its volumes"}
    with appliance.store.read() as tx:
        assert "3 of 8 disks" in tx.scalars(select(Alert.cause)).one()
    appliance.agent.away = True
    reconciler.round()
    assert list(alerts(appliance)) == ["target.blocked"], "while nobody answers, what was known stays"
    appliance.agent.away = False
    appliance.agent.blocked = {}
    reconciler.round()
    assert alerts(appliance) == {}


def test_a_host_that_is_let_in_without_a_volume_is_an_alert_naming_the_deadline(
    appliance: Appliance, reconciler: Reconciler, clock: Clock
) -> None:
    furnish(appliance)
    reconciler.round()
    assert appliance.agent.wanted
    [target] = appliance.agent.wanted.targets
    appliance.agent.lacking = {target.target_id: ("v1", 300)}
    reconciler.round()
    clock.advance(11)
    reconciler.round()
    assert alerts(appliance) == {"target.partial": "Host h1 does not have 1 of its volumes"}
    with appliance.store.read() as tx:
        cause = tx.scalars(select(Alert.cause)).one()
    assert cause == "its array is away. Its paths opened 300 s after they began to wait, as configured for host h1."
    appliance.agent.lacking = {}
    reconciler.round()
    assert alerts(appliance) == {}


def test_a_blocked_host_shows_when_it_opens_anyway(appliance: Appliance, reconciler: Reconciler, clock: Clock) -> None:
    furnish(appliance)
    with appliance.store.write() as tx:
        hosts.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(opens_without_missing_after_s=300))
    reconciler.round()
    assert appliance.agent.wanted
    appliance.agent.blocked = {appliance.agent.wanted.targets[0].target_id: "waiting for array tank"}
    reconciler.round()
    clock.advance(11)
    reconciler.round()
    with appliance.store.read() as tx:
        assert "without the missing volumes 300 s after it began to wait" in tx.scalars(select(Alert.fix)).one()


def test_an_alert_that_returns_is_raised_again_in_its_own_row(appliance: Appliance, reconciler: Reconciler) -> None:
    for unexplained in (("a",), (), ("a",)):
        appliance.agent.unexplained = unexplained
        reconciler.round()
    with appliance.store.read() as tx:
        assert len(tx.scalars(select(Alert)).all()) == 1
        kinds = list(tx.scalars(select(Event.kind).where(Event.noun == "alert").order_by(Event.seq)))
    assert kinds == ["alert.raised", "alert.resolved", "alert.raised"]


def test_a_quiet_round_writes_nothing(appliance: Appliance, reconciler: Reconciler) -> None:
    furnish(appliance)
    reconciler.round()
    woken: list[int] = []
    appliance.store.subscribe(lambda: woken.append(1))
    reconciler.round()
    assert woken == []


def test_alerts_of_an_earlier_process_are_resolved_after_a_restart(appliance: Appliance, clock: Clock) -> None:
    appliance.agent.unexplained = ("a",)
    Reconciler(appliance.store, appliance.agent, clock).round()
    appliance.agent.unexplained = ()
    Reconciler(appliance.store, appliance.agent, clock).round()
    assert alerts(appliance) == {}


def test_a_commit_wakes_the_reconciler_and_the_workers(appliance: Appliance, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the threads running nothing waits for a timer: the document arrives before the next period."""
    for name in ("PERIOD_S", "BLOCKED_PERIOD_S"):
        monkeypatch.setattr(f"lunette.engine.exports.reconciler.{name}", 600.0)
    control = Control(appliance.store, appliance.agent)
    appliance.control = control
    control.start()
    try:
        job = appliance.ask_array()
        done = threading.Event()

        def look() -> None:
            with appliance.store.read() as tx:
                if tx.scalars(select(Event.seq).where(Event.kind == "job.finished", Event.ref == job.job_id)).first():
                    done.set()

        stop = appliance.store.subscribe(look)
        look()
        assert done.wait(60)
        stop()
        end = deadline(40)
        while not (appliance.agent.wanted and appliance.agent.wanted.arrays and control.exports()):
            assert time.monotonic() < end, "the document did not arrive"
            time.sleep(0.05)
        assert [array.name for array in appliance.agent.wanted.arrays] == ["tank"]
        assert control.exports_at
    finally:
        control.stop()
