"""One wish, two families: LIO serves what is mapped over SCSI, nvmet or SPDK what is mapped over NVMe.

A volume is served by one engine (DESIGN R13). What is wished keeps to that; here it is also looked at, because LIO
claims a device and the others do not: whoever observes another as holder waits until it has let go.
"""

from collections import Counter
from collections.abc import Mapping, Set

from lunette.agent import serving_nvme as nvme
from lunette.domain.errors import Unavailable
from lunette.domain.exports import ConvergeReport, ExportSet, ObservedSession, ServingState, UnseenSessions
from lunette.providers.exports import parts
from lunette.providers.exports.lio import adopted
from lunette.providers.exports.lio import configfs as lio_configfs
from lunette.providers.exports.lio import converge as lio
from lunette.providers.exports.lio import sessions as lio_sessions
from lunette.providers.exports.lio.configfs import Configfs
from lunette.providers.exports.nvmet import adopted as nvmet_adopted
from lunette.providers.exports.nvmet import configfs as nvmet_configfs
from lunette.providers.exports.reports import absent, joined
from lunette.providers.exports.turn import PLAIN, Turn
from lunette.providers.fabrics import fc_host
from lunette.system.doorway import System


def prepare(system: System) -> list[str]:
    """Bring up the engines of the kernel, so that they are offered from the start. What is missing, in words."""
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
    proven: Set[str],
    *,
    turn: Turn = PLAIN,
) -> ConvergeReport:
    """Make the exports as wished and report. `waiting` tells by array id what an array that is down waits for, `proven`
    are the ids of arrays that were brought up, and so are ours."""
    scsi, other = parts.split(wish)
    barred = not_ours(wish, waiting, proven)
    cleared = nvme.clear(system, other) if not turn.keep_strays else 0
    over_scsi = _serve_scsi(system, scsi, _reasons(scsi, waiting), barred, turn=turn)
    over_nvme = nvme.serve(
        system,
        other,
        _reasons(other, waiting),
        _held_by_lio(system, other) | barred,
        turn=turn,
    )
    return joined(over_scsi, over_nvme, cleared)


def not_ours(wish: ExportSet, waiting: Mapping[str, str], proven: Set[str]) -> dict[str, str]:
    """By id of each volume that is not known to lie on an array of ours: why it is not opened. Starting an array proves
    that its group is ours. An id that two arrays share identifies neither of them. What is open already stays open.
    """
    times = Counter(array.array_id for array in wish.arrays)
    arrays = {array.array_id: array for array in wish.arrays if times[array.array_id] == 1}
    found = {}
    for volume in wish.volumes:
        array = arrays.get(volume.array_id)
        if array is None:
            found[volume.volume_id] = f"volume {volume.name} is not on an array of this appliance"
        elif array.group != volume.group:
            found[volume.volume_id] = f"volume {volume.name} is not in {array.group}, the group of array {array.name}"
        elif array.array_id not in proven:
            found[volume.volume_id] = waiting.get(array.array_id, f"array {array.name} has not been started yet")
    return found


def is_served(system: System) -> bool:
    """True if anything of ours stands in any engine."""
    return lio.is_served(system) or nvme.is_served(system)


def still_served(system: System, volume_ids: tuple[str, ...], served: ExportSet | None) -> list[str]:
    """Which of these volumes an engine holds now, or would once their array is up."""
    wanted = {volume.identity.uuid: volume.volume_id for volume in served.volumes} if served else {}
    mapped = mapped_volumes(served) if served else frozenset()
    over_nvme = nvme.still_served(system, wanted, served)
    if over_nvme is None:
        return list(volume_ids)
    standing = lio.exported_volumes(system, served) | over_nvme
    return [id_ for id_ in volume_ids if id_ in standing or id_ in mapped]


def mapped_volumes(served: ExportSet) -> frozenset[str]:
    """Ids of the volumes that are mapped, over whatever fabric."""
    luns = [*(target.luns for target in served.targets), *(subsystem.luns for subsystem in served.subsystems)]
    return frozenset(lun.volume_id for behind in luns for lun in behind)


def observe_sessions(
    system: System, served: ExportSet | None
) -> tuple[tuple[ObservedSession, ...], tuple[UnseenSessions, ...]]:
    """Who is logged in over either, and what cannot be seen."""
    over_nvme, unseen = nvme.observe_sessions(system, served)
    return (*lio_sessions.observe_sessions(system, adopted.iqns(served)), *over_nvme), unseen


def with_leftovers(system: System, served: ExportSet | None, wanted: ExportSet) -> ExportSet:
    """The wish with what was adopted, is given up, and still stands."""
    if served is None:
        return wanted.model_copy(update={"leftovers": (), "nvme_leftovers": ()})
    nvmet = nvmet_configfs.Configfs(system)
    return wanted.model_copy(
        update={
            "leftovers": adopted.standing(Configfs(system), adopted.left_over(served, wanted)),
            "nvme_leftovers": nvmet_adopted.standing(nvmet, nvmet_adopted.left_over(served, wanted)),
        }
    )


def withdraw(system: System, served: ExportSet | None = None) -> dict[str, str]:
    """Close every path of ours, for a shutdown. What was refused, by path. `served` tells what was adopted."""
    return lio.withdraw(system, served) | nvme.withdraw(system, served)


def open_devices(system: System) -> frozenset[str]:
    """Real paths of the devices that somebody serves although nobody claims them: those of NVMe, also of others."""
    return nvme.open_devices(system)


def _serve_scsi(
    system: System, wish: ExportSet, reasons: Mapping[str, str], barred: Mapping[str, str], *, turn: Turn
) -> ConvergeReport:
    try:
        lio_configfs.prepare(system)
        fc_host.prepare(system)
    except Unavailable as error:
        return absent(wish, error.detail)
    held = {**nvme.holders(system, wish), **barred}
    return lio.converge(system, wish, reasons=reasons, held=held, turn=turn)


def _held_by_lio(system: System, wish: ExportSet) -> dict[str, str]:
    exported = lio.exported_volumes(system, wish)
    reason = "it is still served over SCSI: it is served over NVMe after that has ended"
    return {volume.volume_id: reason for volume in wish.volumes if volume.volume_id in exported}


def _reasons(wish: ExportSet, waiting: Mapping[str, str]) -> dict[str, str]:
    return {volume.volume_id: waiting[volume.array_id] for volume in wish.volumes if volume.array_id in waiting}


def open_doors(exports: ExportSet, report: ConvergeReport) -> tuple[str, ...]:
    """The IQNs and NQNs that hosts can log in to now."""
    targets = {one.target_id for one in report.targets if one.state is ServingState.OPEN}
    subsystems = {one.target_id for one in report.subsystems if one.state is ServingState.OPEN}
    return (
        *(door.iqn for door in exports.targets if door.target_id in targets),
        *(door.nqn for door in exports.subsystems if door.target_id in subsystems),
    )
