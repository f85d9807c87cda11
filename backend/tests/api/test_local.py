"""Root's access: a Unix socket that admits one uid and no other, with a name of its own."""

import http.client
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

from backend.tests.wiring import AwayAgent, make_services
from lunette.api.app import make_app
from lunette.api.main import Server
from lunette.api.server.local import LOCAL_ADMINISTRATOR, ROOT, listen, peer_uid
from lunette.client import Client, Endpoint, Refused

ASK = """
import os, socket, sys
if sys.argv[2] != "-":
    os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
link = socket.socket(socket.AF_UNIX)
link.settimeout(20)
try:
    link.connect(sys.argv[1])
except PermissionError:
    print("kept out by the file"); sys.exit()
link.sendall(b"GET " + sys.argv[3].encode() + b" HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
answer = b""
while part := link.recv(65536):
    answer += part
print(answer.decode())
"""
NOBODY = "65534"


@contextmanager
def served(folder: Path, url: str, uids: frozenset[int]) -> Iterator[Path]:
    """The application on its Unix socket, for these uids."""
    services = make_services(folder, AwayAgent(), url)
    path = folder / "local.sock"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(make_app(services), log_level="warning", lifespan="on")
        server = Server(config, services.feed, listen(path), uids)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield path
        finally:
            server.should_exit = True
            thread.join(30)
            services.store.close()


@pytest.fixture
def socket_path(tmp_path: Path, sqlite_url: str) -> Iterator[Path]:
    """A door for the user who runs the tests, as root's is on an appliance."""
    with served(tmp_path, sqlite_url, frozenset({os.getuid()})) as path:
        yield path


def ask(path: Path, uid: str, target: str) -> str:
    argv = [sys.executable, "-c", ASK, str(path), uid, target]
    return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True).stdout


def test_a_local_request_is_the_administrator_and_events_say_so(socket_path: Path) -> None:
    with Client(Endpoint(f"unix:{socket_path}")) as client:
        me = client.me_show()
        assert (me["username"], me["role"]) == (LOCAL_ADMINISTRATOR, "administrator")
        client.host_create({"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
        (event,) = client.event_list(kind="host.created")
        assert event["actor"] == LOCAL_ADMINISTRATOR


def test_only_root_is_let_in_by_default() -> None:
    assert frozenset({0}) == ROOT


def test_the_file_is_closed_to_all_but_its_owner(socket_path: Path) -> None:
    assert stat.S_IMODE(socket_path.stat().st_mode) == 0o600


@pytest.mark.parametrize("target", ["/api/v1/me", "/api/v1/health", "/api/v1/status"])
def test_another_uid_is_refused_even_where_the_file_would_let_it_in(
    tmp_path: Path, sqlite_url: str, target: str
) -> None:
    """A socket for another uid represents any other one, so that the test needs no root."""
    with served(tmp_path, sqlite_url, frozenset({os.getuid() + 1})) as path:
        said = ask(path, "-", target)
    assert said.startswith("HTTP/1.1 403 Forbidden")
    assert json.loads(said.split("\n\n", 1)[1])["type"] == "forbidden"


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_an_unknown_user_is_not_admitted(socket_path: Path) -> None:
    for folder in list(socket_path.parents)[: -len(Path(tempfile.gettempdir()).parts)]:
        folder.chmod(0o755)
    assert ask(socket_path, NOBODY, "/api/v1/me").strip() == "kept out by the file"
    socket_path.chmod(0o666)
    assert ask(socket_path, NOBODY, "/api/v1/me").startswith("HTTP/1.1 403 Forbidden")
    assert '"username":"root@local"' in ask(socket_path, "-", "/api/v1/me")


def test_a_header_does_not_make_a_stranger_root(tmp_path: Path, sqlite_url: str) -> None:
    from fastapi.testclient import TestClient

    services = make_services(tmp_path, AwayAgent(), sqlite_url)
    with TestClient(make_app(services), base_url="https://testserver") as remote:
        for name in ("lunette.local", "X-Lunette-Local", "X-Forwarded-For"):
            assert remote.get("/api/v1/me", headers={name: "root"}).status_code == 401
    services.store.close()


def test_root_has_neither_password_nor_tokens(socket_path: Path) -> None:
    with Client(Endpoint(f"unix:{socket_path}")) as client:
        with pytest.raises(Refused, match="no account that could own a token"):
            client.token_create({"name": "mine"})
        with pytest.raises(Refused, match="no password here"):
            client.password_change({"current_password": "x", "new_password": "y" * 12})
        assert list(client.token_list()) == []


def test_a_socket_left_behind_by_a_crash_is_replaced(tmp_path: Path) -> None:
    listen(tmp_path / "local.sock").close()
    listen(tmp_path / "local.sock").close()
    assert stat.S_ISSOCK((tmp_path / "local.sock").stat().st_mode)


def test_the_kernel_says_who_is_at_the_other_end() -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert peer_uid(here) == os.getuid()


def test_requests_one_after_another_share_a_connection(socket_path: Path) -> None:
    link = http.client.HTTPConnection("localhost")
    link.sock = socket.socket(socket.AF_UNIX)
    link.sock.connect(str(socket_path))
    for _ in range(3):
        link.request("GET", "/api/v1/me")
        assert json.loads(link.getresponse().read())["username"] == LOCAL_ADMINISTRATOR
    link.close()
