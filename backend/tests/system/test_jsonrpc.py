"""The JSON-RPC client against programs that behave, and some that do not."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lunette.domain.errors import ToolFailed, Unavailable
from lunette.system import jsonrpc
from lunette.system.system_port import RpcCall

CALLS = [RpcCall(method="first", params={}), RpcCall(method="second", params={"a": 1})]


@contextmanager
def program(folder: Path, talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A program that lets one client in."""
    path = str(folder / "rpc.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen()

        def serve() -> None:
            peer, _ = listening.accept()
            with peer:
                talk(peer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield path
        thread.join(5)


def asked(peer: socket.socket, count: int) -> list[dict[str, object]]:
    text, decoder = "", json.JSONDecoder()
    found: list[dict[str, object]] = []
    while len(found) < count:
        text += peer.recv(65536).decode()
        while text:
            message, end = decoder.raw_decode(text)
            found.append(message)
            text = text[end:]
    return found


def test_answers_are_distinguished_and_ordered(tmp_path: Path) -> None:
    heard: list[dict[str, object]] = []

    def talk(peer: socket.socket) -> None:
        heard.extend(asked(peer, 2))
        later = {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Invalid parameters"}}
        peer.sendall(f"{json.dumps(later)}\n".encode() + b'{"jsonrpc": "2.0", "id": 1, "res')
        peer.sendall(b'ult": {"text": "a } \xc3\xbc"}}')

    with program(tmp_path, talk) as path:
        first, second = jsonrpc.call(path, CALLS, 60)
    assert (first.result, first.error) == ({"text": "a } ü"}, None)
    assert second.error == "Invalid parameters (-32602)"
    assert "params" not in heard[0]
    assert heard[1]["params"] == {"a": 1}


def test_many_requests_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """Both buffers are full long before the last request is sent: a client that only writes would hang."""
    many = [RpcCall(method="much", params={"text": "x" * 4000})] * 500

    def talk(peer: socket.socket) -> None:
        text, decoder, answered = "", json.JSONDecoder(), 0
        while answered < len(many):
            text += peer.recv(65536).decode()
            while text:
                try:
                    message, end = decoder.raw_decode(text)
                except json.JSONDecodeError:
                    break
                text, answered = text[end:], answered + 1
                peer.sendall(json.dumps({"id": message["id"], "result": "y" * 4000}).encode())

    with program(tmp_path, talk) as path:
        assert len(jsonrpc.call(path, many, 60)) == len(many)


def test_without_a_listener_nothing_was_done(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no program answers"):
        jsonrpc.call(str(tmp_path / "none.sock"), CALLS, 5)
    assert jsonrpc.call(str(tmp_path / "none.sock"), [], 5) == ()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (None, "did not answer within"),
        (b"", "closed the connection"),
        (b'{"id": "x"}', "closed the connection"),
        (b"\xff}", "closed the connection"),
    ],
)
def test_a_program_that_hangs_breaks_off_or_babbles_is_reported(
    tmp_path: Path, words: bytes | None, reason: str
) -> None:
    over = threading.Event()

    def talk(peer: socket.socket) -> None:
        asked(peer, 2)
        if words is None:
            over.wait(60)
        else:
            peer.sendall(words)

    with program(tmp_path, talk) as path:
        with pytest.raises(ToolFailed, match=reason):
            jsonrpc.call(path, CALLS, 0.3 if words is None else 60)
        over.set()
