"""What will be observed of groups, thin pools and volumes after a step. Snapshots of volumes are not foreseen."""

from collections.abc import Collection

from lunette.domain.observations import Observation
from lunette.domain.steps import (
    AnyStep,
    GroupCreate,
    GroupErase,
    GroupRemove,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeAside,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeSetAside,
    VolumesSeal,
)
from lunette.domain.volumes import ObservedGroup, ObservedThinPool, ObservedVolume, Provisioning
from lunette.planner.engines.foreseen import array_of, without_group
from lunette.planner.engines.volume_engines import VOLUME_ENGINES
from lunette.providers.encryption.plan import HEADER_BYTES
from lunette.providers.volumes.lvm import plan as lvm


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done; unchanged if its result is not foreseen here."""
    match step:
        case GroupCreate():
            return _with_group(seen, step)
        case GroupRemove() | GroupErase():
            return without_group(seen, step.group)
        case ThinPoolCreate() | ThinPoolGrow() | ThinPoolRemove():
            return _with_thin_pool(seen, step)
        case VolumeCut():
            return _with_volume(seen, step)
        case VolumesSeal():
            return _changed(seen, step.group, {volume.backing_name for volume in step.volumes}, sealed=True)
    return _changed_volume(seen, step)


def _changed_volume(seen: Observation, step: AnyStep) -> Observation:
    match step:
        case VolumeGrow():
            return _with_larger_volume(seen, step)
        case VolumeSetAside():
            return _renamed(seen, step, step.aside_name)
        case VolumeBringBack():
            return _renamed(seen, step, step.backing_name)
        case VolumeDelete():
            return _without_volume(seen, step)
    return seen


def _of(seen: Observation, step: VolumeCut | VolumeGrow | VolumeAside | VolumeDelete) -> ObservedVolume | None:
    """The volume of a step, if it exists."""
    return next((one for one in seen.volumes if (one.volume_id, one.group) == (step.volume_id, step.group)), None)


def _pool_of(seen: Observation, group: str) -> ObservedGroup | None:
    return next((pool for pool in seen.groups if pool.group == group), None)


def _changed(seen: Observation, group: str, names: Collection[str], **changes: object) -> Observation:
    """The machine with these volumes of a group changed."""
    changed = tuple(
        one.model_copy(update=changes) if one.group == group and one.name in names else one for one in seen.volumes
    )
    return seen.model_copy(update={"volumes": changed})


def _with_pool(seen: Observation, pool: ObservedGroup, **changes: object) -> Observation:
    """The machine with this pool changed."""
    pools = tuple(one.model_copy(update=changes) if one is pool else one for one in seen.groups)
    return seen.model_copy(update={"groups": pools})


def _with_group(seen: Observation, step: GroupCreate) -> Observation:
    """Adds the group with its minimum size: LVM may use less for its metadata and the alignment."""
    array = array_of(seen, step.array_uuid)
    if array is None or _pool_of(seen, step.group):
        return seen
    room = lvm.room_bytes(array.size_bytes - (HEADER_BYTES if step.mapping else 0))
    pool = ObservedGroup(
        array_uuid=array.uuid,
        group=step.group,
        ours=True,
        size_bytes=room,
        free_bytes=room,
        extent_bytes=step.extent_bytes,
    )
    return seen.model_copy(update={"groups": (*seen.groups, pool)})


def _with_thin_pool(seen: Observation, step: ThinPoolCreate | ThinPoolGrow | ThinPoolRemove) -> Observation:
    """LVM reserves a spare of the size of the metadata."""
    pool = _pool_of(seen, step.group)
    if pool is None or isinstance(step, ThinPoolCreate) is (pool.thin is not None):
        return seen
    held = pool.thin.size_bytes + 2 * pool.thin.metadata_bytes if pool.thin else 0
    if isinstance(step, ThinPoolRemove):
        return _with_pool(seen, pool, thin=None, free_bytes=pool.free_bytes + held)
    empty = ObservedThinPool(
        name=step.name, size_bytes=0, used_bytes=0, metadata_bytes=0, metadata_used_bytes=0, volumes=0
    )
    sizes = {"size_bytes": step.data_bytes, "metadata_bytes": step.metadata_bytes}
    thin = (pool.thin or empty).model_copy(update=sizes)
    taken = step.data_bytes + 2 * step.metadata_bytes - held
    return _with_pool(seen, pool, thin=thin, free_bytes=pool.free_bytes - taken)


def _with_volume(seen: Observation, step: VolumeCut) -> Observation:
    """It is fresh until it is sealed."""
    if _of(seen, step):
        return seen
    is_thin = step.provisioning is Provisioning.THIN
    cutting, pool = VOLUME_ENGINES[step.engine].cutting, _pool_of(seen, step.group)
    volume = ObservedVolume(
        volume_id=step.volume_id,
        group=step.group,
        name=step.backing_name,
        active=True,
        open=False,
        sealed=False,
        device=cutting.device_path(step.group, step.backing_name),
        size_bytes=step.size_bytes,
        used_bytes=0 if is_thin else None,
        block_bytes=cutting.block_bytes(_block_bytes(seen, pool)),
    )
    taken = 0 if is_thin else cutting.reserved_bytes(step.size_bytes)
    return _with_room(seen, step.group, -taken).model_copy(update={"volumes": (*seen.volumes, volume)})


def _block_bytes(seen: Observation, pool: ObservedGroup | None) -> int:
    """The largest logical block size of the disks of a pool."""
    array = array_of(seen, pool.array_uuid) if pool and pool.array_uuid else None
    ids = {member.disk_id for member in array.members} if array else set()
    return max((disk.logical_block_bytes for disk in seen.disks if disk.id in ids), default=512)


def _with_larger_volume(seen: Observation, step: VolumeGrow) -> Observation:
    """A thin volume uses space only as hosts write."""
    found = _of(seen, step)
    if found is None:
        return seen
    is_thin = step.pool is not None or found.used_bytes is not None
    reserved = VOLUME_ENGINES[step.engine].cutting.reserved_bytes
    taken = 0 if is_thin else reserved(step.size_bytes) - reserved(found.size_bytes)
    larger = _changed(seen, step.group, {found.name}, size_bytes=step.size_bytes)
    return _with_room(larger, step.group, -taken)


def _renamed(seen: Observation, step: VolumeAside, name: str) -> Observation:
    found = _of(seen, step)
    if found is None:
        return seen
    device = VOLUME_ENGINES[step.engine].cutting.device_path(step.group, name)
    return _changed(seen, step.group, {found.name}, name=name, device=device)


def _without_volume(seen: Observation, step: VolumeDelete) -> Observation:
    """A thin volume in a thin pool frees no space in the group: its space returns to the pool. If it is not
    active it is unknown whether it is thin, so it frees nothing either if such a pool exists."""
    found, pool = _of(seen, step), _pool_of(seen, step.group)
    if found is None:
        return seen
    given_back = found.used_bytes
    if pool and pool.thin and (found.used_bytes is not None or not found.active):
        given_back = 0
    if given_back is None:
        given_back = VOLUME_ENGINES[step.engine].cutting.reserved_bytes(found.size_bytes)
    left = seen.model_copy(update={"volumes": tuple(volume for volume in seen.volumes if volume is not found)})
    return _with_room(left, step.group, given_back)


def _with_room(seen: Observation, group: str, more: int) -> Observation:
    pool = _pool_of(seen, group)
    return seen if pool is None else _with_pool(seen, pool, free_bytes=pool.free_bytes + more)
