"""A client of programs that speak JSON-RPC 2.0 on a Unix socket, such as SPDK's.

A connection lives for one round of requests: a late answer is lost with it, and never treated as the answer to another
request. Messages follow each other without a separator, so they are separated by their syntax.
"""

import json
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

from lunette.domain.errors import ToolFailed, Unavailable
from lunette.system.system_port import RpcAnswer, RpcCall

_READ_BYTES = 1 << 16
_MAX_BYTES = 1 << 26
"""More than any answer has: 1,000 subsystems came to 1.5 MB."""


def call(path: str, calls: Sequence[RpcCall], timeout_s: float) -> tuple[RpcAnswer, ...]:
    """Send all calls and collect their answers, in the order of the calls. As `System.call`."""
    if not calls:
        return ()
    deadline = time.monotonic() + timeout_s
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(timeout_s)
        try:
            peer.connect(path)
        except OSError as error:
            raise Unavailable(f"no program answers on {path} ({error.strerror or error}): start it") from error
        try:
            return _converse(peer, calls, deadline)
        except TimeoutError as error:
            raise ToolFailed(
                f"the program behind {path} did not answer within {timeout_s:.0f} s: see its journal",
                log=f"no answer to {', '.join(sorted({one.method for one in calls}))}",
            ) from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ToolFailed(
                f"the program behind {path} closed the connection: see its journal", log=repr(error)
            ) from error


def _converse(peer: socket.socket, calls: Sequence[RpcCall], deadline: float) -> tuple[RpcAnswer, ...]:
    """Reads while it writes: a program whose answers are not read stops reading too."""
    unsent = memoryview("".join(_requests(calls)).encode())
    answers: dict[int, RpcAnswer] = {}
    text, read = _Text(), 0
    while len(answers) < len(calls):
        peer.settimeout(0 if unsent else _left(deadline))
        try:
            part = peer.recv(_READ_BYTES)
        except BlockingIOError:
            peer.settimeout(min(0.05, _left(deadline)))
            try:
                unsent = unsent[peer.send(unsent) :]
            except TimeoutError:
                _left(deadline)
            continue
        if not part:
            raise ConnectionError("the connection was closed")
        read += len(part)
        if read > _MAX_BYTES:
            raise ValueError(f"more than {_MAX_BYTES} bytes of answers")
        for message in text.messages(part):
            answers[int(message["id"])] = _answer(message)
    return tuple(answers[number] for number in range(1, len(calls) + 1))


def _requests(calls: Sequence[RpcCall]) -> Iterator[str]:
    """SPDK refuses empty params, so they are left out."""
    for number, one in enumerate(calls, start=1):
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": one.method}
        yield json.dumps(message | ({"params": dict(one.params)} if one.params else {}))


def _answer(message: dict[str, Any]) -> RpcAnswer:
    if "error" not in message:
        return RpcAnswer(result=message["result"])
    return RpcAnswer(error=f"{message['error']['message']} ({message['error']['code']})")


class _Text:
    """Received data that is not a whole message yet."""

    def __init__(self) -> None:
        self._pending = b""

    def messages(self, part: bytes) -> Iterator[dict[str, Any]]:
        """The messages that are whole now. A long one is only tried when it could have ended."""
        self._pending += part
        if not self._pending.rstrip().endswith(b"}"):
            return
        text = self._pending.decode()
        at, decoder = 0, json.JSONDecoder()
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            try:
                message, at = decoder.raw_decode(text, at)
            except json.JSONDecodeError:
                break
            yield message
        self._pending = text[at:].encode()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the response timed out")
    return left
