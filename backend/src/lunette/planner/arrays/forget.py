"""The plan for forgetting an array that is permanently lost, with its volumes, snapshots and mappings. Pure.

No step runs on the machine, because nothing of the array is left there. It is refused while the array is in service, or
could be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lunette.domain.array_changes import ArrayForget
from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.engines.array_engines import hides_array
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.volume_engines import volumes_of
from lunette.planner.volumes.creation import KnownVolume

LOST = "All data on the array is given up permanently. If its disks are only disconnected, attach them instead."
COMES_BACK = (
    "No disk is written to. If the disks are attached again later, `lunette rebuild` recovers the array and its "
    "volumes from the sealed copy on the array."
)
POOL_COMES_BACK = (
    "No disk is written to. A pool carries no sealed copy: if the disks are attached again later, its volumes can "
    "only be recovered with a backup taken before."
)
REMAINS = "What the kernel still holds of the array is removed at the next start of the appliance."

KEY_STAYS = (
    "The key that the appliance stores of the array remains on the system drive, so that it still unlocks the array "
    "if the disks return. Whoever has the disks and the system drive can read the data."
)


@dataclass(frozen=True)
class Lost:
    """What is deleted with an array. `running` and `stuck` are titles of jobs that have part of it. `key_stays`: the
    appliance stores its key."""

    volumes: Sequence[KnownVolume]
    deleted: Sequence[str]
    running: Sequence[str] = ()
    stuck: Sequence[str] = ()
    key_stays: bool = False


def plan_forget(array: KnownArray, spec: ArrayForget, seen: Observation, lost: Lost) -> Plan:
    """Raises Invalid for another name, Conflict while the array works or a running job uses part of it."""
    findings = Findings()
    found = next((one for one in seen.arrays if one.uuid == array.uuid), None)
    if spec.confirm != array.name:
        message = f"confirm must be the array's name, {array.name}: all data on it is given up"
        findings.add(Invalid, "confirm", spec.confirm, message)
    _check_lost(findings, array, found, seen)
    if lost.running:
        message = f"it is part of a running job ({shorten(list(lost.running))}): wait until the job has finished"
        findings.add(Conflict, "array", array.name, message)
    findings.refuse(f"Array {array.name} was not forgotten")
    held = (REMAINS,) if found is not None and found.state is ArrayState.FAILED else ()
    held = (*held, KEY_STAYS) if lost.key_stays else held
    carrying = [member.disk_id for member in array.members if _carries(array, seen, member.disk_id)]
    if carrying:
        still = f"{len(carrying)} of its {len(array.members)} disks are attached and carry their part of the array"
        held = (f"{still}: {shorten(carrying)}.", *held)
    return Plan(
        title=f"Forget array {array.name} and what was on it",
        changes=tuple(_changes(array, lost)),
        steps=(),
        warnings=(LOST, COMES_BACK if volumes_of(array.engine).carries_sealed_copy else POOL_COMES_BACK, *held),
    )


def _carries(array: KnownArray, seen: Observation, disk_id: str) -> bool:
    disk = seen.disk(disk_id)
    return disk is not None and disk.array_uuid == array.uuid


def _check_lost(findings: Findings, array: KnownArray, found: ObservedArray | None, seen: Observation) -> None:
    """An array that is only unreadable now, locked, or could be force-started is not lost."""
    message = None
    if found is None and hides_array(seen, array.engine, array.uuid, array.group):
        message = "its disks cannot all be read now (see the alerts), so the array cannot be considered lost"
    elif found is not None and found.locked:
        message = "it is locked, not lost: unlock it with its passphrase"
    elif found is not None and found.dirty_without:
        message = (
            f"`lunette array force-start {array.name}` can start it, which can cost a few blocks but not all of them"
        )
    elif found is not None and found.state not in (ArrayState.MISSING, ArrayState.FAILED):
        message = f"it is {found.state.value}, so it is not lost: delete its volumes and the array, or release it"
    if message:
        findings.add(Conflict, "array", array.name, message)


def _changes(array: KnownArray, lost: Lost) -> Iterator[PlannedChange]:
    disks = ", ".join(member.disk_id for member in array.members)
    yield PlannedChange(
        action=Action.DESTROY, noun="array", name=array.name, detail=f"is forgotten; its disks were {disks}"
    )
    for volume in lost.volumes:
        for owner in volume.mapped_to:
            detail = f"volume {volume.name} is no longer mapped to it"
            yield PlannedChange(action=Action.DESTROY, noun="mapping", name=f"{volume.name} to {owner}", detail=detail)
        for snapshot in volume.snapshots:
            yield PlannedChange(
                action=Action.DESTROY, noun="snapshot", name=snapshot, detail=f"of {volume.name}, is lost"
            )
        detail = f"{format_size(volume.size_bytes)}, is lost"
        yield PlannedChange(action=Action.DESTROY, noun="volume", name=volume.name, detail=detail)
    for name in lost.deleted:
        yield PlannedChange(
            action=Action.DESTROY, noun="deleted-volume", name=name, detail="can no longer be recovered"
        )
    for title in lost.stuck:
        yield PlannedChange(action=Action.CHANGE, noun="job", name=title, detail="is stuck, and is abandoned")
