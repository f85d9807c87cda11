"""Steps on the sessions and paths of hosts. They wait for hosts, so they take no lock that storage or exports need."""

import logging
import threading
from collections.abc import Collection

from lunette.domain.agent_protocol import StepReply
from lunette.domain.steps import PathsAsk, PathTry, SessionEnd
from lunette.providers.exports.lio import ending
from lunette.providers.exports.paths import trial
from lunette.system.system_port import System

log = logging.getLogger(__name__)
HostStep = SessionEnd | PathsAsk | PathTry


class HostSteps:
    """Ends one session, and tests one path, at a time."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._sessions, self._paths = threading.Lock(), threading.Lock()

    def do(self, step: HostStep, adopted: Collection[str]) -> StepReply:
        """`adopted` are targets whose names do not show that they belong to Lunette."""
        if isinstance(step, SessionEnd):
            return self._end(step, adopted)
        with self._paths:
            if isinstance(step, PathsAsk):
                return StepReply(changed=False, detail=trial.ask(self._system, step))
            changed, words = trial.attempt(self._system, step)
        log.info("path tested host=%s portal=%s peer=%s", step.host, step.link.portal, step.link.peer)
        return StepReply(changed=changed, detail=words)

    def undo(self, step: PathsAsk | PathTry) -> StepReply:
        """Ending a session has no undo: the host logs in again automatically."""
        detail = trial.give_back(self._system, step) if isinstance(step, PathTry) else None
        return StepReply(changed=detail is not None, detail=detail or "no path is blocked")

    def _end(self, step: SessionEnd, adopted: Collection[str]) -> StepReply:
        with self._sessions:  # the kernel waits for the outstanding commands of the session
            detail = ending.end(self._system, step, adopted)
        log.info("session ended target=%s initiator=%s number=%s", step.target, step.initiator, step.number)
        return StepReply(changed=detail is not None, detail=detail or "that session had already ended")
