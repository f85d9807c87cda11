"""The paths of a host are verified over the API: plan, job, stored result, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tests.api.test_metrics import IQN, Serving, serving, standing
from backend.tests.fakemachine.lio.iscsi import FakeSession
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.wiring import Api, add_token
from lunette.domain.roles import Role

__all__ = ["serving", "standing"]
SECOND = "198.51.100.1"
TICK_S = 0.5


class Busy:
    """Host `db` over two portals, writing all the time."""

    def __init__(self, serving: Serving) -> None:
        self.api, self.machine, self.services = serving.api, serving.machine, serving.services
        self.machine.network.interfaces["eth1"].given.add(SECOND)
        self.machine.addresses.add(SECOND)
        self.api.made("/portals", {"name": "back", "address": SECOND})
        self.target = str(self.api.get("/hosts/db")["target_iqn"])
        self.is_writing = True
        self.api.until(self._is_let_in)
        self._write()

    def log_in(self) -> None:
        """On every portal where it is not."""
        for portal, peer in {f"{SECOND}:3260": "198.51.100.10", "192.0.2.1:3260": "192.0.2.10"}.items():
            if portal not in {one.portal for one in self.sessions()}:
                self.machine.login(IQN, self.target, portal, peer=peer)

    def _is_let_in(self) -> bool:
        """The portal that was just made is open a moment later."""
        try:
            self.log_in()
        except ConnectionError:
            return False
        return True

    def _write(self) -> None:
        if self.is_writing and self.sessions():
            self.machine.carry(self.sessions()[-1], 1, Io(), commands=20)
        self.machine.later(TICK_S, self._write)

    def sessions(self) -> list[FakeSession]:
        assert self.machine.iscsi
        return self.machine.iscsi.sessions

    def ask(self, **changes: Any) -> Any:
        return self.api.post("/hosts/db:verify-paths", {"confirm": "db", "away_s": 20} | changes)

    def ended(self, answer: Any) -> Any:
        """The job, however it ended."""
        path = f"/jobs/{answer.json()['id']}"
        self.api.until(lambda: self.api.get(path)["state"] not in ("pending", "running"))
        return self.api.get(path)

    def verification(self) -> Any:
        return self.api.get("/hosts/db/paths")["verification"]


@pytest.fixture(scope="module")
def host(standing: Serving) -> Busy:
    return Busy(standing)


@pytest.fixture
def busy(host: Busy) -> Iterator[Busy]:
    host.is_writing, host.machine.wires.returns_s = True, 4.0
    host.log_in()
    yield host
    host.machine.wires.returns_s = 4.0
    assert "lunette_path" not in host.machine.network.firewall.tables


def test_of_a_host_that_was_never_tried_nothing_is_reported(busy: Busy) -> None:
    busy.api.made("/hosts", {"name": "new", "iqns": [f"{IQN}-new"]})
    assert busy.api.get("/hosts/new/paths")["verification"] is None


def test_a_dry_run_names_every_path_and_takes_none_away(busy: Busy) -> None:
    before = busy.verification()
    plan = busy.api.post("/hosts/db:verify-paths", {"confirm": "db"}, dry_run=True).json()
    assert plan["title"] == "Test every path of host db"
    assert [step["kind"] for step in plan["steps"]] == ["paths.ask", "path.try", "path.try"]
    assert [one["detail"] for one in plan["changes"]] == [
        "portal back (198.51.100.1:3260) from 198.51.100.10 is interrupted for 45 s",
        "portal front (192.0.2.1:3260) from 192.0.2.10 is interrupted for 45 s",
    ]
    assert (plan["hosts_interrupted"], plan["bytes_destroyed"]) == (["db"], 0)
    assert len(busy.sessions()) == 2
    assert busy.verification() == before


def test_each_path_is_down_once_and_the_result_is_stored_with_the_host(busy: Busy) -> None:
    job = busy.ended(busy.ask())
    assert (job["kind"], job["state"]) == ("host.verify_paths", "succeeded")
    assert ["was blocked for 20 s" in step["detail"] for step in job["steps"]] == [False, True, True]
    reported = busy.verification()
    assert (reported["is_passed"], reported["job_id"], len(reported["words"])) == (True, job["id"], 3)
    assert "the host continued over its other paths" in reported["words"][1]
    assert len(busy.sessions()) == 2
    assert busy.api.items("/events", kind="host.paths_verified")


def test_a_host_that_does_no_io_has_not_passed_and_lost_no_path(busy: Busy) -> None:
    busy.is_writing = False
    before = list(busy.sessions())
    job = busy.ended(busy.ask())
    assert job["state"] == "failed"
    assert "almost no I/O" in job["error"]["detail"]
    assert busy.sessions() == before
    reported = busy.verification()
    assert (reported["is_passed"], "almost no I/O" in reported["words"][0]) == (False, True)


def test_a_host_that_stays_away_ends_the_trial_and_is_reported(busy: Busy) -> None:
    busy.machine.wires.returns_s = None
    job = busy.ended(busy.ask())
    assert job["state"] in ("failed", "undone")
    assert "did not reconnect on portal back" in busy.verification()["words"][0]
    assert [one.portal for one in busy.sessions()] == ["192.0.2.1:3260"], "the other path was left alone"
    refused = busy.ask()
    assert (refused.status_code, "no connection to portal back" in refused.json()["detail"]) == (409, True)


@pytest.mark.parametrize("body", [{"confirm": "other"}, {"away_s": 19}, {"away_s": 121}, {"confirm": ""}])
def test_a_wrong_request_removes_nothing(busy: Busy, body: dict[str, Any]) -> None:
    before = list(busy.sessions())
    refused = busy.ask(**body)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"].endswith(next(iter(body)))
    assert busy.sessions() == before


def test_a_viewer_takes_nothing_away(busy: Busy) -> None:
    viewer = Api(busy.api.http, add_token(busy.services.store, Role.VIEWER))
    assert viewer.post("/hosts/db:verify-paths", {"confirm": "db"}).status_code == 403


def test_an_unknown_host_is_not_found(busy: Busy) -> None:
    assert busy.api.post("/hosts/nobody:verify-paths", {"confirm": "nobody"}).status_code == 404


def test_without_the_agent_nothing_is_tried(api: Api, tmp_path: Path) -> None:
    api.made("/hosts", {"name": "db", "iqns": [IQN]})
    assert api.post("/hosts/db:verify-paths", {"confirm": "db"}).status_code == 503
