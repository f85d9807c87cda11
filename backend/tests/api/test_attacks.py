"""What a client without a login can do to the real process, attack by attack, while another client requests its health.

Each is one that an earlier version did not withstand. While it lasts, `/health` is answered within a second (on the
machine that the waits were chosen on), and at its end the process is as small as the unit's memory allows by far.
The time that the event loop and the client were ready to run and had no processor is not counted, since other work on
the machine takes it; with it an answer takes ten seconds at most.
"""

import contextlib
import json
import os
import resource
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.tests.api.test_main import Process, started
from lunette.api.requests.guard import PUBLIC_BODY_BYTES
from lunette.api.server.connections import RESERVE
from lunette.api.server.local import LOCAL_SOCKET
from tests.machines import pace

ANSWERED_S = 1.0
ON_THE_CLOCK_S = 10.0
MOST_RESIDENT = 400 * 1000 * 1000
"""Bytes. The idle process takes about 130 MB."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("attacks")]


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with started(tmp_path_factory.mktemp("victim")) as process:
        yield process


class Bystander:
    """Asks for health again and again from an address of its own, over a new connection each time."""

    def __init__(self, victim: Process) -> None:
        self._victim = victim
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self.took_s: list[float] = []
        """On the clock, by request."""
        self.ran_s: list[float] = []
        """Without the time in which no processor was free, by request."""
        self.failed: list[str] = []

    def _ask(self) -> None:
        while True:
            began, ready = time.monotonic(), self._ready_s()
            try:
                with contextlib.closing(secured(self._victim, "127.0.0.200")) as peer:
                    peer.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    answer = b""
                    while more := peer.recv(65536):
                        answer += more
                if not answer.startswith(b"HTTP/1.1 200"):
                    self.failed.append(answer[:100].decode())
            except OSError as error:
                self.failed.append(str(error))
            self.took_s.append(time.monotonic() - began)
            self.ran_s.append(self.took_s[-1] - (self._ready_s() - ready))
            if self._over.wait(0.05):
                return

    def _ready_s(self) -> float:
        """How long the event loop and this thread have waited for a processor (Documentation/scheduler/sched-stats)."""
        server, client = self._victim.process.pid, threading.get_native_id()
        threads = f"/proc/{server}/task/{server}", f"/proc/self/task/{client}"
        return sum(int(Path(one, "schedstat").read_text().split()[1]) for one in threads) / 1e9

    def __enter__(self) -> "Bystander":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()
        assert not self.failed
        assert self.took_s
        assert max(self.ran_s) <= pace.within(ANSWERED_S), (self.ran_s, self.took_s)
        assert max(self.took_s) <= pace.within(ON_THE_CLOCK_S), self.took_s
        assert resident(self._victim) < MOST_RESIDENT


def resident(victim: Process) -> int:
    """Bytes in memory, the most there were."""
    status = Path(f"/proc/{victim.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def connected(victim: Process, source: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", victim.port), 60, (source, 0))


def secured(victim: Process, source: str) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=victim.folder / "data/tls/cert.pem")
    return context.wrap_socket(connected(victim, source), server_hostname="localhost")


def send(peer: ssl.SSLSocket, piece: bytes, times: int) -> int:
    """Sends a piece again and again until it is refused; returns how often that was."""
    for number in range(times):
        try:
            peer.sendall(piece)
        except OSError:
            return number
    return times


def post(victim: Process, source: str, body: bytes) -> int:
    """The status of a login; 0 where the connection ended without one."""
    head = "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    try:
        with contextlib.closing(secured(victim, source)) as peer:
            with contextlib.suppress(OSError):
                peer.sendall(head.encode() + body)
            return int(peer.recv(65536).split()[1])
    except (OSError, IndexError):
        return 0


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET / HTTP/1.1\r\n", b"X: " + b"a" * 8000 + b"\r\n"),
        (b"GET / HTTP/1.1\r\nX: ", b"a" * 65536),
        (b"GET /", b"a" * 65536),
    ],
    ids=["headers without end", "a header without end", "an address without end"],
)
def test_heads_without_end(victim: Process, begin: bytes, piece: bytes) -> None:
    with Bystander(victim):
        for _ in range(20):
            with contextlib.closing(secured(victim, "127.0.0.1")) as peer:
                peer.sendall(begin)
                assert send(peer, piece, 3000) < 3000


def test_connections_that_say_half_a_request(victim: Process) -> None:
    """Two hundred from each of eight addresses; most are refused, and the others end by themselves.

    The process may have 1,024 files, as many as a service has by default. Root's own socket is answered all the same.
    """
    resource.prlimit(victim.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
    with Bystander(victim), contextlib.ExitStack() as held:
        for number in range(1, 9):
            for _ in range(200):
                peer = held.enter_context(contextlib.closing(connected(victim, f"127.0.0.{number}")))
                if number > 4:  # no TLS at all
                    with contextlib.suppress(OSError):
                        peer.sendall(b"GET / HTTP")
        assert len(list(Path(f"/proc/{victim.process.pid}/fd").iterdir())) < 1024 - RESERVE + 100
        if os.geteuid() == 0:
            assert as_root(victim, "/api/v1/me")["username"] == "root@local"


def as_root(victim: Process, path: str) -> dict[str, object]:
    """What root's socket answers."""
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as peer:
        peer.settimeout(60)
        peer.connect(str(victim.folder / "run" / LOCAL_SOCKET))
        peer.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while more := peer.recv(65536):
            answer += more
    found: dict[str, object] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


def test_connections_with_tls_that_say_half_a_request(victim: Process) -> None:
    with Bystander(victim), contextlib.ExitStack() as held:
        refused = 0
        for number in range(400):
            try:
                peer = held.enter_context(contextlib.closing(secured(victim, f"127.0.0.{number % 3 + 1}")))
                peer.sendall(b"GET / HTTP/1.1\r\nX: y\r\n")
            except OSError:
                refused += 1
    assert refused < 400


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 10_000),
        (b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 10_000),
        (
            b"POST /api/v1/updates/bundle HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"1\r\na\r\n" * 10_000,
        ),
        (b"GET / HTTP/1.1\r\n", b"a:\r\n" * 8_000 + b"\r\n"),
        (b"", b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n" * 2_000),
    ],
    ids=["chunks nobody reads", "chunks of a login", "chunks of an upload", "short headers", "requests in one piece"],
)
def test_much_work_in_little_data(victim: Process, head: bytes, piece: bytes) -> None:
    """From a hundred connections at once; each sends as much as it is let."""
    with contextlib.ExitStack() as held:
        peers = [held.enter_context(contextlib.closing(secured(victim, f"127.0.6.{n % 4 + 1}"))) for n in range(100)]
        with Bystander(victim):
            for peer in peers:
                peer.setblocking(False)
            for _ in range(5):
                for peer in peers:
                    with contextlib.suppress(OSError):
                        peer.send(head + piece)
                time.sleep(0.2)


def test_logins_side_by_side(victim: Process) -> None:
    body = json.dumps({"username": "admin", "password": "wrong"}).encode()
    with Bystander(victim), ThreadPoolExecutor(60) as pool:
        answered = list(pool.map(lambda number: post(victim, f"127.0.1.{number}", body), range(60)))
    assert set(answered) <= {401, 429}
    assert 429 in answered


def test_logins_with_a_hundred_thousand_mistakes(victim: Process) -> None:
    body = json.dumps({f"k{number}": 1 for number in range(95_000)}).encode()
    with Bystander(victim), ThreadPoolExecutor(8) as pool:
        answered = list(pool.map(lambda number: post(victim, f"127.0.2.{number}", body), range(32)))
    assert set(answered) <= {413, 0}  # 0: the rest of what was sent made the kernel drop the answer
    small = json.dumps({f"k{number}": 1 for number in range(600)}).encode()
    assert len(small) < PUBLIC_BODY_BYTES
    with Bystander(victim), ThreadPoolExecutor(8) as pool:
        answered = list(pool.map(lambda number: post(victim, f"127.0.3.{number}", small), range(200)))
    assert set(answered) == {422}


def test_invalid_text_leaves_few_lines_in_the_journal(tmp_path: Path) -> None:
    victim = Process(tmp_path)
    try:
        victim.wait()
        with Bystander(victim), ThreadPoolExecutor(8) as pool:
            body = b'{"username":"\\ud800","password":"x"}'
            answered = list(pool.map(lambda number: post(victim, f"127.0.4.{number % 200}", body), range(600)))
            for _ in range(300):
                with contextlib.closing(secured(victim, "127.0.5.1")) as peer:
                    peer.sendall(b"no HTTP at all\r\n\r\n")
                    peer.recv(1000)
        assert set(answered) == {400}
    finally:
        _, log, _ = victim.stop()
    assert len(log.splitlines()) < 200
