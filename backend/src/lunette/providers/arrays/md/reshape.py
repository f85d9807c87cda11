"""Makes spares members of a running md array; the kernel reshapes the data while it is in use.

A reshape writes new stripes where old ones were. mdadm offers two ways to survive a power failure: a backup of the
critical section, which needs mdadm to return with it after a boot, or data that begin further ahead on every disk
(`--data-offset`; mdadm, Grow.c, set_new_data_offset), so that no new stripe overwrites an old one that is still needed.
Only the second is used here: the superblocks then contain everything, and the kernel continues automatically.
"""

from collections.abc import Callable, Sequence
from math import gcd

from lunette.domain.arrays import WriteHole
from lunette.domain.disks import cached
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import format_size
from lunette.domain.steps import MdReshape, MdStep, MdWriteHole
from lunette.providers.arrays.md import observe, parse, superblock
from lunette.providers.arrays.md import raid10 as layouts
from lunette.providers.arrays.md.holding import release, writes_held_back
from lunette.providers.arrays.md.members import running_array
from lunette.providers.arrays.md.plan import no_log, parity_disks
from lunette.providers.arrays.md.values import first_number
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.system_port import System

TIMEOUT_S = 180.0
_POLICIES = {WriteHole.PPL: "ppl", WriteHole.BITMAP: "bitmap", WriteHole.NONE: "resync"}
_WORDS = {
    WriteHole.PPL: "the partial parity log is on",
    WriteHole.BITMAP: "a write-intent bitmap is on",
    WriteHole.NONE: "the partial parity log is off",
}
_SECTOR = 512


def set_write_hole(system: System, step: MdWriteHole) -> str | None:
    """Exchange the partial parity log, a bitmap or nothing for one another; None if it is so. Not during a reshape.

    Raises Conflict if the log is to be put on members of which one has an active volatile write cache.
    """
    if step.policy is WriteHole.PPL:
        settle(system)
        array = running_array(system, step)
        own = {member.device for member in array.members if "faulty" not in member.flags}
        if caches := cached(disk for disk in observe_disks(system) if disk.kernel_name in own):
            raise Conflict(f"array {step.md_name} gets no partial parity log: {no_log(caches)}")
    return _set_policy(system, step, step.policy)


def undo_write_hole(system: System, step: MdWriteHole) -> str | None:
    """Restore the previous protection; None if it is so, or during a resync, after which array care does it."""
    settle(system)
    array = running_array(system, step)
    if step.was is WriteHole.PPL and not _parity_is_right(system, array) and not parse.is_reshaping(array.attributes):
        return None
    return _set_policy(system, step, step.was)


def reshape(system: System, step: MdReshape) -> str | None:
    """Start the growth; None if it was started, or is over. Refuses an array that is degraded or has no space for it.

    Raises ToolFailed, leaving the array as it was, if the kernel or mdadm refuses.
    """
    settle(system)
    array = running_array(system, step)
    if _count(array) == step.to_disks:
        return go_on(system, array)
    check_ready(array, step.md_name, step.from_disks, spares=step.to_disks - step.from_disks)
    options = [f"--raid-devices={step.to_disks}"]
    if array.attributes["level"] != "raid1":
        options += [_offset(system, array, step, _room_to_grow(array, step)), *_own_layout(array)]
    start(system, step, options, lambda found: _count(found) == step.to_disks)
    return f"array {step.md_name} grows to {step.to_disks} disks"


def start(system: System, step: MdStep, options: Sequence[str], is_so: Callable[[parse.KernelArray], bool]) -> None:
    """Let mdadm change the shape of an array. Raises ToolFailed, leaving it as it was, if the shape is not as requested
    then.
    """
    array = running_array(system, step)
    try:
        system.run(["mdadm", "--grow", f"/dev/{array.kernel_name}", *options], timeout_s=TIMEOUT_S)
    except ToolFailed:
        array = running_array(system, step)
        if not is_so(array):
            go_on(system, array)  # if mdadm was killed before it resumed writes
            raise
    settle(system)
    go_on(system, running_array(system, step))


def keep_going(system: System, array: ExportArray) -> None:
    """Resume what a killed process had stopped, writes or a reshape; show the new size when that is over."""
    running = observe.running_array(system, array.uuid)
    if running is None:
        return
    release(system, running)
    if parse.is_reshaping(running.attributes):
        go_on(system, running)
    elif parse.hides_room(running):
        system.write(f"/sys/block/{running.kernel_name}/md/array_size", "default")


def room_sectors(level: str, chunk_bytes: int, before: int, after: int, layout: str | None = None) -> int:
    """How much further ahead the data must begin on every disk, in sectors (mdadm, Grow.c, analyse_change).

    raid10: one chunk, with offset copies one for each. Parity: the common multiple of one stripe of each shape, shared
    by the disks with data.
    """
    chunk = chunk_bytes // _SECTOR
    if level == "raid10":
        return chunk * layouts.copies_of(layout).far
    old, new = chunk * (before - parity_disks(level)), chunk * (after - parity_disks(level))
    return old * new // gcd(old, new) // (before - parity_disks(level))


def _set_policy(system: System, step: MdWriteHole, policy: WriteHole) -> str | None:
    settle(system)
    array = running_array(system, step)
    now = array.attributes["consistency_policy"]
    if now == _POLICIES[policy]:
        return None
    if parse.is_reshaping(array.attributes):
        raise InUse(f"array {step.md_name} is being reshaped: its write-hole protection is restored after the reshape")
    if policy is WriteHole.PPL and not _parity_is_right(system, array):
        raise InUse(
            f"the parity of array {step.md_name} is not consistent everywhere yet: the log is enabled after the resync"
        )
    # A killed mdadm may have left the kernel in between: mdadm checks the present state, so it is called again.
    command = ["mdadm", "--grow", f"/dev/{array.kernel_name}"]
    if now == "ppl":
        with writes_held_back(system, array):
            system.run([*command, "--consistency-policy=resync"], timeout_s=TIMEOUT_S)
    elif now == "bitmap":
        system.run([*command, "--bitmap=none"], timeout_s=TIMEOUT_S)
    if policy is not WriteHole.NONE:
        option = "--bitmap=internal" if policy is WriteHole.BITMAP else "--consistency-policy=ppl"
        system.run([*command, option], timeout_s=TIMEOUT_S)
    return f"array {step.md_name}: {_WORDS[policy]}"


def _parity_is_right(system: System, array: parse.KernelArray) -> bool:
    """False after an unclean stop, until a resync is over. A log added before that would be taken as proof of
    parity.
    """
    return system.read(f"/sys/block/{array.kernel_name}/md/resync_start").strip() == "none"


def check_ready(array: parse.KernelArray, name: str, disks: int, *, spares: int = 0) -> None:
    """Raises Conflict unless the array has this many disks, is healthy and idle, has no log, and has this many
    spares.
    """
    facts = array.attributes
    standing = [m for m in array.members if m.slot is None and "faulty" not in m.flags]
    whole = {m.slot for m in array.members if m.slot is not None and "in_sync" in m.flags and not m.relieves}
    if facts["level"] == "raid10" and layouts.copies_of(parse.layout_of(facts)).is_far:
        raise Conflict(f"array {name} has layout {parse.layout_of(facts)}: the kernel cannot reshape a far layout")
    if _count(array) != disks:
        raise Conflict(f"array {name} has {_count(array)} disks, but the plan was made for {disks}: make a new plan")
    if len(whole) < disks:
        raise Conflict(f"array {name} has lost a disk since the plan was made: replace it first, then try again")
    if parse.is_reshaping(facts) or facts["sync_action"] not in ("idle", "frozen"):
        raise Conflict(f"array {name} is busy ({facts['sync_action']}): wait until it has finished, then try again")
    if len(standing) < spares:
        raise Conflict(f"array {name} has {len(standing)} spares, which is too few: add disks, then try again")
    if facts["consistency_policy"] in ("ppl", "journal"):
        raise Conflict(f"array {name} uses a {facts['consistency_policy']} log: remove it before the reshape")


def _room_to_grow(array: parse.KernelArray, step: MdReshape) -> int:
    layout = parse.layout_of(array.attributes)
    return room_sectors(array.attributes["level"], _chunk(array), step.from_disks, step.to_disks, layout)


def _offset(system: System, array: parse.KernelArray, step: MdStep, room: int) -> str:
    """The option that sets where the data of every disk will begin. Raises Conflict without the space for that."""
    found = _superblocks(system, array, step)
    bound = [member for member in array.members if "faulty" not in member.flags]
    target = min(block.data_offset for block in found) - room
    if len(found) < len(bound) or target < max(block.data_offset - block.space_before for block in found):
        free = min(block.space_before for block in found) * _SECTOR
        raise Conflict(
            f"array {step.md_name} cannot be reshaped: to survive a power failure, its data must move "
            f"{format_size(room * _SECTOR)} forward on every disk, but one disk has {format_size(free)} free there. "
            "Create another array and move the volumes to it"
        )
    return f"--data-offset={target // 2}K"


def _superblocks(system: System, array: parse.KernelArray, step: MdStep) -> list[superblock.Superblock]:
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    bound = {f"/dev/{member.device}" for member in array.members if "faulty" not in member.flags}
    return [block for device, block in blocks.items() if device in bound]


def _own_layout(array: parse.KernelArray) -> list[str]:
    """A raid6 that was a raid5 keeps its second parity on one disk.

    It could be distributed during the reshape, but Linux 7.2 forgets after a power failure in between that the layout
    differs, and then takes data for parity: decision 0048.
    """
    return ["--layout=preserve"] if parse.parity_layout(array.attributes) else []


def go_on(system: System, array: parse.KernelArray) -> str | None:
    """Let the kernel check for pending work, if a killed process had prevented that."""
    if array.attributes["sync_action"] != "frozen":
        return None
    _release(system, array)
    return f"array {array.kernel_name} continues"


def _release(system: System, array: parse.KernelArray) -> None:
    """The kernel then checks for pending work: a reshape continues, a spare is rebuilt."""
    system.write(f"/sys/block/{array.kernel_name}/md/sync_action", "idle")


def _chunk(array: parse.KernelArray) -> int:
    return first_number(array.attributes["chunk_size"])


def _count(array: parse.KernelArray) -> int:
    return first_number(array.attributes["raid_disks"])
