"""What the ledger serves, no step may destroy, whatever the plan assumed. Some steps wait until it is not served."""

from collections.abc import Callable, Sequence

from lunette.agent import serving
from lunette.agent.bring_up import READY_S
from lunette.domain.agent_protocol import StepReply
from lunette.domain.errors import InUse
from lunette.domain.exports import ExportArray, ExportSet
from lunette.domain.steps import (
    AnyStep,
    DiskErase,
    DiskWipe,
    ExportsGone,
    GroupRelease,
    MdRelease,
    VolumeAside,
    VolumeCut,
    VolumeDelete,
    VolumeRollBack,
    VolumeSwap,
)
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.parse import plain
from lunette.providers.runner import Outcomes
from lunette.system.system_port import System

POLL_S = 0.2
Served = Callable[[], ExportSet | None]
"""The ledger as it is now."""


def check(system: System, step: AnyStep, served: Served) -> None:
    """Raises InUse for a step that would destroy what the ledger serves."""
    if isinstance(step, GroupRelease | MdRelease):
        _await_released(system, step, served)
    exports = served()
    if exports is None:
        return
    if isinstance(step, DiskWipe | DiskErase):
        _check_disk(system, step, exports)
    if isinstance(
        step, VolumeDelete | VolumeCut | VolumeRollBack | VolumeSwap | VolumeAside
    ) and step.volume_id in serving.mapped_volumes(exports):
        raise InUse(f"volume {step.backing_name} is mapped: delete its mappings first")


def first_refusal(system: System, steps: Sequence[AnyStep], served: Served) -> Outcomes:
    """The first of the steps that may not be run, by its position, with the reason; nothing if all may."""
    for index, step in enumerate(steps):
        try:
            check(system, step, served)
        except InUse as error:
            return {index: error}
    return {}


def await_gone(system: System, step: ExportsGone, served: Served) -> StepReply:
    """Wait until none of the volumes is exported or open. Raises InUse when the deadline of the step passes."""
    deadline = system.monotonic() + step.deadline_s
    waited = False
    while held := serving.still_served(system, step.volume_ids, served()):
        if system.monotonic() >= deadline:
            raise InUse(
                f"volume {held[0]} is still exported after {step.deadline_s:.0f} s: "
                "disconnect the hosts that use it, then try again"
            )
        waited = True
        system.sleep(POLL_S)
    return StepReply(changed=waited, detail="no export uses the volumes")


def _check_disk(system: System, step: DiskWipe | DiskErase, exports: ExportSet) -> None:
    # A disk that a running array does without holds none of its data any more; an array that waits needs all its
    # disks, and so does one with a single disk. A ZFS label is on a partition, so the recorded members decide there.
    uuids = [signature.uuid for signature in step.signatures if signature.uuid]
    arrays = (machine.array_of(uuid) for machine in ARRAY_MACHINES.values() for uuid in uuids)
    carried = {*uuids, *map(plain, uuids), *arrays}
    held = [
        array.name
        for array in exports.arrays
        if (array.uuid in carried or step.disk_id in array.members)
        and (len(array.members) == 1 or not _runs(system, array))
    ]
    if held:
        raise InUse(f"disk {step.disk_id} belongs to array {held[0]}: delete the array, or replace the disk")


def _runs(system: System, array: ExportArray) -> bool:
    return array.engine in ARRAY_MACHINES and ARRAY_MACHINES[array.engine].is_up(system, array)


def _await_released(system: System, step: GroupRelease | MdRelease, served: Served) -> None:
    """Arrays in the ledger are brought up again and again, so the array must have left the ledger first."""
    deadline = system.monotonic() + READY_S
    while (exports := served()) and any(array.array_id == step.array_id for array in exports.arrays):
        if system.monotonic() >= deadline:
            raise InUse("the array is still in service: the agent has not applied its deletion yet, try again")
        system.sleep(POLL_S)
