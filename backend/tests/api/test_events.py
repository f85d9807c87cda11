"""The event stream on a real server: nothing is missed, nothing holds the server up, nothing holds the database."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from backend.tests.wiring import Api, AwayAgent, add_token, make_parts, serving
from lunette.api.feed import MAX_STREAMS, EventFeed
from lunette.api.main import Server
from lunette.api.parts import Parts
from lunette.domain.roles import Role

READ_S = 60.0


class Running:
    """A server on a loopback port, and a client of it."""

    def __init__(self, parts: Parts, url: str, server: Server) -> None:
        self.parts = parts
        self.server = server
        headers = {"Authorization": f"Bearer {add_token(parts.store, Role.ADMINISTRATOR)}"}
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
    parts = make_parts(folder, AwayAgent(), url)
    parts = Parts(**{**vars(parts), "feed": EventFeed(parts.store, longest_s)})
    with serving(parts) as (address, server):
        running = Running(parts, address, server)
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
def test_a_last_event_id_that_is_no_number_is_refused(live: Running, last: str) -> None:
    refused = live.http.get("/api/v1/events/stream", headers={"Last-Event-ID": last})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"].lower() == "last-event-id"


def test_open_streams_hold_no_database_connection(live: Running) -> None:
    pool: Any = live.parts.store.engine.pool
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


def test_a_quiet_stream_gives_a_sign_of_life(live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.2)
    with live.http.stream("GET", "/api/v1/events/stream") as response:
        assert any(line == ": ping" for line in response.iter_lines())


def test_too_many_streams_are_refused(sqlite_url: str, tmp_path: Path) -> None:
    parts = make_parts(tmp_path, AwayAgent(), sqlite_url)

    async def open_all() -> int:
        feed = parts.feed
        feed.open()
        streams = [feed.follow(0) for _ in range(MAX_STREAMS)]
        waiting = [asyncio.ensure_future(anext(stream)) for stream in streams]
        await asyncio.sleep(0)  # each has its turn before this one: it stands, and looks for events
        try:
            feed.check_room()
        except Exception as refused:  # noqa: BLE001 its status is what is looked at
            return getattr(refused, "status", 0)
        finally:
            feed.close()
            await asyncio.gather(*waiting, return_exceptions=True)
        return 200

    assert asyncio.run(open_all()) == 503
    parts.store.close()
