"""What will be observed of md arrays after a step. Space that a reshape adds is available only when it is over."""

from typing import Any

from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, ObservedMember, SyncProgress
from lunette.domain.disks import Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, MdAdd, MdCreate, MdDestroy, MdReshape, MdWriteHole
from lunette.planner.engines.foreseen import array_of, changed, with_array, with_disks, without_array
from lunette.providers.arrays.md import plan as md


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done; unchanged if the step is not a foreseen one of md."""
    match step:
        case MdCreate():
            return _created(seen, step)
        case MdDestroy():
            return without_array(seen, step.uuid, step.devices())
        case MdAdd() | MdReshape() | MdWriteHole():
            array = array_of(seen, step.uuid)
            return seen if array is None else _changed(seen, array, step)
    return seen


def _changed(seen: Observation, array: ObservedArray, step: MdAdd | MdReshape | MdWriteHole) -> Observation:
    match step:
        case MdAdd():
            label = Signature(type="linux_raid_member", label=step.md_name, uuid=step.uuid)
            seen = with_disks(seen, step.devices(), signatures=(label,), holders=(step.md_name,), array_uuid=step.uuid)
            return changed(seen, array, **_filled(array, step.member.disk_id))
        case MdWriteHole():
            return changed(seen, array, write_hole=step.policy)
        case MdReshape():
            return changed(seen, array, **_reshaped(array, step.to_disks))


def _created(seen: Observation, step: MdCreate) -> Observation:
    member = Signature(type="linux_raid_member", label=step.md_name, uuid=step.uuid)
    taken = with_disks(seen, step.devices(), signatures=(member,), holders=(step.md_name,), array_uuid=step.uuid)
    size = md.usable_bytes(step.level, step.member_bytes, len(step.members), step.chunk_bytes, step.layout)
    array = ObservedArray(
        uuid=step.uuid,
        engine=ArrayEngine.MD,
        name=step.md_name,
        ours=True,
        marked=True,
        device=None,
        level=step.level.value,
        state=ArrayState.CLEAN,
        size_bytes=size,
        chunk_bytes=step.chunk_bytes,
        write_hole=step.write_hole,
        raid_disks=len(step.members),
        progress=None,
        members=tuple(
            ObservedMember(disk_id=one.disk_id, device=None, state=state)
            for state, members in (("in_sync", step.members), ("spare", step.spares))
            for one in members
        ),
        mismatch_count=None,
        layout=step.layout,
    )
    return with_array(taken, array)


def _filled(array: ObservedArray, disk_id: str) -> dict[str, Any]:
    """The disk is a spare, or is rebuilt immediately in the place of a lost one."""
    if any(member.disk_id == disk_id for member in array.members):
        return {}
    if array.state is not ArrayState.DEGRADED:
        return {"members": (*array.members, ObservedMember(disk_id=disk_id, device=None, state="spare"))}
    new = ObservedMember(disk_id=disk_id, device=None, state="rebuilding")
    lost = next((member for member in array.members if member.state == "missing"), None)
    others = (member for member in array.members if member is not lost)
    return {"members": (*others, new), "state": ArrayState.REBUILDING, "progress": _begun("recover")}


def _reshaped(array: ObservedArray, disks: int) -> dict[str, Any]:
    """A mirror is rebuilt, other levels are reshaped; both use the spares."""
    is_mirror = array.level == Level.RAID1
    spares = [member for member in array.members if member.state == "spare"][: disks - (array.raid_disks or disks)]
    taken = "rebuilding" if is_mirror else "in_sync"
    return {
        "members": tuple(one.model_copy(update={"state": taken}) if one in spares else one for one in array.members),
        "raid_disks": disks,
        "state": ArrayState.REBUILDING if is_mirror else ArrayState.RESHAPING,
        "is_reshaping": not is_mirror,
        "progress": _begun("recover" if is_mirror else "reshape"),
    }


def _begun(action: str) -> SyncProgress:
    return SyncProgress(action=action, percent=0, rate_bytes_s=None, left_s=None)
