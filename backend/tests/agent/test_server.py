"""The socket for real: who gets in, what is answered, and what a broken peer does to the others."""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from pydantic import BaseModel

from backend.tests.agent.exports import CHAP, exports, initiator, target
from backend.tests.fakemachine import FakeSystem
from lunette.agent import server as agent_server
from lunette.agent.core import Agent
from lunette.agent.server import MAX_CONNECTIONS, MESSAGE_S, SMALL_BYTES, Server, listen
from lunette.domain.agent_protocol import (
    MAX_MESSAGE_BYTES,
    PROTOCOL_VERSION,
    Converge,
    DoStep,
    Envelope,
    Hello,
    Observe,
    ObserveForeign,
    ObserveSessions,
    ProblemReply,
    UndoStep,
)
from lunette.domain.errors import AgentAway, InUse, ProblemType
from lunette.domain.steps import ExportsGone
from lunette.system.agent_client import AgentClient
from lunette.system.framing import PeerClosed
from tests.machines.pace import deadline

NOBODY = 65534
_INTRUDER = """
import os
from lunette.domain.agent_protocol import Hello
from lunette.system.agent_client import AgentClient
os.setgroups([])
os.setresuid({uid}, {uid}, {uid})
print(AgentClient({path!r}).call(Hello()).model_dump_json())
"""


HELLO = b'{"version": 4, "request": {"kind": "hello"}}'
SHORT_S = 0.5


def framed(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


def is_open(peer: socket.socket) -> bool:
    """True if the agent has neither said anything on it nor closed it."""
    peer.settimeout(0.05)
    try:
        return bool(peer.recv(1))
    except TimeoutError:
        return True


def soon(holds: Callable[[], bool]) -> bool:
    until = deadline(20)
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def is_refused(peer: socket.socket, data: bytes) -> bool:
    try:
        peer.sendall(data)
    except ConnectionError:
        return True
    return False


class OtherReply(BaseModel):
    """As another version might send it."""

    kind: str
    answer: dict[str, str]


class Running:
    def __init__(self, folder: Path, uids: frozenset[int], message_s: float = MESSAGE_S) -> None:
        self.path = str(folder / "agent.sock")
        machine = FakeSystem()
        machine.add_disks(2)
        machine.run(["modprobe", "target_core_mod"])
        self.agent = Agent(machine)
        self.server = Server(self.agent, listen(self.path), uids, message_s=message_s)
        self.pings = 0
        self.thread = threading.Thread(target=self.server.serve, args=(self._alive,))
        self.thread.start()
        self.client = AgentClient(self.path, answer_s=60)

    def _alive(self) -> None:
        self.pings += 1

    def connected(self) -> socket.socket:
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(60)
        peer.connect(self.path)
        return peer

    def stop(self) -> None:
        self.server.stop()
        self.thread.join(60)
        assert not self.thread.is_alive()

    def raw(self, payload: bytes) -> dict[str, object]:
        """Send bytes as one message; the reply as plain JSON."""
        with self.connected() as peer:
            peer.sendall(framed(payload))
            answer = peer.makefile("rb")
            (length,) = struct.unpack(">I", answer.read(4))
            found: dict[str, object] = json.loads(answer.read(length))
            return found


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    started = Running(tmp_path, frozenset({os.getuid()}))
    yield started
    started.stop()


@pytest.fixture
def hurried(tmp_path: Path) -> Iterator[Running]:
    """One that gives clients little time."""
    started = Running(tmp_path, frozenset({os.getuid()}), SHORT_S)
    yield started
    started.stop()


def test_every_request_is_answered_in_its_kind(running: Running) -> None:
    assert running.client.ask(Hello()).version == PROTOCOL_VERSION
    assert len(running.client.ask(Observe()).disks) == 2
    assert running.client.ask(ObserveSessions()).sessions == ()
    assert running.client.ask(Converge(wanted=exports())).accepted
    assert not running.client.ask(DoStep(job_id="j", step=ExportsGone(volume_ids=("v",), deadline_s=0))).changed
    assert not running.client.ask(UndoStep(job_id="j", step=ExportsGone(volume_ids=("v",), deadline_s=0))).changed


def test_a_refusal_of_the_agent_is_raised_again_as_what_it_was(running: Running) -> None:
    target_without_portal = exports(targets=(target(31, [initiator(41)], []),))
    mapped = target_without_portal.model_dump(mode="json")
    mapped["targets"][0]["luns"] = [{"mapping_id": "m", "lun": 1, "volume_id": "v"}]
    running.client.ask(Converge(wanted=type(target_without_portal).model_validate(mapped)))
    with pytest.raises(InUse, match="still exported"):
        running.client.ask(DoStep(job_id="j", step=ExportsGone(volume_ids=("v",), deadline_s=0)))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"not json",
        b"[]",
        b'{"version": 4, "request": {"kind": "run", "argv": ["id"]}}',
        b'{"version": 1, "request": {"kind": "hello"}}',
        b'{"version": 5, "request": {"kind": "hello"}}',
        b'{"version": 4, "request": {"kind": "hello", "more": 1}}',
        b'{"version": 4, "request": {"kind": "do_step", "job_id": "j", "step": {"kind": "shell", "line": "id"}}}',
        b"\xff\xfe",
    ],
)
def test_what_is_not_in_the_closed_set_is_refused(running: Running, payload: bytes) -> None:
    answer = running.raw(payload)
    assert (answer["kind"], answer["type"]) == ("problem", "malformed")
    assert running.client.ask(Hello()).version == PROTOCOL_VERSION


def test_a_refused_request_puts_no_secret_into_the_log(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    wanted = Envelope(request=Converge(wanted=exports(targets=(target(31, [initiator(41, CHAP)], []),))))
    document = json.loads(wanted.model_dump_json())
    document["request"]["wanted"]["targets"][0]["initiators"][0]["chap"]["secret"] = {"text": "secretsecret1"}
    answer = running.raw(json.dumps(document).encode())
    assert answer["type"] == "malformed"
    assert "refused" in caplog.text
    assert "secretsecret1" not in caplog.text


def test_a_message_too_large_ends_the_connection_and_no_other(running: Running) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(60)
        peer.connect(running.path)
        peer.sendall(struct.pack(">I", MAX_MESSAGE_BYTES + 1))
        assert peer.recv(1) == b""
    assert running.client.ask(Hello()).version == PROTOCOL_VERSION


def test_a_silent_peer_delays_no_one(running: Running) -> None:
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as half:
        silent.connect(running.path)
        half.connect(running.path)
        half.sendall(b"\0\0")
        assert running.client.ask(Hello()).version == PROTOCOL_VERSION


def test_a_bug_in_the_agent_is_a_problem_not_an_end(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.agent, "hello", lambda: 1 // 0)
    answer = running.raw(HELLO)
    assert answer["type"] == "internal"
    assert "ZeroDivision" not in str(answer["detail"])
    assert len(running.client.ask(Observe()).disks) == 2


def test_the_socket_is_closed_to_everybody_else(running: Running) -> None:
    assert Path(running.path).stat().st_mode & 0o007 == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter. Each pytest run that starts in parallel closes pytest's own folders again."""
    with tempfile.TemporaryDirectory(prefix="lunette-agent-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_whatever_the_file_mode(open_folder: Path) -> None:
    running = Running(open_folder, frozenset({0}))
    try:
        Path(running.path).chmod(0o666)
        script = _INTRUDER.format(uid=NOBODY, path=running.path)
        found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert '"type":"forbidden"' in found.stdout, found.stderr
        allowed = _INTRUDER.format(uid=0, path=running.path)
        found = subprocess.run([sys.executable, "-c", allowed], capture_output=True, text=True, check=False)
        assert '"kind":"answer"' in found.stdout, found.stderr
    finally:
        running.stop()


def test_an_absent_agent_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(AgentAway, match="lunette-agent"):
        AgentClient(str(tmp_path / "nothing.sock")).ask(Hello())


def test_an_agent_that_answers_too_slowly_is_dropped_at_the_deadline(tmp_path: Path) -> None:
    """A timeout per read would never strike: the deadline is for the whole answer."""
    path = str(tmp_path / "slow.sock")
    with listen(path) as listener:
        stop = threading.Event()

        def trickle() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.sendall(struct.pack(">I", 1000))
                while not stop.wait(0.05):
                    try:
                        peer.sendall(b" ")
                    except OSError:
                        return

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            with pytest.raises(AgentAway, match="in time"):
                AgentClient(path, answer_s=0.5).ask(Hello())
        finally:
            stop.set()
            thread.join(5)


def test_a_reply_that_is_not_known_puts_no_secret_into_the_log(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = OtherReply(kind="answer", answer={"key": "secretsecret1"})
    monkeypatch.setattr(agent_server, "answer", lambda *_: reply)
    with pytest.raises(AgentAway) as refused:
        running.client.ask(ObserveForeign())
    assert "extra_forbidden" in refused.value.log
    assert "secretsecret1" not in refused.value.log


def test_a_problem_retains_its_class_on_the_way() -> None:
    refusal = InUse("it is in use", log="details")
    again = ProblemReply.of(refusal).as_error()
    assert (type(again), again.detail, again.log) == (InUse, "it is in use", "details")
    assert ProblemReply.of(refusal).type is ProblemType.IN_USE


@pytest.mark.parametrize(
    "begun", [b"", b"\0\0", framed(HELLO)[:-1]], ids=["nothing", "half a length", "half a message"]
)
def test_where_all_connections_are_taken_the_oldest_without_a_request_is_closed(running: Running, begun: bytes) -> None:
    held = [running.connected() for _ in range(MAX_CONNECTIONS)]
    for peer in held:
        peer.sendall(begun)
    try:
        assert running.client.ask(Hello()).version == PROTOCOL_VERSION
        assert not is_open(held[0])
        assert is_open(held[-1])
    finally:
        for peer in held:
            peer.close()


def test_a_request_that_was_begun_has_its_time_and_an_idle_connection_has_no_limit(hurried: Running) -> None:
    with hurried.connected() as idle, hurried.connected() as half:
        half.sendall(framed(HELLO)[:-1])
        assert half.recv(1) == b""
        assert is_open(idle)
        idle.settimeout(60)
        idle.sendall(framed(HELLO))
        assert idle.recv(1)


def test_a_request_that_arrives_too_slowly_is_dropped(hurried: Running) -> None:
    with hurried.connected() as peer:
        peer.sendall(struct.pack(">I", 10_000))
        assert soon(lambda: is_refused(peer, b" "))


def test_replies_that_are_not_received_end_the_connection(hurried: Running) -> None:
    with hurried.connected() as peer:
        assert soon(lambda: is_refused(peer, framed(HELLO) * 1000))


def test_the_watchdog_is_pinged_while_every_connection_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_server, "_ACCEPT_S", 0.1)
    running = Running(tmp_path, frozenset({os.getuid()}))
    known = running.agent.await_change(0, 0)
    waits = f'{{"version": 4, "request": {{"kind": "await_change", "known": {known}, "timeout_s": 60}}}}'
    held = [running.connected() for _ in range(MAX_CONNECTIONS)]
    try:
        for peer in held:
            peer.sendall(framed(waits.encode()))
        with running.connected() as one_more:
            one_more.sendall(framed(HELLO))
            before = running.pings
            assert soon(lambda: running.pings > before + 3)
            assert is_open(one_more)
            assert all(is_open(peer) for peer in held[:3])
            running.agent.changes.happened()
            one_more.settimeout(60)
            assert one_more.recv(1)
    finally:
        running.stop()
        for peer in held:
            peer.close()


def test_large_requests_wait_until_there_is_memory_and_small_ones_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = HELLO + b" " * (2 * SMALL_BYTES)
    monkeypatch.setattr(agent_server, "MEMORY_BYTES", len(large) + SMALL_BYTES)
    running = Running(tmp_path, frozenset({os.getuid()}))
    try:
        with running.connected() as first, running.connected() as second:
            first.sendall(framed(large)[:-1])
            time.sleep(0.2)
            second.sendall(framed(large))
            assert is_open(second)
            assert running.client.ask(Hello()).version == PROTOCOL_VERSION
            first.sendall(b" ")
            assert first.recv(1)
            second.settimeout(60)
            assert second.recv(1)
    finally:
        running.stop()


def test_the_memory_of_large_requests_is_given_back(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bool] = []
    monkeypatch.setattr(agent_server, "give_back", lambda: given.append(True))
    for payload in (HELLO, HELLO + b" " * SMALL_BYTES, HELLO):
        running.raw(payload)
    assert soon(lambda: given == [True])
    monkeypatch.setattr(running.server, "_send", Mock(side_effect=PeerClosed("the client left")))
    with running.connected() as peer:
        peer.sendall(framed(HELLO + b" " * SMALL_BYTES))
        assert soon(lambda: given == [True, True])


def test_connections_that_wait_for_memory_are_closed_too(running: Running) -> None:
    held = [running.connected() for _ in range(MAX_CONNECTIONS)]
    for peer in reversed(held):  # the youngest has the memory
        peer.sendall(struct.pack(">I", MAX_MESSAGE_BYTES) + b"{")
        time.sleep(0.01)
    before = time.monotonic()
    try:
        assert running.client.ask(Hello()).version == PROTOCOL_VERSION
        assert time.monotonic() - before < 9, "none waited for the next look at the watchdog"
    finally:
        for peer in held:
            peer.close()


def test_a_client_waits_for_its_turn_where_the_queue_is_full(tmp_path: Path) -> None:
    path = str(tmp_path / "agent.sock")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(path)
        listener.listen(0)
        first.connect(path)
        answered: list[AgentAway] = []

        def ask() -> None:
            with pytest.raises(AgentAway) as caught:
                AgentClient(path, answer_s=60).ask(Hello())
            answered.append(caught.value)

        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(0.5)
        assert answered == []
        for _ in range(2):
            listener.accept()[0].close()
        asking.join(30)
        assert "Resource temporarily" not in answered[0].detail
