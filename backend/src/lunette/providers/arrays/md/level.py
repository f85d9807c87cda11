"""Converts a running raid5 to a raid6. No block of it moves, so a power failure cannot interrupt a move.

The kernel takes the raid5 over as a raid6 whose second parity, Q, is entirely on one further disk (drivers/md/raid5.c,
raid6_takeover; mdadm's layout left-symmetric-6), and fills that disk like any lost one. All other disks keep their
content: until Q is complete the array survives the loss of one disk, as before. The superblocks say raid6 from the
first moment on; an ordinary assembly continues it.
"""

from lunette.domain.arrays import Level
from lunette.domain.errors import Conflict
from lunette.domain.steps import MdRelevel
from lunette.providers.arrays.md.members import running_array
from lunette.providers.arrays.md.reshape import check_ready, go_on, start
from lunette.providers.disks.inventory import settle
from lunette.system.system_port import System


def relevel(system: System, step: MdRelevel) -> str | None:
    """Convert the array; None if that was done. Refuses an array that is degraded or has no disk for it.

    Raises ToolFailed, leaving the array as it was, if the kernel or mdadm refuses.
    """
    settle(system)
    array = running_array(system, step)
    if array.attributes["level"] == step.to_level:
        return go_on(system, array)
    if (array.attributes["level"], step.to_level) != (step.from_level, Level.RAID6) or step.from_level != Level.RAID5:
        found = array.attributes["level"]
        raise Conflict(f"array {step.md_name} is {found}: only raid5 can be changed to raid6. Make a new plan")
    check_ready(array, step.md_name, step.from_disks, spares=1)
    options = ["--level=6", f"--raid-devices={step.from_disks + 1}", "--layout=preserve"]
    start(system, step, options, lambda found: found.attributes["level"] == step.to_level)
    return f"array {step.md_name} is a {step.to_level.value} now; its second parity is being written"
