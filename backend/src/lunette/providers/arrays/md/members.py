"""Changes the disks of a running md array. Each call looks first, and changes only an array with Lunette's mark.

A disk that joins is blank; the only superblock it may carry belongs to this very array, left by an interrupted call, or
by its own earlier membership if the step says that it returns.
"""

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import MdAdd, MdFail, MdRemove, MdReplace, MdSpareOut, MdStep, MemberDisk
from lunette.providers.arrays.md import observe, parse
from lunette.providers.arrays.md.assemble import is_running
from lunette.providers.arrays.md.plan import survives
from lunette.providers.arrays.md.values import first_number
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.system.system_port import System

BUSY_TRIES, BUSY_S = 20, 0.5
"""The kernel drops a faulty member a moment after the request (drivers/md/md.c, remove_and_add_spares)."""


def add(system: System, step: MdAdd) -> str | None:
    """Add the disk; None if it is already a member. Refuses a disk that is in use, exchanged, not blank or too
    small.
    """
    settle(system)
    array = running_array(system, step)
    disk = same_disk(observe_disks(system), step.member.disk_id, step.member.serial)
    bound = _bound(array, disk)
    if bound is not None and "faulty" not in bound.flags:
        return None
    if step.returns:
        if bound is not None:
            _remove(system, array, bound)
            disk = same_disk(observe_disks(system), step.member.disk_id, step.member.serial)
        word = _take_back(system, array, disk, step)
    elif bound is not None:
        raise InUse(f"disk {disk.id} is a faulty member of array {step.md_name}: remove it first")
    else:
        _add_blank(system, array, disk, step)
        word = "was added"
    return f"disk {disk.id} {word}"


def undo_add(system: System, step: MdAdd) -> str | None:
    """Remove the disk again; None if it is not a member. One that returned keeps its superblock, because it had one."""
    settle(system)
    array = running_array(system, step)
    disk = _present(observe_disks(system), step.member)
    if disk is None:
        return None
    bound = _bound(array, disk)
    if bound is not None:
        if bound.slot is not None and parse.is_reshaping(array.attributes):
            raise InUse(f"disk {disk.id} already takes part in a reshape of array {step.md_name} and cannot be removed")
        _remove(system, array, bound)
    cleared = not step.returns and _clear(system, disk, step)
    return f"disk {disk.id} was removed again" if bound is not None or cleared else None


def replace(system: System, step: MdReplace) -> str | None:
    """Let md copy the old disk to the new one; None if it does, or has done so. The array must be healthy."""
    settle(system)
    array = running_array(system, step)
    disks = observe_disks(system)
    new = same_disk(disks, step.new.disk_id, step.new.serial)
    joined = _bound(array, new)
    if joined is not None and joined.slot is not None and "faulty" not in joined.flags:
        return None
    old = same_disk(disks, step.old.disk_id, step.old.serial)
    worn = _bound(array, old)
    if parse.is_reshaping(array.attributes):
        raise Conflict(f"array {step.md_name} is being reshaped: disks can be copied only after it has finished")
    if worn is None or "in_sync" not in worn.flags or len(_working(array)) < _slots(array):
        raise Conflict(
            f"array {step.md_name} has lost a disk since the plan was made, which the new disk would replace: make a "
            "new plan"
        )
    running = system.read(f"/sys/block/{array.kernel_name}/md/sync_action").strip()
    if running != "idle":  # md's slot_store accepts no number for a disk while an operation runs (drivers/md/md.c)
        raise Conflict(f"array {step.md_name} is busy ({running}): wait until it has finished, then try again")
    if joined is None:
        _add_blank(system, array, new, step)
    system.run(["mdadm", "--manage", _device(array), "--replace", old.device, "--with", new.device])
    settle(system)
    return f"disk {old.id} is being copied to {new.id}"


def undo_replace(system: System, step: MdReplace) -> str | None:
    """Stop the copy and remove the new disk; None if neither is left. Refused once the new disk is in place."""
    settle(system)
    array = running_array(system, step)
    disks = observe_disks(system)
    old, new = _present(disks, step.old), _present(disks, step.new)
    joined = _bound(array, new) if new else None
    if joined is not None and joined.slot is not None and not joined.relieves and "faulty" not in joined.flags:
        raise InUse(f"disk {step.new.disk_id} has already replaced disk {step.old.disk_id} and cannot be removed")
    worn = _bound(array, old) if old else None
    changed = False
    if worn is not None and "want_replacement" in worn.flags:
        system.write(f"/sys/block/{array.kernel_name}/md/dev-{worn.device}/state", "-want_replacement")
        changed = True
    if joined is not None:
        _remove(system, array, joined)
        changed = True
    if new is not None and _clear(system, new, step):
        changed = True
    return f"disk {step.old.disk_id} stays in place" if changed else None


def fail(system: System, step: MdFail) -> str | None:
    """Mark the member faulty; None if it is, or is missing. Refused if the array could not continue without it."""
    settle(system)
    array = running_array(system, step)
    disk = _present(observe_disks(system), step.member)
    bound = _bound(array, disk) if disk else None
    if bound is None or "faulty" in bound.flags:
        return None
    _check_redundant(array, bound, step.md_name)
    system.run(["mdadm", "--manage", _device(array), "--fail", f"/dev/{bound.device}"])
    settle(system)
    return f"disk {step.member.disk_id} is faulty"


def remove(system: System, step: MdRemove) -> str | None:
    """Remove the disk and clear its superblock; None if that was done. Refuses one that holds data of the array."""
    settle(system)
    array = running_array(system, step)
    disk = _present(observe_disks(system), step.member)
    changed = False
    if disk is None:
        if any(not system.exists(f"/sys/block/{member.device}") for member in array.members):
            system.run(["mdadm", "--manage", _device(array), "--remove", "detached"])
            changed = True
    else:
        bound = _bound(array, disk)
        if bound is not None:
            if bound.slot is not None and "faulty" not in bound.flags:
                raise InUse(f"disk {disk.id} contains data of array {step.md_name}: replace it, or fail it first")
            _remove(system, array, bound)
        changed = _clear(system, disk, step) or bound is not None
    return f"disk {step.member.disk_id} was removed" if changed else None


def take_spare_out(system: System, step: MdSpareOut) -> str | None:
    """Remove the spare and clear its superblock; None if that was done. Refuses one that is no longer only a spare."""
    settle(system)
    array = running_array(system, step)
    disk = same_disk(observe_disks(system), step.member.disk_id, step.member.serial)
    bound = _bound(array, disk)
    if bound is not None:
        if len(_working(array)) < _slots(array):
            raise Conflict(
                f"array {step.md_name} has lost a disk meanwhile and needs its spare itself: make a new plan"
            )
        if bound.slot is not None or "faulty" in bound.flags:
            raise InUse(f"disk {disk.id} is no longer a spare of array {step.md_name}: make a new plan")
        _remove(system, array, bound)
    changed = _clear(system, disk, step) or bound is not None
    return f"spare {disk.id} was removed" if changed else None


def undo_take_spare_out(system: System, step: MdSpareOut) -> str | None:
    """Return the spare; None if the array has it, or the disk is missing: then it cannot be returned."""
    settle(system)
    array = running_array(system, step)
    disk = _present(observe_disks(system), step.member)
    if disk is None or _bound(array, disk) is not None:
        return None
    _add_blank(system, array, disk, step)
    return f"spare {disk.id} was added again"


def running_array(system: System, step: MdStep) -> parse.KernelArray:
    """The array of the step. Raises NotFound unless it runs, Conflict unless it belongs to Lunette."""
    found = observe.running_array(system, step.uuid)
    if found is None or not is_running(found):
        raise NotFound(f"array {step.md_name} is not running: attach the disks it is waiting for, then try again")
    if not parse.is_known(observe.sure_md_name(system, found.kernel_name), step.md_name):
        raise Conflict(
            f"the array under the UUID of {step.md_name} does not belong to this appliance and was not changed"
        )
    return found


def _take_back(system: System, array: parse.KernelArray, disk: ObservedDisk, step: MdAdd) -> str:
    if disk.array_uuid == step.uuid:
        try:
            system.run(["mdadm", "--manage", _device(array), "--re-add", disk.device])
        except ToolFailed:
            pass
        else:
            settle(system)
            quick = array.attributes["consistency_policy"] == "bitmap"
            return (
                "was added again: data that changed meanwhile is being copied"
                if quick
                else "was added again and is being rebuilt"
            )
        again = running_array(system, step)
        if _bound(again, disk) is not None:
            return "was added again"
    _add_blank(system, array, disk, step)
    return "was added again and is being rebuilt"


def _add_blank(
    system: System, array: parse.KernelArray, disk: ObservedDisk, step: MdAdd | MdReplace | MdSpareOut
) -> None:
    least = step.disk_bytes
    own = disk.array_uuid == array.uuid
    foreign = [s.type for s in disk.signatures if not (own and s.type == "linux_raid_member")]
    if disk.is_busy() or foreign or disk.partitions:
        why = disk.occupation() or ("it carries the running system" if disk.used_by_system else "it is on a fabric")
        raise InUse(f"disk {disk.id} cannot join the array because {why}: free it, or choose another disk")
    if disk.size_bytes < least:
        raise Conflict(f"disk {disk.id} has {disk.size_bytes} bytes, but {least} are required: choose a larger disk")
    _clear(system, disk, step)
    if system.is_held(disk.device):
        raise InUse(f"disk {disk.id} is in use by another program: free it first")
    system.run(["mdadm", "--manage", _device(array), "--add", disk.device])
    settle(system)


def _remove(system: System, array: parse.KernelArray, member: parse.KernelMember) -> None:
    """Remove a disk, marking it as failed first if it is active. Raises InUse if the array needs it."""
    device = f"/dev/{member.device}"
    if member.slot is not None and "faulty" not in member.flags:
        _check_redundant(array, member, array.kernel_name)
        system.run(["mdadm", "--manage", _device(array), "--fail", device])
    for left in range(BUSY_TRIES, 0, -1):
        try:
            system.run(["mdadm", "--manage", _device(array), "--remove", device])
            break
        except ToolFailed as error:
            if "busy" not in error.log or left == 1:
                raise
            system.sleep(BUSY_S)
    settle(system)


def _check_redundant(array: parse.KernelArray, member: parse.KernelMember, name: str) -> None:
    """Raises InUse unless the array works without this member."""
    if member.relieves or "in_sync" not in member.flags:
        return
    if array.attributes["sync_action"] == "resync":
        raise InUse(
            f"array {name} is still being synchronized and is not redundant yet: wait until it has finished, then "
            "try again"
        )
    left = _working(array) - {member.slot}
    kept, layout = frozenset(slot for slot in left if slot is not None), parse.layout_of(array.attributes)
    if not survives(array.attributes["level"], _slots(array), kept, layout):
        raise InUse(
            f"array {name} would be lost without disk {member.device}: it has no redundancy left. "
            "Add a disk and wait for the rebuild first"
        )


def _working(array: parse.KernelArray) -> frozenset[int | None]:
    return frozenset(m.slot for m in array.members if "in_sync" in m.flags and not m.relieves and m.slot is not None)


def _slots(array: parse.KernelArray) -> int:
    return first_number(array.attributes["raid_disks"])


def _bound(array: parse.KernelArray, disk: ObservedDisk) -> parse.KernelMember | None:
    return next((member for member in array.members if member.device == disk.kernel_name), None)


def _present(disks: tuple[ObservedDisk, ...], member: MemberDisk) -> ObservedDisk | None:
    """The disk, None if it is missing. Raises Conflict if another drive has its ID."""
    try:
        return same_disk(disks, member.disk_id, member.serial)
    except NotFound:
        return None


def _clear(system: System, disk: ObservedDisk, step: MdStep) -> bool:
    """Clear the superblock that carries this array's UUID and name; True if there was one."""
    block = observe.superblocks(system, observe_disks(system), step.uuid).get(disk.device)
    if block is None:
        return False
    if not parse.is_known(block.name, step.md_name):
        raise Conflict(
            f"{disk.id} contains array {block.name}, which does not belong to this appliance, under the UUID of an "
            "array of this appliance"
        )
    system.run(["mdadm", "--zero-superblock", disk.device])
    settle(system)
    return True


def _device(array: parse.KernelArray) -> str:
    return f"/dev/{array.kernel_name}"
