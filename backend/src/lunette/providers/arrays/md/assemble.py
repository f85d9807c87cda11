"""Starts an array after a boot, and stops it at shutdown. Only disks whose superblock contains its UUID are used."""

from collections.abc import Sequence

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError, NotFound
from lunette.domain.exports import ExportArray
from lunette.providers.arrays import absent
from lunette.providers.arrays.md import observe, parse, superblock
from lunette.providers.arrays.md.plan import md_name
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.system_port import System

ASSEMBLE_TIMEOUT_S = 180.0


def assemble(system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
    """Start the array if its disks are present; None once it runs, otherwise what it waits for, in words.

    With `allow_degraded` it starts without missing disks, as far as the level survives that. Nothing is forced: an
    array that the kernel considers too damaged stays down, and its data stays unchanged.
    """
    running = observe.running_array(system, array.uuid)
    if running is not None and is_running(running):
        observe.make_visible(system, running)
        return None
    disks, blocks = _own_superblocks(system, array)
    own = [disk.id for disk in disks if disk.device in blocks]
    if not blocks:
        return absent.waits(array, disks, own)
    missing = parse.missing_slots(list(blocks.values()))
    count = next(iter(blocks.values())).raid_disks
    present = sum(block.role is not None for block in blocks.values())
    if missing and not allow_degraded:
        return absent.waits(array, disks, own, f"{present} of {count} disks present")
    try:
        start(system, array.uuid, md_name(array.array_id), sorted(blocks), degraded=bool(missing))
    except LunetteError as error:
        if lacking := parse.dirty_without(list(blocks.values())):
            return stays_stopped(array.name, len(lacking), count)
        words = error.log.strip().splitlines()[-1:] or [error.detail]
        return f"array {array.name} did not start with {present} of {count} disks: {words[0]}"
    return None


def _own_superblocks(
    system: System, array: ExportArray
) -> tuple[Sequence[ObservedDisk], dict[str, superblock.Superblock]]:
    """The disks that were checked, and the superblocks of the array by device.

    Other drives are read only if its recorded members do not agree that they are complete: a drive that hangs delays no
    other array, and a disk that was added after the record counts.
    """
    disks = observe_disks(system, array.members)
    known = observe.superblocks(system, disks, array.uuid)
    alike = len({block.events for block in known.values()}) == 1
    if alike and not parse.missing_slots(list(known.values())):
        return disks, known
    disks = observe_disks(system)
    return disks, observe.superblocks(system, disks, array.uuid)


def stays_stopped(name: str, lacking: int, count: int) -> str:
    """Why md does not start a dirty degraded array, and what to do."""
    return (
        f"array {name} stays stopped: it was being written to when it stopped, and {lacking} of its {count} disks "
        f"{'is' if lacking == 1 else 'are'} missing or not rebuilt, so without a partial parity log its missing "
        "blocks cannot be computed reliably. Reconnect the disk. Only if it is permanently lost: lunette array "
        f"force-start {name} --confirm {name}"
    )


def is_running(found: parse.KernelArray | None) -> bool:
    """True if the array is started; a partially assembled one only occupies its disks."""
    return found is not None and found.attributes["array_state"] not in ("", "clear", "inactive")


def start(
    system: System, uuid: str, name: str, devices: Sequence[str], *, degraded: bool = False, options: Sequence[str] = ()
) -> None:
    """Assemble the array of these members. Raises ToolFailed, leaving nothing half assembled, if it does not start.

    `options` of mdadm: `--readonly`, or `--force`, which starts it also if writes were under way and a disk is missing:
    mdadm then writes into a superblock that none were. A `--homehost` among them takes the place of ours.
    """
    stop(system, uuid)
    own = f"--homehost={parse.HOMEHOST}"
    home_host = next((one for one in options if one.startswith("--homehost=")), own)
    run = [*(["--run"] if degraded else []), *(one for one in options if one != home_host)]
    command = ["mdadm", "--assemble", "--config=none", home_host, *run, f"--uuid={uuid}"]
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
