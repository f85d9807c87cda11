"""One wish, two export engines: LIO serves what is mapped over SCSI, nvmet what is mapped over NVMe.

A volume is served by one of them (DESIGN R13). What is wished keeps to that; here it is also looked at, because LIO
claims a device and nvmet does not: whoever observes the other as holder waits until it has let go.
"""

from collections.abc import Mapping

from lunette.domain.errors import Unavailable
from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    FcPortReport,
    Leftover,
    ObservedSession,
    PortalReport,
    ServingState,
    TargetReport,
    UnseenSessions,
    VolumeReport,
)
from lunette.domain.mappings import ExportEngine
from lunette.providers.exports.lio import adopted
from lunette.providers.exports.lio import configfs as lio_configfs
from lunette.providers.exports.lio import converge as lio
from lunette.providers.exports.lio import sessions as lio_sessions
from lunette.providers.exports.lio.configfs import Configfs
from lunette.providers.exports.nvmet import configfs as nvmet_configfs
from lunette.providers.exports.nvmet import converge as nvmet
from lunette.providers.exports.nvmet import sessions as nvmet_sessions
from lunette.providers.fabrics import fc_host
from lunette.system.doorway import System


def prepare(system: System) -> list[str]:
    """Bring up both engines, so that they are offered from the start. What is missing, in words."""
    nvmet_configfs.prepare(system)
    missing = [nvmet_configfs.missing(system)]
    try:
        lio_configfs.prepare(system)
        fc_host.prepare(system)
    except Unavailable as error:
        missing.append(error.detail)
    return [reason for reason in missing if reason]


def serve(
    system: System,
    wish: ExportSet,
    waiting: Mapping[str, str],
    *,
    keep_strays: bool,
    let_go: frozenset[str] = frozenset(),
) -> ConvergeReport:
    """Make the exports as wished and report. `waiting` tells by array id what an array that is down waits for, `let_go`
    names the WWPNs of ports that were managed until now.
    """
    scsi, nvme = split(wish)
    if nvme.subsystems or nvme.portals or nvmet_configfs.missing(system) is None:
        nvmet_configfs.prepare(system)
    missing = nvmet_configfs.missing(system)
    cleared = nvmet.clear(system, nvme) if missing is None and not keep_strays else 0
    over_scsi = _serve_scsi(system, scsi, waiting, keep_strays=keep_strays, let_go=let_go)
    if missing is not None:
        over_nvme = absent(nvme, missing)
    else:
        over_nvme = nvmet.converge(
            system, nvme, reasons=_reasons(nvme, waiting), held=_held_by_lio(system, nvme), keep_strays=keep_strays
        )
    return _joined(over_scsi, over_nvme, cleared)


def split(wish: ExportSet) -> tuple[ExportSet, ExportSet]:
    """What each engine is to serve; a volume that is mapped to nobody is looked at by the first."""
    scsi = {lun.volume_id for target in wish.targets for lun in target.luns}
    nvme = {lun.volume_id for subsystem in wish.subsystems for lun in subsystem.luns}
    return (
        wish.model_copy(
            update={
                "volumes": tuple(v for v in wish.volumes if v.volume_id in scsi or v.volume_id not in nvme),
                "portals": tuple(p for p in wish.portals if p.engine is not ExportEngine.NVMET),
                "subsystems": (),
            }
        ),
        wish.model_copy(
            update={
                "volumes": tuple(v for v in wish.volumes if v.volume_id in nvme),
                "portals": tuple(p for p in wish.portals if p.engine is ExportEngine.NVMET),
                "fc_ports": (),
                "targets": (),
            }
        ),
    )


def absent(wish: ExportSet, reason: str) -> ConvergeReport:
    """The report of an engine that is not there: all that it should serve is blocked."""
    blocked = ServingState.BLOCKED
    return ConvergeReport(
        generation=wish.generation, accepted=True, refusal=None, changed=0, unexplained=(), foreign=(),
        targets=tuple(TargetReport(target_id=t.target_id, state=blocked, reason=reason) for t in wish.targets),
        subsystems=tuple(TargetReport(target_id=s.target_id, state=blocked, reason=reason) for s in wish.subsystems),
        volumes=tuple(VolumeReport(volume_id=v.volume_id, state=blocked, reason=reason) for v in wish.volumes),
        portals=tuple(PortalReport(portal_id=p.portal_id, state=blocked, reason=reason) for p in wish.portals),
        fc_ports=tuple(FcPortReport(port_id=p.port_id, state=blocked, reason=reason) for p in wish.fc_ports),
    )  # fmt: skip


def is_served(system: System) -> bool:
    """True if anything of ours stands in either engine."""
    return lio.is_served(system) or nvmet.is_served(system)


def still_served(system: System, volume_ids: tuple[str, ...], served: ExportSet | None) -> list[str]:
    """Which of these volumes an engine holds now, or would once their array is up.

    nvmet knows volumes by their identity. One that the ledger does not know may be any of them.
    """
    wanted = {volume.identity.uuid: volume.volume_id for volume in served.volumes} if served else {}
    mapped = mapped_volumes(served) if served else frozenset()
    over_nvme = nvmet.exported_volumes(system)
    if not over_nvme <= wanted.keys():
        return list(volume_ids)
    standing = lio.exported_volumes(system, served) | {wanted[uuid] for uuid in over_nvme}
    return [id_ for id_ in volume_ids if id_ in standing or id_ in mapped]


def mapped_volumes(served: ExportSet) -> frozenset[str]:
    """Ids of the volumes that are mapped, over whatever fabric."""
    luns = [*(target.luns for target in served.targets), *(subsystem.luns for subsystem in served.subsystems)]
    return frozenset(lun.volume_id for behind in luns for lun in behind)


def observe_sessions(
    system: System, served: ExportSet | None
) -> tuple[tuple[ObservedSession, ...], tuple[UnseenSessions, ...]]:
    """Who is logged in over either, and what cannot be seen."""
    over_nvme, unseen = nvmet_sessions.observe_sessions(system)
    return (*lio_sessions.observe_sessions(system, iqns(served)), *over_nvme), (unseen,) if unseen else ()


def iqns(served: ExportSet | None) -> frozenset[str]:
    """Names of the targets that are served: those that were adopted do not tell that they are ours."""
    return frozenset(target.iqn for target in served.targets) if served else frozenset()


def left_over(system: System, served: ExportSet | None, wanted: ExportSet) -> tuple[Leftover, ...]:
    """What was adopted, is given up, and still stands."""
    return adopted.standing(Configfs(system), adopted.left_over(served, wanted)) if served else ()


def withdraw(system: System, served: ExportSet | None = None) -> dict[str, str]:
    """Close every path of ours, for a shutdown. What was refused, by path. `served` tells what was adopted."""
    return lio.withdraw(system, served) | nvmet.withdraw(system)


def open_devices(system: System) -> frozenset[str]:
    """Real paths of the devices that somebody serves although nobody claims them: those of nvmet, also of others."""
    return frozenset(nvmet.served_devices(system))


def _serve_scsi(
    system: System, wish: ExportSet, waiting: Mapping[str, str], *, keep_strays: bool, let_go: frozenset[str]
) -> ConvergeReport:
    try:
        lio_configfs.prepare(system)
        fc_host.prepare(system)
    except Unavailable as error:
        return absent(wish, error.detail)
    held = _held_by_nvmet(system, wish)
    return lio.converge(system, wish, waiting=waiting, held=held, keep_strays=keep_strays, let_go=let_go)


def _held_by_nvmet(system: System, wish: ExportSet) -> dict[str, str]:
    served = nvmet.served_devices(system)
    holders = {v.volume_id: served.get(system.realpath(v.device)) for v in wish.volumes} if served else {}
    return {
        volume_id: f"it is served over NVMe by subsystem {nqn}: it is served over SCSI once that has let go"
        for volume_id, nqn in holders.items()
        if nqn
    }


def _held_by_lio(system: System, wish: ExportSet) -> dict[str, str]:
    exported = lio.exported_volumes(system, wish)
    reason = "it is served over SCSI: it is served over NVMe once that has let go"
    return {volume.volume_id: reason for volume in wish.volumes if volume.volume_id in exported}


def _reasons(wish: ExportSet, waiting: Mapping[str, str]) -> dict[str, str]:
    return {volume.volume_id: waiting[volume.array_id] for volume in wish.volumes if volume.array_id in waiting}


def _joined(one: ConvergeReport, other: ConvergeReport, cleared: int) -> ConvergeReport:
    return one.model_copy(
        update={
            "changed": one.changed + other.changed + cleared,
            "targets": one.targets + other.targets,
            "subsystems": one.subsystems + other.subsystems,
            "volumes": one.volumes + other.volumes,
            "portals": one.portals + other.portals,
            "fc_ports": one.fc_ports + other.fc_ports,
            "foreign": one.foreign + other.foreign,
        }
    )
