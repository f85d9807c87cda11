"""The machine as it will be once a step ran, so that what stands on it can be planned before it exists.

A site document may ask for an array and for volumes on it; the volumes are planned and checked against this. A step
that is not known here changes nothing, so what needs its result is refused rather than taken for possible.
"""

from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, ObservedMember, WriteHole
from lunette.domain.disks import Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import (
    AnyStep,
    DiskWipe,
    GroupCreate,
    GroupErase,
    GroupRemove,
    LvmRaidCreate,
    LvmRaidDestroy,
    MdAdd,
    MdCreate,
    MdDestroy,
    MdMember,
    MdReshape,
    MdWriteHole,
    PoolAdd,
    PoolAddSpecial,
    PoolCreate,
    PoolDestroy,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeSetAside,
)
from lunette.domain.volumes import BLOCK_BYTES, ObservedPool, ObservedVolume, Provisioning
from lunette.planner.engines.volume_engines import VOLUME_ENGINES
from lunette.planner.site.foresight_disks import joined, with_disks
from lunette.providers.arrays.external import plan as external
from lunette.providers.arrays.lvm import plan as lvm_raid
from lunette.providers.arrays.md import plan as md
from lunette.providers.arrays.zfs import draid, space
from lunette.providers.encryption.plan import HEADER_BYTES
from lunette.providers.volumes.lvm import plan as lvm


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done."""
    match step:
        case DiskWipe():
            return with_disks(seen, step.devices(), signatures=(), partitions=0)
        case MdCreate():
            return _with_array(seen, step)
        case LvmRaidCreate():
            return _with_lvm_raid(seen, step)
        case MdDestroy() | LvmRaidDestroy():
            return _without_array(seen, step, step.uuid)
        case PoolCreate():
            return _with_zfs_pool(seen, step)
        case PoolDestroy():
            return _without_group(_without_array(seen, step, step.guid), step.pool)
        case GroupCreate():
            return _with_pool(seen, step)
        case GroupRemove() | GroupErase():
            left = _without_array(seen, step, step.md_uuid) if step.disk else seen
            return _without_group(left, step.group)
        case VolumeCut():
            return _with_volume(seen, step)
        case VolumeGrow() | VolumeSetAside() | VolumeDelete():
            return _after_change_of_volume(seen, step)
        case MdAdd() | MdReshape() | MdWriteHole() | PoolAdd() | PoolAddSpecial():
            return joined(seen, step)
    return seen


def _after_change_of_volume(seen: Observation, step: VolumeGrow | VolumeSetAside | VolumeDelete) -> Observation:
    match step:
        case VolumeGrow():
            return _with_larger_volume(seen, step)
        case VolumeSetAside():
            return _with_volume_aside(seen, step)
        case VolumeDelete():
            return _without_volume(seen, step)


def _with_array(seen: Observation, step: MdCreate) -> Observation:
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
        members=tuple(ObservedMember(disk_id=disk, device=None, state="in_sync") for disk in step.devices()),
        mismatch_count=None,
        layout=step.layout,
    )
    return taken.model_copy(update={"arrays": (*seen.arrays, array)})


def _with_lvm_raid(seen: Observation, step: LvmRaidCreate) -> Observation:
    for disk_id in step.devices():
        label = Signature(type="LVM2_member", label=None, uuid=lvm_raid.pv_uuid(step.uuid, disk_id))
        seen = with_disks(seen, (disk_id,), signatures=(label,), holders=(step.raid_group,))
    array = ObservedArray(
        uuid=step.uuid,
        engine=ArrayEngine.LVM,
        name=step.raid_group,
        ours=True,
        device=None,
        level=step.level.value,
        state=ArrayState.CLEAN,
        size_bytes=step.size_bytes,
        chunk_bytes=step.chunk_bytes,
        write_hole=WriteHole.BITMAP,
        raid_disks=len(step.members),
        progress=None,
        mismatch_count=None,
        members=tuple(ObservedMember(disk_id=disk, device=None, state="in_sync") for disk in step.devices()),
    )
    return seen.model_copy(update={"arrays": (*seen.arrays, array)})


def _without_array(
    seen: Observation, step: MdDestroy | LvmRaidDestroy | PoolDestroy | GroupRemove | GroupErase, uuid: str
) -> Observation:
    freed = with_disks(seen, step.devices(), signatures=(), partitions=0, holders=(), array_uuid=None)
    return freed.model_copy(update={"arrays": tuple(array for array in seen.arrays if array.uuid != uuid)})


def _with_zfs_pool(seen: Observation, step: PoolCreate) -> Observation:
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
    return taken.model_copy(update={"arrays": (*seen.arrays, array), "pools": (*seen.pools, pool)})


def _without_group(seen: Observation, group: str) -> Observation:
    return seen.model_copy(update={"pools": tuple(pool for pool in seen.pools if pool.group != group)})


def _with_external(seen: Observation, step: GroupCreate, disk: MdMember) -> Observation:
    """The group makes the device an array."""
    label = Signature(type="LVM2_member", label=None, uuid=external.pv_uuid(step.md_uuid))
    taken = with_disks(seen, step.devices(), signatures=(label,), partitions=0)
    size = sum(found.size_bytes for found in seen.disks if found.id == disk.disk_id)
    array = ObservedArray(
        uuid=step.md_uuid,
        engine=ArrayEngine.EXTERNAL,
        name=step.group,
        ours=True,
        device=None,
        level=Level.EXTERNAL.value,
        state=ArrayState.UNKNOWN,
        size_bytes=size,
        chunk_bytes=None,
        write_hole=WriteHole.EXTERNAL,
        raid_disks=1,
        progress=None,
        mismatch_count=None,
        members=(ObservedMember(disk_id=disk.disk_id, device=None, state="in_sync"),),
    )
    return taken.model_copy(update={"arrays": (*seen.arrays, array)})


def _with_pool(seen: Observation, step: GroupCreate) -> Observation:
    if step.disk:
        seen = _with_external(seen, step, step.disk)
    array = next((array for array in seen.arrays if array.uuid == step.md_uuid), None)
    if array is None:
        return seen
    room = lvm.room_bytes(array.size_bytes - (HEADER_BYTES if step.mapping else 0))
    pool = ObservedPool(
        array_uuid=array.uuid,
        group=step.group,
        ours=True,
        size_bytes=room,
        free_bytes=room,
        extent_bytes=step.extent_bytes,
    )
    return seen.model_copy(update={"pools": (*seen.pools, pool)})


def _with_volume(seen: Observation, step: VolumeCut) -> Observation:
    volume = ObservedVolume(
        volume_id=step.volume_id,
        group=step.group,
        name=step.lv_name,
        active=True,
        open=False,
        sealed=True,
        device=VOLUME_ENGINES[step.engine].cutting.device_path(step.group, step.lv_name),
        size_bytes=step.size_bytes,
    )
    is_thin = step.provisioning is Provisioning.THIN
    taken = 0 if is_thin else VOLUME_ENGINES[step.engine].cutting.reserved_bytes(step.size_bytes)
    return _with_room(seen, step.group, -taken, (*seen.volumes, volume))


def _with_larger_volume(seen: Observation, step: VolumeGrow) -> Observation:
    """A thin one takes its space only as hosts write."""
    found = next((volume for volume in seen.volumes if volume.volume_id == step.volume_id), None)
    if found is None:
        return seen
    is_thin = step.pool is not None or found.used_bytes is not None
    reserved = VOLUME_ENGINES[step.engine].cutting.reserved_bytes
    taken = 0 if is_thin else reserved(step.size_bytes) - reserved(step.from_bytes)
    larger = found.model_copy(update={"size_bytes": step.size_bytes})
    volumes = tuple(larger if volume is found else volume for volume in seen.volumes)
    return _with_room(seen, step.group, -taken, volumes)


def _with_volume_aside(seen: Observation, step: VolumeSetAside) -> Observation:
    volumes = tuple(
        one.model_copy(update={"name": step.aside_name, "active": False}) if one.volume_id == step.volume_id else one
        for one in seen.volumes
    )
    return seen.model_copy(update={"volumes": volumes})


def _without_volume(seen: Observation, step: VolumeDelete) -> Observation:
    """A thin volume that shares a thin pool gives back nothing: what it held stays with the pool."""
    found = next((v for v in seen.volumes if (v.group, v.name) == (step.group, step.lv_name)), None)
    if found is None:
        return seen
    if found.used_bytes is None:
        given_back = VOLUME_ENGINES[step.engine].cutting.reserved_bytes(step.size_bytes)
    else:
        given_back = 0 if VOLUME_ENGINES[step.engine].thin_pooling else found.used_bytes
    return _with_room(seen, step.group, given_back, tuple(volume for volume in seen.volumes if volume is not found))


def _with_room(seen: Observation, group: str, more: int, volumes: tuple[ObservedVolume, ...]) -> Observation:
    pools = tuple(
        pool.model_copy(update={"free_bytes": pool.free_bytes + more}) if pool.group == group else pool
        for pool in seen.pools
    )
    return seen.model_copy(update={"pools": pools, "volumes": volumes})
