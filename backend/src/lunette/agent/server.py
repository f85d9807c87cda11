"""The agent's Unix socket: lets in root and the API's user only, and answers requests of the closed set only."""

import contextlib
import grp
import logging
import os
import pwd
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from pydantic import ValidationError

from lunette.domain.agent_protocol import (
    ENVELOPE,
    AnyReply,
    AnyRequest,
    AwaitChange,
    BundleReply,
    ChangeReply,
    CollectFacts,
    Converge,
    ConvergeReply,
    CopiesReply,
    CountersReply,
    DoStep,
    FactsReply,
    ForeignArraysReply,
    ForeignReply,
    Hello,
    KeyReply,
    LookAtBundle,
    Observe,
    ObserveCounters,
    ObserveForeign,
    ObserveForeignArrays,
    ObserveRefused,
    ObserveReply,
    ObserveServed,
    ObserveSessions,
    ProblemReply,
    ReadCopies,
    RefusedReply,
    SealCopy,
    SealedReply,
    ServedReply,
    SessionsReply,
    UndoStep,
    UseKey,
)
from lunette.domain.errors import Forbidden, LunetteError, Malformed
from lunette.system.agent_port import AgentPort
from lunette.system.framing import PeerClosed, receive_message, send_message

log = logging.getLogger(__name__)
API_USER = "lunette-api"
MAX_CONNECTIONS = 64
_PEERCRED = struct.Struct("3i")
_ACCEPT_S = 10.0


def answer(agent: AgentPort, payload: bytes) -> AnyReply:
    """The reply to one message, whatever it holds."""
    try:
        request = ENVELOPE.validate_json(payload).request
    except ValidationError as error:
        # Input is left out: it may hold secrets.
        log.warning("request refused: %s", error.errors(include_input=False, include_url=False)[:3])
        return ProblemReply.of(Malformed(_why_refused(error)))
    try:
        return _dispatch(agent, request)
    except LunetteError as error:
        return ProblemReply.of(error)
    except Exception as error:
        log.exception("request failed kind=%s", request.kind)
        return ProblemReply.of(
            LunetteError(f"the agent failed at a {request.kind} request: its journal has the reason", log=repr(error))
        )


def _why_refused(error: ValidationError) -> str:
    """Where a text is none that may cross the border it is named, and never shown."""
    for one in error.errors(include_input=False, include_url=False):
        if one["type"] in {"value_error", "string_pattern_mismatch", "string_too_long"}:
            where = ".".join(map(str, one["loc"]))
            return (
                f"the agent refuses this request and did nothing: {where}: {one['msg'].removeprefix('Value error, ')}"
            )
    return "the agent does not know this request: API and agent differ in version"


def _dispatch(agent: AgentPort, request: AnyRequest) -> AnyReply:
    match request:
        case Hello():
            return agent.hello()
        case Observe():
            return ObserveReply(observation=agent.observe())
        case ObserveSessions():
            return SessionsReply(sessions=agent.sessions())
        case ObserveRefused():
            return RefusedReply(logins=agent.refused_logins())
        case ObserveServed() | ObserveForeign() | ObserveForeignArrays():
            return _exports(agent, request)
        case ObserveCounters():
            return CountersReply(counters=agent.counters())
        case CollectFacts():
            return FactsReply(facts=agent.facts())
        case AwaitChange():
            return ChangeReply(number=agent.await_change(request.known, request.timeout_s))
        case DoStep() | UndoStep() | LookAtBundle():
            return _work(agent, request)
        case Converge():
            return ConvergeReply(report=agent.converge(request.wanted))
        case ReadCopies() | SealCopy() | UseKey():
            return _on_array(agent, request)
        case _:
            assert_never(request)


def _work(agent: AgentPort, request: DoStep | UndoStep | LookAtBundle) -> AnyReply:
    if isinstance(request, LookAtBundle):
        return BundleReply(bundle=agent.look_at_bundle(request.bundle_id))
    if isinstance(request, UndoStep):
        return agent.undo_step(request.job_id, request.step)
    return agent.do_step(request.job_id, request.step)


def _exports(agent: AgentPort, request: ObserveServed | ObserveForeign | ObserveForeignArrays) -> AnyReply:
    if isinstance(request, ObserveForeignArrays):
        return ForeignArraysReply(arrays=agent.foreign_arrays())
    if isinstance(request, ObserveForeign):
        return ForeignReply(foreign=agent.foreign())
    return ServedReply(served=agent.served())


def _on_array(agent: AgentPort, request: ReadCopies | SealCopy | UseKey) -> AnyReply:
    if isinstance(request, UseKey):
        return KeyReply(detail=agent.use_key(request.order))
    if isinstance(request, ReadCopies):
        return CopiesReply(copies=agent.read_copies(degraded=request.degraded))
    return SealedReply(generation=agent.seal_copy(request.order))


def allowed_uids(extra: tuple[int, ...] = ()) -> frozenset[int]:
    """Who may connect: root, the API's user if there is one, and who the command line names."""
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


class Server:
    """Answers on a listening socket, one thread per connection, until `stop`."""

    def __init__(self, agent: AgentPort, listener: socket.socket, uids: frozenset[int]) -> None:
        self._agent, self._listener, self._uids = agent, listener, uids
        listener.settimeout(_ACCEPT_S)
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._stopping = threading.Event()

    def serve(self, alive: Callable[[], None] = lambda: None) -> None:
        """Accept until stopped; `alive` is called every few seconds."""
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
            self._slots.acquire()
            threading.Thread(target=self._connection, args=(peer,), daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _connection(self, peer: socket.socket) -> None:
        try:
            with peer:
                uid = _peer_uid(peer)
                if uid not in self._uids:
                    log.warning("connection refused uid=%s", uid)
                    refusal = Forbidden("only root and the API may talk to the agent: use the API")
                    self._send(peer, ProblemReply.of(refusal))
                    return
                while True:
                    self._send(peer, answer(self._agent, receive_message(peer, None)))
        except PeerClosed:
            pass
        except OSError as error:
            log.warning("connection lost: %s", error)
        finally:
            self._slots.release()

    @staticmethod
    def _send(peer: socket.socket, reply: AnyReply) -> None:
        send_message(peer, reply.model_dump_json().encode(), None)


def _peer_uid(peer: socket.socket) -> int:
    _, uid, _ = _PEERCRED.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEERCRED.size))
    return int(uid)
