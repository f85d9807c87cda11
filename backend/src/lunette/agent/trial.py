"""`python3 -m lunette.agent.trial`: watches the first start of a new system (lunette-trial.service).

It is a separate process because the agent that it watches may fail to start. It exits with 0 once the new system is
healthy; with any other code the machine restarts into the previous system.
"""

import logging
import os
import socket
import sys

from lunette.domain.agent_protocol import Hello
from lunette.domain.errors import LunetteError
from lunette.domain.updates import SlotTrial
from lunette.providers.updates import trial
from lunette.providers.updates.slots import find
from lunette.system.agent_client import AgentClient
from lunette.system.local import LocalSystem

API_SOCKET = "/run/lunette-api/local.sock"
API_S = 30.0
_QUESTION = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
log = logging.getLogger(__name__)


def main() -> int:
    """Watch, if this start is a trial. Returns the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    system = LocalSystem()
    slots = find(system)
    due = trial.due(system, slots) if slots else None
    if slots is None or due is None:
        return 0
    log.info("version %s in slot %s is on trial", due.version, due.slot)
    deadline_s = float(os.environ.get("LUNETTE_TRIAL_S", trial.DEADLINE_S))
    reason = trial.watch(system, slots, due, lambda: _blocker(due), deadline_s)
    if reason is None:
        log.info("version %s is healthy and will be started from now on", due.version)
        return 0
    log.error("version %s is not healthy, the previous version is started: %s", due.version, reason)
    return 1


def _blocker(due: SlotTrial) -> str | None:
    try:
        serving = AgentClient(answer_s=API_S).ask(Hello()).serving
    except LunetteError as error:
        return f"its agent does not answer: {error.detail}"
    missing = trial.missing(due, serving)
    if missing is not None:
        return missing
    try:
        return None if _api_answers() else "its API does not report that it is healthy"
    except OSError as error:
        return f"its API does not answer: {error.strerror or error}"


def _api_answers() -> bool:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(API_S)
        peer.connect(API_SOCKET)
        peer.sendall(_QUESTION)
        return peer.recv(64).startswith(b"HTTP/1.1 200 ")


if __name__ == "__main__":
    sys.exit(main())
