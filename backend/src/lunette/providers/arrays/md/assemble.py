"""Brings an array up after a boot, and down at shutdown. Only disks whose superblock carries its UUID take part."""

from collections.abc import Sequence

from lunette.domain.errors import LunetteError, NotFound
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.md import observe, parse
from lunette.providers.arrays.md.plan import md_name
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.doorway import System

ASSEMBLE_TIMEOUT_S = 180.0


def assemble(system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
    """Start the array if its disks are there; None once it runs, otherwise what it waits for, in words.

    With `allow_degraded` it starts without disks that are missing, as far as the level survives that. Nothing is
    forced: an array the kernel judges too damaged stays down, and its data stays as it is.
    """
    running = observe.running_array(system, array.uuid)
    if running is not None and is_running(running):
        observe.make_visible(system, running)
        return None
    blocks = observe.superblocks(system, observe_disks(system), array.uuid)
    if not blocks:
        return f"waiting for array {array.name}: none of its {len(array.members)} disks is present"
    missing = parse.missing_slots(list(blocks.values()))
    count = next(iter(blocks.values())).raid_disks
    present = sum(block.role is not None for block in blocks.values())
    if missing and not allow_degraded:
        return f"waiting for array {array.name}: {present} of {count} disks present"
    try:
        start(system, array.uuid, md_name(array.array_id), sorted(blocks), degraded=bool(missing))
    except LunetteError as error:
        words = error.log.strip().splitlines()[-1:] or [error.detail]
        return f"array {array.name} did not start with {present} of {count} disks: {words[0]}"
    return None


def is_running(found: parse.KernelArray | None) -> bool:
    """True if the array is started; one that is only half assembled merely holds its disks."""
    return found is not None and found.attributes["array_state"] not in ("", "clear", "inactive")


def start(system: System, uuid: str, name: str, devices: Sequence[str], *, degraded: bool = False) -> None:
    """Assemble the array of these members. Raises ToolFailed, leaving nothing half assembled, if it does not start."""
    stop(system, uuid)
    run = ["--run"] if degraded else []
    command = ["mdadm", "--assemble", "--config=none", f"--homehost={parse.HOMEHOST}", *run, f"--uuid={uuid}"]
    try:
        system.run([*command, f"/dev/md/{name}", *devices], timeout_s=ASSEMBLE_TIMEOUT_S)
    except LunetteError:
        stop(system, uuid)
        raise
    settle(system)


def ensure_running(system: System, uuid: str, *, degraded: bool = False) -> bool:
    """Start an array that a boot left down between two steps of a job. False if no disk carries it.

    Raises NotFound if some of its disks are missing, unless it may start `degraded`, ToolFailed if it does not start.
    """
    running = observe.running_array(system, uuid)
    if running is not None and is_running(running):
        observe.make_visible(system, running)
        return True
    blocks = observe.superblocks(system, observe_disks(system), uuid)
    if not blocks:
        return False
    newest = max(blocks.values(), key=lambda found: found.events)
    missing = parse.missing_slots(list(blocks.values()))
    if missing and not degraded:
        raise NotFound(
            f"array {newest.name} is not running and {len(missing)} of its disks are missing: attach them, "
            "then try again"
        )
    start(system, uuid, newest.name.rpartition(":")[2], sorted(blocks), degraded=bool(missing))
    return True


def stop(system: System, uuid: str) -> None:
    """Stop the array if the kernel has it. Raises ToolFailed while it is in use."""
    running = observe.running_array(system, uuid)
    if running is not None:
        system.run(["mdadm", "--stop", f"/dev/{running.kernel_name}"], timeout_s=120)
