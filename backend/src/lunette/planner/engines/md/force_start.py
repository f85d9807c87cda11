"""The plan for starting an array that stays stopped because it is dirty and degraded."""

from lunette.domain.array_changes import ArrayForceStart
from lunette.domain.arrays import ArrayState
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import MdForceStart
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.engines.known_array import KnownArray
from lunette.providers.arrays.md.plan import parity_disks

NO_PARITY = (
    "array {} is {}, which has no parity that interrupted writes could leave inconsistent: it starts automatically"
)
RISK = (
    "Blocks of the missing disk are calculated from the other disks. Where a write was interrupted, they do not "
    "match. Blocks that were written long ago can therefore be wrong, and nothing identifies them. Check the data "
    "on the volumes, or restore it from a backup. This cannot be undone."
)
AWAY = (
    "If the missing disk is only disconnected, attach it instead: with all its disks, the array starts automatically."
)


def plan_force_start(array: KnownArray, spec: ArrayForceStart, seen: Observation) -> Plan:
    """Raises Invalid without the array's name as confirmation, Conflict if there is nothing to force."""
    findings, what = Findings(), f"Array {array.name} was not started"
    if array.level and not parity_disks(array.level):
        findings.add(Invalid, "confirm", spec.confirm, NO_PARITY.format(array.name, array.level))
    elif spec.confirm != array.name:
        message = f"confirm must be the array's name, {array.name}: blocks on it can be wrong afterward"
        findings.add(Invalid, "confirm", spec.confirm, message)
    findings.refuse(what)
    found = next((one for one in seen.arrays if one.uuid == array.uuid), None)
    if found is None:
        raise Conflict(f"{what}: none of its disks is attached. Attach them: the array then starts automatically.")
    if found.state is not ArrayState.MISSING:
        raise Conflict(f"{what}: it is already running ({found.state.value}).")
    if not found.dirty_without:
        raise Conflict(
            f"{what}: it does not need a forced start. `lunette why` and the alerts show what it is waiting for."
        )
    places = {m.disk_id: m.slot for m in found.members}
    members = tuple(
        member
        for member in array.members
        if (slot := places.get(member.disk_id)) is not None and slot not in found.dirty_without
    )
    named = {member.disk_id for member in members}
    lost = [member.disk_id for member in array.members if member.disk_id not in named]
    detail = f"it starts from {len(members)} of {found.raid_disks} disks, without {shorten(lost)}"
    step = MdForceStart(
        array_id=array.id, uuid=array.uuid, md_name=array.engine_name, members=members, of_disks=found.raid_disks
    )
    return Plan(
        title=f"Start array {array.name} by force",
        changes=(PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail),),
        steps=(step,),
        warnings=(RISK, AWAY),
    )
