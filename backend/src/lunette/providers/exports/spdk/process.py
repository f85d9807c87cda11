"""The SPDK process: its socket, how it is started and ended, and why it is missing.

Only the agent starts its unit, when the first portal of this engine exists.
"""

from collections.abc import Callable

from lunette.domain.errors import LunetteError, ToolFailed, Unavailable
from lunette.providers.exports.spdk import requests
from lunette.providers.exports.spdk.plan import MISSING, TOOL
from lunette.system.system_port import System

UNIT = "lunette-spdk.service"
RUN_DIR = "/run/lunette-spdk"
"""Created by the unit. Contains the socket, and the keys of hosts while they are in use."""
START_S, POLL_S = 15.0, 0.25
"""How long it may take to answer: 0.5 to 0.9 s on an idle machine."""
ANSWER_S = 5.0


def socket_in(run_dir: str) -> str:
    return f"{run_dir}/rpc.sock"


def answers(system: System, run_dir: str = RUN_DIR) -> bool:
    """True if a process listens on the socket. Raises ToolFailed if it does, and does not answer."""
    socket = socket_in(run_dir)
    if not system.exists(socket):
        return False
    try:
        system.call(socket, [requests.version()], timeout_s=ANSWER_S)
    except Unavailable:
        return False
    return True


def is_set_up(system: System, run_dir: str = RUN_DIR) -> bool:
    """True if it was given something to serve since it started. Raises Unavailable or ToolFailed."""
    answer = system.call(socket_in(run_dir), [requests.transports()], timeout_s=ANSWER_S)[0]
    return bool(answer.result)


def start(system: System, run_dir: str = RUN_DIR) -> None:
    """Let it run. Raises Unavailable or ToolFailed."""
    if answers(system, run_dir):
        return
    if system.find_tool(TOOL) is None:
        raise Unavailable(MISSING)
    system.run(["systemctl", "start", UNIT])
    if not _wait_for(system, lambda: _is_ready(system, run_dir)):
        raise ToolFailed(f"{TOOL} did not answer within {START_S:.0f} s: see journalctl -u {UNIT}")


def _wait_for(system: System, condition: Callable[[], bool]) -> bool:
    """Wait for a condition. False if it is not met within START_S."""
    deadline = system.monotonic() + START_S
    while not condition():
        if system.monotonic() >= deadline:
            return False
        system.sleep(POLL_S)
    return True


def _is_ready(system: System, run_dir: str) -> bool:
    """It listens before it answers: many seconds before on a busy machine."""
    try:
        return answers(system, run_dir)
    except ToolFailed:
        return False


def stop(system: System) -> None:
    """End it, if it belongs to the unit."""
    if system.exists(RUN_DIR) and system.find_tool("systemctl"):
        system.run(["systemctl", "stop", UNIT])


def kill(system: System) -> bool:
    """End it without asking; the unit starts it again. False if it cannot be ended: it is not the unit's.

    One that waits for a disk does not end before the disk answers.
    """
    try:
        system.run(["systemctl", "kill", "--signal=KILL", UNIT])
    except LunetteError:
        return False
    return True


def has_ended(system: System, run_dir: str = RUN_DIR) -> bool:
    """Wait until the one that was killed is gone, or a new one answers. False if it still has its socket."""
    return _wait_for(system, lambda: not _is_mute(system, run_dir))


def _is_mute(system: System, run_dir: str) -> bool:
    try:
        answers(system, run_dir)
    except ToolFailed:
        return True
    return False
