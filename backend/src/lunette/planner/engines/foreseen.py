"""The machine as it will be after a step, changed part by part. Pure."""

from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.observations import Observation


def array_of(seen: Observation, uuid: str) -> ObservedArray | None:
    """The array with this UUID."""
    return next((one for one in seen.arrays if one.uuid == uuid), None)


def with_disks(seen: Observation, disk_ids: tuple[str, ...], **changes: object) -> Observation:
    """The machine with these disks changed."""
    disks: tuple[ObservedDisk, ...] = tuple(
        disk.model_copy(update=changes) if disk.id in disk_ids else disk for disk in seen.disks
    )
    return seen.model_copy(update={"disks": disks})


def with_array(seen: Observation, array: ObservedArray) -> Observation:
    """The machine with one more array, unless it exists."""
    return seen if array_of(seen, array.uuid) else seen.model_copy(update={"arrays": (*seen.arrays, array)})


def changed(seen: Observation, array: ObservedArray, **changes: object) -> Observation:
    """The machine with this array changed."""
    changed = array.model_copy(update=changes)
    return seen.model_copy(update={"arrays": tuple(changed if one is array else one for one in seen.arrays)})


def without_array(seen: Observation, uuid: str, disk_ids: tuple[str, ...]) -> Observation:
    """The machine without an array, with its disks blank."""
    freed = with_disks(seen, disk_ids, signatures=(), partitions=0, holders=(), array_uuid=None)
    return freed.model_copy(update={"arrays": tuple(array for array in seen.arrays if array.uuid != uuid)})


def without_group(seen: Observation, group: str) -> Observation:
    """The machine without a group or pool, and without the deleted volumes that were retained in it."""
    pools = tuple(pool for pool in seen.groups if pool.group != group)
    return seen.model_copy(
        update={"groups": pools, "volumes": tuple(volume for volume in seen.volumes if volume.group != group)}
    )
