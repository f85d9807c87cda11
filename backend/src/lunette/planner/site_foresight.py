"""The machine as it will be once a step ran, so that what stands on it can be planned before it exists.

A site document may ask for an array and for volumes on it; the volumes are planned and checked against this. A step
that is not known here changes nothing, so what needs its result is refused rather than taken for possible.
"""

from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, ObservedMember
from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import (
    AnyStep,
    DiskWipe,
    GroupCreate,
    GroupRemove,
    MdCreate,
    MdDestroy,
    VolumeCut,
    VolumeDelete,
)
from lunette.domain.volumes import ObservedPool, ObservedVolume
from lunette.providers.arrays.md import plan as md
from lunette.providers.volumes.lvm import plan as lvm


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done."""
    match step:
        case DiskWipe():
            return _with_disks(seen, step.devices(), signatures=(), partitions=0)
        case MdCreate():
            return _with_array(seen, step)
        case MdDestroy():
            kept = tuple(array for array in seen.arrays if array.uuid != step.uuid)
            freed = _with_disks(seen, step.devices(), signatures=(), holders=(), array_uuid=None)
            return freed.model_copy(update={"arrays": kept})
        case GroupCreate():
            return _with_pool(seen, step)
        case GroupRemove():
            return seen.model_copy(update={"pools": tuple(pool for pool in seen.pools if pool.group != step.group)})
        case VolumeCut():
            return _with_volume(seen, step)
        case VolumeDelete():
            return _without_volume(seen, step)
    return seen


def _with_disks(seen: Observation, disk_ids: tuple[str, ...], **changes: object) -> Observation:
    disks: tuple[ObservedDisk, ...] = tuple(
        disk.model_copy(update=changes) if disk.id in disk_ids else disk for disk in seen.disks
    )
    return seen.model_copy(update={"disks": disks})


def _with_array(seen: Observation, step: MdCreate) -> Observation:
    member = Signature(type="linux_raid_member", label=step.md_name, uuid=step.uuid)
    taken = _with_disks(seen, step.devices(), signatures=(member,), holders=(step.md_name,), array_uuid=step.uuid)
    size = md.usable_bytes(step.level, step.member_bytes, len(step.members), step.chunk_bytes)
    array = ObservedArray(
        uuid=step.uuid, engine=ArrayEngine.MD, name=step.md_name, ours=True, device=None, level=step.level.value,
        state=ArrayState.CLEAN, size_bytes=size,
        chunk_bytes=step.chunk_bytes, write_hole=step.write_hole, raid_disks=len(step.members), progress=None,
        members=tuple(ObservedMember(disk_id=disk, device=None, state="in_sync") for disk in step.devices()),
        mismatch_count=None,
    )  # fmt: skip
    return taken.model_copy(update={"arrays": (*seen.arrays, array)})


def _with_pool(seen: Observation, step: GroupCreate) -> Observation:
    array = next((array for array in seen.arrays if array.uuid == step.md_uuid), None)
    if array is None:
        return seen
    room = lvm.group_bytes(array.size_bytes)
    pool = ObservedPool(
        array_uuid=array.uuid, group=step.group, ours=True, size_bytes=room, free_bytes=room,
        extent_bytes=step.extent_bytes,
    )  # fmt: skip
    return seen.model_copy(update={"pools": (*seen.pools, pool)})


def _with_volume(seen: Observation, step: VolumeCut) -> Observation:
    volume = ObservedVolume(
        volume_id=step.volume_id, group=step.group, name=step.lv_name, device=lvm.device_path(step.group, step.lv_name),
        size_bytes=step.size_bytes, active=True, open=False, sealed=True,
    )  # fmt: skip
    return _with_room(seen, step.group, -step.size_bytes, (*seen.volumes, volume))


def _without_volume(seen: Observation, step: VolumeDelete) -> Observation:
    kept = tuple(volume for volume in seen.volumes if (volume.group, volume.name) != (step.group, step.lv_name))
    given_back = step.size_bytes if len(kept) < len(seen.volumes) else 0
    return _with_room(seen, step.group, given_back, kept)


def _with_room(seen: Observation, group: str, more: int, volumes: tuple[ObservedVolume, ...]) -> Observation:
    pools = tuple(
        pool.model_copy(update={"free_bytes": pool.free_bytes + more}) if pool.group == group else pool
        for pool in seen.pools
    )
    return seen.model_copy(update={"pools": pools, "volumes": volumes})
