"""Incoming bundles: stored completely or not at all, and refused where no slot exists for them."""

import asyncio
import http.server
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trustme

from backend.tests.wiring import Api
from lunette.api.appliance import bundles
from lunette.api.routes import updates
from lunette.domain.agent_protocol import LookAtBundle
from lunette.domain.errors import Invalid, LunetteError, NoSpace, TooLarge
from lunette.domain.secret_urls import WebUrl
from lunette.domain.updates import MAX_BUNDLE_BYTES, BundleFacts
from lunette.engine.notifications import outward


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece


def kept(data: Path) -> list[str]:
    return sorted(file.name for file in (data / bundles.FOLDER).iterdir())


def test_an_accepted_bundle_is_stored_under_its_id_and_replaces_the_previous_one(tmp_path: Path) -> None:
    first = asyncio.run(bundles.receive(tmp_path, pieces(b"abc", b"def"), 6))
    assert (tmp_path / "updates" / f"{first}.raucb").read_bytes() == b"abcdef"
    second = asyncio.run(bundles.receive(tmp_path, pieces(b"x"), None))
    assert kept(tmp_path) == sorted([f"{first}.raucb", f"{second}.raucb"])
    bundles.replace_earlier(tmp_path, second)
    assert kept(tmp_path) == [f"{second}.raucb"]
    assert bundles.size_of(tmp_path, second) == 1
    bundles.forget(tmp_path, second)
    assert kept(tmp_path) == []


class _Distrusting:
    """An agent that accepts no bundle."""

    def ask(self, request: LookAtBundle) -> BundleFacts:
        raise Invalid(f"bundle {request.bundle_id} is not signed by a trusted key")


def test_a_bundle_that_is_refused_leaves_the_one_before(tmp_path: Path) -> None:
    before = asyncio.run(bundles.receive(tmp_path, pieces(b"abc"), 3))
    refused = asyncio.run(bundles.receive(tmp_path, pieces(b"forged"), 6))
    services: Any = SimpleNamespace(control=SimpleNamespace(agent=_Distrusting()))
    with pytest.raises(Invalid, match="not signed"):
        updates._looked_at(services, tmp_path, refused, "admin")
    assert kept(tmp_path) == [f"{before}.raucb"]


@pytest.mark.parametrize(
    ("declared", "error", "words"),
    [(7, Invalid, "Only 3 of 7"), (MAX_BUNDLE_BYTES + 1, TooLarge, "at most"), (MAX_BUNDLE_BYTES, NoSpace, "free")],
)
def test_what_does_not_come_whole_or_does_not_fit_leaves_the_one_before(
    tmp_path: Path, declared: int, error: type[LunetteError], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = asyncio.run(bundles.receive(tmp_path, pieces(b"abc"), 3))
    monkeypatch.setattr(bundles, "SPARE_BYTES", 1 << 50 if error is NoSpace else 0)
    with pytest.raises(error, match=words):
        asyncio.run(bundles.receive(tmp_path, pieces(b"abc"), declared))
    assert kept(tmp_path) == [f"{before}.raucb"]


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/gone":
            self.send_error(404)
            return
        if self.path == "/file":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path[4:])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", "9" if self.path == "/half" else "6")
        self.end_headers()
        self.wfile.write(b"abcdef")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


FORBIDDEN = "127.0.0.2"
"""For these tests; the rest of the loopback is where their servers are."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network(FORBIDDEN),))
    with served("127.0.0.1") as made:
        yield f"http://127.0.0.1:{made.server_address[1]}"


@contextmanager
def served(address: str, tls: ssl.SSLContext | None = None) -> Iterator[http.server.ThreadingHTTPServer]:
    with http.server.ThreadingHTTPServer((address, 0), _Handler) as made:
        if tls is not None:
            made.socket = tls.wrap_socket(made.socket, server_side=True)
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def test_a_bundle_is_fetched_from_a_web_server(tmp_path: Path, server: str) -> None:
    bundle_id = bundles.fetch(tmp_path, WebUrl(f"{server}/bundle"))
    assert (tmp_path / "updates" / f"{bundle_id}.raucb").read_bytes() == b"abcdef"


@pytest.mark.parametrize("path", ["/gone", "/half", "/file"])
def test_an_incomplete_download_is_not_stored(tmp_path: Path, server: str, path: str) -> None:
    with pytest.raises(Invalid) as refused:
        bundles.fetch(tmp_path, WebUrl(server + path))
    assert refused.value.errors[0].field == "url" if path != "/half" else True
    assert not (tmp_path / "updates").exists() or kept(tmp_path) == []


def test_a_redirection_is_followed_but_not_to_a_forbidden_address(tmp_path: Path, server: str) -> None:
    assert bundles.fetch(tmp_path, WebUrl(f"{server}/to?{server}/bundle"))
    with served(FORBIDDEN) as inside:
        aim = f"http://{FORBIDDEN}:{inside.server_address[1]}/bundle"
        for url in (aim, f"{server}/to?{aim}", f"{server}/to?{server}/to?{aim}"):
            with pytest.raises(Invalid, match="link-local"):
                bundles.fetch(tmp_path, WebUrl(url))
        for url in (f"{server}/to?ftp://{FORBIDDEN}/x", f"{server}/to?unix:/run/lunette/agent.sock"):
            with pytest.raises(Invalid):
                bundles.fetch(tmp_path, WebUrl(url))


def test_a_redirection_does_not_leave_tls(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with served("127.0.0.1", context) as secured:
        url = f"https://127.0.0.1:{secured.server_address[1]}"
        assert bundles.fetch(tmp_path, WebUrl(f"{server}/to?{url}/bundle"))
        assert bundles.fetch(tmp_path, WebUrl(f"{url}/to?{url}/bundle"))
        with pytest.raises(Invalid, match="from https to http"):
            bundles.fetch(tmp_path, WebUrl(f"{url}/to?{server}/bundle"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"])
def test_the_appliance_itself_is_not_queried(tmp_path: Path, host: str) -> None:
    with served("127.0.0.1") as inside, pytest.raises(Invalid, match="link-local"):
        bundles.fetch(tmp_path, WebUrl(f"http://{host}:{inside.server_address[1]}/bundle"))


def test_nothing_is_taken_where_there_are_no_slots(appliance: Api) -> None:
    reported = appliance.get("/updates")
    assert (reported["available"], reported["slots"]) == (False, [])
    assert "an appliance that was installed from the ISO" in reported["reason"]
    for answer in (
        appliance.call("POST", "/updates/bundle", content=b"x", headers={"Content-Type": "application/octet-stream"}),
        appliance.post("/updates/bundle:fetch", {"url": "http://127.0.0.1:1/x"}),
        appliance.post("/updates", {"bundle": "0" * 32}),
        appliance.post("/updates:roll-back"),
    ):
        assert answer.status_code == 409
        assert "an appliance that was installed from the ISO" in answer.json()["detail"]
