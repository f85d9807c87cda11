"""A session is ended over the API: its plan, its job, and what cannot be ended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tests.api import test_fc
from backend.tests.api.test_metrics import IQN, MIB, Serving, serving, standing
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.wiring import Api, add_token
from lunette.domain.roles import Role

__all__ = ["serving", "standing"]


@pytest.fixture
def seen(serving: Serving) -> Iterator[Serving]:
    """The host is logged in, and is again after the test."""
    yield serving
    if not serving.api.items("/sessions"):
        serving.log_in()


def listed(serving: Serving) -> Any:
    (session,) = serving.api.items("/sessions")
    return session


def test_a_session_says_that_it_can_be_ended_and_how_deep_its_queue_is(seen: Serving) -> None:
    session = listed(seen)
    assert (session["can_disconnect"], session["stays_because"], session["queue_depth"]) == (True, None, 64)


def test_a_dry_run_says_who_is_interrupted_and_that_the_host_returns_and_ends_nothing(seen: Serving) -> None:
    session = listed(seen)
    plan = seen.api.post(f"/sessions/{session['id']}:disconnect", dry_run=True).json()
    assert (plan["title"], plan["hosts_interrupted"]) == ("Disconnect db", ["db"])
    assert [(step["kind"], step["irreversible"]) for step in plan["steps"]] == [("session.end", True)]
    assert "logs in again automatically" in plan["warnings"][0]
    assert "delete its mappings" in plan["warnings"][0]
    assert plan["bytes_destroyed"] == 0
    assert listed(seen)["id"] == session["id"]


def test_the_plan_shows_the_present_io_of_the_host(seen: Serving) -> None:
    path = f"/sessions/{listed(seen)['id']}:disconnect"
    seen.scrape()
    seen.machine.carry(seen.session, 1, Io(writes=500, write_bytes=5 * MIB))
    seen.scrape()
    plan = seen.api.post(path, dry_run=True).json()
    assert "IOPS, reading 0 B and writing" in plan["warnings"][-1]
    seen.scrape()
    seen.scrape()
    plan = seen.api.post(path, dry_run=True).json()
    assert plan["warnings"][-1] == "The host is not performing I/O."


def test_a_session_ends_once_and_the_next_login_is_another(seen: Serving) -> None:
    first = listed(seen)["id"]
    before = seen.api.items("/events", noun="session")
    job = seen.api.made(f"/sessions/{first}:disconnect", None)
    assert (job["kind"], job["resource_ids"]) == ("session.disconnect", [first])
    assert seen.api.items("/sessions") == []
    again = seen.api.post(f"/sessions/{first}:disconnect")
    assert (again.status_code, "has ended" in again.json()["detail"]) == (404, True)
    seen.log_in()
    second = listed(seen)
    assert second["id"] != first
    assert second["queue_depth"] == 64
    events = [event for event in seen.api.items("/events", noun="session") if event not in before]
    assert [event["kind"] for event in events] == ["session.disconnected"], events


def test_a_repeated_request_under_one_key_ends_nothing_twice(seen: Serving) -> None:
    path = f"/sessions/{listed(seen)['id']}:disconnect"
    first = seen.api.post(path, headers={"Idempotency-Key": "once"})
    seen.api.done(first.json())
    seen.log_in()
    assert seen.api.post(path, headers={"Idempotency-Key": "once"}).json()["id"] == first.json()["id"]
    assert listed(seen)["initiator"] == IQN


def test_a_viewer_ends_nothing(seen: Serving) -> None:
    viewer = Api(seen.api.http, add_token(seen.services.store, Role.VIEWER))
    assert viewer.post(f"/sessions/{listed(seen)['id']}:disconnect").status_code == 403
    assert listed(seen)["initiator"] == IQN


@pytest.mark.parametrize("id_", ["nothing", "0" * 16, "a" * 255])
def test_an_unknown_session_is_not_found(seen: Serving, id_: str) -> None:
    assert seen.api.post(f"/sessions/{id_}:disconnect").status_code == 404


def test_a_fibre_channel_login_says_why_it_stays(appliance: Api, machine: FakeSystem) -> None:
    port = test_fc.serve(appliance, machine)
    (session,) = appliance.items("/sessions")
    assert (session["can_disconnect"], "Fibre Channel" in session["stays_because"]) == (False, True)
    refused = appliance.post(f"/sessions/{session['id']}:disconnect")
    assert (refused.status_code, session["stays_because"] in refused.json()["detail"]) == (409, True)
    assert port.sessions == {test_fc.HOST}


def test_without_the_agent_nothing_is_ended(api: Api, tmp_path: Path) -> None:
    assert api.post("/sessions/any:disconnect").status_code == 503
