"""How many may come in from the network, and for how long they may keep the API waiting; over real sockets."""

import asyncio
import json
import resource
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trustme

from backend.tests.wiring import add_token, serving
from lunette.api import door, guard
from lunette.api.door import HEAD_BYTES, Guest, Limits, Room, limits_here, source_of
from lunette.api.parts import Parts
from lunette.api.routes import updates
from lunette.domain.roles import Role

SHORT = Limits(in_all=5, per_source=3, handshake_s=0.5, head_s=0.5, rest_s=0.5, take_s=0.5, parting_s=0.5)
HEALTH = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
SOON_S = 20.0
"""For what takes half a second on a machine that has nothing else to do."""


@pytest.fixture
def port(parts: Parts) -> Iterator[int]:
    with serving(parts, limits=SHORT) as (address, _):
        yield int(address.rpartition(":")[2])


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), SOON_S, (source, 0))
    made.settimeout(SOON_S)
    return made


def answer(peer: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """The next answer on a connection: status, headers, body."""
    got = b""
    while b"\r\n\r\n" not in got:
        more = peer.recv(65536)
        assert more, f"the connection ended after {got!r}"
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += peer.recv(65536)
    return int(first.split()[1]), headers, body


def is_over(peer: socket.socket) -> bool:
    """True once the server has ended the connection, whatever it said before."""
    try:
        while peer.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def ends_while_bytes_drip_in(peer: socket.socket) -> bool:
    until = time.monotonic() + SOON_S
    try:
        while time.monotonic() < until:
            peer.sendall(b"x")
            time.sleep(0.05)
    except ConnectionError:
        return True
    return False


def is_in(port: int, source: str = "127.0.0.1") -> bool:
    """True if a new connection is answered."""
    with closing(connected(port, source)) as peer:
        try:
            peer.sendall(HEALTH)
            return bool(peer.recv(1))
        except ConnectionError:
            return False


def soon(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + SOON_S
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_client_has_one_ipv4_address_or_a_whole_ipv6_network(address: str, source: str) -> None:
    assert source_of(address) == source


@pytest.mark.parametrize(
    ("files", "in_all", "per_source"),
    [(65536, 600, 150), (resource.RLIM_INFINITY, 600, 150), (856, 600, 150), (512, 256, 64), (100, 16, 8)],
)
def test_connections_leave_file_descriptors_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, files: int, in_all: int, per_source: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (files, files))
    limits = limits_here()
    assert (limits.in_all, limits.per_source) == (in_all, per_source)


class Visitor(Guest):
    """Whether it was sent away."""

    def __init__(self, source: str, *, at_work: bool = False) -> None:
        super().__init__(source)
        self._at_work, self.is_sent_away = at_work, False

    @property
    def is_at_work(self) -> bool:
        return self._at_work

    def end(self) -> None:
        self.is_sent_away = True


def test_a_room_counts_by_source_and_in_all_and_forgets_who_left() -> None:
    room = Room(Limits(in_all=3, per_source=2))
    first, second, third = Visitor("a", at_work=True), Visitor("a", at_work=True), Visitor("a")
    assert [room.enter(first), room.enter(second), room.enter(third)] == [True, True, False]
    other = Visitor("b", at_work=True)
    assert [room.enter(other), room.enter(Visitor("c"))] == [True, False]
    room.leave(first)
    room.leave(first)
    assert (room.enter(Visitor("c")), len(room)) == (True, 3)


def test_who_has_the_most_gives_one_up_for_who_has_fewer() -> None:
    room = Room(Limits(in_all=4, per_source=3))
    at_work, older, newer = Visitor("a", at_work=True), Visitor("a"), Visitor("a")
    single = Visitor("b")
    assert all(room.enter(one) for one in (at_work, older, newer, single))
    assert room.enter(Visitor("c"))
    assert [one.is_sent_away for one in (at_work, older, newer, single)] == [False, True, False, False]
    assert len(room) == 4
    assert room.enter(Visitor("d"))
    assert newer.is_sent_away
    assert room.enter(Visitor("e")), "all have one, and who comes has none"
    assert single.is_sent_away
    assert not room.enter(Visitor("c")), "who has as many as anybody takes nothing away"
    assert len(room) == 4


def test_one_source_has_so_many_connections_and_no_more(port: int) -> None:
    held = [connected(port) for _ in range(3)]
    for peer in held:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
    assert not is_in(port)
    assert is_in(port, "127.0.0.2")
    held.pop().close()
    assert soon(lambda: is_in(port))
    for peer in held:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200, "who was in before is still served"
        peer.close()


def test_all_sources_together_have_so_many_connections_and_the_oldest_idle_one_goes(port: int) -> None:
    held = [connected(port, source) for source in ("127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.3")]
    for peer in held:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
    assert is_in(port, "127.0.0.4")
    with closing(held.pop(0)) as oldest:
        assert is_over(oldest)
    for peer in held:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
        peer.close()


@pytest.mark.parametrize("begun", [b"", b"GET /api/v1/hea", b"GET / HTTP/1.1\r\nHost: x\r\nX: y\r\n"])
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
    ],
    ids=["address", "one header", "many headers", "no HTTP", "two hosts"],
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


def test_an_upload_that_stops_is_refused_and_one_that_goes_on_is_not(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "PIECE_S", 0.4)
    token = add_token(parts.store, Role.ADMINISTRATOR)
    monkeypatch.setattr(updates, "_folder", lambda _parts: tmp_path)  # as on an appliance, which has two slots
    head = f"POST /api/v1/updates/bundle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    with (
        serving(parts, limits=SHORT) as (address, _),
        closing(connected(int(address.rpartition(":")[2]))) as peer,
    ):
        peer.sendall(head.encode() + b"Content-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(6):
            peer.sendall(b"x")
            time.sleep(0.1)
        status, _, body = answer(peer)
        assert (status, json.loads(body)["type"]) == (408, "too-slow")


def test_an_answer_that_is_not_taken_is_given_up(parts: Parts) -> None:
    token = add_token(parts.store, Role.ADMINISTRATOR)
    asked = f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    with serving(parts, limits=SHORT) as (address, server), closing(socket.socket()) as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.connect(("127.0.0.1", int(address.rpartition(":")[2])))
        peer.sendall(asked * 20)
        assert soon(lambda: len(server.server_state.connections) == 1)
        assert soon(lambda: not server.server_state.connections)


def test_a_stream_of_events_goes_on_beyond_every_limit(port: int, parts: Parts) -> None:
    token = add_token(parts.store, Role.ADMINISTRATOR)
    with closing(connected(port)) as peer:
        peer.sendall(f"GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert answer(peer)[0] == 200
        peer.settimeout(SHORT.head_s * 3)
        with pytest.raises(TimeoutError):
            is_over(peer)


def test_tls_that_is_not_spoken_ends_in_time_and_counts_before(parts: Parts, tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with serving(parts, certificate=certificate, key=key, limits=SHORT) as (address, _):
        port = int(address.rpartition(":")[2])

        def is_served() -> bool:
            try:
                with closing(context.wrap_socket(connected(port), server_hostname="localhost")) as peer:
                    peer.sendall(HEALTH)
                    return answer(peer)[0] == 200
            except (OSError, AssertionError):
                return False

        silent = [connected(port) for _ in range(3)]
        with closing(connected(port)) as one_more:
            assert is_over(one_more)
        for peer in silent:
            assert is_over(peer)
            peer.close()
        assert soon(is_served), "who was silent has left room"


def test_a_kernel_without_descriptors_ends_no_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the kernel's own for it; waiting for the next connection goes on."""
    monkeypatch.setattr(door, "PAUSE_S", 0.01)
    failing = threading.Event()
    failing.set()

    async def scene() -> int:
        loop = asyncio.get_running_loop()
        accept = loop.sock_accept

        async def sock_accept(listener: socket.socket) -> tuple[socket.socket, object]:
            if failing.is_set():
                raise OSError(24, "Too many open files")
            return await accept(listener)

        monkeypatch.setattr(loop, "sock_accept", sock_accept)
        (listener,) = await door.listen("127.0.0.1", 0)
        came = asyncio.Event()

        def let_in() -> door.HttpProtocol:
            came.set()
            raise OSError("nothing of HTTP here")

        made = door.Door(listener, Room(SHORT), SHORT, None, let_in)
        await asyncio.sleep(0.05)
        failing.clear()
        peer = await asyncio.to_thread(connected, listener.getsockname()[1])
        await asyncio.wait_for(came.wait(), SOON_S)
        peer.close()
        made.close()
        await made.wait_closed()
        return listener.fileno()

    assert asyncio.run(scene()) == -1
