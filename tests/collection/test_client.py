"""The connection: who is trusted, how it logs in, what a refusal and a failed job carry, what a restart does to it."""

import time
from pathlib import Path
from typing import Any

import pytest

from backend.tests.dev_server import PASSWORD
from backend.tests.engine.listeners import one_answer
from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import add_token, make_services, serving
from lunette.agent.core import Agent
from lunette.domain.roles import Role
from tests.collection.imported import client as client_module
from tests.collection.playing import Player, Running

Client, Refused, Unreachable = client_module.Client, client_module.Refused, client_module.Unreachable
NOTHING: dict[str, Any] = {
    "url": "https://127.0.0.1:1",
    "token": "t",
    "username": None,
    "password": None,
    "fingerprint": None,
    "ca_path": None,
    "timeout": 120,
}


@pytest.fixture
def there(player: Player) -> Running:
    return player.running


def _client(there: Running, **options: Any) -> Any:
    return Client({**NOTHING, "url": there.url, "token": there.token, **options})


def test_the_certificate_with_the_fingerprint_is_trusted_and_no_other(there: Running) -> None:
    colons = ":".join(there.fingerprint[i : i + 2] for i in range(0, 64, 2)).upper()
    for written in (there.fingerprint, colons):
        assert _client(there, fingerprint=written).call("GET", "/status")[0] == 200
    with pytest.raises(Unreachable, match=f"fingerprint {there.fingerprint}, the trusted one has 0000"):
        _client(there, fingerprint="0" * 64).call("GET", "/status")


def test_an_authority_is_trusted_where_it_is_named_only(there: Running) -> None:
    assert _client(there, ca_path=str(there.authority)).call("GET", "/status")[0] == 200
    with pytest.raises(Unreachable, match="certificate verify failed"):
        _client(there).call("GET", "/status")


def test_a_password_opens_a_session_that_ends(there: Running) -> None:
    client = _client(there, token=None, username="admin", password=PASSWORD, fingerprint=there.fingerprint)
    made = client.create("/hosts", {"name": "by-session"}, dry_run=False)[1]
    assert client.call("DELETE", f"/hosts/{made['id']}", None, None, {"If-Match": "*"})[0] == 204
    cookie = dict(client._identity)
    client.close()
    client._login, client._identity = None, cookie
    with pytest.raises(Refused) as refused:
        client.call("GET", "/status")
    assert refused.value.problem["type"] == "unauthenticated"


def test_a_bad_token_is_refused_in_words(there: Running) -> None:
    with pytest.raises(Refused) as refused:
        _client(there, token="lnt_wrong", fingerprint=there.fingerprint).call("GET", "/status")
    assert (refused.value.status, refused.value.problem["type"]) == (401, "unauthenticated")


def test_a_refusal_names_the_wrong_field(there: Running) -> None:
    client = _client(there, fingerprint=there.fingerprint)
    spec = {"name": "x", "array": "nowhere", "size_bytes": 8 * 1024**2}
    with pytest.raises(Refused, match="array nowhere was not found"):
        client.create("/volumes", spec, dry_run=False)


def test_a_list_is_read_page_by_page_up_to_the_limit(there: Running) -> None:
    client = _client(there, fingerprint=there.fingerprint)
    assert len(client.items("/disks", {})) == 12
    assert len(client.items("/disks", {}, 5)) == 5


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"url": None}, "appliance_url must be an address"),
        ({"url": "ftp://somewhere"}, "appliance_url must be an address"),
        ({"url": "http://appliance.example"}, "must begin with https://"),
        ({"token": None}, "give appliance_token, or"),
        ({"token": None, "username": "admin"}, "give appliance_token, or"),
        ({"ca_path": "/nowhere"}, "appliance_ca_path /nowhere cannot be read"),
    ],
)
def test_a_wrong_connection_is_refused_before_anything_is_sent(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Client({**NOTHING, **wrong})


def test_nobody_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"https://127\.0\.0\.1:1 does not answer"):
        Client(NOTHING).create("/hosts", {"name": "a"}, dry_run=False)


@pytest.mark.parametrize("status", [b"200 OK", b"502 Bad Gateway"])
def test_an_answer_that_breaks_off_is_reported_and_its_connection_closed(status: bytes) -> None:
    answer = b"HTTP/1.0 " + status + b"\r\nContent-Length: 100\r\n\r\nshort"
    with one_answer(answer) as (port, closed), pytest.raises((Unreachable, Refused)) as failed:
        _started(f"http://127.0.0.1:{port}", "t").call("GET", "/status")
    assert closed.is_set(), failed


def _array(api: Any) -> dict[str, Any]:
    disks = [disk["id"] for disk in api.items("/disks", {"state": "free"})][:3]
    return {"name": "followed", "level": "raid5", "disks": disks}


def _started(url: str, token: str) -> Any:
    return Client({**NOTHING, "url": url, "token": token})


def test_a_job_that_fails_says_why(tmp_path: Path) -> None:
    machine = FakeSystem()
    machine.add_disks(3)
    machine.clock = time.time()
    services = make_services(tmp_path, Agent(machine))
    token = add_token(services.store, Role.ADMINISTRATOR)
    with serving(services) as (url, _server):
        client = _started(url, token)
        spec = _array(client)
        machine.faults.break_calls(lambda call: "mdadm --create" in call.detail)
        status, job, _etag = client.create("/arrays", spec, dry_run=False)
        assert status == 202
        seen: list[str] = []
        with pytest.raises(Refused, match=r"job .* ended failed: mdadm was refused") as refused:
            client.wait(job, 30, lambda one: seen.append(one["state"]))
    assert refused.value.job["state"] == "failed"
    assert refused.value.problem["type"] == "tool-failed"
    assert seen[-1] == "failed"


def test_a_job_is_followed_over_a_restart_of_the_appliance(there: Running) -> None:
    """The connection is refused for a while, as during a restart; the wait continues and succeeds."""
    client = _client(there, fingerprint=there.fingerprint)
    _status, job, _etag = client.create("/arrays", _array(client), dry_run=False)
    answers = client.call
    lost = iter([True, True])

    def call(*args: Any, **options: Any) -> Any:
        if next(lost, False):
            return Client({**NOTHING, "timeout": 1}).call(*args, **options)
        return answers(*args, **options)

    client.call = call
    assert client.wait({**job, "state": "running"}, 30, lambda one: None)["state"] == "succeeded"
    deletion = client.call("DELETE", "/arrays/followed", None, None, {"If-Match": "*"})[1]
    client.wait(deletion, 30, lambda one: None)


def test_a_job_that_takes_too_long_goes_on_and_that_is_said(there: Running) -> None:
    client = _client(there, fingerprint=there.fingerprint)
    job = {"id": "none", "title": "Long work", "state": "running"}
    client.call = lambda *args: (200, job, None)
    with pytest.raises(Unreachable, match=r"still running after 0 s; it goes on. Run the play again"):
        client.wait(job, 0.3, lambda one: None)
