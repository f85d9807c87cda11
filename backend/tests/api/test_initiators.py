"""Initiators that were seen and belong to no host: where from, each once, and never one that has a host."""

import datetime as dt
from pathlib import Path

import pytest

from backend.tests.api import test_fc
from backend.tests.api.test_metrics import IQN, Serving, serving, standing
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api
from lunette.api.answers.initiators import unknown_initiators
from lunette.domain.exports import ObservedSession
from lunette.domain.hosts import InitiatorKind
from lunette.domain.mappings import Protocol
from lunette.domain.observations import SessionsObservation

__all__ = ["serving", "standing"]
UNKNOWN_PORT = "10:00:00:00:00:00:00:77"
STRANGER = "iqn.2026-01.com.example:stranger"


def test_a_logged_in_initiator_without_a_host_is_reported_with_its_address() -> None:
    session = ObservedSession(
        target="iqn.t",
        initiator=STRANGER,
        protocol=Protocol.ISCSI,
        portal=None,
        peer="192.0.2.99",
        state="",
        since=None,
    )
    seen = SessionsObservation(taken_at=0.0, sessions=(session,))
    (reported,) = unknown_initiators(None, seen, {IQN})
    assert (reported.name, reported.kind, reported.peer) == (STRANGER, InitiatorKind.IQN, "192.0.2.99")
    assert unknown_initiators(None, seen, {STRANGER}) == ()


def test_a_host_that_is_logged_in_is_not_among_them(serving: Serving) -> None:
    assert IQN not in {one["name"] for one in serving.api.items("/initiators")}


def test_one_that_was_turned_away_is_listed_until_a_host_has_it(serving: Serving) -> None:
    api, machine = serving.api, serving.machine
    target, tried = api.get("/hosts/db")["target_iqn"], []
    assert api.items("/initiators", kind="iqn") == []
    for name in (STRANGER.upper().replace("IQN", "iqn"), STRANGER, "not-an-iscsi-name"):
        machine.advance(10.0)
        tried.append(machine.clock)
        with pytest.raises(PermissionError):
            machine.login(name, target, f"{ADDRESS}:3260")
    (reported,) = api.items("/initiators", kind="iqn")
    at = dt.datetime.fromisoformat(reported.pop("refused_at"))
    assert reported == {"name": STRANGER, "kind": "iqn", "peer": None, "words": "login refused"}
    assert tried[0] + 5.0 < at.timestamp() < tried[2], "the last time, not the first"
    assert api.items("/initiators", kind="wwpn") == []
    api.made("/hosts", {"name": "come-in", "iqns": [STRANGER]})
    assert api.items("/initiators", kind="iqn") == []


def test_a_host_with_a_wrong_secret_is_not_an_unknown_host(serving: Serving) -> None:
    api, machine = serving.api, serving.machine
    target = api.get("/hosts/db")["target_iqn"]

    def is_refused() -> bool:
        try:
            machine.logout(machine.login(IQN, target, f"{ADDRESS}:3260", ("db", "wrong-letters")))
        except PermissionError:
            return True
        return False

    assert api.patch("/hosts/db", {"chap": {"user": "db", "secret": "twelve-letters"}}).status_code == 200
    api.until(is_refused)
    assert IQN not in {one["name"] for one in api.items("/initiators")}
    assert api.patch("/hosts/db", {"chap": None}).status_code == 200


def test_without_a_journal_no_one_was_observed_and_the_rest_is_reported(serving: Serving) -> None:
    before = serving.machine.tools.command("journalctl")
    serving.machine.tools.remove("journalctl")
    assert serving.api.ask("GET", "/api/v1/initiators").status_code == 200
    serving.machine.tools.add("journalctl", before)


def test_ports_on_the_fabric_are_listed_until_a_host_has_them(appliance: Api, machine: FakeSystem) -> None:
    port = test_fc.serve(appliance, machine)
    assert appliance.items("/initiators") == []
    machine.fc.join(UNKNOWN_PORT, port)
    machine.changed()
    appliance.until(lambda: bool(appliance.items("/initiators")))
    assert appliance.items("/initiators") == [
        {
            "name": UNKNOWN_PORT,
            "kind": "wwpn",
            "peer": None,
            "words": f"on the fabric of port {test_fc.OURS}",
            "refused_at": None,
        }
    ]
    appliance.made("/hosts", {"name": "new", "wwpns": [UNKNOWN_PORT]})
    assert appliance.items("/initiators") == []


def test_without_the_agent_it_is_unknown(api: Api, tmp_path: Path) -> None:
    assert api.ask("GET", "/api/v1/initiators").status_code == 503
