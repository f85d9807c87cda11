"""When a host was last logged in is stored seldom, and survives the host's last session."""

import datetime as dt

import pytest
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.test_reconciler import Clock
from lunette.domain.agent_protocol import ObserveSessions
from lunette.domain.errors import AgentAway
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Protocol
from lunette.engine.background.host_logins import PERIOD_S, STORED_EVERY, LoginWatch
from lunette.engine.changes import hosts
from lunette.engine.undo.undo import undo
from lunette.store.journal import Event
from lunette.store.resources import HostLogin

IQN = "iqn.2026-01.com.example:db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(lone: Appliance, clock: Clock) -> LoginWatch:
    return LoginWatch(lone.store, lambda: lone.agent.ask(ObserveSessions()), clock)


def logged_in(lone: Appliance, *initiators: str) -> None:
    lone.agent.sessions_now = tuple(
        ObservedSession(
            target="iqn.t",
            initiator=one,
            protocol=Protocol.ISCSI,
            portal=None,
            peer=None,
            state="logged in",
            since=None,
        )
        for one in initiators
    )


def stored(lone: Appliance) -> dict[str, dt.datetime | None]:
    with lone.store.read() as tx:
        return {row.host_id: row.last_seen_at for row in tx.scalars(select(HostLogin))}


def test_the_time_is_that_of_the_last_round_in_which_the_host_was_logged_in(
    lone: Appliance, watch: LoginWatch, clock: Clock
) -> None:
    host, _other = lone.host("db", IQN), lone.host("web", "iqn.2026-01.com.example:web")
    watch.round()
    assert stored(lone) == {}
    logged_in(lone, IQN.upper(), "iqn.2026-01.com.example:stranger")
    watch.round()
    first = clock.now
    clock.advance(PERIOD_S)
    watch.round()
    assert stored(lone) == {host: first}
    last = clock.now
    logged_in(lone)
    clock.advance(PERIOD_S)
    watch.round()
    assert stored(lone) == {host: last}
    clock.advance(PERIOD_S)
    watch.round()
    assert stored(lone) == {host: last}


def test_a_host_that_stays_is_stored_once_an_hour(lone: Appliance, watch: LoginWatch, clock: Clock) -> None:
    host, first = lone.host("db", IQN), clock.now
    logged_in(lone, IQN)
    watch.round()
    clock.advance(STORED_EVERY.total_seconds() - 1)
    watch.round()
    assert stored(lone) == {host: first}
    clock.advance(1)
    watch.round()
    assert stored(lone) == {host: clock.now}


def test_without_the_agent_nobody_has_left(lone: Appliance, watch: LoginWatch, clock: Clock) -> None:
    host, first = lone.host("db", IQN), clock.now
    logged_in(lone, IQN)
    watch.round()
    lone.agent.away = True
    clock.advance(PERIOD_S)
    with pytest.raises(AgentAway):
        lone.agent.ask(ObserveSessions())
    watch.round()
    assert stored(lone) == {host: first}


def test_a_host_that_is_deleted_meanwhile_is_not_stored_again(lone: Appliance, watch: LoginWatch) -> None:
    host = lone.host("db", IQN)
    logged_in(lone, IQN)
    watch.round()
    with lone.store.write() as tx:
        hosts.delete(lone.control.change(tx, ADMIN), host)
    logged_in(lone)
    watch.round()
    assert stored(lone) == {}


def test_of_a_host_that_is_restored_it_is_not_claimed_that_it_never_logged_in(lone: Appliance) -> None:
    host = lone.host("db", IQN)
    with lone.store.write() as tx:
        hosts.delete(lone.control.change(tx, ADMIN), host)
    with lone.store.write() as tx:
        deleted = tx.scalars(select(Event.seq).where(Event.kind == "host.deleted")).one()
        undo(lone.control.change(tx, ADMIN), deleted)
    assert stored(lone) == {host: None}
