"""nvmet as an export engine: the kernel's NVMe target. It opens devices without claiming them."""

from collections.abc import Mapping

from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    ObservedSession,
    PortalReport,
    ServingState,
    UnseenSessions,
)
from lunette.domain.mappings import ExportEngine, Family
from lunette.providers.exports import parts
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.engine import Engine
from lunette.providers.exports.nvmet import adopted, configfs, sessions
from lunette.providers.exports.nvmet import converge as nvmet
from lunette.providers.exports.turn import Turn
from lunette.system.system_port import System

_NOT_SERVED = "the kernel serves what is mapped over NVMe, through another portal: delete one of the two"


class NvmetEngine(Engine):
    """In charge of NVMe unless all NVMe portals are of SPDK."""

    family = Family.NVME
    uncounted = sessions.UNCOUNTED

    def part(self, wanted: ExportSet) -> ExportSet:
        return parts.nvme(wanted, ExportEngine.NVMET)

    def is_in_charge(self, wanted: ExportSet) -> bool:
        return parts.engine_of(wanted) is ExportEngine.NVMET

    def prepare(self, system: System) -> str | None:
        configfs.prepare(system)
        return configfs.missing(system)

    def start(self, system: System, part: ExportSet) -> str | None:
        """The modules are loaded if there is something to serve, or if nvmet is there already."""
        if part.subsystems or part.portals or configfs.missing(system) is None:
            return self.prepare(system)
        return configfs.missing(system)

    def clear(self, system: System, part: ExportSet) -> int:
        return nvmet.clear(system, part) if configfs.missing(system) is None else 0

    def holders(self, system: System, part: ExportSet) -> dict[str, str]:
        served = nvmet.served_devices(system)
        found = {one.volume_id: served.get(system.realpath(one.device)) for one in part.volumes} if served else {}
        return {id_: f"it is served over NVMe by subsystem {nqn}" for id_, nqn in found.items() if nqn}

    def converge(
        self, system: System, part: ExportSet, *, reasons: Mapping[str, str], held: Mapping[str, str], turn: Turn
    ) -> ConvergeReport:
        """Portals of SPDK are reported as blocked: nvmet itself reports on its own."""
        report = nvmet.converge(system, part, reasons=reasons, held=held, turn=turn)
        others = tuple(
            PortalReport(portal_id=portal.portal_id, state=ServingState.BLOCKED, reason=_NOT_SERVED)
            for portal in part.portals
            if portal.engine is ExportEngine.SPDK
        )
        return report.model_copy(update={"portals": report.portals + others})

    def converge_part(
        self,
        system: System,
        difference: Difference,
        *,
        reasons: Mapping[str, str],
        held: Mapping[str, str],
        not_listening: Mapping[str, str],
    ) -> ConvergeReport | None:
        """Everything is served while a port does not listen: whether it can now is found out with the whole."""
        if not_listening:
            return None
        return nvmet.converge_part(system, difference, reasons=reasons, held=held)

    def is_served(self, system: System) -> bool:
        return nvmet.is_served(system)

    def exported_volumes(self, system: System, served: ExportSet | None) -> frozenset[str] | None:
        """nvmet identifies volumes by their identity. One that is missing in the ledger may be any of them."""
        ids = {one.identity.uuid: one.volume_id for one in served.volumes} if served else {}
        exported = nvmet.exported_volumes(system, served)
        return frozenset(ids[uuid] for uuid in exported) if exported <= ids.keys() else None

    def observe_sessions(
        self, system: System, served: ExportSet | None
    ) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
        return sessions.observe_sessions(system, served)

    def withdraw(self, system: System, served: ExportSet | None) -> dict[str, str]:
        return nvmet.withdraw(system, served)

    def open_devices(self, system: System) -> frozenset[str]:
        return frozenset(nvmet.served_devices(system))

    def with_leftovers(self, system: System, served: ExportSet | None, wanted: ExportSet) -> ExportSet:
        going = adopted.left_over(served, wanted) if served else ()
        return wanted.model_copy(update={"nvme_leftovers": adopted.standing(configfs.NvmetConfigfs(system), going)})
