"""What will be observed of arrays of LVM RAID after a step."""

from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, ObservedMember, WriteHole
from lunette.domain.disks import Signature
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, LvmRaidCreate, LvmRaidDestroy
from lunette.planner.engines.foreseen import with_array, with_disks, without_array
from lunette.providers.arrays.lvm import plan as lvm_raid


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done; unchanged if the step is not a foreseen one of LVM RAID."""
    match step:
        case LvmRaidCreate():
            return _created(seen, step)
        case LvmRaidDestroy():
            return without_array(seen, step.uuid, step.devices())
    return seen


def _created(seen: Observation, step: LvmRaidCreate) -> Observation:
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
    return with_array(seen, array)
