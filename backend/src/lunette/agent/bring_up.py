"""Brings arrays and their volume groups up as the ledger names them, and everything of ours down at shutdown."""

import logging

from lunette.agent.serving import withdraw
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportArray, ExportSet
from lunette.providers.arrays.md.assemble import assemble, is_running, stop
from lunette.providers.arrays.md.observe import kernel_arrays, md_name_of, running_array
from lunette.providers.arrays.md.parse import is_ours
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.arrays.md.sync import keep_pace, keep_writable
from lunette.providers.volumes.lvm import group
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.providers.volumes.lvm.plan import TAG
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

    def _is_there(self, device: str) -> bool:
        return self._system.exists(device)

    def _array(self, array: ExportArray) -> str | None:
        running = running_array(self._system, array.uuid)
        if running is not None and is_running(running) and self._is_there(device_path(array.uuid)):
            self._since.pop(array.uuid, None)
            return None
        self._active.discard(array.uuid)
        now = self._system.monotonic()
        late = now - self._since.setdefault(array.uuid, now) >= GRACE_S
        try:
            reason = assemble(self._system, array, allow_degraded=late)
        except (LunetteError, OSError) as error:
            return f"array {array.name} did not start: {error}"
        if reason is None:
            log.info("array %s is up%s", array.name, " without all of its disks" if late else "")
        return reason

    def _tend(self, array: ExportArray) -> None:
        """What cannot be set now is set at the next pass, and keeps nothing from being served."""
        try:
            keep_writable(self._system, array)
            keep_pace(self._system, array)
        except OSError as error:
            log.warning("array %s is not set as it should be: %s", array.name, error)

    def _group(self, array: ExportArray) -> str | None:
        try:
            group.activate(self._system, array.group, array.uuid)
        except (LunetteError, OSError) as error:
            return f"the volumes of array {array.name} did not come up: {error}"
        self._active.add(array.uuid)
        return None


def shut_down(system: System) -> list[str]:
    """Close paths before devices: exports, then volumes, then arrays; all that carries our mark. What was refused.

    The ledger stays as it is: the next start brings all of it back.
    """
    refused = [f"{path}: {why}" for path, why in withdraw(system).items()]
    for found in _groups(system):
        try:
            group.deactivate(system, found)
        except LunetteError as error:
            refused.append(f"volume group {found}: {error.detail}")
    for array in kernel_arrays(system):
        if is_ours(md_name_of(system, array.kernel_name)):
            try:
                stop(system, array.uuid)
            except LunetteError as error:
                refused.append(f"array {array.kernel_name}: {error.detail}")
    return refused


def _groups(system: System) -> list[str]:
    try:
        return [found.name for found in observe_groups(system) if TAG in found.tags]
    except LunetteError as error:
        log.warning("volume groups cannot be listed: %s", error.detail)
        return []
