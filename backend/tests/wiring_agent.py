"""The real agent on a fake machine, behind the port the engine knows: no socket, but every message in its wire form.

A killed agent comes back as `ending` says, and the caller hears that it went away, as over a socket that closed.
"""

import logging
from collections.abc import Callable
from enum import StrEnum
from typing import cast

from backend.tests.fakemachine import Crash, FakeSystem
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.agent.main import MODULES
from lunette.agent.server import answer
from lunette.domain.agent_protocol import (
    Answer,
    DoStep,
    DoSteps,
    Envelope,
    ProblemReply,
    Request,
    Result,
    StepReply,
    StepsReply,
    UndoStep,
    reply_type,
)
from lunette.domain.errors import AgentAway, LunetteError
from lunette.domain.steps import AnyStep
from lunette.system.agent_client import AgentClient

log = logging.getLogger(__name__)
PATIENT_S = 60.0
"""Where no tool hangs a round of bringing up waits for all, however slow the machine is that the tests run on."""
LATE_S = 12.0
"""How long after the boot the late drive appears: within the time the agent waits for it."""
Mutant = Callable[[FakeSystem, AnyStep], StepReply]


def passed(agent: Agent, holds: Callable[[], bool]) -> bool:
    """Whether something holds after one pass of the agent, to be asked again until it does.

    A pass leaves alone an array that another has in hand, as the sealer has for a moment after each change: it is the
    next that comes to it, and no loop makes one here.
    """
    agent.bring_up()
    return holds()


class Ending(StrEnum):
    """What happens after the agent was killed."""

    RESTART = "restart the agent"
    REBOOT = "reboot"
    POWER_CUT = "power cut"
    LATE_DRIVE = "reboot, and a drive comes late"


class InProcessAgent(AgentClient):
    """An AgentPort. `tick` is what the agent's loop does on its timer; nothing of the agent runs in the background."""

    def __init__(self, machine: FakeSystem) -> None:
        super().__init__("in-process")
        self.machine = machine
        self.ending = Ending.RESTART
        self.mutants: dict[tuple[str, str], Mutant] = {}
        """Replaces steps by faulty ones, by request and step kind: ("undo_step", "volume.cut")."""
        self._agent: Agent | None = None
        self._start()

    def call(self, request: Request[Result]) -> Answer[Result] | ProblemReply:
        """One request. Raises AgentAway if the agent is killed while it works on it."""
        try:
            agent = self._agent or self._start()
            if isinstance(request, DoStep | UndoStep) and (request.kind, request.step.kind) in self.mutants:
                found = self.mutants[request.kind, request.step.kind](self.machine, request.step)
                return Answer(answer=cast("Result", found))
            if isinstance(request, DoSteps) and ("do_step", request.steps[0].kind) in self.mutants:
                mutant = self.mutants["do_step", request.steps[0].kind]
                several = StepsReply(replies=tuple(mutant(self.machine, step) for step in request.steps))
                return Answer(answer=cast("Result", several))
            reply = answer(agent, Envelope(request=request).model_dump_json().encode())
        except Crash as crash:
            self._end()
            raise AgentAway(f"the agent went away: {crash}") from crash
        return cast("Answer[Result] | ProblemReply", reply_type(type(request)).validate_json(reply.model_dump_json()))

    def tick(self) -> None:
        """One round of the agent's loop."""
        try:
            (self._agent or self._start()).bring_up()
        except LunetteError as error:
            log.warning("cannot serve yet: %s", error.detail)
        except Crash:
            self._end()

    def ask_health(self) -> None:
        """What a thread of the agent does on its timer."""
        (self._agent or self._start()).ask_health()

    def ask_disks(self) -> None:
        """What another thread of the agent does on its timer."""
        (self._agent or self._start()).ask_disks()

    def kill(self) -> None:
        """kill -9 between two requests."""
        self._end()

    def _start(self) -> Agent:
        for module in MODULES:
            self.machine.run(["modprobe", "-q", module], ok=(0, 1))
        serving.prepare(self.machine)
        self._agent = Agent(self.machine, patience_s=PATIENT_S)
        return self._agent

    def _end(self) -> None:
        self._agent = None
        match self.ending:
            case Ending.RESTART:
                self.machine.restart_process()
            case Ending.REBOOT:
                self.machine.reboot()
            case Ending.POWER_CUT:
                self.machine.power_cut()
            case Ending.LATE_DRIVE:
                self.machine.reboot()
                drive = next(disk for disk in self.machine.blocks.disks if disk.media.superblock)
                self.machine.pull(drive)
                self.machine.later(LATE_S, lambda: self.machine.insert(drive))
