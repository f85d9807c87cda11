"""An array as it will be once disks have joined it, for what a site document asks for after that. Pure."""

from typing import Any

from lunette.domain.arrays import ArrayState, Level, ObservedArray, ObservedMember, SyncProgress
from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import MdAdd, MdReshape, MdWriteHole, PoolAdd, PoolAddSpecial

Joining = MdAdd | MdReshape | MdWriteHole | PoolAdd | PoolAddSpecial


def joined(seen: Observation, step: Joining) -> Observation:
    """What will be observed once this step is done; the room that a reshape adds is there only when it is over."""
    uuid = step.guid if isinstance(step, PoolAdd | PoolAddSpecial) else step.uuid
    array = next((one for one in seen.arrays if one.uuid == uuid), None)
    if array is None:
        return seen
    match step:
        case MdAdd():
            label = Signature(type="linux_raid_member", label=step.md_name, uuid=uuid)
            seen = with_disks(seen, step.devices(), signatures=(label,), holders=(step.md_name,), array_uuid=uuid)
            return _with(seen, array, **_filled(array, step.member.disk_id))
        case MdWriteHole():
            return _with(seen, array, write_hole=step.policy)
        case MdReshape():
            return _with(seen, array, **_reshaped(array, step.to_disks))
        case PoolAdd() | PoolAddSpecial():
            seen = with_disks(seen, step.devices(), partitions=2, holders=(step.pool,), array_uuid=uuid)
            state = "spare" if step.role is step.role.SPARE else "in_sync"
            new = (ObservedMember(disk_id=one, device=None, state=state, role=step.role) for one in step.devices())
            return _with(seen, array, members=(*array.members, *new))


def with_disks(seen: Observation, disk_ids: tuple[str, ...], **changes: object) -> Observation:
    """The machine with these disks changed."""
    disks: tuple[ObservedDisk, ...] = tuple(
        disk.model_copy(update=changes) if disk.id in disk_ids else disk for disk in seen.disks
    )
    return seen.model_copy(update={"disks": disks})


def _with(seen: Observation, array: ObservedArray, **changes: object) -> Observation:
    changed = array.model_copy(update=changes)
    return seen.model_copy(update={"arrays": tuple(changed if one is array else one for one in seen.arrays)})


def _filled(array: ObservedArray, disk_id: str) -> dict[str, Any]:
    """The disk stands by, or fills the place of one that is lost at once."""
    if array.state is not ArrayState.DEGRADED:
        return {"members": (*array.members, ObservedMember(disk_id=disk_id, device=None, state="spare"))}
    new = ObservedMember(disk_id=disk_id, device=None, state="rebuilding")
    return {"members": (*array.members, new), "state": ArrayState.REBUILDING, "progress": _begun("recover")}


def _reshaped(array: ObservedArray, disks: int) -> dict[str, Any]:
    """A mirror is filled, everything else laid out anew; either takes the disks that stand by."""
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
