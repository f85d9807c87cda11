"""What will be observed of pools after a step."""

from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, ObservedMember, WriteHole
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, PoolAdd, PoolAddSpecial, PoolCreate, PoolDestroy
from lunette.domain.volumes import BLOCK_BYTES, ObservedPool
from lunette.planner.engines.foreseen import array_of, changed, with_disks, without_array
from lunette.providers.arrays.zfs import draid, space


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done; unchanged if it is no step of ZFS that is foreseen."""
    match step:
        case PoolCreate():
            return _created(seen, step)
        case PoolDestroy():
            left = without_array(seen, step.guid, step.devices())
            return left.model_copy(update={"pools": tuple(pool for pool in left.pools if pool.group != step.pool)})
        case PoolAdd() | PoolAddSpecial():
            array = array_of(seen, step.guid)
            return seen if array is None else _joined(seen, array, step)
    return seen


def _joined(seen: Observation, array: ObservedArray, step: PoolAdd | PoolAddSpecial) -> Observation:
    seen = with_disks(seen, step.devices(), partitions=2, holders=(step.pool,), array_uuid=step.guid)
    state = "spare" if step.role is step.role.SPARE else "in_sync"
    new = (ObservedMember(disk_id=one, device=None, state=state, role=step.role) for one in step.devices())
    return changed(seen, array, members=(*array.members, *new))


def _created(seen: Observation, step: PoolCreate) -> Observation:
    """Array and group in one. ZFS makes partitions of its own, whose labels are the members' marks."""
    data = {member.disk_id for member in step.members}
    disks = [disk for disk in seen.disks if disk.id in data]
    taken = with_disks(seen, step.devices(), partitions=2, holders=(step.pool,), array_uuid=step.guid)
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
        members=tuple(
            ObservedMember(disk_id=member.disk_id, device=None, state="in_sync", role=role)
            for role, members in step.by_role().items()
            for member in members
        ),
    )
    pool = ObservedPool(
        array_uuid=step.guid, group=step.pool, ours=True, size_bytes=size, free_bytes=size, extent_bytes=BLOCK_BYTES
    )
    return taken.model_copy(update={"arrays": (*taken.arrays, array), "pools": (*taken.pools, pool)})
