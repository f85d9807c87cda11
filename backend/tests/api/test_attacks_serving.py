"""What a client without a login does to the real API process affects neither exports nor changes.

The real agent works on the fake machine behind its socket. During continuous attacks, what was removed from the
kernel's configuration is restored within the usual time, and a change by an administrator completes.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.tests.api.test_attacks import connected, post, secured, send
from backend.tests.api.test_main import Process, one_time, started
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api
from lunette.agent.core import Agent
from lunette.agent.server import Server, listen
from lunette.engine.exports.reconciler import PERIOD_S
from tests.machines import pace

REPAIRED_S = 2 * PERIOD_S
"""A round of the reconciler may just have begun when something is taken away."""
QUIET_S = 3.0
"""After it no round follows on a change: what is taken away then waits for the next one of the clock."""
CHANGED_S = 30.0
PORTAL = f"{ADDRESS}:3260"
THREADS = 12
pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("attacks")]

Attack = Callable[[Process, str], object]
"""One round from a source address."""


def guess(victim: Process, source: str) -> None:
    post(victim, source, json.dumps({"username": "admin", "password": "wrong"}).encode())


def make_mistakes(victim: Process, source: str) -> None:
    post(victim, source, json.dumps({f"k{number}": 1 for number in range(600)}).encode())


def send_head_without_end(victim: Process, source: str) -> None:
    with contextlib.closing(secured(victim, source)) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nX: ")
        send(peer, b"a" * 65536, 3000)


def send_chunks(victim: Process, source: str) -> None:
    with contextlib.closing(secured(victim, source)) as peer:
        peer.sendall(b"POST /api/v1/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        send(peer, b"1\r\na\r\n" * 10_000, 5)


def hold_connections(victim: Process, source: str) -> None:
    with contextlib.ExitStack() as held:
        for _ in range(50):
            held.enter_context(contextlib.closing(connected(victim, source)))
        time.sleep(0.5)


ATTACKS: dict[str, Attack] = {
    "guessed passwords": guess,
    "mistakes": make_mistakes,
    "heads without end": send_head_without_end,
    "chunks": send_chunks,
    "connections without a request": hold_connections,
}


class Attackers:
    """Some at once, each with addresses of its own, until the end of the block; they take turns at the attacks."""

    def __init__(self, victim: Process, attacks: list[Attack]) -> None:
        self._victim, self._attacks = victim, attacks
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(THREADS)]
        self.rounds = [0] * THREADS

    def _run(self, number: int) -> None:
        attack = self._attacks[number % len(self._attacks)]
        while not self._over.is_set():
            with contextlib.suppress(OSError):
                attack(self._victim, f"127.0.{number + 7}.{self.rounds[number] % 200 + 1}")
            self.rounds[number] += 1

    def __enter__(self) -> "Attackers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def process(tmp_path: Path, agent: Agent) -> Iterator[Process]:
    """The API, and the agent behind its socket, without its own timer: it repairs what the API asks for."""
    server = Server(agent, listen(str(tmp_path / "agent.sock")), frozenset({os.getuid()}))
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        with started(tmp_path) as made:
            yield made
    finally:
        server.stop()
        thread.join(60)


@pytest.fixture
def admin(process: Process) -> Iterator[Api]:
    """An open login. The one-time password is changed, as anybody does it first."""
    with process.client() as http:
        password = one_time(process)
        process.log_in(http, password)
        body = {"current_password": password, "new_password": "chosen by a person"}
        assert http.post("/api/v1/password", json=body).status_code == 204
        yield Api(http)


def serve_one(api: Api) -> str:
    """Volume `one` for host `db` by a portal; the name of its target."""
    make_array(api, disks=3)
    api.made("/volumes", {"name": "one", "array": "tank", "size_bytes": "16MiB"})
    host = api.made("/hosts", {"name": "db", "iqns": ["iqn.2026-01.com.example:db"]})
    api.made("/portals", {"name": "front", "address": ADDRESS})
    api.made("/mappings", {"volume": "one", "host": "db"})
    target: str = host["target_iqn"]
    return target


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([*ATTACKS], id="all at once"),
        *(pytest.param([name], id=name, marks=pytest.mark.slow) for name in ATTACKS),
    ],
)
def test_exports_are_repaired_and_changes_made_while_strangers_attack(
    process: Process, admin: Api, machine: FakeSystem, names: list[str]
) -> None:
    group = f"/sys/kernel/config/target/iscsi/{serve_one(admin)}/tpgt_1"
    portal = f"{group}/np/{PORTAL}"
    admin.until(lambda: {one["state"] for one in admin.items("/mappings")} == {"open"})
    time.sleep(QUIET_S)
    with Attackers(process, [ATTACKS[name] for name in names]) as attackers:
        machine.rmdir(portal)
        admin.until(lambda: machine.is_dir(portal), pace.within(REPAIRED_S))
        began = time.monotonic()
        admin.made("/volumes", {"name": "two", "array": "tank", "size_bytes": "16MiB"})
        admin.made("/mappings", {"volume": "two", "host": "db"})
        admin.until(lambda: machine.is_dir(f"{group}/lun/lun_2"), pace.within(CHANGED_S))
        assert time.monotonic() - began <= pace.within(CHANGED_S)
    assert min(attackers.rounds) > 0, "each attacked"
