"""The machine as it will be once a step ran, so that what stands on it can be planned before it exists.

A site document may ask for an array and for volumes on it; the volumes are planned and checked against this. A step
that is not known here changes nothing, so what needs its result is refused rather than taken for possible.
"""

from lunette.domain.observations import Observation
from lunette.domain.steps import (
    AnyStep,
    DiskWipe,
    GroupCreate,
    GroupErase,
    GroupRemove,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeSetAside,
)
from lunette.domain.volumes import ObservedPool, ObservedVolume, Provisioning
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.foreseen import with_disks
from lunette.planner.engines.volume_engines import VOLUME_ENGINES
from lunette.providers.encryption.plan import HEADER_BYTES
from lunette.providers.volumes.lvm import plan as lvm


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done."""
    for planning in ARRAY_ENGINES.values():
        seen = planning.foresee(seen, step)
    match step:
        case DiskWipe():
            return with_disks(seen, step.devices(), signatures=(), partitions=0)
        case GroupCreate():
            return _with_pool(seen, step)
        case GroupRemove() | GroupErase():
            return _without_group(seen, step.group)
        case VolumeCut():
            return _with_volume(seen, step)
        case VolumeGrow() | VolumeSetAside() | VolumeDelete():
            return _after_change_of_volume(seen, step)
    return seen


def _after_change_of_volume(seen: Observation, step: VolumeGrow | VolumeSetAside | VolumeDelete) -> Observation:
    match step:
        case VolumeGrow():
            return _with_larger_volume(seen, step)
        case VolumeSetAside():
            return _with_volume_aside(seen, step)
        case VolumeDelete():
            return _without_volume(seen, step)


def _without_group(seen: Observation, group: str) -> Observation:
    return seen.model_copy(update={"pools": tuple(pool for pool in seen.pools if pool.group != group)})


def _with_pool(seen: Observation, step: GroupCreate) -> Observation:
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
