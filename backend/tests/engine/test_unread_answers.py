"""Every client closes its connection when it raises, even if the server's answer has not been read to its end.

Or else a server that answers HTTP/1.0 would hold a file descriptor for as long as something holds the exception.
"""

import datetime as dt
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path

import pytest

from backend.tests.engine.listeners import Authority, one_answer
from lunette.api.appliance import bundles
from lunette.client.endpoint import Endpoint
from lunette.client.errors import Unreachable
from lunette.client.wire import Wire
from lunette.domain.errors import Invalid
from lunette.domain.messages import Message, MessageKind
from lunette.domain.secret_urls import SecretUrl, WebUrl
from lunette.domain.settings import BackupSettings, WebhookSettings
from lunette.engine.notifications import outward, webhook
from lunette.engine.notifications.failure import DeliveryFailed
from lunette.engine.recovery import webdav

LONG = b"HTTP/1.0 500 Internal Server Error\r\n\r\n" + b"x" * 10_000
"""It would go on: the server does not end it."""
CUT = b"HTTP/1.0 500 Internal Server Error\r\nContent-Length: 100\r\n\r\nshort"
HALF = b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\nshort"
NOWHERE = b"HTTP/1.0 302 Found\r\nLocation: http://[nowhere/\r\n\r\n"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def test_the_webhook(authority: Authority) -> None:
    message = Message(id="1", kind=MessageKind.TEST, at=dt.datetime.now(dt.UTC), appliance="san1", text="A test")
    with one_answer(LONG, authority) as (port, closed):
        settings = WebhookSettings(url=SecretUrl(f"https://127.0.0.1:{port}/hook"))
        with pytest.raises(DeliveryFailed, match="500") as failed:
            webhook.send(settings, message, authority.pem)
    assert closed.is_set(), failed


def test_the_server_of_backups(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network("127.0.0.2"),))
    with one_answer(LONG, authority) as (port, closed):
        settings = BackupSettings(url=f"https://127.0.0.1:{port}/dav")
        with pytest.raises(DeliveryFailed, match="500") as failed, webdav.opened(settings, authority.pem) as folder:
            folder.delete("one")
    assert closed.is_set(), failed


def test_the_server_of_updates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network("127.0.0.2"),))
    for answer in (LONG, CUT, HALF, NOWHERE):
        with one_answer(answer) as (port, closed), pytest.raises(Invalid) as failed:
            bundles.fetch(tmp_path, WebUrl(f"http://127.0.0.1:{port}/bundle"))
        assert closed.is_set(), failed


CALLS: list[Callable[[Wire], object]] = [
    lambda wire: wire.call("GET", "/status"),
    lambda wire: [*wire.stream("/x", {})],
]


@pytest.mark.parametrize("call", CALLS, ids=["call", "stream"])
def test_the_command_line(call: Callable[[Wire], object]) -> None:
    with one_answer(CUT) as (port, closed), pytest.raises(Unreachable) as failed:
        call(Wire(Endpoint(f"http://127.0.0.1:{port}", "token")))
    assert closed.is_set(), failed
