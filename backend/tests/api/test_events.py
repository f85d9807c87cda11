"""The event stream on a real server: nothing is missed, nothing holds the server up, nothing holds the database."""

import datetime as dt
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from backend.tests.wiring import Api, AwayAgent, add_token, add_user, make_services, serving
from lunette.api.auth.identity import COOKIE
from lunette.api.events import feed
from lunette.api.events.feed import MAX_OF_ONE, MAX_STREAMS, EventFeed
from lunette.api.main import Server
from lunette.api.requests.services import ApiServices
from lunette.domain.errors import Unavailable
from lunette.domain.roles import Role
from lunette.store.access import ApiToken
from lunette.store.schema import utc_now

READ_S = 60.0


class Running:
    """A server on a loopback port, and a client of it."""

    def __init__(self, services: ApiServices, url: str, server: Server) -> None:
        self.services = services
        self.server = server
        headers = {"Authorization": f"Bearer {add_token(services.store, Role.ADMINISTRATOR)}"}
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=READ_S)
        self.api = Api(self.http)

    @contextmanager
    def stream(self, last: int | None = None) -> Iterator[Iterator[dict[str, Any]]]:
        """The events of one stream, each with its id; the stream stands when this is entered.

        Without the alert about the missing agent, which is raised after a while.
        """
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        with self.http.stream("GET", "/api/v1/events/stream", headers=headers) as response:
            assert response.status_code == 200, response.read()
            assert response.headers["content-type"].startswith("text/event-stream")
            lines = response.iter_lines()
            assert next(lines) == ": connected"
            yield (event for event in events(lines) if event["noun"] != "alert")


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    data = None
    for line in lines:
        if line.startswith("data: "):
            data = json.loads(line.removeprefix("data: "))
        elif line.startswith("id: ") and data is not None:
            yield {"id": line.removeprefix("id: "), **data}


@contextmanager
def running_server(folder: Path, url: str, longest_s: float = 600.0) -> Iterator[Running]:
    services = make_services(folder, AwayAgent(), url)
    services = ApiServices(**{**vars(services), "feed": EventFeed(services.store, longest_s)})
    with serving(services) as (address, server):
        running = Running(services, address, server)
        with running.http:
            yield running


@pytest.fixture
def live(tmp_path: Path, sqlite_url: str) -> Iterator[Running]:
    with running_server(tmp_path, sqlite_url) as running:
        yield running


def test_a_change_reaches_the_stream_with_its_number(live: Running) -> None:
    with live.stream() as stream:
        live.api.made("/hosts", {"name": "h"})
        event = next(stream)
    assert (event["kind"], event["noun"], event["id"]) == ("host.created", "host", str(event["seq"]))


def test_nothing_is_missed_between_two_streams(live: Running) -> None:
    with live.stream() as stream:
        live.api.made("/hosts", {"name": "h0"})
        last = next(stream)["seq"]
    for number in range(1, 6):
        live.api.made("/hosts", {"name": f"h{number}"})
    with live.stream(last) as stream:
        messages = [next(stream)["message"] for _ in range(5)]
    assert all(f"h{number}" in message for number, message in enumerate(messages, 1))


def test_a_number_from_another_database_starts_from_now(live: Running) -> None:
    live.api.made("/hosts", {"name": "old"})
    with live.stream(10**12) as stream:
        live.api.made("/hosts", {"name": "new"})
        assert "new" in next(stream)["message"]


@pytest.mark.parametrize("last", ["x", "-1", "9" * 30])
def test_a_last_event_id_that_is_not_a_number_is_refused(live: Running, last: str) -> None:
    refused = live.http.get("/api/v1/events/stream", headers={"Last-Event-ID": last})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"].lower() == "last-event-id"


def test_open_streams_hold_no_database_connection(live: Running) -> None:
    pool: Any = live.services.store.engine.pool
    with live.stream(), live.stream(), live.stream():
        live.api.until(lambda: pool.checkedout() == 0)


def test_a_stream_ends_by_itself(tmp_path: Path, sqlite_url: str) -> None:
    with running_server(tmp_path, sqlite_url, longest_s=0.3) as live, live.stream() as stream:
        assert list(stream) == []


def test_a_shutdown_ends_the_streams_instead_of_waiting_for_them(
    tmp_path: Path, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server(tmp_path, sqlite_url) as live, live.stream() as stream:
        live.server.should_exit = True
        assert list(stream) == []
    assert "graceful shutdown exceeded" not in capsys.readouterr().err  # uvicorn's word for what held it up


def test_a_quiet_stream_sends_heartbeats_which_are_no_events(live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "LOOK_AGAIN_S", 0.1)
    with live.http.stream("GET", "/api/v1/events/stream") as response:
        lines = response.iter_lines()
        for _ in range(2):
            assert next(line for line in lines if line.startswith("event: ")) == "event: heartbeat"
            assert (next(lines), next(lines)) == ("data: {}", "")  # without an id: nothing to go on from


def opened(live: Running, headers: dict[str, str], times: int) -> tuple[list[httpx2.Response], list[int]]:
    """Streams that are asked for at once: those that stand, and the statuses of the others."""

    def ask(_number: int) -> httpx2.Response:
        return live.http.send(live.http.build_request("GET", "/api/v1/events/stream", headers=headers), stream=True)

    with ThreadPoolExecutor(times) as pool:
        answers = list(pool.map(ask, range(times)))
    refused = [one for one in answers if one.status_code != 200]
    for one in refused:
        one.read()
    return [one for one in answers if one.status_code == 200], [one.status_code for one in refused]


def bearer(services: ApiServices, role: Role = Role.VIEWER) -> dict[str, str]:
    return {"Authorization": f"Bearer {add_token(services.store, role)}"}


def test_one_token_has_so_many_streams_and_leaves_the_others_to_others(live: Running) -> None:
    one, another = bearer(live.services), bearer(live.services)
    standing, refused = opened(live, one, MAX_OF_ONE + 10)
    assert (len(standing), set(refused)) == (MAX_OF_ONE, {503})
    others, refused = opened(live, another, 1)
    assert (len(others), refused) == (1, [])
    for stream in (*standing, *others):
        stream.close()

    def has_room() -> bool:
        found, _ = opened(live, one, 1)
        for stream in found:
            stream.close()
        return bool(found)

    live.api.until(has_room)


def test_all_together_have_so_many_streams(tmp_path: Path, sqlite_url: str) -> None:
    services = make_services(tmp_path, AwayAgent(), sqlite_url)
    with ExitStack() as taken:
        for number in range(MAX_STREAMS):
            taken.enter_context(services.feed.seat(f"user {number}"))
        with pytest.raises(Unavailable), services.feed.seat("user new"):
            pass
    with services.feed.seat("user new"):
        pass
    assert not services.feed._streams
    services.store.close()


def test_a_stream_ends_with_its_token(live: Running) -> None:
    token = live.api.made("/tokens", {"name": "short", "role": "viewer"})
    headers = {"Authorization": f"Bearer {token['token']}"}
    with live.http.stream("GET", "/api/v1/events/stream", headers=headers) as response:
        lines = response.iter_lines()
        assert next(lines) == ": connected"
        assert live.api.delete(f"/tokens/{token['id']}").status_code == 204
        assert not [line for line in lines if line.startswith("id:")], "it is not even told that it was deleted"


def test_a_stream_ends_with_its_login(live: Running) -> None:
    add_user(live.services.store, "ann", Role.VIEWER, "correct horse battery")
    with httpx2.Client(base_url=live.http.base_url, timeout=READ_S) as browser:
        answer = browser.post("/api/v1/login", json={"username": "ann", "password": "correct horse battery"})
        cookie = {"Cookie": f"{COOKIE}={answer.cookies[COOKIE]}"}
        with browser.stream("GET", "/api/v1/events/stream", headers=cookie) as response:
            lines = response.iter_lines()
            assert next(lines) == ": connected"
            (login,) = live.api.items("/logins")
            assert live.api.post(f"/logins/{login['id']}:end").status_code == 204
            assert not [line for line in lines if "login_ended" in line]


def test_a_stream_ends_when_its_login_runs_out(live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "LOGIN_CHECKED_S", 0.0)
    monkeypatch.setattr(feed, "LOOK_AGAIN_S", 0.05)
    token = live.api.made("/tokens", {"name": "short", "role": "viewer", "expires_days": 1})
    headers = {"Authorization": f"Bearer {token['token']}"}
    with live.http.stream("GET", "/api/v1/events/stream", headers=headers) as response:
        lines = response.iter_lines()
        assert next(lines) == ": connected"
        with live.services.store.write() as tx:
            tx.get_one(ApiToken, token["id"]).expires_at = utc_now() - dt.timedelta(seconds=1)
        assert not [line for line in lines if line.startswith("id:")]
