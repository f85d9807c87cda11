"""LIO as an export engine: iSCSI, iSER and Fibre Channel. It claims the devices that it opens."""

from collections.abc import Mapping

from lunette.domain.errors import Unavailable
from lunette.domain.exports import ConvergeReport, ExportSet, ObservedSession, UnseenSessions
from lunette.domain.mappings import Family
from lunette.providers.exports import parts
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.engine import Engine
from lunette.providers.exports.lio import adopted, configfs, sessions
from lunette.providers.exports.lio import converge as lio
from lunette.providers.exports.turn import Turn
from lunette.providers.fabrics import fc_host
from lunette.system.system_port import System


class LioEngine(Engine):
    """Always in charge of SCSI. It removes what is no longer desired in `converge`."""

    family = Family.SCSI

    def part(self, wanted: ExportSet) -> ExportSet:
        return parts.scsi(wanted)

    def prepare(self, system: System) -> str | None:
        try:
            configfs.prepare(system)
            fc_host.prepare(system)
        except Unavailable as error:
            return error.detail
        return None

    def holders(self, system: System, part: ExportSet) -> dict[str, str]:
        exported = lio.exported_volumes(system, part)
        return {one.volume_id: "it is still served over SCSI" for one in part.volumes if one.volume_id in exported}

    def converge(
        self, system: System, part: ExportSet, *, reasons: Mapping[str, str], held: Mapping[str, str], turn: Turn
    ) -> ConvergeReport:
        return lio.converge(system, part, reasons=reasons, held=held, turn=turn)

    def converge_part(
        self,
        system: System,
        difference: Difference,
        *,
        reasons: Mapping[str, str],
        held: Mapping[str, str],
        not_listening: Mapping[str, str],
    ) -> ConvergeReport | None:
        return lio.converge_part(system, difference, reasons=reasons, held=held, not_listening=not_listening)

    def is_served(self, system: System) -> bool:
        return lio.is_served(system)

    def exported_volumes(self, system: System, served: ExportSet | None) -> frozenset[str]:
        return lio.exported_volumes(system, served)

    def observe_sessions(
        self, system: System, served: ExportSet | None
    ) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
        return sessions.observe_sessions(system, adopted.iqns(served)), None

    def withdraw(self, system: System, served: ExportSet | None) -> dict[str, str]:
        return lio.withdraw(system, served)

    def with_leftovers(self, system: System, served: ExportSet | None, wanted: ExportSet) -> ExportSet:
        going = adopted.left_over(served, wanted) if served else ()
        return wanted.model_copy(update={"leftovers": adopted.standing(configfs.LioConfigfs(system), going)})
