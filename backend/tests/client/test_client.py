"""The client: lists page by page, jobs to their end, problems as exceptions, connections that break."""

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.client import Client, Endpoint, JobFailed, Refused, StillRunning, Unreachable


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    with appliance(tmp_path, sqlite_url) as served:
        yield served


@pytest.fixture
def client(cli: Cli) -> Iterator[Client]:
    with Client(Endpoint(cli.url, cli.token)) as opened:
        yield opened


def test_a_volume_from_disks_to_data_and_back(client: Client) -> None:
    disks = [disk["id"] for disk in client.disk_list(state="free")]
    plan = client.array_create({"name": "tank", "level": "raid1", "disks": disks[:2]}, dry_run=True)
    assert plan["title"] == "Create array tank"
    seen: list[float] = []
    job = client.array_create({"name": "tank", "level": "raid1", "disks": disks[:2]})
    assert client.wait(job, seen=lambda now: seen.append(now["progress_percent"]))["state"] == "succeeded"
    assert seen[-1] == 100
    client.wait(client.volume_create({"name": "data", "array": "tank", "size_bytes": "16MiB"}))
    assert client.volume_show("data")["size_bytes"] == 16 * 1024**2
    client.volume_patch("data", {"description": "changed"})
    assert client.volume_show("data")["description"] == "changed"
    client.wait(client.volume_delete("data"))
    with pytest.raises(Refused) as refused:
        client.volume_show("data")
    assert (refused.value.kind, refused.value.status) == ("not-found", 404)


def test_lists_are_read_page_by_page_and_no_further_than_requested(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lunette.client.client.PAGE", 3)
    names = [f"host{number}" for number in range(8)]
    for name in names:
        client.host_create({"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"]})
    assert [host["name"] for host in client.host_list()] == names
    assert [host["name"] for host in client.host_list(limit=4)] == names[:4]
    assert [host["name"] for host in client.host_list(name="*7", sort="-name")] == ["host7"]
    assert [host["name"] for host in client.list("/hosts", limit=5)] == names


def test_a_problem_names_every_wrong_field(client: Client) -> None:
    with pytest.raises(Refused) as refused:
        client.host_create({"name": "no spaces", "iqns": ["nonsense"]})
    assert refused.value.kind == "invalid"
    assert {one["field"] for one in refused.value.problem["errors"]} == {"name", "iqns[0]"}
    assert len(refused.value.lines()) == 3


def test_events_come_as_they_happen(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunette.api.events.feed.LOOK_AGAIN_S", 0.05)  # heartbeats between them, which are no events
    events = client.follow_events()
    found: list[dict[str, Any]] = []
    reading = threading.Thread(target=lambda: found.append(next(events)), daemon=True)
    client.host_create({"name": "early", "iqns": ["iqn.2026-01.com.example:early"]})
    after = max(event["seq"] for event in client.event_list())
    assert next(client.follow_events(after=after - 1))["seq"] == after
    reading.start()
    number = 0
    while not found and number < 100:
        number += 1
        client.host_create({"name": f"h{number}", "iqns": [f"iqn.2026-01.com.example:h{number}"]})
        reading.join(0.2)
    events.close()
    assert found[0]["kind"] == "host.created"


def test_a_name_is_quoted_in_a_path(client: Client) -> None:
    for name in ("ä ö", "a%20b", "?limit=1"):
        with pytest.raises(Refused) as refused:
            client.volume_show(name)
        assert refused.value.kind == "not-found"


class Unsteady(BaseHTTPRequestHandler):
    """Answers, and every second time closes the connection although it promised to keep it."""

    protocol_version = "HTTP/1.1"
    requests: list[tuple[str, str | None]] = []  # noqa: RUF012 one list for all connections is what is meant
    answers: dict[str, Any] = {}  # noqa: RUF012

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        type(self).requests.append((self.command, self.headers.get("Idempotency-Key")))
        if len(type(self).requests) % 3 == 2:
            self.connection.close()
            self.rfile, self.wfile = io.BytesIO(), io.BytesIO()
            self.close_connection = True
            return
        text = json.dumps(type(self).answers.get(self.path, {"got": body.decode()})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815 the names that http.server calls

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def unsteady(**answers: Any) -> Iterator[Client]:
    Unsteady.requests, Unsteady.answers = [], answers
    with ThreadingHTTPServer(("127.0.0.1", 0), Unsteady) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Client(Endpoint(f"http://127.0.0.1:{server.server_port}")) as client:
            yield client
        server.shutdown()


def test_a_request_whose_connection_broke_is_sent_once_more_under_its_key() -> None:
    with unsteady() as client:
        client.post("/volumes", {"name": "a"})
        client.post("/volumes", {"name": "b"})
    keys = [key for _, key in Unsteady.requests]
    assert len(keys) == 3
    assert keys[1] == keys[2] != keys[0]


def test_a_change_that_carries_no_key_is_not_repeated() -> None:
    with unsteady() as client:
        client.post("/volumes", {})
        with pytest.raises(Unreachable):
            client._wire.call("PATCH", "/volumes/a", body={})
    assert [method for method, _ in Unsteady.requests] == ["POST", "PATCH"]


@pytest.mark.parametrize("state", ["failed", "undone", "stuck"])
def test_a_job_that_ends_badly_is_an_exception_with_its_reason(state: str) -> None:
    job = {"id": "j1", "state": state, "error": {"detail": "the disk went away"}}
    with unsteady() as client, pytest.raises(JobFailed, match=f"job j1 {state}: the disk went away"):
        client.wait(job)


def test_a_job_is_not_waited_for_longer_than_requested() -> None:
    job = {"id": "j1", "state": "running", "error": None}
    with unsteady(**{"/api/v1/jobs/j1": job}) as client, pytest.raises(StillRunning, match="still running"):
        client.wait(job, deadline_s=0.0)


def test_a_missing_listener_is_unreachable() -> None:
    with Client(Endpoint("http://127.0.0.1:1")) as client, pytest.raises(Unreachable, match="does not answer"):
        client.status_show()
    with Client(Endpoint("unix:/nowhere/local.sock")) as client, pytest.raises(Unreachable):
        client.status_show()
