"""Which devices are external arrays: each carries its array's UUID, and a volume group with Lunette's mark."""

from collections.abc import Sequence

from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, ObservedMember, WriteHole
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.providers.arrays.external.device import path
from lunette.providers.arrays.external.plan import carried_uuid
from lunette.providers.volumes.lvm import observe, parse
from lunette.providers.volumes.lvm.plan import TAG, array_tag
from lunette.system.system_port import System


def observe_arrays(
    system: System, disks: Sequence[ObservedDisk], groups: Sequence[parse.Group], unread: dict[str, str]
) -> tuple[ObservedArray, ...]:
    """All external arrays; one whose device LVM must not read yet is `missing`. A foreign group is not an array.

    If a device cannot be read, the reason goes into `unread`, by the array's UUID.
    """
    found = []
    for disk in disks:
        uuid = None if disk.fabric else carried_uuid(disk)
        if uuid is None:
            continue
        group = next((g.name for g in groups if {TAG, array_tag(uuid)} <= g.tags), None)
        state = ArrayState.UNKNOWN if group else ArrayState.MISSING
        try:
            group = group or _unlisted_group(system, disk, uuid)
        except LunetteError as error:
            unread[uuid] = f"disk {disk.id}: {error.detail}"
        if group:
            found.append(_array(disk, uuid, group, state))
    return tuple(found)


def _unlisted_group(system: System, disk: ObservedDisk, uuid: str) -> str | None:
    known = observe.physical_volume(system, path(system, disk.id))
    return known.group if known is not None and {TAG, array_tag(uuid)} <= known.tags else None


def _array(disk: ObservedDisk, uuid: str, group: str, state: ArrayState) -> ObservedArray:
    there = state is not ArrayState.MISSING
    return ObservedArray(
        uuid=uuid,
        engine=ArrayEngine.EXTERNAL,
        name=group,
        ours=True,
        device=disk.device if there else None,
        level=Level.EXTERNAL.value,
        state=state,
        size_bytes=disk.size_bytes,
        chunk_bytes=None,
        write_hole=WriteHole.EXTERNAL,
        raid_disks=1,
        progress=None,
        mismatch_count=None,
        members=(ObservedMember(disk_id=disk.id, device=disk.device, state="in_sync" if there else "spare", slot=0),),
    )
