"""Holds writes of hosts to an array while the kernel removes its partial parity log.

Linux frees the log without waiting for the flush of the members that follows its last entry (drivers/md/raid5-ppl.c,
ppl_do_flush and ppl_exit_log), and then accesses freed memory: Linux 7.2 crashed at the first attempt with four
writers, and not in 60 with writes held as here. Nothing is refused meanwhile; hosts wait for a moment.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from lunette.providers.arrays.md.parse import KernelArray
from lunette.providers.arrays.md.sysfs import attribute
from lunette.system.system_port import System

TIMEOUT_S = 60.0
_EVERYTHING, _NOTHING = str(2**64 - 1), "0"


@contextmanager
def writes_held_back(system: System, array: KernelArray) -> Iterator[None]:
    """Nothing is written to the array while the block runs. Raises ToolFailed if a member cannot flush its data.

    A process that is killed in the block leaves hosts waiting until `release`.
    """
    # md_attr suspend_hi: once it is written, all earlier writes are done (suspend_hi_store, mddev_suspend).
    system.write(_path(array), _EVERYTHING)
    try:
        # This flush begins after the running one has ended (block/blk-flush.c: one at a time for each disk).
        members = [f"/dev/{member.device}" for member in array.members if "faulty" not in member.flags]
        system.run(["sync", "--", *members], timeout_s=TIMEOUT_S)
        yield
    finally:
        release(system, array)


def release(system: System, array: KernelArray) -> None:
    """Let hosts write again, also after a killed process."""
    if attribute(system, _path(array)) not in ("", _NOTHING):
        system.write(_path(array), _NOTHING)


def _path(array: KernelArray) -> str:
    return f"/sys/block/{array.kernel_name}/md/suspend_hi"
