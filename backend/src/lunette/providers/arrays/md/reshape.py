"""Makes spares into members of a running md array; the kernel lays the data out anew while it is used.

A reshape writes new stripes where old ones were. mdadm offers two ways not to lose any in a power cut: a backup of the
critical section, which needs mdadm to come back with it after a boot, or data that begin further ahead on every disk
(`--data-offset`; mdadm, Grow.c, set_new_data_offset), so that no new stripe lies on an old one that is still needed.
Only the second is used here: then the superblocks hold all there is to know, and the kernel goes on by itself.
"""

from contextlib import nullcontext
from math import gcd

from lunette.domain.arrays import WriteHole
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import format_size
from lunette.domain.steps import MdReshape, MdWriteHole
from lunette.providers.arrays.md import observe, parse
from lunette.providers.arrays.md import raid10 as layouts
from lunette.providers.arrays.md.holding import release, writes_held_back
from lunette.providers.arrays.md.members import running_array
from lunette.providers.arrays.md.plan import parity_disks
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.doorway import System

TIMEOUT_S = 180.0
_POLICIES = {WriteHole.PPL: "ppl", WriteHole.NONE: "resync"}
_SECTOR = 512


def set_write_hole(system: System, step: MdWriteHole) -> str | None:
    """Take the partial parity log off, or put it back; None if it is so. Refuses to put it back during a reshape."""
    return _set_policy(system, step, step.policy)


def undo_write_hole(system: System, step: MdWriteHole) -> str | None:
    """Set what was before; None if it is so, or during a resync, after which whoever looks after the array does it."""
    settle(system)
    array = running_array(system, step)
    if step.was is WriteHole.PPL and not _parity_is_right(system, array) and not parse.is_reshaping(array.attributes):
        return None
    return _set_policy(system, step, step.was)


def reshape(system: System, step: MdReshape) -> str | None:
    """Start the growth; None if it was started, or is over. Refuses an array that is not whole or has no room for it.

    Raises ToolFailed, leaving the array as it was, if the kernel or mdadm refuses.
    """
    settle(system)
    array = running_array(system, step)
    if _count(array) == step.to_disks:
        return _go_on(system, array)
    _check(array, step)
    command = ["mdadm", "--grow", f"/dev/{array.kernel_name}", f"--raid-devices={step.to_disks}"]
    if array.attributes["level"] != "raid1":
        command.append(f"--data-offset={_new_offset(system, array, step) // 2}K")
    try:
        system.run(command, timeout_s=TIMEOUT_S)
    except ToolFailed:
        array = running_array(system, step)
        if _count(array) != step.to_disks:
            if array.attributes["sync_action"] == "frozen":  # mdadm was killed before it let go
                _let_go(system, array)
            raise
    settle(system)
    _go_on(system, running_array(system, step))
    return f"array {step.md_name} grows to {step.to_disks} disks"


def keep_going(system: System, array: ExportArray) -> None:
    """Let go on what somebody who was killed had stopped, writes or a reshape; show the new size when that is over."""
    running = observe.running_array(system, array.uuid)
    if running is None:
        return
    release(system, running)
    if parse.is_reshaping(running.attributes):
        _go_on(system, running)
    elif parse.hides_room(running):
        system.write(f"/sys/block/{running.kernel_name}/md/array_size", "default")


def room_sectors(level: str, chunk_bytes: int, before: int, after: int, layout: str | None = None) -> int:
    """How much further ahead the data must begin on every disk, in sectors (mdadm, Grow.c, analyse_change).

    raid10: one chunk, with offset copies one for each. Parity: what one stripe of each shape have in common, shared by
    the disks with data.
    """
    chunk = chunk_bytes // _SECTOR
    if level == "raid10":
        return chunk * layouts.copies_of(layout).far
    old, new = chunk * (before - parity_disks(level)), chunk * (after - parity_disks(level))
    return old * new // gcd(old, new) // (before - parity_disks(level))


def _set_policy(system: System, step: MdWriteHole, policy: WriteHole) -> str | None:
    settle(system)
    array = running_array(system, step)
    if array.attributes["consistency_policy"] == _POLICIES[policy]:
        return None
    if parse.is_reshaping(array.attributes):
        raise InUse(f"array {step.md_name} is being reshaped: its write hole is treated as before once that is over")
    if policy is WriteHole.PPL and not _parity_is_right(system, array):
        raise InUse(f"the parity of array {step.md_name} is not right everywhere yet: the log goes on after the resync")
    # An mdadm that was killed may have left the kernel in between: it looks at what is there, so it is asked again.
    command = ["mdadm", "--grow", f"/dev/{array.kernel_name}", f"--consistency-policy={_POLICIES[policy]}"]
    with nullcontext() if policy is WriteHole.PPL else writes_held_back(system, array):
        system.run(command, timeout_s=TIMEOUT_S)
    return f"array {step.md_name}: {'the partial parity log is ' + ('on' if policy is WriteHole.PPL else 'off')}"


def _parity_is_right(system: System, array: parse.KernelArray) -> bool:
    """False after an unclean stop, until a resync is over. A log put on before that would be taken for proof of it."""
    return system.read(f"/sys/block/{array.kernel_name}/md/resync_start").strip() == "none"


def _check(array: parse.KernelArray, step: MdReshape) -> None:
    name, facts = step.md_name, array.attributes
    spares = [m for m in array.members if m.slot is None and "faulty" not in m.flags]
    whole = {m.slot for m in array.members if m.slot is not None and "in_sync" in m.flags and not m.relieves}
    if facts["level"] == "raid10" and layouts.copies_of(parse.layout_of(facts)).is_far:
        raise Conflict(f"array {name} has layout {parse.layout_of(facts)}: the kernel reshapes no far layout")
    if _count(array) != step.from_disks:
        raise Conflict(f"array {name} has {_count(array)} disks and the plan was made for {step.from_disks}: plan anew")
    if len(whole) < step.from_disks:
        raise Conflict(f"array {name} has lost a disk since the plan was made: replace it first, then grow")
    if parse.is_reshaping(facts) or facts["sync_action"] not in ("idle", "frozen"):
        raise Conflict(f"array {name} is busy ({facts['sync_action']}): wait until that is over, then try again")
    if len(spares) < step.to_disks - step.from_disks:
        raise Conflict(
            f"array {name} has {len(spares)} disks that stand by, too few to grow: add disks, then try again"
        )
    if facts["consistency_policy"] in ("ppl", "journal"):
        raise Conflict(f"array {name} keeps a {facts['consistency_policy']} log: take it off before the reshape")


def _new_offset(system: System, array: parse.KernelArray, step: MdReshape) -> int:
    """Where the data of every disk will begin, in sectors. Raises Conflict without the room for that on each."""
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    bound = {f"/dev/{member.device}" for member in array.members if "faulty" not in member.flags}
    found = [block for device, block in blocks.items() if device in bound]
    chunk = parse.first_number(array.attributes["chunk_size"])
    layout = parse.layout_of(array.attributes)
    room = room_sectors(array.attributes["level"], chunk, step.from_disks, step.to_disks, layout)
    target = min(block.data_offset for block in found) - room
    earliest = max(block.data_offset - block.space_before for block in found)
    if len(found) < len(bound) or target < earliest:
        free = min(block.space_before for block in found) * _SECTOR
        raise Conflict(
            f"array {step.md_name} cannot grow to {step.to_disks} disks: a power cut is survived only if its data move "
            f"{format_size(room * _SECTOR)} ahead on every disk, and one has {format_size(free)} free there. "
            "Make a new array of the new disks and move volumes to it"
        )
    return target


def _go_on(system: System, array: parse.KernelArray) -> str | None:
    if array.attributes["sync_action"] != "frozen":
        return None
    _let_go(system, array)
    return f"array {array.kernel_name} goes on"


def _let_go(system: System, array: parse.KernelArray) -> None:
    """The kernel then looks by itself at what is to be done: a reshape goes on, a spare is filled."""
    system.write(f"/sys/block/{array.kernel_name}/md/sync_action", "idle")


def _count(array: parse.KernelArray) -> int:
    return parse.first_number(array.attributes["raid_disks"])
