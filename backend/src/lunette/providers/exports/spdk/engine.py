"""SPDK as an export engine: an NVMe target in a separate process. It opens devices without claiming them.

The process may be missing, or hang. While it hangs, its open devices are unknown, and no other engine gets a device.
"""

from collections.abc import Mapping
from contextlib import suppress

from lunette.domain.errors import LunetteError
from lunette.domain.exports import ConvergeReport, ExportSet, ObservedSession, UnseenSessions
from lunette.domain.mappings import ExportEngine, Family
from lunette.providers.exports import parts
from lunette.providers.exports.engine import Engine
from lunette.providers.exports.reports import absent
from lunette.providers.exports.spdk import converge as spdk
from lunette.providers.exports.spdk import process, sessions
from lunette.providers.exports.turn import Turn
from lunette.system.system_port import System


class SpdkEngine(Engine):
    """In charge of NVMe if all NVMe portals are its own. The process runs only while it is in charge."""

    family = Family.NVME
    uncounted = sessions.UNCOUNTED

    def part(self, wanted: ExportSet) -> ExportSet:
        return parts.nvme(wanted, ExportEngine.SPDK)

    def is_in_charge(self, wanted: ExportSet) -> bool:
        return parts.engine_of(wanted) is ExportEngine.SPDK

    def start(self, system: System, part: ExportSet) -> str | None:
        try:
            process.start(system)
        except LunetteError as error:
            return error.detail
        return None

    def clear(self, system: System, part: ExportSet) -> int:
        """Also ends the process if it is not in charge: then its part has no portals.

        If that fails, `holders` keeps its devices from the other engines.
        """
        changed = 0
        with suppress(LunetteError):
            if process.answers(system):
                changed = spdk.clear(system, part)
            if not part.portals:
                process.stop(system)
        return changed

    def holders(self, system: System, part: ExportSet) -> dict[str, str]:
        """All volumes of the part while the process does not answer."""
        try:
            served = spdk.served_devices(system)
        except LunetteError as error:
            return {one.volume_id: f"SPDK may have it open: {error.detail}" for one in part.volumes}
        if not served:
            return {}
        return {one.volume_id: "SPDK has it open" for one in part.volumes if system.realpath(one.device) in served}

    def converge(
        self, system: System, part: ExportSet, *, reasons: Mapping[str, str], held: Mapping[str, str], turn: Turn
    ) -> ConvergeReport:
        try:
            return spdk.converge(system, part, reasons=reasons, held=held, turn=turn)
        except LunetteError as error:
            return absent(part, error.detail)

    def is_served(self, system: System) -> bool:
        try:
            return spdk.is_served(system)
        except LunetteError:
            return True

    def exported_volumes(self, system: System, served: ExportSet | None) -> frozenset[str] | None:
        try:
            return spdk.exported_volumes(system)
        except LunetteError:
            return None

    def observe_sessions(
        self, system: System, served: ExportSet | None
    ) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
        return sessions.observe_sessions(system)

    def withdraw(self, system: System, served: ExportSet | None) -> dict[str, str]:
        """A program that does not answer is killed, and all it had refused has ended with it: when its unit starts it
        again, it serves nothing."""
        refused: dict[str, str] = {}
        try:
            if process.answers(system):
                spdk.withdraw(system, refused)
        except LunetteError as error:
            return {} if process.kill(system) and process.has_ended(system) else refused | {"spdk": error.detail}
        return refused

    def open_devices(self, system: System) -> frozenset[str] | None:
        try:
            return frozenset(spdk.served_devices(system))
        except LunetteError:
            return None
