"""What the control plane asks of the root agent. `AgentClient` is the real one; tests put an agent in-process."""

from typing import Protocol

from lunette.domain.agent_protocol import Request, Result


class AgentPort(Protocol):
    """Answers the requests of domain/agent_protocol.py."""

    def ask(self, request: Request[Result]) -> Result:
        """The answer to one request.

        Raises the agent's own refusal as a domain error, and AgentAway if the agent does not answer.
        """
        ...
