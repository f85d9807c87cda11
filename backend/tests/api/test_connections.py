"""How many may come in from the network, and for how long they may keep the API waiting; over real sockets."""

import asyncio
import resource
import socket
import ssl
import threading
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import trustme

from backend.tests.api.peers import (
    HEALTH,
    SHORT,
    SOON_S,
    answer,
    connected,
    is_in,
    is_over,
    soon,
)
from backend.tests.wiring import serving
from lunette.api.requests.services import ApiServices
from lunette.api.server import connections
from lunette.api.server.connections import LEAVING, Connection, Limits, OpenConnections, limits_here, source_of
from lunette.api.server.protocol import HttpProtocol


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


class Visitor(Connection):
    """Whether it was sent away."""

    def __init__(self, source: str, *, at_work: bool = False) -> None:
        super().__init__(source, socket.socket())
        self._peer.close()
        self._at_work, self.is_sent_away = at_work, False

    @property
    def is_at_work(self) -> bool:
        return self._at_work

    def end(self) -> None:
        self.is_sent_away = self.is_leaving = True


def test_a_room_counts_by_source_and_in_all_and_forgets_who_left() -> None:
    open_connections = OpenConnections(Limits(in_all=3, per_source=2))
    first, second, third = Visitor("a", at_work=True), Visitor("a", at_work=True), Visitor("a")
    assert [open_connections.enter(first), open_connections.enter(second), open_connections.enter(third)] == [
        True,
        True,
        False,
    ]
    other = Visitor("b", at_work=True)
    assert [open_connections.enter(other), open_connections.enter(Visitor("c"))] == [True, False]
    open_connections.leave(first)
    assert (open_connections.enter(Visitor("c")), len(open_connections)) == (True, 3)


def test_who_has_the_most_gives_one_up_for_who_has_fewer() -> None:
    open_connections = OpenConnections(Limits(in_all=4, per_source=3))
    at_work, older, newer = Visitor("a", at_work=True), Visitor("a"), Visitor("a")
    single = Visitor("b")
    assert all(open_connections.enter(one) for one in (at_work, older, newer, single))
    assert open_connections.enter(Visitor("c"))
    assert [one.is_sent_away for one in (at_work, older, newer, single)] == [False, True, False, False]
    open_connections.leave(older)
    assert open_connections.enter(Visitor("d"))
    assert newer.is_sent_away
    open_connections.leave(newer)
    assert open_connections.enter(Visitor("e")), "all have one, and who comes has none"
    assert single.is_sent_away
    open_connections.leave(single)
    assert not open_connections.enter(Visitor("c")), "who has as many as anybody takes nothing away"
    assert len(open_connections) == 4


def test_who_does_not_leave_though_sent_away_fills_the_room_no_further() -> None:
    open_connections = OpenConnections(Limits(in_all=10, per_source=10))
    for _ in range(10):
        assert open_connections.enter(Visitor("a"))
    entered = sum(open_connections.enter(Visitor(f"b{number}")) for number in range(200))
    assert len(open_connections) == 10 + entered <= 10 + LEAVING


def test_a_burst_of_connections_waits_for_a_busy_event_loop_and_none_of_them_is_dropped() -> None:
    """As many as in the attack of test_attacks.py. One that is dropped would be tried again a second later."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
    try:
        asyncio.run(come_while_busy(1600))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))


async def come_while_busy(count: int) -> None:
    """Raises TimeoutError at the first connection that the kernel does not accept."""
    (bound,) = await connections.listen("127.0.0.1", 0)
    limits = Limits()
    listener = connections.Listener(bound, OpenConnections(limits), limits, None, lambda: pytest.fail("let in"))
    await asyncio.sleep(0)
    with closing(bound), ExitStack() as peers:
        for number in range(count):  # nothing is awaited, so the event loop accepts nothing
            peer = peers.enter_context(closing(socket.socket()))
            peer.bind((f"127.0.0.{number % 8 + 1}", 0))
            peer.settimeout(0.9)
            peer.connect(bound.getsockname())
        listener.close()
        await listener.wait_closed()


def as_many_as_may(port: int) -> list[socket.socket]:
    """All connections that one source may have; one more is refused, and another source is let in."""
    held = [connected(port) for _ in range(3)]
    for peer in held:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
    assert not is_in(port)
    assert is_in(port, "127.0.0.2")
    return held


def test_one_source_has_so_many_connections_and_no_more(port: int) -> None:
    held = as_many_as_may(port)
    held.pop().close()
    assert soon(lambda: is_in(port))
    for peer in held:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200, "who was in before is still served"
        peer.close()


def test_no_part_of_an_answer_waits_for_an_acknowledgement_of_the_one_before(
    services: ApiServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also on a socket that does not name its protocol, for which asyncio sets nothing."""
    came: list[int] = []
    let_in = connections.Listener._is_let_in

    def noted(listener: connections.Listener, peer: socket.socket, address: str) -> bool:
        came.append(peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        return let_in(listener, peer, address)

    monkeypatch.setattr(connections.Listener, "_is_let_in", noted)
    with serving(services) as (url, _), connected(int(url.rpartition(":")[2])) as peer:
        peer.sendall(HEALTH)
        assert answer(peer)[0] == 200
    assert came == [1]


def test_all_sources_share_a_limit_and_the_oldest_idle_connection_is_closed(port: int) -> None:
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


def test_tls_that_is_not_spoken_ends_in_time_and_counts_before(services: ApiServices, tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with serving(services, certificate=certificate, key=key, limits=SHORT) as (address, _):
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


def test_a_kernel_without_descriptors_ends_no_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the kernel's own for this case; the listener continues to wait for connections."""
    monkeypatch.setattr(connections, "PAUSE_S", 0.01)
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
        (listener,) = await connections.listen("127.0.0.1", 0)
        came = asyncio.Event()

        def let_in() -> HttpProtocol:
            came.set()
            raise OSError("nothing of HTTP here")

        made = connections.Listener(listener, OpenConnections(SHORT), SHORT, None, let_in)
        await asyncio.sleep(0.05)
        failing.clear()
        peer = await asyncio.to_thread(connected, listener.getsockname()[1])
        await asyncio.wait_for(came.wait(), SOON_S)
        peer.close()
        made.close()
        await made.wait_closed()
        return listener.fileno()

    assert asyncio.run(scene()) == -1


def test_a_log_that_cannot_be_written_ends_no_listener(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def warning(self, *_given: object, **_named: object) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(connections, "_log", Broken())
    held = as_many_as_may(port)
    for peer in held:
        peer.close()
