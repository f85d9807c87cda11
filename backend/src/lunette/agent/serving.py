"""Serves the desired state with all export engines: LIO over SCSI, nvmet or SPDK over NVMe.

A volume is served by one engine (DESIGN R13). The desired state respects that; it is also enforced here, because LIO
claims a device and the others do not: an engine waits for a device until the others have closed it.
"""

from collections import Counter
from collections.abc import Mapping, Set

from lunette.domain.exports import ConvergeReport, ExportSet, ObservedSession, ServingState, UnseenSessions
from lunette.domain.mappings import Family
from lunette.domain.unshared import by_key
from lunette.providers.exports.difference import Difference, between
from lunette.providers.exports.engine import Engine
from lunette.providers.exports.lio.engine import LioEngine
from lunette.providers.exports.nvmet.engine import NvmetEngine
from lunette.providers.exports.reports import absent, joined, with_part
from lunette.providers.exports.spdk.engine import SpdkEngine
from lunette.providers.exports.turn import PLAIN, Turn
from lunette.system.system_port import System

ENGINES: tuple[Engine, ...] = (LioEngine(), NvmetEngine(), SpdkEngine())
"""In the order in which they clear, converge and are withdrawn."""
_NAMES = {Family.SCSI: "SCSI", Family.NVME: "NVMe"}


def prepare(system: System) -> list[str]:
    """Load the engines of the kernel, so that they are available from the start. Returns what is missing, in words. LIO
    is last: if its directories cannot be created, nvmet is available all the same.
    """
    missing = [engine.prepare(system) for engine in reversed(ENGINES)]
    return [reason for reason in missing if reason]


def serve(
    system: System,
    wanted: ExportSet,
    waiting: Mapping[str, str],
    proven: Set[str],
    *,
    turn: Turn = PLAIN,
) -> ConvergeReport:
    """Converges the exports and reports. `waiting` is what arrays that are down wait for, by array ID. `proven` are the
    IDs of arrays that were brought up, and so belong to Lunette.
    """
    parts = [(engine, engine.part(wanted)) for engine in ENGINES]
    blocked = not_ours(wanted, waiting, proven)
    reasons = {one.volume_id: waiting[one.array_id] for one in wanted.volumes if one.array_id in waiting}
    cleared = 0 if turn.keep_stale else sum(engine.clear(system, part) for engine, part in parts)
    reports = []
    for engine, part in parts:
        if engine.is_in_charge(wanted):
            if missing := engine.start(system, part):
                reports.append(absent(part, missing))
            else:
                held = _held_by_others(system, engine, part) | blocked
                reports.append(engine.converge(system, part, reasons=reasons, held=held, turn=turn))
    return joined(reports, cleared)


def serve_difference(
    system: System,
    before: ExportSet,
    wanted: ExportSet,
    last: ConvergeReport,
    waiting: Mapping[str, str],
    proven: Set[str],
) -> ConvergeReport | None:
    """Serves only what differs between two desired states, and reports on everything; `last` is the report about
    `before`.

    None if everything has to be served: nothing differs, so a look at all of it was asked for; the difference concerns
    more; what it builds on was not served completely; or not all of it could be served now.
    """
    difference = between(before, wanted)
    if difference is None or difference.is_empty or not _was_whole(last, difference):
        return None
    engine = next(one for one in ENGINES if one.family is difference.family and one.is_in_charge(wanted))
    blocked = not_ours(difference.after, waiting, proven)
    reasons = {one.volume_id: waiting[one.array_id] for one in difference.after.volumes if one.array_id in waiting}
    held = _held_by_others(system, engine, difference.after) | blocked
    silent = {one.portal_id: one.reason for one in last.portals if one.reason is not None}
    if silent and difference.portals_differ:
        return None
    part = engine.converge_part(system, difference, reasons=reasons, held=held, not_listening=silent)
    if part is None or any(one.reason is not None for one in (*part.targets, *part.subsystems)):
        return None
    if any(one.reason is not None for one in part.portals if one.portal_id not in silent):
        return None
    return with_part(last, part, before, wanted)


def _was_whole(last: ConvergeReport, difference: Difference) -> bool:
    """True if the targets and subsystems that differ were open and lacked nothing."""
    before = difference.before
    targets, subsystems = (by_key("target_id", reports) for reports in (last.targets, last.subsystems))
    touched = [targets.get(one.target_id) for one in before.targets]
    touched += [subsystems.get(one.target_id) for one in before.subsystems]
    if difference.portals_differ:
        touched += [targets.get(one.target_id) for one in difference.same_targets]
        touched += [subsystems.get(one.target_id) for one in difference.same_subsystems]
    return all(one is not None and one.state is ServingState.OPEN and one.reason is None for one in touched)


def not_ours(wanted: ExportSet, waiting: Mapping[str, str], proven: Set[str]) -> dict[str, str]:
    """Reasons by ID, for volumes that are not proven to be on an array of Lunette and are therefore not opened.

    Starting an array proves that its group belongs to Lunette. An ID that two arrays share identifies neither. What is
    open already stays open.
    """
    times = Counter(array.array_id for array in wanted.arrays)
    arrays = {array.array_id: array for array in wanted.arrays if times[array.array_id] == 1}
    found = {}
    for volume in wanted.volumes:
        array = arrays.get(volume.array_id)
        if array is None:
            found[volume.volume_id] = f"volume {volume.name} is not on an array of this appliance"
        elif array.group != volume.group:
            found[volume.volume_id] = f"volume {volume.name} is not in {array.group}, the group of array {array.name}"
        elif array.array_id not in proven:
            found[volume.volume_id] = waiting.get(array.array_id, f"array {array.name} has not been started yet")
    return found


def is_served(system: System) -> bool:
    """True if anything of Lunette exists in any engine, or may exist."""
    return any(engine.is_served(system) for engine in ENGINES)


def still_served(system: System, volume_ids: tuple[str, ...], served: ExportSet | None) -> list[str]:
    """Which of these volumes an engine holds now, or would once their array is up: all if an engine cannot tell."""
    found = mapped_volumes(served) if served else frozenset()
    for engine in ENGINES:
        exported = engine.exported_volumes(system, served)
        if exported is None:
            return list(volume_ids)
        found |= exported
    return [id_ for id_ in volume_ids if id_ in found]


def mapped_volumes(served: ExportSet) -> frozenset[str]:
    """IDs of the volumes that are mapped, over any fabric."""
    luns = [*(target.luns for target in served.targets), *(subsystem.luns for subsystem in served.subsystems)]
    return frozenset(lun.volume_id for behind in luns for lun in behind)


def observe_sessions(
    system: System, served: ExportSet | None
) -> tuple[tuple[ObservedSession, ...], tuple[UnseenSessions, ...]]:
    """Who is logged in to any engine, and what cannot be observed."""
    looks = [engine.observe_sessions(system, served) for engine in ENGINES]
    return tuple(one for found, _ in looks for one in found), tuple(unseen for _, unseen in looks if unseen)


def uncounted(served: ExportSet | None) -> tuple[UnseenSessions, ...]:
    """Counters that do not exist for served hosts."""
    if served is None or not served.subsystems:
        return ()
    return tuple(one.uncounted for one in ENGINES if one.uncounted and one.is_in_charge(served))


def with_leftovers(system: System, served: ExportSet | None, wanted: ExportSet) -> ExportSet:
    """The desired state with adopted objects that were released and still exist."""
    for engine in ENGINES:
        wanted = engine.with_leftovers(system, served, wanted)
    return wanted


def withdraw(system: System, served: ExportSet | None = None) -> dict[str, str]:
    """Close every path of Lunette, for a shutdown. Returns what was refused, by path. `served` lists what was
    adopted.
    """
    refused: dict[str, str] = {}
    for engine in ENGINES:
        refused |= engine.withdraw(system, served)
    return refused


def open_devices(system: System) -> frozenset[str] | None:
    """Real paths of devices that are in use although no process claims them, also by exports of other systems. None if
    an engine cannot tell."""
    found: frozenset[str] = frozenset()
    for engine in ENGINES:
        opened = engine.open_devices(system)
        if opened is None:
            return None
        found |= opened
    return found


def open_targets(exports: ExportSet, report: ConvergeReport) -> tuple[str, ...]:
    """The IQNs and NQNs that hosts can log in to now."""
    targets = {one.target_id for one in report.targets if one.state is ServingState.OPEN}
    subsystems = {one.target_id for one in report.subsystems if one.state is ServingState.OPEN}
    return (
        *(target.iqn for target in exports.targets if target.target_id in targets),
        *(target.nqn for target in exports.subsystems if target.target_id in subsystems),
    )


def _held_by_others(system: System, asking: Engine, part: ExportSet) -> dict[str, str]:
    """Why volumes of one engine wait for another. The other family comes last, and takes precedence."""
    held: dict[str, str] = {}
    others = (engine for engine in ENGINES if engine is not asking)
    for engine in sorted(others, key=lambda engine: engine.family is not asking.family):
        after = (
            ""
            if engine.family is asking.family
            else f": it is served over {_NAMES[asking.family]} after that has ended"
        )
        held |= {volume_id: f"{reason}{after}" for volume_id, reason in engine.holders(system, part).items()}
    return held
