"""The agent's Unix socket: admits only root and the API's user, and answers only requests of the closed set."""

import contextlib
import grp
import logging
import os
import pwd
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import ValidationError

from lunette.agent.answers import system_refused
from lunette.domain.agent_protocol import ENVELOPE, MAX_MESSAGE_BYTES, ProblemReply, Reply, answer_type
from lunette.domain.errors import Forbidden, LunetteError, Malformed
from lunette.system.agent_port import AgentPort
from lunette.system.framing import PeerClosed, receive_bytes, receive_length, send_message
from lunette.system.heap import give_back

log = logging.getLogger(__name__)
API_USER = "lunette-api"
MAX_CONNECTIONS = 64
MESSAGE_S = 60.0
"""Time for a client to send a message once it has begun, and again to receive the reply."""
MEMORY_BYTES = MAX_MESSAGE_BYTES
"""Limit for all requests together. One that converges 10,000 volumes has 6 MiB, and 10 MiB if each is mapped four
times.
"""
SMALL_BYTES = 64 * 1024
"""Requests up to this length do not wait for memory: at most MAX_CONNECTIONS of them exist."""
_PEERCRED = struct.Struct("3i")
_ACCEPT_S = 10.0


def answer(agent: AgentPort, payload: bytes) -> Reply:
    """The reply to one message, whatever it contains."""
    try:
        request = ENVELOPE.validate_json(payload).request
    except ValidationError as error:
        # The input is omitted because it may contain secrets.
        log.warning("request refused: %s", error.errors(include_input=False, include_url=False)[:3])
        return ProblemReply.of(Malformed(_why_refused(error)))
    try:
        return answer_type(type(request))(answer=agent.ask(request))
    except LunetteError as error:
        return ProblemReply.of(error)
    except OSError as error:
        log.exception("the system refused a request kind=%s", request.kind)
        return ProblemReply.of(system_refused(error))
    except Exception as error:
        log.exception("request failed kind=%s", request.kind)
        return ProblemReply.of(
            LunetteError(f"the agent failed to process a {request.kind} request: see its journal", log=repr(error))
        )


def _why_refused(error: ValidationError) -> str:
    """Names an invalid field of a request, and never shows its value."""
    for one in error.errors(include_input=False, include_url=False):
        if one["type"] in {"value_error", "string_pattern_mismatch", "string_too_long"}:
            where = ".".join(map(str, one["loc"]))
            return (
                f"the agent refused this request and changed nothing: {where}: "
                f"{one['msg'].removeprefix('Value error, ')}"
            )
    return "the agent does not know this request: API and agent differ in version"


def allowed_uids(extra: tuple[int, ...] = ()) -> frozenset[int]:
    """Who may connect: root, the API's user if there is one, and users named on the command line."""
    uids = {0, *extra}
    with contextlib.suppress(KeyError):
        uids.add(pwd.getpwnam(API_USER).pw_uid)
    return frozenset(uids)


def listen(path: str) -> socket.socket:
    """Bind the socket, closed to all but its owner and the API's group. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        Path(path).unlink()
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(before)
    with contextlib.suppress(KeyError, PermissionError):
        os.chown(path, -1, grp.getgrnam(API_USER).gr_gid)
        Path(path).chmod(0o660)
    listener.listen(MAX_CONNECTIONS)
    return listener


class Memory:
    """The memory that requests may use together, from their announced length until they are answered."""

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def taken(self, count: int, deadline: float, is_wanted: Callable[[], bool]) -> Iterator[None]:
        """Waits until there is space. Raises TimeoutError if there is none by the deadline, and PeerClosed once the
        caller is not wanted any more; `look_again` makes it check that.
        """
        count = 0 if count <= SMALL_BYTES else count
        with self._changed:
            self._changed.wait_for(lambda: self._free >= count or not is_wanted(), deadline - time.monotonic())
            if not is_wanted():
                raise PeerClosed("the connection was closed in favor of another")
            if self._free < count:
                raise TimeoutError(f"no memory for a request of {count} bytes in addition to the others")
            self._free -= count
        try:
            yield
        finally:
            with self._changed:
                self._free += count
                self._changed.notify_all()

    def look_again(self) -> None:
        """Makes every waiting caller check again whether it is still wanted."""
        with self._changed:
            self._changed.notify_all()


class Server:
    """Answers on a listening socket, one thread per connection, until `stop`. If all connections are in use, the one
    whose client has been silent longest without a complete request is closed.
    """

    def __init__(
        self, agent: AgentPort, listener: socket.socket, uids: frozenset[int], *, message_s: float = MESSAGE_S
    ) -> None:
        self._agent, self._listener, self._uids, self._message_s = agent, listener, uids, message_s
        listener.settimeout(_ACCEPT_S)
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._memory = Memory(MEMORY_BYTES)
        self._lock = threading.Lock()
        self._waiting: dict[socket.socket, None] = {}
        """Connections without a complete request, the oldest first."""
        self._stopping = threading.Event()

    def serve(self, alive: Callable[[], None] = lambda: None) -> None:
        """Accept until stopped; `alive` is called every few seconds, also while all connections are in use."""
        while not self._stopping.is_set():
            alive()
            try:
                peer, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                if self._stopping.is_set():
                    return
                raise
            if not self._has_room(alive):
                peer.close()
                return
            threading.Thread(target=self._connection, args=(peer,), daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _has_room(self, alive: Callable[[], None]) -> bool:
        """Waits for a slot; False if the server is stopped meanwhile."""
        if self._slots.acquire(blocking=False):
            return True
        while not self._stopping.is_set():
            self._close_oldest()
            if self._slots.acquire(timeout=_ACCEPT_S):
                return True
            alive()
        return False

    def _close_oldest(self) -> None:
        with self._lock:
            oldest = next(iter(self._waiting), None)
            if oldest is None:
                return
            del self._waiting[oldest]
        log.warning("all %s connections are in use: the oldest idle one is closed", MAX_CONNECTIONS)
        with contextlib.suppress(OSError):
            oldest.shutdown(socket.SHUT_RDWR)
        self._memory.look_again()

    def _connection(self, peer: socket.socket) -> None:
        try:
            with peer:
                uid = _peer_uid(peer)
                if uid not in self._uids:
                    log.warning("connection refused uid=%s", uid)
                    refusal = Forbidden("only root and the API can connect to the agent: use the API")
                    self._send(peer, ProblemReply.of(refusal))
                    return
                while True:
                    self._answer_next(peer)
        except PeerClosed:
            pass
        except OSError as error:
            log.warning("connection lost: %s", error)
        finally:
            with self._lock:
                self._waiting.pop(peer, None)
            self._slots.release()

    def _answer_next(self, peer: socket.socket) -> None:
        """Raises PeerClosed, or TimeoutError if the rest of a request does not arrive or the reply is not received."""
        with self._lock:
            self._waiting[peer] = None
        peer.settimeout(None)
        if not peer.recv(1, socket.MSG_PEEK):
            raise PeerClosed("the connection was closed")
        deadline = time.monotonic() + self._message_s
        length = receive_length(peer, deadline)
        try:
            self._send(peer, self._reply(peer, length, deadline))
        finally:
            if length > SMALL_BYTES:
                give_back()

    def _reply(self, peer: socket.socket, length: int, deadline: float) -> Reply:
        """Raises what `_answer_next` raises."""
        with self._memory.taken(length, deadline, lambda: peer in self._waiting):
            payload = receive_bytes(peer, length, deadline)
            with self._lock:
                if peer not in self._waiting:
                    raise PeerClosed("the connection was closed in favor of another")
                del self._waiting[peer]
            return answer(self._agent, payload)

    def _send(self, peer: socket.socket, reply: Reply) -> None:
        send_message(peer, reply.model_dump_json().encode(), time.monotonic() + self._message_s)


def _peer_uid(peer: socket.socket) -> int:
    _, uid, _ = _PEERCRED.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEERCRED.size))
    return int(uid)
