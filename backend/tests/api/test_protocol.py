"""How long a connection may keep the API waiting, and what it may cost; over real sockets, plain and with TLS."""

import gc
import json
import socket
import ssl
import struct
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from backend.tests.api.peers import (
    HEALTH,
    SHORT,
    SOON_S,
    answer,
    connected,
    ends_while_bytes_drip_in,
    is_in,
    is_over,
    soon,
)
from backend.tests.wiring import add_token, serving
from lunette.api.main import Server
from lunette.api.requests import guard
from lunette.api.requests.services import ApiServices
from lunette.api.routes import updates
from lunette.api.server.protocol import BUFFERED_BYTES, HEAD_BYTES, HttpProtocol
from lunette.domain.roles import Role


def test_a_silent_client_gets_no_answer(port: int) -> None:
    with closing(connected(port)) as peer:
        assert peer.recv(1) == b""


@pytest.mark.parametrize("begun", [b"G", b"GET /api/v1/hea", b"GET / HTTP/1.1\r\nHost: x\r\nX: y\r\n"])
def test_a_head_that_is_not_complete_in_time_ends_its_connection(port: int, begun: bytes) -> None:
    with closing(connected(port)) as peer:
        peer.sendall(begun)
        status, headers, body = answer(peer)
        assert (status, headers["content-type"]) == (408, "application/problem+json")
        assert json.loads(body)["type"] == "too-slow"
        assert is_over(peer)


def test_bytes_that_drip_in_lengthen_nothing(port: int) -> None:
    with closing(connected(port)) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert ends_while_bytes_drip_in(peer)


def test_between_two_requests_a_client_has_more_time_but_not_within_the_second(port: int) -> None:
    with closing(connected(port)) as peer:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
        time.sleep(SHORT.head_s * 2)
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
        peer.sendall(HEALTH[:-2])
        assert answer(peer)[0] == 408
        assert is_over(peer)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000,
        b"GET / HTTP/1.1\r\n" + b"X: aaaaaaaaaa\r\n" * 20_000,
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /api/v1/health\r\n\r\n",
        b"GET /api/v1/health HTTP/0.9\r\n\r\n",
        b"GET /api/v1/health HTTP/2.0\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /api/v1/login HTTP/0.9\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ids=[
        "address",
        "one header",
        "many headers",
        "no HTTP",
        "two hosts",
        "the same host twice",
        "no host",
        "0.9 as it was",
        "0.9 by number",
        "2.0",
        "the preface of 2.0",
        "0.9 with a body",
    ],
)
def test_a_head_that_is_too_long_or_none_is_refused_in_the_words_of_the_api(port: int, head: bytes) -> None:
    with closing(connected(port)) as peer:
        try:
            peer.sendall(head)
        except ConnectionError:  # refused before all of it was sent
            return
        try:
            status, headers, body = answer(peer)
        except ConnectionError:  # what it sent beyond the limit makes the kernel drop the answer
            return
        assert (status, headers["content-type"]) == (400, "application/problem+json")
        assert str(HEAD_BYTES) in json.loads(body)["detail"]
        assert is_over(peer)
    assert is_in(port)


def test_the_rest_of_a_body_that_was_refused_unread_is_not_waited_for(port: int) -> None:
    with closing(connected(port)) as peer:
        peer.sendall(b"POST /api/v1/hosts HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert answer(peer)[0] == 401
        assert ends_while_bytes_drip_in(peer)


def test_a_body_that_does_not_come_is_refused(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_S_PER_MIB", 0.3)
    with closing(connected(port)) as peer:
        peer.sendall(b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        status, _, body = answer(peer)
        assert (status, json.loads(body)["type"]) == (408, "too-slow")


def test_an_upload_that_stops_is_refused_and_one_that_continues_is_not(
    services: ApiServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "PIECE_S", 0.4)
    token = add_token(services.store, Role.ADMINISTRATOR)
    monkeypatch.setattr(updates, "_folder", lambda _parts: tmp_path)  # as on an appliance, which has two slots
    head = f"POST /api/v1/updates/bundle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    with (
        serving(services, limits=SHORT) as (address, _),
        closing(connected(int(address.rpartition(":")[2]))) as peer,
    ):
        peer.sendall(head.encode() + b"Content-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(6):
            peer.sendall(b"x")
            time.sleep(0.1)
        status, _, body = answer(peer)
        assert (status, json.loads(body)["type"]) == (408, "too-slow")


def test_an_answer_that_is_not_read_is_dropped(services: ApiServices) -> None:
    token = add_token(services.store, Role.ADMINISTRATOR)
    asked = f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    with serving(services, limits=SHORT) as (address, server), closing(socket.socket()) as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.connect(("127.0.0.1", int(address.rpartition(":")[2])))
        peer.sendall(asked * 20)
        assert soon(lambda: len(server.server_state.connections) == 1)
        assert soon(lambda: not server.server_state.connections)


def test_a_stream_of_events_continues_beyond_every_limit(port: int, services: ApiServices) -> None:
    token = add_token(services.store, Role.ADMINISTRATOR)
    with closing(connected(port)) as peer:
        peer.sendall(f"GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert answer(peer)[0] == 200
        peer.settimeout(SHORT.head_s * 3)
        with pytest.raises(TimeoutError):
            is_over(peer)


@pytest.fixture
def secured(services: ApiServices, tmp_path: Path) -> Iterator[tuple[Server, Callable[..., ssl.SSLSocket]]]:
    """A server that speaks TLS, with a file of 2 MB that everybody may have, and how to connect to it."""
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    certificate, key, page = tmp_path / "cert.pem", tmp_path / "key.pem", tmp_path / "page"
    certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    page.mkdir()
    (page / "index.html").write_text("<html></html>")
    (page / "big.js").write_bytes(bytes(2_000_000))
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with serving(replace(services, ui=page), certificate=certificate, key=key, limits=SHORT) as (address, server):

        def connect(source: str = "127.0.0.1", receive_bytes: int | None = None) -> ssl.SSLSocket:
            made = socket.socket()
            if receive_bytes:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            made.bind((source, 0))
            made.settimeout(SOON_S)
            made.connect(("127.0.0.1", int(address.rpartition(":")[2])))
            return context.wrap_socket(made, server_hostname="localhost")

        yield server, connect


PART_OF_A_FILE = b"GET /big.js HTTP/1.1\r\nHost: x\r\nRange: bytes=0-60000\r\n\r\n"
Secured = tuple[Server, Callable[..., ssl.SSLSocket]]


@pytest.mark.parametrize("last", [PART_OF_A_FILE, PART_OF_A_FILE.replace(b"Host", b"Connection: close\r\nHost")])
@pytest.mark.parametrize("parts_with", ["close_notify", "reset", "nothing"])
def test_unread_answers_hold_a_connection_open_only_for_a_while(secured: Secured, last: bytes, parts_with: str) -> None:
    """However its client parts from it, and whatever asyncio has closed before; others are let in meanwhile."""
    server, connect = secured
    held = [connect(f"127.0.0.{number // 2 + 1}", 4096) for number in range(SHORT.in_all)]
    for peer in held:
        peer.setblocking(False)
        with suppress(ssl.SSLError, BlockingIOError):
            peer.sendall(PART_OF_A_FILE * 15)
        with suppress(ssl.SSLError, BlockingIOError):
            peer.sendall(last)
        if parts_with == "close_notify":
            with suppress(ssl.SSLError, BlockingIOError):
                peer.unwrap()
        elif parts_with == "reset":
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()

    def is_let_in() -> bool:
        try:
            with closing(connect("127.0.0.99")) as peer:
                peer.sendall(HEALTH)
                return answer(peer)[0] == 200
        except (OSError, AssertionError):
            return False

    assert soon(is_let_in)
    assert soon(lambda: len(server.servers[0]._open_connections) == 0)
    assert not server.server_state.connections
    assert is_let_in()
    for peer in held:
        peer.close()


def test_a_connection_that_was_reset_is_forgotten_at_once(secured: Secured) -> None:
    server, connect = secured
    protocols = []
    for _ in range(3):
        peer = connect()
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
        protocols += [weakref.ref(one) for one in server.server_state.connections]
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
    assert soon(lambda: gc.collect() >= 0 and not any(one() for one in protocols))


@pytest.mark.parametrize("asked", [PART_OF_A_FILE, HEALTH], ids=["large answers", "small answers"])
def test_what_is_not_taken_and_not_read_is_little(secured: Secured, asked: bytes) -> None:
    server, connect = secured
    with closing(connect(receive_bytes=4096)) as peer:
        peer.setblocking(False)
        for _ in range(40):
            with suppress(ssl.SSLError, BlockingIOError):
                peer.send(asked * 500)
            time.sleep(0.01)
            for one in tuple(server.server_state.connections):
                assert isinstance(one, HttpProtocol)
                assert one.waiting_bytes <= BUFFERED_BYTES + 64 * 1024
                assert len(one.conn.trailing_data[0]) <= 4 * HEAD_BYTES


@pytest.mark.parametrize("path", ["/api/v1/health", "/api/v1/events/stream", "/nothing"])
@pytest.mark.parametrize("body", [b"zz\r\n", b"1\r\na\r\n" * 4000, b"1\r\na\r\n" * 20 + b"zz\r\n"])
def test_an_unread_body_in_chunks_ends_the_connection_and_leaves_no_trace(
    port: int, capsys: pytest.CaptureFixture[str], path: str, body: bytes
) -> None:
    capsys.readouterr()
    for _ in range(3):
        with closing(connected(port)) as peer:
            head = f"GET {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            with suppress(ConnectionError):
                peer.sendall(head.encode() + body)
            assert is_over(peer)
    reported = capsys.readouterr()
    assert "Traceback" not in reported.err + reported.out
    assert "crashed" not in reported.err


def test_chunks_of_one_byte_delay_no_one(port: int) -> None:
    """Each is as much work as a long one: the others have their turn after a few."""
    held = [connected(port, f"127.0.0.{number + 1}") for number in range(4)]
    for peer in held:
        peer.sendall(b"POST /api/v1/updates/bundle HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        peer.setblocking(False)
        with suppress(BlockingIOError, ConnectionError):
            peer.send(b"1\r\na\r\n" * 200_000)
    assert is_in(port, "127.0.0.99")
    for peer in held:
        peer.close()


def test_who_has_not_logged_in_sends_no_chunks(port: int) -> None:
    with closing(connected(port)) as peer:
        head = b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        peer.sendall(head + b"1\r\na\r\n" * 50)
        status, _, body = answer(peer)
        assert (status, json.loads(body)["type"]) == (411, "length-required")


def test_a_body_in_chunks_is_read_for_a_logged_in_user(port: int, services: ApiServices) -> None:
    token = add_token(services.store, Role.ADMINISTRATOR)
    spec = json.dumps({"name": "chunked"}).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in spec) + b"0\r\n\r\n"
    with closing(connected(port)) as peer:
        head = f"POST /api/v1/hosts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        peer.sendall(head.encode() + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        assert answer(peer)[0] == 201
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200


def test_many_requests_in_one_piece_are_all_answered(port: int) -> None:
    with closing(connected(port)) as peer:
        peer.sendall(HEALTH * 300)
        got = b""
        while got.count(b"HTTP/1.1 200") < 300:
            more = peer.recv(65536)
            assert more, f"only {got.count(b'HTTP/1.1 200')} answers"
            got += more


def test_a_second_request_in_the_same_piece_has_no_longer_head_either(port: int) -> None:
    with closing(connected(port)) as peer:
        peer.sendall(HEALTH + b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 1000 + b"\r\n")
        got = b""
        while more := peer.recv(65536):
            got += more
        assert [got.count(b"HTTP/1.1 200"), got.count(b"HTTP/1.1 400"), got.count(b'"malformed"')] == [1, 1, 1]


@pytest.mark.parametrize("half", [b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"])
def test_missing_bodies_block_no_one(port: int, half: bytes) -> None:
    held = [connected(port, f"127.0.0.{number // 2 + 1}") for number in range(SHORT.in_all)]
    for peer in held:
        peer.sendall(half)
    time.sleep(0.2)
    assert is_in(port, "127.0.0.99")
    for peer in held:
        peer.close()
