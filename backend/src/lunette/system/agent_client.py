"""The thin client of the root agent's socket. One connection per call: the agent may have restarted in between."""

import contextlib
import socket
import struct
import time
from typing import TypeVar

from pydantic import ValidationError

from lunette.domain.adopting import Foreign
from lunette.domain.agent_protocol import (
    REPLY,
    SOCKET_PATH,
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
    Envelope,
    FactsReply,
    ForeignArraysReply,
    ForeignReply,
    Hello,
    HelloReply,
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
    StepReply,
    UndoStep,
    UseKey,
)
from lunette.domain.counters import Counters
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import AgentAway, LunetteError
from lunette.domain.exports import ConvergeReport, ExportSet
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import AnyStep
from lunette.domain.support import SupportFacts
from lunette.domain.updates import BundleFacts, BundleId
from lunette.system.framing import receive_message, send_message

CONNECT_S = 5.0
_CONNECT_TIME = struct.pack("@ll", int(CONNECT_S), 0)
"""The same as the kernel's `struct timeval`."""
ANSWER_S = 120.0
SESSIONS_S = 15.0
"""Shorter than a writer of the database is waited for: plans ask who is logged in while they hold its turn."""
REFUSED_S = 20.0
"""A little more than the agent gives journalctl."""
FACTS_S = 600.0
"""Some thirty commands, each with a deadline of its own, on a machine that may be ill."""
BUNDLE_S = 330.0
"""A signature is checked, and its tree of hashes; a little more than the agent gives RAUC."""
KEY_S = 1800.0
"""A change of keys stretches several passphrases; on an emulated CPU each takes a minute."""
STEP_S = 3600.0
"""A step may wait for hosts to let go, or run on an emulated machine; the agent bounds each command itself."""
Reply = TypeVar(
    "Reply",
    HelloReply,
    ObserveReply,
    SessionsReply,
    RefusedReply,
    ServedReply,
    ForeignArraysReply,
    ForeignReply,
    CountersReply,
    FactsReply,
    ChangeReply,
    BundleReply,
    StepReply,
    ConvergeReply,
    CopiesReply,
    SealedReply,
    KeyReply,
)


class AgentClient:
    """Asks the agent. Deadlines are wall-clock seconds for the whole call."""

    def __init__(self, path: str = SOCKET_PATH, *, answer_s: float = ANSWER_S, step_s: float = STEP_S) -> None:
        self._path, self._answer_s, self._step_s = path, answer_s, step_s

    def call(self, request: AnyRequest, *, deadline_s: float | None = None) -> AnyReply:
        """Send one request and return its reply, problems included. Raises AgentAway if none comes in time."""
        deadline = time.monotonic() + (deadline_s if deadline_s is not None else self._answer_s)
        payload = Envelope(request=request).model_dump_json().encode()
        try:
            with socket.socket(socket.AF_UNIX) as peer:
                # With a timeout of Python's, connect would fail at once where the agent's queue is full.
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _CONNECT_TIME)
                peer.connect(self._path)
                with contextlib.suppress(BrokenPipeError):  # an agent that refuses us says so and hangs up
                    send_message(peer, payload, deadline)
                answer = receive_message(peer, deadline)
        except TimeoutError as error:
            raise AgentAway(
                "the agent did not answer in time: it is busy or stuck; check its journal (lunette-agent)"
            ) from error
        except OSError as error:
            raise AgentAway(
                f"the agent does not answer ({error.strerror or error}): check whether lunette-agent is running"
            ) from error
        try:
            return REPLY.validate_json(answer)
        except ValidationError as error:
            raise AgentAway(
                "the response of the agent has a format that this version does not know: restart lunette-agent and "
                "lunette-api",
                log=str(error),
            ) from error

    def hello(self) -> HelloReply:
        return self._expect(HelloReply, Hello())

    def observe(self) -> Observation:
        return self._expect(ObserveReply, Observe()).observation

    def sessions(self) -> SessionsObservation:
        return self._expect(SessionsReply, ObserveSessions(), min(SESSIONS_S, self._answer_s)).sessions

    def refused_logins(self) -> tuple[RefusedLogin, ...]:
        return self._expect(RefusedReply, ObserveRefused(), min(REFUSED_S, self._answer_s)).logins

    def served(self) -> ExportSet | None:
        return self._expect(ServedReply, ObserveServed()).served

    def foreign(self) -> Foreign:
        return self._expect(ForeignReply, ObserveForeign()).foreign

    def foreign_arrays(self) -> tuple[FoundArray, ...]:
        return self._expect(ForeignArraysReply, ObserveForeignArrays()).arrays

    def counters(self) -> Counters:
        return self._expect(CountersReply, ObserveCounters(), min(SESSIONS_S, self._answer_s)).counters

    def facts(self) -> SupportFacts:
        return self._expect(FactsReply, CollectFacts(), FACTS_S).facts

    def await_change(self, known: int, timeout_s: float) -> int:
        request = AwaitChange(known=known, timeout_s=timeout_s)
        return self._expect(ChangeReply, request, timeout_s + CONNECT_S).number

    def look_at_bundle(self, bundle_id: BundleId) -> BundleFacts:
        return self._expect(BundleReply, LookAtBundle(bundle_id=bundle_id), BUNDLE_S).bundle

    def do_step(self, job_id: str | None, step: AnyStep) -> StepReply:
        return self._expect(StepReply, DoStep(job_id=job_id, step=step), self._step_s)

    def undo_step(self, job_id: str, step: AnyStep) -> StepReply:
        return self._expect(StepReply, UndoStep(job_id=job_id, step=step), self._step_s)

    def converge(self, wanted: ExportSet) -> ConvergeReport:
        return self._expect(ConvergeReply, Converge(wanted=wanted)).report

    def read_copies(self, *, degraded: bool = False) -> tuple[FoundCopy, ...]:
        return self._expect(CopiesReply, ReadCopies(degraded=degraded), self._step_s).copies

    def use_key(self, order: KeyOrder) -> str | None:
        return self._expect(KeyReply, UseKey(order=order), KEY_S).detail

    def seal_copy(self, order: SealOrder) -> int:
        return self._expect(SealedReply, SealCopy(order=order)).generation

    def _expect(self, kind: type[Reply], request: AnyRequest, deadline_s: float | None = None) -> Reply:
        reply = self.call(request, deadline_s=deadline_s)
        if isinstance(reply, ProblemReply):
            raise reply.as_error()
        if not isinstance(reply, kind):
            raise LunetteError(f"the agent answered a {request.kind} request with a {reply.kind} reply")
        return reply
