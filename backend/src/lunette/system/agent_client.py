"""The thin client of the root agent's socket. One connection per call: the agent may have restarted in between."""

import contextlib
import socket
import struct
import time
from typing import cast

from pydantic import ValidationError

from lunette.domain.agent_protocol import (
    CONNECT_S,
    SOCKET_PATH,
    Answer,
    Envelope,
    ProblemReply,
    Request,
    Result,
    reply_type,
)
from lunette.domain.errors import AgentAway
from lunette.system.framing import receive_message, send_message

_CONNECT_TIME = struct.pack("@ll", int(CONNECT_S), 0)
"""The same as the kernel's `struct timeval`."""
ANSWER_S = 120.0


class AgentClient:
    """Asks the agent. Deadlines are wall-clock seconds for the whole call: `answer_s`, unless the request has its own.

    Implements `lunette.system.agent_port.AgentPort`.
    """

    def __init__(self, path: str = SOCKET_PATH, *, answer_s: float = ANSWER_S) -> None:
        self._path, self._answer_s = path, answer_s

    def ask(self, request: Request[Result]) -> Result:
        """The answer to one request. Raises the agent's refusal as a domain error, and AgentAway if none comes."""
        reply = self.call(request)
        if isinstance(reply, ProblemReply):
            raise reply.as_error()
        return reply.answer

    def call(self, request: Request[Result]) -> Answer[Result] | ProblemReply:
        """Send one request and return its reply, problems included. Raises AgentAway if none comes in time."""
        deadline = time.monotonic() + request.wait_s(self._answer_s)
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
            return cast("Answer[Result] | ProblemReply", reply_type(type(request)).validate_json(answer))
        except ValidationError as error:
            raise AgentAway(
                "the response of the agent has a format that this version does not know: restart lunette-agent and "
                "lunette-api",
                log=str(error),
            ) from error
