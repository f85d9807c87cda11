"""A stored array in the form that the planner uses."""

from lunette.domain.arrays import ArrayEngine, MemberRole
from lunette.domain.encryption import Encryption
from lunette.domain.errors import Blocker
from lunette.domain.steps import MemberDisk
from lunette.planner.engines import volume_engines
from lunette.planner.engines.known_array import KnownArray
from lunette.store.resources import Array


def known(array: Array, volumes: tuple[Blocker, ...] = ()) -> KnownArray:
    """The row in the form that the planner uses."""
    return KnownArray(
        id=array.id,
        name=array.name,
        state=array.state,
        engine=ArrayEngine(array.engine),
        uuid=array.uuid,
        group=array.group_name,
        size_bytes=array.size_bytes,
        members=tuple(MemberDisk(disk_id=disk.disk_id, serial=disk.serial) for disk in array.disks),
        volumes=volumes,
        engine_name=array.engine_name,
        level=array.level,
        member_bytes=array.member_bytes,
        encryption=Encryption(array.encryption) if array.encryption else None,
        roles={disk.disk_id: MemberRole(disk.role) for disk in array.disks},
    )


def capacity(array: Array) -> int:
    """Space for volumes on a stored array that is not observed; of one that runs, its group shows it."""
    return volume_engines.capacity(
        ArrayEngine(array.engine), array.size_bytes, Encryption(array.encryption) if array.encryption else None
    )
