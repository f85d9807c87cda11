"""Brings arrays and their volumes up as the ledger names them, and everything of ours down at shutdown."""

import logging

from lunette.agent.serving import open_devices, withdraw
from lunette.agent.stacks import STACKS
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportArray, ExportSet
from lunette.system.doorway import System

log = logging.getLogger(__name__)
GRACE_S = 30.0
"""How long an array waits for disks that are late before it starts without them."""


class BringUp:
    """Remembers between passes since when an array waits, and why."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._since: dict[str, float] = {}
        self._active: set[str] = set()
        self.waiting: dict[str, str] = {}
        """Reason by array id, for arrays that are not up."""

    def run(self, served: ExportSet) -> None:
        """One pass; what is up already stays as it is."""
        waiting: dict[str, str] = {}
        for array in served.arrays:
            reason = self._array(array)
            if reason is None:
                self._tend(array)
                missing = [v for v in served.volumes if v.array_id == array.array_id and not self._is_there(v.device)]
                if missing or array.uuid not in self._active:
                    reason = self._group(array)
            if reason is not None:
                waiting[array.array_id] = reason
                if self.waiting.get(array.array_id) != reason:
                    log.warning("%s", reason)
        self.waiting = waiting

    def is_up(self, array: ExportArray) -> bool:
        """True if it was brought up and runs: a look that costs next to nothing, and puts nothing right."""
        return array.uuid in self._active and STACKS[array.engine].is_up(self._system, array)

    def _is_there(self, device: str) -> bool:
        return self._system.exists(device)

    def _array(self, array: ExportArray) -> str | None:
        if array.engine not in STACKS:
            return f"array {array.name} is of engine {array.engine.value}, which this agent does not know"
        if STACKS[array.engine].is_up(self._system, array):
            self._since.pop(array.uuid, None)
            return None
        self._active.discard(array.uuid)
        now = self._system.monotonic()
        late = now - self._since.setdefault(array.uuid, now) >= GRACE_S
        try:
            reason = STACKS[array.engine].start(self._system, array, allow_degraded=late)
        except (LunetteError, OSError) as error:
            return f"array {array.name} did not start: {error}"
        if reason is None:
            log.info("array %s is up%s", array.name, " without all of its disks" if late else "")
        return reason

    def _tend(self, array: ExportArray) -> None:
        """What fails now is tried again at the next pass, and keeps nothing from being served."""
        try:
            STACKS[array.engine].tend(self._system, array)
        except (LunetteError, OSError) as error:
            log.warning("array %s is not as it should be: %s", array.name, error)

    def _group(self, array: ExportArray) -> str | None:
        try:
            STACKS[array.engine].activate(self._system, array)
        except (LunetteError, OSError) as error:
            return f"the volumes of array {array.name} did not come up: {error}"
        self._active.add(array.uuid)
        return None


def shut_down(system: System, served: ExportSet | None = None) -> list[str]:
    """Close paths before devices: exports, then volumes, then arrays; all that carries our mark. What was refused.

    The ledger stays as it is: the next start brings all of it back.
    """
    refused = [f"{path}: {why}" for path, why in withdraw(system, served).items()]
    still_open = open_devices(system)
    for stack in STACKS.values():
        refused += stack.shut_down(system, still_open)
    return refused
