"""The messages of a play that fails, and that it can simply be run again afterward: real plays, real API."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme

from backend.tests.fakemachine import Call, FakeSystem
from backend.tests.wiring import Api, add_token, make_services, serving
from lunette.agent.core import Agent
from lunette.domain.roles import Role
from tests.collection.playing import PATIENT, Player, Running, issue
from tests.machines.sockets import free_port

pytestmark = pytest.mark.timeout(500)
OF = "lunette.appliance."


class Scenario:
    """An appliance whose API can be stopped and started again while its machine runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()  # no other connection gets the port while it is stopped
        self.machine = FakeSystem()
        self.machine.add_disks(3)
        self.machine.clock = time.time()
        self.agent = Agent(self.machine)
        self.token = ""

    @contextmanager
    def api(self, certificate: Path | None = None, key: Path | None = None) -> Iterator[Api]:
        """The API answers until the block ends, always on the same port."""
        services = make_services(self.folder, self.agent)
        self.token = self.token or add_token(services.store, Role.ADMINISTRATOR)
        with (
            serving(services, self.port, certificate, key) as (url, _server),
            httpx2.Client(base_url=url, verify=False, timeout=PATIENT) as http,
        ):
            yield Api(http, self.token)

    def player(self, scheme: str = "http") -> Player:
        """Plays against it."""
        return Player(self.folder, Running(f"{scheme}://127.0.0.1:{self.port}", self.token, "", self.folder))


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    return Scenario(tmp_path)


def _book(folder: Path, *tasks: dict[str, Any]) -> Path:
    book = folder / "play.yml"
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
    book.write_text(json.dumps([play]))
    return book


def _host(name: str) -> dict[str, Any]:
    return {f"{OF}host": {"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"]}}


def _failed(printed: str) -> dict[str, Any]:
    """The result of the task that failed."""
    found = re.search(r"fatal: \[localhost\]: FAILED! => (\{.*\})$", printed, re.M)
    assert found, printed
    result: dict[str, Any] = json.loads(found[1])
    return result


def _ended(printed: str, *, changed: int) -> None:
    assert re.search(rf"localhost .*changed={changed} .*failed=0", printed), printed


def test_a_bad_token_fails_the_play_with_the_appliances_own_words(player: Player, tmp_path: Path) -> None:
    book = _book(tmp_path, _host("untrusted"), {f"{OF}host": {"name": "untrusted", "state": "absent"}})
    failed = _failed(player.run(book, env={"LUNETTE_TOKEN": "lnt_wrong"}))
    assert failed["problem"]["type"] == "unauthenticated"
    assert failed["problem"]["detail"] in failed["msg"]
    assert "lnt_wrong" not in json.dumps(failed)
    _ended(player.run(book), changed=2)


def test_another_certificate_than_the_pinned_one_fails_the_play_before_the_token_is_sent(
    player: Player, tmp_path: Path
) -> None:
    failed = _failed(player.run(_book(tmp_path, {f"{OF}status_info": {}}), env={"LUNETTE_FINGERPRINT": "ab" * 32}))
    assert f"fingerprint {player.running.fingerprint}, the trusted one has {'ab' * 32}" in failed["msg"]
    assert "set appliance_fingerprint to the new one" in failed["msg"]


@pytest.mark.slow
def test_an_expired_certificate_fails_the_play_and_a_new_one_heals_it(scenario: Scenario, tmp_path: Path) -> None:
    authority = trustme.CA()
    book = _book(tmp_path, {f"{OF}status_info": {}})
    trust = {"LUNETTE_CA_PATH": str(tmp_path / "authority.pem")}
    key, certificate = issue(authority, tmp_path, not_after=datetime(2021, 1, 1))  # noqa: DTZ001
    with scenario.api(certificate=certificate, key=key):
        play = scenario.player("https")
        failed = _failed(play.run(book, env=trust))
        assert "certificate has expired" in failed["msg"]
    key, certificate = issue(authority, tmp_path)
    with scenario.api(certificate=certificate, key=key):
        _ended(play.run(book, env=trust), changed=0)


@pytest.mark.slow
def test_an_appliance_that_goes_away_between_two_tasks_fails_the_play_which_goes_on_when_run_again(
    scenario: Scenario, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    wait = {"ansible.builtin.wait_for": {"path": str(gone), "timeout": 150, "sleep": 1}}
    book = _book(tmp_path, _host("first"), wait, _host("second"))
    said: list[str] = []
    with scenario.api() as api:
        play = scenario.player()
        running = threading.Thread(target=lambda: said.append(play.run(book)))
        running.start()
        api.until(lambda: bool(api.items("/hosts", name="first")))
    gone.touch()
    running.join()
    assert f"http://127.0.0.1:{scenario.port} does not answer" in _failed(said[0])["msg"]
    with scenario.api() as api:
        _ended(play.run(book), changed=1)
        assert sorted(host["name"] for host in api.items("/hosts")) == ["first", "second"]


def _array(folder: Path, api: Api) -> Path:
    disks = [disk["id"] for disk in api.items("/disks")]
    return _book(folder, {f"{OF}array": {"name": "tank", "level": "raid5", "disks": disks}})


@pytest.mark.slow
def test_a_task_that_waits_for_a_job_waits_over_a_restart_of_the_appliance(scenario: Scenario, tmp_path: Path) -> None:
    creating, go_on = threading.Event(), threading.Event()

    def hold(call: Call) -> bool:
        if "mdadm --create" in call.detail:
            creating.set()
            go_on.wait(60)
        return False

    said: list[str] = []
    with scenario.api() as api:
        book = _array(tmp_path, api)
        scenario.machine.faults.break_calls(hold)
        play = scenario.player()
        running = threading.Thread(target=lambda: said.append(play.run(book, "-v")))
        running.start()
        assert creating.wait(120), "the job did not start"
        threading.Timer(0.5, go_on.set).start()
    with scenario.api():
        running.join()
        _ended(said[0], changed=1)
        assert '"progress": [' in said[0], "-v shows how the job went"
        _ended(play.run(book), changed=0)


def test_a_job_that_fails_fails_the_play_with_its_cause_and_is_made_again(scenario: Scenario, tmp_path: Path) -> None:
    with scenario.api() as api:
        book = _array(tmp_path, api)
        scenario.machine.faults.break_calls(lambda call: "mdadm --create" in call.detail)
        play = scenario.player()
        failed = _failed(play.run(book))
        assert failed["problem"]["type"] == "tool-failed"
        assert (failed["job"]["state"], failed["changed"]) == ("failed", False)
        assert "mdadm was refused" in failed["msg"]
        scenario.machine.faults.disarm()
        _ended(play.run(book), changed=1)
