"""An initiator name that two machines use is reported; a host that changes its address is not."""

import pytest

from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from lunette.domain.agent_protocol import ObserveSessions
from lunette.domain.errors import AgentAway
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Protocol
from lunette.engine.conditions import twins
from lunette.engine.conditions.twins import Twins

IQN = "iqn.2026-01.com.example:clone"
KEY = "initiator.twins"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(lone: Appliance, clock: Clock) -> Twins:
    return Twins(lone.store, lambda: lone.agent.ask(ObserveSessions()), clock, clock.seconds)


def login(lone: Appliance, number: int, peer: str, isid: str | None = "00023d000001", target: str = "iqn.t") -> None:
    """The only session there is now."""
    lone.agent.sessions_now = (
        ObservedSession(
            target=target,
            initiator=IQN,
            protocol=Protocol.ISCSI,
            portal=None,
            peer=peer,
            state="logged in",
            since=None,
            tag=1,
            number=number,
            isid=isid,
            queue_depth=64,
        ),
    )


def turns(lone: Appliance, watch: Twins, clock: Clock, peers: str, isid: str | None = "00023d000001") -> None:
    for number, letter in enumerate(peers, 1):
        login(lone, number, f"10.0.0.{letter}", isid)
        clock.advance(twins.PERIOD_S)
        watch.round()


def test_two_machines_that_put_each_other_out_are_reported_until_one_has_a_name_of_its_own(
    lone: Appliance, watch: Twins, clock: Clock
) -> None:
    turns(lone, watch, clock, "565")
    assert alerts(lone) == {}
    login(lone, 9, "10.0.0.6")
    watch.round()
    assert alerts(lone) == {KEY: f"Initiator {IQN} logs in alternately from several machines: 10.0.0.5, 10.0.0.6"}
    clock.advance(twins.WINDOW_S / 2)
    watch.round()
    assert list(alerts(lone)) == [KEY]
    clock.advance(twins.WINDOW_S / 2)
    watch.round()
    assert alerts(lone) == {}


@pytest.mark.parametrize(
    ("peers", "isid"),
    [("5555555", "00023d000001"), ("556665", "00023d000001"), ("565656", None)],
    ids=["logs in anew", "moves and comes back", "the kernel tells no ISID"],
)
def test_one_machine_is_not_a_twin(lone: Appliance, watch: Twins, clock: Clock, peers: str, isid: str | None) -> None:
    turns(lone, watch, clock, peers, isid)
    assert alerts(lone) == {}


def test_paths_with_isids_of_their_own_are_one_host(lone: Appliance, watch: Twins, clock: Clock) -> None:
    for number in range(1, 9):
        login(lone, number, f"10.0.0.{5 + number % 2}", f"00023d00000{1 + number % 2}")
        clock.advance(twins.PERIOD_S)
        watch.round()
    assert alerts(lone) == {}


def test_a_host_that_logs_out_and_in_elsewhere_was_not_put_out(lone: Appliance, watch: Twins, clock: Clock) -> None:
    for number in range(1, 9):
        login(lone, number, f"10.0.0.{5 + number % 2}")
        watch.round()
        lone.agent.sessions_now = ()
        clock.advance(twins.PERIOD_S)
        watch.round()
    assert alerts(lone) == {}


def test_a_session_that_stays_is_not_a_turn_whatever_its_address(lone: Appliance, watch: Twins, clock: Clock) -> None:
    for letter in "565656":
        login(lone, 1, f"10.0.0.{letter}")
        clock.advance(twins.PERIOD_S)
        watch.round()
    assert alerts(lone) == {}


def test_turns_are_reported_slowly_or_not_at_all(lone: Appliance, watch: Twins, clock: Clock) -> None:
    for number in range(1, 9):
        login(lone, number, f"10.0.0.{5 + number % 2}")
        clock.advance(twins.WINDOW_S / 2 + 1)
        watch.round()
    assert alerts(lone) == {}


def test_while_the_agent_is_away_nothing_is_reported_and_nothing_forgotten(
    lone: Appliance, watch: Twins, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns(lone, watch, clock, "565")

    def away() -> None:
        raise AgentAway("It does not answer.")

    with monkeypatch.context() as gone:
        gone.setattr(watch, "_sessions", away)
        assert watch.round() == twins.PERIOD_S
    login(lone, 9, "10.0.0.6")
    watch.round()
    assert list(alerts(lone)) == [KEY]
