"""The engine as a process uses it: asking the real agent over its socket."""

from lunette.engine.control import Control
from lunette.store.database import Store
from lunette.system.agent_client import AgentClient


def control_over(store: Store, agent_socket: str) -> Control:
    """A control that asks the agent at this socket. The agent need not answer yet."""
    return Control(store, AgentClient(agent_socket))
