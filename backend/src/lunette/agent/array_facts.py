"""Adds to arrays what their engine does not report: which belong to Lunette, results of health commands, which are
locked.
"""

from lunette.domain.arrays import ObservedArray
from lunette.domain.exports import ExportArray, ExportSet
from lunette.domain.health_commands import DeviceHealth
from lunette.domain.observations import Observation
from lunette.providers.arrays.external import health
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.encryption.device import is_mapped
from lunette.providers.encryption.plan import mapping_name
from lunette.system.system_port import System


class ArrayFacts:
    """Keeps the last results of the health commands."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._health: dict[str, DeviceHealth] = {}
        """Results by array ID."""

    def ask(self, served: ExportSet | None) -> bool:
        """Runs the health command of every array that has one, each with its own timeout. True if a result changed."""
        asked = [array for array in served.arrays if array.health_command] if served else []
        before, self._health = self._health, {array.array_id: health.ask(self._system, array) for array in asked}
        return before != self._health

    def reported(self, seen: Observation, served: ExportSet | None) -> Observation:
        """True if the ledger contains its UUID. Before there is a ledger, no md array belongs to Lunette, whatever its
        name.
        """
        known = {array.uuid: array for array in served.arrays} if served else {}
        arrays = tuple(self._one(found, known.get(found.uuid)) for found in seen.arrays)
        return seen.model_copy(update={"arrays": arrays})

    def _one(self, found: ObservedArray, array: ExportArray | None) -> ObservedArray:
        if ARRAY_MACHINES[found.engine].is_ours_by_record:
            found = found.model_copy(update={"ours": array is not None})
        if array is not None and array.health_command:
            return health.with_health(found, self._health.get(array.array_id), array.health_command)
        if array is not None and array.encryption and found.device:
            kernel_name = self._system.realpath(found.device).rpartition("/")[2]
            locked = not is_mapped(self._system, kernel_name, mapping_name(array.array_id))
            return found.model_copy(update={"locked": locked})
        return found
