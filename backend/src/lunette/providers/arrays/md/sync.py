"""Scrubs of md arrays, the speed of scrubs and rebuilds, and tuning (Documentation/admin-guide/md.rst)."""

from collections.abc import Sequence

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level
from lunette.domain.errors import Conflict
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import KIB
from lunette.domain.steps import MdScrub
from lunette.domain.tuning import PARITY_ONLY, TuningName, notation
from lunette.providers.arrays.md import observe, parse, tuning
from lunette.providers.arrays.md.members import running_array
from lunette.providers.disks.inventory import BY_ID, observe_disks
from lunette.system.system_port import System

SCRUBS = (ScrubAction.CHECK.value, ScrubAction.REPAIR.value)


def scrub(system: System, step: MdScrub) -> str | None:
    """Start or stop a scrub; None if it is already so. Raises Conflict while another operation runs.

    It begins at the first sector: the kernel would continue where one was stopped, and count only from there.
    """
    base = f"/sys/block/{running_array(system, step).kernel_name}/md"
    attribute = f"{base}/sync_action"
    now = system.read(attribute).strip()
    wanted = "idle" if step.action is ScrubAction.STOP else step.action.value
    if now == wanted:
        return None
    allowed = SCRUBS if step.action is ScrubAction.STOP else ("idle",)
    if now not in allowed:
        ends = "stop it first" if now in SCRUBS else "wait until it has finished"
        raise Conflict(f"array {step.md_name} is busy ({now}): {ends}, then try again")
    if wanted != "idle" and system.read(f"{base}/sync_min").strip() != "0":
        system.write(f"{base}/sync_min", "0")
    system.write(attribute, wanted)
    return f"array {step.md_name}: {wanted}"


def undo_scrub(system: System, step: MdScrub) -> str | None:
    """Stop the scrub that was started. A stopped one stays stopped: it read nothing that it would not read again."""
    attribute = f"/sys/block/{running_array(system, step).kernel_name}/md/sync_action"
    if step.action is ScrubAction.STOP or system.read(attribute).strip() != step.action.value:
        return None
    system.write(attribute, "idle")
    return f"array {step.md_name}: the scrub was stopped"


def keep_writable(system: System, array: ExportArray) -> None:
    """Let md start a rebuild onto a spare immediately.

    `mdadm -If`, which udev runs for a pulled disk, leaves an idle array in `read-auto`: until the next write nothing is
    rebuilt (mdadm, Incremental.c, IncrementalRemove).
    """
    running = observe.running_array(system, array.uuid)
    if running is not None and running.attributes["array_state"] == "read-auto":
        system.write(f"/sys/block/{running.kernel_name}/md/array_state", "active")


def keep_pace(system: System, array: ExportArray) -> None:
    """Set the speed limits of the array; the kernel forgets them at each start."""
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


def keep_write_mostly(system: System, array: ExportArray) -> None:
    """Make a mirror read from the other disks: md stores that in the superblock, and a newly added disk lacks it.

    md accepts and shows it in `state` (drivers/md/md.c, state_store: writemostly; state_show: write_mostly).
    """
    running = observe.running_array(system, array.uuid)
    if running is None or running.attributes["level"] != Level.RAID1.value:
        return
    wanted = _kernel_names(system, array.write_mostly)
    for member in running.members:
        is_wanted = member.device in wanted
        if "faulty" not in member.flags and is_wanted != ("write_mostly" in member.flags):
            state = f"/sys/block/{running.kernel_name}/md/dev-{member.device}/state"
            system.write(state, "writemostly" if is_wanted else "-writemostly")


def _kernel_names(system: System, disk_ids: Sequence[str]) -> set[str]:
    """By udev's links, which cost nothing to read; a drive without one is searched for."""
    links = {disk_id: f"{BY_ID}/{disk_id}" for disk_id in disk_ids}
    found = {system.realpath(link).rpartition("/")[2] for link in links.values() if system.exists(link)}
    others = {disk_id for disk_id, link in links.items() if not system.exists(link)}
    return found | ({disk.kernel_name for disk in observe_disks(system) if disk.id in others} if others else set())


def keep_tuning(system: System, array: ExportArray) -> None:
    """Set every value that the array should have and lacks; the kernel forgets them at each start.

    A value for which the machine lacks memory is lowered. During a reshape, md's own values stay: mdadm sets a stripe
    cache for it.
    """
    running = observe.running_array(system, array.uuid)
    if running is None:
        return
    chosen = {name: notation(getattr(array.tuning, name.value)) for name in TuningName}
    busy = parse.is_reshaping(running.attributes) or running.attributes["sync_action"] in ("frozen", "reshape")
    for value in () if busy else tuning.observed(system, running, tuning.machine_resources(system)):
        wanted = chosen[value.name] or value.automatic
        if value.name not in PARITY_ONLY or wanted is None or value.observed is None:
            continue
        if value.most is not None:
            wanted = str(min(int(wanted), value.most))
        if wanted != value.observed:
            system.write(f"/sys/block/{running.kernel_name}/md/{value.name.value}", wanted)
    for name, disk in tuning.schedulers(system, running).items():
        wanted = chosen[TuningName.SCHEDULER] or disk.automatic
        if wanted != disk.now and wanted in disk.offered:
            system.write(tuning.scheduler_file(name), wanted)
