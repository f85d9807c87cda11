"""Starts an array that md keeps stopped, because an administrator accepts possible errors in it."""

from lunette.domain.errors import Conflict
from lunette.domain.steps import MdForceStart
from lunette.providers.arrays.md import assemble, observe, parse
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.system.system_port import System


def start(system: System, step: MdForceStart) -> str | None:
    """Start the array from exactly these disks and its spares; None if it runs.

    Raises Conflict if it has all its disks again, or others than the plan names: mdadm's `--force` would re-add a disk
    that was removed long ago, if it were given one.
    """
    settle(system)
    running = observe.running_array(system, step.uuid)
    if running is not None and assemble.is_running(running):
        observe.make_visible(system, running)
        return None
    disks = observe_disks(system)
    blocks = observe.superblocks(system, disks, step.uuid)
    foreign = next((block.name for block in blocks.values() if not parse.is_known(block.name, step.md_name)), None)
    if foreign is not None:
        raise Conflict(
            f"the array {foreign} under the UUID of {step.md_name} does not belong to this appliance and was not "
            "changed"
        )
    named = {same_disk(disks, member.disk_id, member.serial).device for member in step.members}
    there = parse.current(list(blocks.values()))
    whole = {d: b.role for d, b in blocks.items() if b in there and b.role is not None and not b.recovers}
    if len(set(whole.values())) == step.of_disks:
        raise Conflict(
            f"array {step.md_name} has all its disks again and starts automatically: a forced start is not needed"
        )
    if set(whole) != named:
        raise Conflict(f"array {step.md_name} has different disks than when the plan was made: make a new plan")
    # A disk that was being rebuilt continues from where its own superblock says; the kernel takes nothing from the
    # rest.
    others = {device for device, block in blocks.items() if block in there and (block.role is None or block.recovers)}
    name = step.md_name.rpartition(":")[2]
    assemble.start(system, step.uuid, name, sorted(named | others), degraded=True, options=["--force"])
    return f"array {step.md_name} runs from {len(named)} of its {step.of_disks} disks"
