"""One pass over one array: start it if its disks are present, maintain it, bring up its volumes.

Passes over different arrays may run concurrently, passes over the same array never do (agent/bring_up.py).
"""

import logging
from collections.abc import Sequence

from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportArray, ExportVolume
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.encryption.unlock import Locked
from lunette.system.system_port import System

log = logging.getLogger(__name__)
GRACE_S = 30.0
"""How long an array waits for late disks before it starts without them."""


class ArrayPass:
    """Remembers for each array since when it waits, and whether its volumes were brought up."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._active: dict[str, ExportArray] = {}
        self._locked: set[str] = set()

    @property
    def locked(self) -> frozenset[str]:
        """IDs of arrays that run and wait for their key."""
        return frozenset(self._locked)

    def is_active(self, array: ExportArray) -> bool:
        """True if the array was brought up in this form, with this group. Does not check that it still runs."""
        known = self._active.get(array.uuid)
        return known is not None and _proven(known) == _proven(array)

    def is_up(self, system: System, array: ExportArray) -> bool:
        """True if the array was brought up and runs: a cheap check that repairs nothing."""
        return self.is_active(array) and ARRAY_MACHINES[array.engine].is_up(system, array)

    def run(self, system: System, array: ExportArray, volumes: Sequence[ExportVolume]) -> str | None:
        """Brings an array up; what is up already stays unchanged. Returns None once it is up, otherwise what it waits
        for.
        """
        reason = self._start(system, array)
        if reason is not None:
            return reason
        self._tend(system, array)
        missing = [v for v in volumes if v.array_id == array.array_id and not system.exists(v.device)]
        return self._activate(system, array) if missing or not self.is_active(array) else None

    def _start(self, system: System, array: ExportArray) -> str | None:
        if array.engine not in ARRAY_MACHINES:
            return f"array {array.name} is of engine {array.engine.value}, which this agent does not know"
        if ARRAY_MACHINES[array.engine].is_up(system, array):
            self._since.pop(array.uuid, None)
            return None
        self._active.pop(array.uuid, None)
        now = system.monotonic()
        late = now - self._since.setdefault(array.uuid, now) >= GRACE_S
        try:
            reason = ARRAY_MACHINES[array.engine].start(system, array, allow_degraded=late)
        except (LunetteError, OSError) as error:
            return f"array {array.name} did not start: {error}"
        if reason is None:
            log.info("array %s is up%s", array.name, " without all of its disks" if late else "")
        return reason

    def _tend(self, system: System, array: ExportArray) -> None:
        """Maintains a running array. A failure is retried at the next pass, and does not prevent serving."""
        try:
            ARRAY_MACHINES[array.engine].tend(system, array)
        except (LunetteError, OSError) as error:
            log.warning("array %s could not be maintained: %s", array.name, error)

    def _activate(self, system: System, array: ExportArray) -> str | None:
        try:
            ARRAY_MACHINES[array.engine].activate(system, array)
        except Locked as locked:
            self._locked.add(array.array_id)
            return locked.detail
        except (LunetteError, OSError) as error:
            return f"the volumes of array {array.name} did not start: {error}"
        self._active[array.uuid] = array
        self._locked.discard(array.array_id)
        return None


def _proven(array: ExportArray) -> tuple[object, ...]:
    """The facts that were proven when the array was brought up. If any of them changes, it has to be proven again."""
    found_by = array.members if ARRAY_MACHINES[array.engine].is_found_by_members else ()
    return array.engine, array.array_id, array.group, found_by
