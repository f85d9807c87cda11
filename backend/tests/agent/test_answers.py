"""What the agent answers where the kernel refuses a look or a change."""

import errno

import pytest

from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.agent.server import answer
from lunette.domain.agent_protocol import Envelope, Hello, ProblemReply, reply_type
from lunette.domain.errors import ProblemType


def test_what_the_kernel_refuses_is_a_refusal_wherever_the_agent_called_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job tries an irreversible step again after such a refusal, and not after a bug (engine/runner.py)."""

    def look(_self: Agent) -> None:
        raise OSError(errno.EIO, "Input/output error", "/sys/block")

    monkeypatch.setattr(Agent, "hello", look)
    reply = answer(Agent(FakeSystem()), Envelope(request=Hello()).model_dump_json().encode())
    reported = reply_type(Hello).validate_json(reply.model_dump_json())
    assert isinstance(reported, ProblemReply)
    assert reported.type is ProblemType.TOOL_FAILED
    assert "refused (Input/output error) at /sys/block" in reported.detail
