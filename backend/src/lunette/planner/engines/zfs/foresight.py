"""What will be observed of pools after a step."""

from lunette.domain.arrays import (
    ArrayEngine,
    ArrayState,
    MemberRole,
    ObservedArray,
    ObservedMember,
    SyncProgress,
    WriteHole,
)
from lunette.domain.disks import Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, PoolAdd, PoolAddSpecial, PoolCreate, PoolDestroy
from lunette.domain.volumes import BLOCK_BYTES, ObservedGroup
from lunette.planner.engines.foreseen import array_of, changed, with_array, with_disks, without_array, without_group
from lunette.providers.arrays.zfs import draid, space


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done; unchanged if the step is not a foreseen one of ZFS."""
    match step:
        case PoolCreate():
            return seen if array_of(seen, step.guid) else _created(seen, step)
        case PoolDestroy():
            return without_group(without_array(seen, step.guid, step.devices()), step.pool)
        case PoolAdd() | PoolAddSpecial():
            array = array_of(seen, step.guid)
            return seen if array is None else _joined(seen, array, step)
    return seen


def _joined(seen: Observation, array: ObservedArray, step: PoolAdd | PoolAddSpecial) -> Observation:
    """The mirrors of a disk are filled first."""
    there = {member.disk_id for member in array.members}
    new = tuple(_member(one, step.role) for one in step.devices() if one not in there)
    begun = SyncProgress(action="recover", percent=0, rate_bytes_s=None, left_s=None)
    filling = {"state": ArrayState.REBUILDING, "progress": begun} if step.beside and new else {}
    return changed(_labelled(seen, step.devices()), array, members=(*array.members, *new), **filling)


def _member(disk_id: str, role: MemberRole) -> ObservedMember:
    state = "spare" if role is MemberRole.SPARE else "in_sync"
    return ObservedMember(disk_id=disk_id, device=None, state=state, role=role)


def _labelled(seen: Observation, disk_ids: tuple[str, ...]) -> Observation:
    """ZFS makes partitions of its own, whose labels are the members' marks."""
    return with_disks(seen, disk_ids, signatures=(Signature(type="gpt", label=None, uuid=None),), partitions=2)


def _created(seen: Observation, step: PoolCreate) -> Observation:
    """Array and group in one. Its size is the minimum."""
    data = {member.disk_id for member in step.members}
    disks = [disk for disk in seen.disks if disk.id in data]
    sizes = [disk.size_bytes for disk in disks]
    shape = draid.read(step.layout or "")
    size = space.volume_bytes(step.level, sizes, BLOCK_BYTES, step.ashift, shape=shape)
    array = ObservedArray(
        uuid=step.guid,
        engine=ArrayEngine.ZFS,
        name=step.pool,
        ours=True,
        device=None,
        level=step.level.value,
        state=ArrayState.CLEAN,
        size_bytes=size,
        chunk_bytes=None,
        write_hole=WriteHole.COPY_ON_WRITE,
        raid_disks=len(step.members),
        progress=None,
        mismatch_count=None,
        layout=step.layout,
        members=tuple(_member(one.disk_id, role) for role, members in step.by_role().items() for one in members),
    )
    pool = ObservedGroup(
        array_uuid=step.guid, group=step.pool, ours=True, size_bytes=size, free_bytes=size, extent_bytes=BLOCK_BYTES
    )
    made = with_array(_labelled(seen, step.devices()), array)
    return made.model_copy(update={"groups": (*made.groups, pool)})
