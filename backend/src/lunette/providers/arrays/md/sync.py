"""Scrubs of md arrays, and how fast they and rebuilds run (Documentation/admin-guide/md.rst, sync_action)."""

from lunette.domain.array_changes import ScrubAction
from lunette.domain.errors import Conflict
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import KIB
from lunette.domain.steps import MdScrub
from lunette.providers.arrays.md import observe
from lunette.providers.arrays.md.members import running_array
from lunette.system.doorway import System

SCRUBS = (ScrubAction.CHECK.value, ScrubAction.REPAIR.value)


def scrub(system: System, step: MdScrub) -> str | None:
    """Start or stop a scrub; None if it is so already. Raises Conflict while something else runs."""
    attribute = f"/sys/block/{running_array(system, step).kernel_name}/md/sync_action"
    now = system.read(attribute).strip()
    wanted = "idle" if step.action is ScrubAction.STOP else step.action.value
    if now == wanted:
        return None
    allowed = SCRUBS if step.action is ScrubAction.STOP else ("idle",)
    if now not in allowed:
        ends = "stop it first" if now in SCRUBS else "wait until it is over"
        raise Conflict(f"array {step.md_name} is busy ({now}): {ends}, then try again")
    system.write(attribute, wanted)
    return f"array {step.md_name}: {wanted}"


def undo_scrub(system: System, step: MdScrub) -> str | None:
    """Stop the scrub that was started. One that was stopped stays so: it read nothing it would not read again."""
    attribute = f"/sys/block/{running_array(system, step).kernel_name}/md/sync_action"
    if step.action is ScrubAction.STOP or system.read(attribute).strip() != step.action.value:
        return None
    system.write(attribute, "idle")
    return f"array {step.md_name}: the scrub is stopped"


def keep_writable(system: System, array: ExportArray) -> None:
    """Let md fill a spare at once.

    `mdadm -If`, which udev runs for a pulled disk, leaves an array that is idle in `read-auto`: until the next write
    nothing is rebuilt (mdadm, Incremental.c, IncrementalRemove).
    """
    running = observe.running_array(system, array.uuid)
    if running is not None and running.attributes["array_state"] == "read-auto":
        system.write(f"/sys/block/{running.kernel_name}/md/array_state", "active")


def keep_pace(system: System, array: ExportArray) -> None:
    """Set the pace the array should have; the kernel forgets it at each start."""
    running = observe.running_array(system, array.uuid)
    wanted = {"sync_speed_min": array.sync_speed_min_bytes_s, "sync_speed_max": array.sync_speed_max_bytes_s}
    for name, bytes_s in wanted.items():
        attribute = f"/sys/block/{running.kernel_name}/md/{name}" if running else ""
        if not attribute or not system.exists(attribute):  # a level without redundancy has none
            continue
        now = system.read(attribute).strip()
        if bytes_s is None and now.endswith("(local)"):
            system.write(attribute, "system")
        elif bytes_s is not None and now != f"{bytes_s // KIB} (local)":
            system.write(attribute, str(bytes_s // KIB))
