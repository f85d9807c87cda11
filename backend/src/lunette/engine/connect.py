"""Connects the engine to the real agent over its socket."""

from pathlib import Path

from lunette.engine.conditions import system_drive
from lunette.engine.control import Control
from lunette.store.database import Store
from lunette.system.agent_client import AgentClient

MEASURED = "measured.db"
"""The history of performance and capacity; it is in no backup."""


def control_over(store: Store, agent_socket: str, data: Path) -> Control:
    """A control that uses the agent at this socket, which need not answer yet. `data` is the directory of the
    database.
    """
    return Control(store, AgentClient(agent_socket), room=system_drive.look_at(data), measured=data / MEASURED)
