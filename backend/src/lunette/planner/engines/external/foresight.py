"""What will be observed of external arrays after a step: the volume group makes the device an array."""

from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, ObservedMember, WriteHole
from lunette.domain.disks import Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, GroupCreate, GroupErase, GroupRemove, MemberDisk
from lunette.planner.engines.foreseen import with_array, with_disks, without_array
from lunette.providers.arrays.external import plan as external


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done; unchanged if it is not about a group on an external array."""
    match step:
        case GroupCreate(disk=MemberDisk() as disk):
            return _created(seen, step, disk)
        case GroupRemove(disk=MemberDisk()) | GroupErase(disk=MemberDisk()):
            return without_array(seen, step.array_uuid, step.devices())
    return seen


def _created(seen: Observation, step: GroupCreate, disk: MemberDisk) -> Observation:
    """The group makes the device an array."""
    label = Signature(type="LVM2_member", label=None, uuid=external.pv_uuid(step.array_uuid))
    taken = with_disks(seen, step.devices(), signatures=(label,), partitions=0)
    size = sum(found.size_bytes for found in seen.disks if found.id == disk.disk_id)
    array = ObservedArray(
        uuid=step.array_uuid,
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
    return with_array(taken, array)
