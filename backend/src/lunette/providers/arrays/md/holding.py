"""Holds back what hosts write to an array while the kernel takes its partial parity log away.

Linux frees the log without waiting for the flush of the members that follows its last entry (drivers/md/raid5-ppl.c,
ppl_do_flush and ppl_exit_log), and then stumbles over what is gone: Linux 7.2 fell at the first attempt with four
writers, and not in 60 with writes held back as here. Nothing is refused meanwhile; hosts wait for a moment.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from lunette.providers.arrays.md.parse import KernelArray
from lunette.providers.arrays.md.sysfs import attribute
from lunette.system.doorway import System

TIMEOUT_S = 60.0
_EVERYTHING, _NOTHING = str(2**64 - 1), "0"


@contextmanager
def writes_held_back(system: System, array: KernelArray) -> Iterator[None]:
    """Nothing is being written to the array in here. Raises ToolFailed if a member does not get it written down.

    Whoever is killed in here leaves hosts waiting until `release`.
    """
    # md_attr suspend_hi: once it is written, all that came before is done (suspend_hi_store, mddev_suspend).
    system.write(_path(array), _EVERYTHING)
    try:
        # A flush of ours begins after the one under way has ended (block/blk-flush.c: one at a time for each disk).
        members = [f"/dev/{member.device}" for member in array.members if "faulty" not in member.flags]
        system.run(["sync", "--", *members], timeout_s=TIMEOUT_S)
        yield
    finally:
        release(system, array)


def release(system: System, array: KernelArray) -> None:
    """Let hosts write again, also after somebody who was killed."""
    if attribute(system, _path(array)) not in ("", _NOTHING):
        system.write(_path(array), _NOTHING)


def _path(array: KernelArray) -> str:
    return f"/sys/block/{array.kernel_name}/md/suspend_hi"
