"""Which md arrays there are: the running ones from sysfs, the others from the superblocks on their disks."""

from collections.abc import Sequence

from lunette.domain.arrays import ObservedArray, ObservedMember
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.providers.arrays.md import parse, tuning
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.arrays.md.sysfs import attribute
from lunette.providers.disks.inventory import settle
from lunette.providers.disks.parse import plain
from lunette.system.doorway import System

Disks = Sequence[ObservedDisk]
_ATTRIBUTES = (
    "array_state", "level", "raid_disks", "chunk_size", "consistency_policy", "sync_action", "sync_completed",
    "sync_speed", "mismatch_cnt", "component_size", "last_sync_action", "reshape_position",
    "layout", "sync_min",
)  # fmt: skip


def observe_arrays(system: System, disks: Sequence[ObservedDisk]) -> tuple[ObservedArray, ...]:
    """All arrays, ours and foreign, with their members told as disks."""
    ids = {disk.kernel_name: disk.id for disk in disks}
    has = tuning.machine(system)
    running = [_running(system, kernel, ids, has) for kernel in kernel_arrays(system)]
    known = {array.uuid for array in running}
    return (*running, *_missing(system, disks, known))


def kernel_arrays(system: System) -> list[parse.KernelArray]:
    """Every array the kernel has, running or half assembled."""
    names = [name for name in system.listdir("/sys/block") if name.startswith("md")]
    return [_kernel_array(system, name) for name in names if system.is_dir(f"/sys/block/{name}/md")]


def running_array(system: System, uuid: str) -> parse.KernelArray | None:
    """The kernel's array of this md UUID (32 hex digits), even if it is inactive."""
    return next((found for found in kernel_arrays(system) if found.uuid == uuid), None)


def make_visible(system: System, running: parse.KernelArray) -> None:
    """Let udev show the array under its stable path, where an mdadm that was killed half-way did not get to it.

    While mdadm works, a flag file of its makes udev look away; a killed one leaves it behind.
    """
    if system.exists(device_path(running.uuid)):
        return
    flag = f"/run/mdadm/creating-{running.kernel_name}"
    if system.exists(flag):
        system.unlink(flag)
    system.run(["udevadm", "trigger", "--action=change", f"/sys/block/{running.kernel_name}"])
    settle(system)


def md_name_of(system: System, kernel_name: str) -> str:
    """md's own name with its home host, "" if mdadm cannot tell."""
    try:
        text = system.run(["mdadm", "--detail", "--export", f"/dev/{kernel_name}"], timeout_s=30).stdout
    except LunetteError:
        return ""
    return parse.detail(text).get("MD_NAME", "")


def superblocks(system: System, disks: Sequence[ObservedDisk], uuid: str) -> dict[str, parse.Superblock]:
    """The superblocks of this array by device, read from every local disk that carries its UUID.

    One seen over a fabric is left out: it is a volume that holds somebody else's array, or a copy.
    """
    found = {}
    for disk in disks:
        if disk.array_uuid == uuid and not disk.fabric:
            shown = system.run(["mdadm", "--examine", disk.device], timeout_s=30, ok=(0, 1)).stdout
            block = parse.superblock(shown)
            if block is not None and block.uuid == uuid:
                found[disk.device] = block
    return found


def _running(system: System, kernel: parse.KernelArray, ids: dict[str, str], has: tuning.Machine) -> ObservedArray:
    link = device_path(kernel.uuid)
    device = link if kernel.uuid and system.exists(link) else f"/dev/{kernel.kernel_name}"
    found = parse.running_array(kernel, md_name_of(system, kernel.kernel_name), device, ids)
    return found.model_copy(update={"tuning": tuning.told(system, kernel, has)})


def _missing(system: System, disks: Sequence[ObservedDisk], known: set[str]) -> list[ObservedArray]:
    """Of two disks that were in one slot, the later one is told."""
    arrays = []
    for uuid in sorted({disk.array_uuid for disk in disks if disk.array_uuid} - known):
        blocks = superblocks(system, disks, uuid)
        members = {
            blocks[disk.device].role: ObservedMember(disk_id=disk.id, device=disk.device, state="spare")
            for disk in sorted((disk for disk in disks if disk.device in blocks), key=lambda d: blocks[d.device].events)
        }
        if blocks:
            arrays.append(parse.missing_array(list(blocks.values()), members))
    return arrays


def _kernel_array(system: System, name: str) -> parse.KernelArray:
    base = f"/sys/block/{name}/md"
    attributes = {key: attribute(system, f"{base}/{key}") for key in _ATTRIBUTES}
    members = [
        parse.KernelMember(
            device=entry.removeprefix("dev-"),
            slot=_slot(attribute(system, f"{base}/{entry}/slot")),
            state=attribute(system, f"{base}/{entry}/state"),
            offset=int(attribute(system, f"{base}/{entry}/offset") or 0),
        )
        for entry in system.listdir(base)
        if entry.startswith("dev-")
    ]
    size = attribute(system, f"/sys/block/{name}/size")
    return parse.KernelArray(
        kernel_name=name, uuid=plain(attribute(system, f"{base}/uuid")), size_bytes=int(size or 0) * 512,
        attributes=attributes, members=tuple(members),
    )  # fmt: skip


def _slot(text: str) -> int | None:
    return int(text) if text.isdigit() else None
