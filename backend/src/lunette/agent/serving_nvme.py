"""What is mapped over NVMe, and the engine that serves it: the kernel's nvmet or SPDK, never both at a time.

The portals say which. SPDK opens devices without claiming them, as nvmet does, and is a program: it may be missing, or
hang. While it hangs nobody knows what it has open, and nobody else is given a device.
"""

from collections.abc import Mapping

from lunette.domain.errors import LunetteError
from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    ObservedSession,
    PortalReport,
    ServingState,
    UnseenSessions,
)
from lunette.domain.mappings import ExportEngine
from lunette.providers.exports import parts
from lunette.providers.exports.nvmet import configfs as nvmet_configfs
from lunette.providers.exports.nvmet import converge as nvmet
from lunette.providers.exports.nvmet import sessions as nvmet_sessions
from lunette.providers.exports.reports import absent
from lunette.providers.exports.spdk import converge as spdk
from lunette.providers.exports.spdk import process
from lunette.providers.exports.spdk import sessions as spdk_sessions
from lunette.providers.exports.turn import Turn
from lunette.system.doorway import System


def clear(system: System, wish: ExportSet) -> int:
    """Remove what is not wanted any more, or is wanted of the other engine. How much was changed."""
    over_spdk = parts.engine_of(wish) is ExportEngine.SPDK
    nothing = wish.model_copy(update={"volumes": (), "portals": (), "subsystems": ()})
    changed = 0
    if nvmet_configfs.missing(system) is None:
        changed += nvmet.clear(system, nothing if over_spdk else wish)
    try:
        if process.answers(system):
            changed += spdk.clear(system, wish if over_spdk else nothing)
        if not over_spdk:
            process.stop(system)
    except LunetteError:
        return changed  # whoever wants one of its devices is told that they are held
    return changed


def serve(
    system: System, wish: ExportSet, reasons: Mapping[str, str], held: Mapping[str, str], *, turn: Turn
) -> ConvergeReport:
    """By volume id `reasons` tells why a device is away, `held` who else serves it."""
    if parts.engine_of(wish) is ExportEngine.SPDK:
        try:
            process.start(system)
            return spdk.converge(
                system,
                wish,
                reasons=reasons,
                held=_held_by_nvmet(system, wish) | dict(held),
                turn=turn,
            )
        except LunetteError as error:
            return absent(wish, error.detail)
    if wish.subsystems or wish.portals or nvmet_configfs.missing(system) is None:
        nvmet_configfs.prepare(system)
    if missing := nvmet_configfs.missing(system):
        return absent(wish, missing)
    held = _held_by_spdk(system, wish) | dict(held)
    found = nvmet.converge(system, wish, reasons=reasons, held=held, turn=turn)
    return _with_the_others(wish, found)


def holders(system: System, wish: ExportSet) -> dict[str, str]:
    """By volume id: why SCSI has to wait for it."""
    return {
        volume_id: f"{reason}: it is served over SCSI after that has ended"
        for volume_id, reason in (_held_by_nvmet(system, wish) | _held_by_spdk(system, wish)).items()
    }


def still_served(system: System, wanted: Mapping[str, str], served: ExportSet | None) -> frozenset[str] | None:
    """Ids of the volumes an engine has open, with `wanted` the ids by UUID; None if nobody can tell.

    nvmet knows volumes by their identity. One that the ledger does not know may be any of them.
    """
    over_nvmet = nvmet.exported_volumes(system, served)
    if not over_nvmet <= wanted.keys():
        return None
    try:
        return spdk.exported_volumes(system) | {wanted[uuid] for uuid in over_nvmet}
    except LunetteError:
        return None


def is_served(system: System) -> bool:
    """True if anything of ours stands in either, or may."""
    try:
        return nvmet.is_served(system) or spdk.is_served(system)
    except LunetteError:
        return True


def observe_sessions(
    system: System, served: ExportSet | None
) -> tuple[tuple[ObservedSession, ...], tuple[UnseenSessions, ...]]:
    """Who is connected to either, and what cannot be seen."""
    looks = (nvmet_sessions.observe_sessions(system, served), spdk_sessions.observe_sessions(system))
    return tuple(one for found, _ in looks for one in found), tuple(unseen for _, unseen in looks if unseen)


def uncounted(served: ExportSet | None) -> tuple[UnseenSessions, ...]:
    """What no counters tell of the hosts that are served."""
    if served is None or not served.subsystems:
        return ()
    over_spdk = parts.engine_of(served) is ExportEngine.SPDK
    return (spdk_sessions.UNCOUNTED if over_spdk else nvmet_sessions.UNCOUNTED,)


def withdraw(system: System, served: ExportSet | None = None) -> dict[str, str]:
    """Close every path of ours. What was refused, by path. SPDK that does not answer is ended: it comes back empty."""
    refused = nvmet.withdraw(system, served)
    try:
        return refused | (spdk.withdraw(system) if process.answers(system) else {})
    except LunetteError as error:
        return refused if process.kill(system) else refused | {"spdk": error.detail}


def open_devices(system: System) -> frozenset[str]:
    """Real paths of the devices that somebody serves although nobody claims them, also of others."""
    try:
        return frozenset(nvmet.served_devices(system)) | frozenset(spdk.served_devices(system))
    except LunetteError:
        return frozenset(nvmet.served_devices(system))


def _with_the_others(wish: ExportSet, report: ConvergeReport) -> ConvergeReport:
    """nvmet reports of its own portals only."""
    reason = "the kernel serves what is mapped over NVMe, through another portal: delete one of the two"
    others = tuple(
        PortalReport(portal_id=portal.portal_id, state=ServingState.BLOCKED, reason=reason)
        for portal in wish.portals
        if portal.engine is ExportEngine.SPDK
    )
    return report.model_copy(update={"portals": report.portals + others}) if others else report


def _held_by_nvmet(system: System, wish: ExportSet) -> dict[str, str]:
    served = nvmet.served_devices(system)
    found = {v.volume_id: served.get(system.realpath(v.device)) for v in wish.volumes} if served else {}
    return {id_: f"it is served over NVMe by subsystem {nqn}" for id_, nqn in found.items() if nqn}


def _held_by_spdk(system: System, wish: ExportSet) -> dict[str, str]:
    try:
        served = spdk.served_devices(system)
    except LunetteError as error:
        return {volume.volume_id: f"SPDK may have it open: {error.detail}" for volume in wish.volumes}
    if not served:
        return {}
    return {volume.volume_id: "SPDK has it open" for volume in wish.volumes if system.realpath(volume.device) in served}
