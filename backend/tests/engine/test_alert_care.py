"""An acknowledgement is recorded until the alert ends or gets worse; a silenced alert is sent only if it gets worse."""

import datetime as dt
from collections.abc import Callable

import pytest
from sqlalchemy import select

from backend.tests.wiring import AwayAgent
from lunette.domain.alerts import AlertAcknowledge, AlertSilence, Severity
from lunette.domain.errors import Conflict
from lunette.domain.settings import SettingsPatch
from lunette.engine.alerts import board
from lunette.engine.alerts.outbox import post_heartbeat
from lunette.engine.changes import settings
from lunette.engine.context.outcome import Actor
from lunette.engine.control import Control
from lunette.store.database import Store
from lunette.store.journal import Alert, Event
from lunette.store.schema import utc_now
from lunette.store.settings import Delivery

WARM = board.Cause(key="array.warm", severity=Severity.WARNING, message="It is warm", cause="sun", fix="shade")
BURNS = WARM.model_copy(update={"severity": Severity.CRITICAL, "message": "It burns"})
HOUR_S = 3600


class Desk:
    """Alerts on a store whose log server takes messages; the clock is the test's."""

    def __init__(self, store: Store) -> None:
        self.store, self.now = store, utc_now()
        spec = SettingsPatch.model_validate({"syslog": {"server": "localhost", "port": 514}})
        with store.write() as tx:
            settings.patch(Control(store, AwayAgent()).change(tx, Actor(name="admin")), spec)

    def raise_(self, cause: board.Cause = WARM) -> None:
        with self.store.write() as tx:
            board.raise_alert(tx, cause, self.now)

    def resolve(self) -> None:
        with self.store.write() as tx:
            board.resolve(tx, WARM.key, self.now)

    def acknowledge(self, note: str = "") -> None:
        with self.store.write() as tx:
            row = tx.scalars(select(Alert)).one()
            board.acknowledge(tx, row, AlertAcknowledge(note=note), "nora", self.now)

    def silence(self, seconds: int = HOUR_S) -> None:
        with self.store.write() as tx:
            board.silence(tx, tx.scalars(select(Alert)).one(), AlertSilence(duration_s=seconds), "nora", self.now)

    def reopen(self) -> None:
        with self.store.write() as tx:
            board.reopen(tx, tx.scalars(select(Alert)).one(), "nora", self.now)

    def later(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)
        board.end_silences(self.store, self.now)

    def reported(self) -> list[str]:
        """Kinds of the messages so far, in order."""
        with self.store.read() as tx:
            rows = tx.scalars(select(Delivery).where(Delivery.channel == "syslog").order_by(Delivery.seq))
            return [str(row.message["kind"]) for row in rows]

    def row(self) -> Alert:
        with self.store.read() as tx:
            return tx.scalars(select(Alert)).one()

    def events(self) -> list[str]:
        with self.store.read() as tx:
            kinds = tx.scalars(select(Event.kind).where(Event.noun == "alert").order_by(Event.seq))
            return [kind.partition(".")[2] for kind in kinds]


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)


def test_an_acknowledgement_says_who_when_and_what_is_done(desk: Desk) -> None:
    desk.raise_()
    desk.acknowledge("a fan is on its way")
    row = desk.row()
    assert (row.acknowledged_by, row.acknowledged_at, row.note) == ("nora", desk.now, "a fan is on its way")
    assert row.resolved_at is None, "it is open until its cause is gone"
    assert desk.events() == ["raised", "acknowledged"]


@pytest.mark.parametrize("what", ["it comes back", "it gets worse"])
def test_an_acknowledgement_ends_where_something_new_happens_and_that_is_reported(desk: Desk, what: str) -> None:
    desk.raise_()
    desk.acknowledge("seen")
    desk.later(1)
    if what == "it comes back":
        desk.resolve()
        desk.later(1)
        desk.raise_()
    else:
        desk.raise_(BURNS)
    row = desk.row()
    assert (row.acknowledged_by, row.acknowledged_at, row.note) == (None, None, "")
    assert desk.reported()[-1] == "raised"
    assert desk.reported().count("raised") == 2


def test_an_acknowledgement_stays_where_only_the_words_change(desk: Desk) -> None:
    desk.raise_(BURNS)
    desk.acknowledge()
    desk.raise_(BURNS.model_copy(update={"cause": "much sun"}))
    desk.raise_(WARM)
    assert desk.row().acknowledged_by == "nora"
    assert desk.reported() == ["raised"]


def test_an_alert_that_is_over_cannot_be_acknowledged(desk: Desk) -> None:
    desk.raise_()
    desk.resolve()
    with pytest.raises(Conflict, match="is already resolved"):
        desk.acknowledge()
    assert desk.row().acknowledged_by is None


def test_a_silenced_alert_resolves_and_returns_without_a_message(desk: Desk) -> None:
    desk.raise_()
    desk.silence()
    for _ in range(3):
        desk.resolve()
        desk.later(10)
        desk.raise_()
    desk.resolve()
    assert desk.reported() == ["raised"]
    desk.later(HOUR_S)
    assert desk.reported() == ["raised"], "it was over when the silence was"
    desk.raise_()
    assert desk.reported() == ["raised", "raised"]


@pytest.mark.parametrize(("act", "reported"), [(Desk.raise_, ["raised"] * 2), (Desk.acknowledge, ["raised"])])
def test_an_open_alert_is_reported_after_its_silence_unless_acknowledged(
    desk: Desk, act: Callable[[Desk], None], reported: list[str]
) -> None:
    desk.raise_()
    desk.silence()
    act(desk)
    desk.later(HOUR_S - 1)
    assert desk.reported() == ["raised"]
    desk.later(1)
    desk.later(1)
    assert desk.reported() == reported
    assert desk.row().silenced_until is None


def test_what_gets_worse_breaks_the_silence(desk: Desk) -> None:
    desk.raise_()
    desk.silence()
    desk.later(1)
    desk.raise_(BURNS)
    assert desk.reported() == ["raised", "raised"]
    assert desk.row().silenced_until is None


def test_what_is_opened_again_is_reported_if_it_was_silent(desk: Desk) -> None:
    desk.raise_()
    desk.acknowledge()
    desk.later(1)
    desk.reopen()
    assert desk.reported() == ["raised"], "it was told when it was raised"
    desk.silence()
    desk.later(1)
    desk.reopen()
    desk.reopen()
    assert desk.reported() == ["raised", "raised"]
    assert desk.events() == ["raised", "acknowledged", "reopened", "silenced", "reopened"]


def test_the_heartbeat_lists_acknowledged_alerts(desk: Desk) -> None:
    desk.raise_()
    desk.acknowledge()
    with desk.store.write() as tx:
        post_heartbeat(tx, desk.now)
    with desk.store.read() as tx:
        last = tx.scalars(select(Delivery).order_by(Delivery.seq.desc())).first()
        assert last is not None
        assert last.message["cause"] == "It is warm (acknowledged)"
