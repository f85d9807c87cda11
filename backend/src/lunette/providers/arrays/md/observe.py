"""Which md arrays exist: running ones from sysfs, the others from the superblocks on their disks."""

import contextlib
import re
from collections.abc import Sequence

from lunette.domain.arrays import MemberRole, ObservedArray, ObservedMember
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.providers.arrays.md import parse, superblock, tuning, unusual
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.arrays.md.sysfs import attribute
from lunette.providers.arrays.md.values import number
from lunette.providers.disks.inventory import settle
from lunette.providers.disks.parse import plain
from lunette.system.system_port import System

Disks = Sequence[ObservedDisk]
_ATTRIBUTES = (
    "array_state",
    "level",
    "raid_disks",
    "chunk_size",
    "consistency_policy",
    "sync_action",
    "sync_completed",
    "sync_speed",
    "mismatch_cnt",
    "component_size",
    "last_sync_action",
    "reshape_position",
    "layout",
    "sync_min",
    "metadata_version",
    "bitmap/location",
    "bitmap/metadata",
)

_CONTAINER = re.compile(r"external:[^/-]")
_VOLUME = re.compile(r"external:[/-]([\w-]+)/")
"""md.c, metadata_show: a container shows its format; an array in it the container, after `-` while it is read-only."""
_UUID = re.compile(r"[0-9a-f]{32}")


def observe_arrays(system: System, disks: Sequence[ObservedDisk]) -> tuple[ObservedArray, ...]:
    """All arrays, also those of others, with their members identified as disks: the UUIDs in Lunette's records show
    which belong to Lunette.

    A container of firmware RAID is not an array: the arrays in it are.
    """
    has = tuning.machine_resources(system)
    running = [_running(system, kernel, disks, has) for kernel in kernel_arrays(system)]
    known = {array.uuid for array in running}
    return (*running, *_missing(system, disks, known))


def kernel_arrays(system: System) -> list[parse.KernelArray]:
    """Every array that the kernel has, running or partially assembled; not the containers of firmware RAID."""
    names = [name for name in system.listdir("/sys/block") if name.startswith("md")]
    found = [_kernel_array(system, name) for name in names if system.is_dir(f"/sys/block/{name}/md")]
    return [array for array in found if not _CONTAINER.match(array.attributes["metadata_version"])]


def running_array(system: System, uuid: str) -> parse.KernelArray | None:
    """The kernel's array of this md UUID (32 hex digits), even if it is inactive."""
    return next((found for found in kernel_arrays(system) if found.uuid == uuid), None)


def make_visible(system: System, running: parse.KernelArray) -> None:
    """Let udev show the array under its stable path if an mdadm was killed before it did.

    While mdadm works, its flag file makes udev ignore the array; a killed mdadm leaves it behind.
    """
    if system.exists(device_path(running.uuid)):
        return
    flag = f"/run/mdadm/creating-{running.kernel_name}"
    if system.exists(flag):
        system.unlink(flag)
    system.run(["udevadm", "trigger", "--action=change", f"/sys/block/{running.kernel_name}"])
    settle(system)


def md_name_of(system: System, kernel_name: str) -> str:
    """md's own name with its home host, "" if mdadm cannot tell: only for observation."""
    return _detail(system, kernel_name).get("MD_NAME", "")


def sure_md_name(system: System, kernel_name: str) -> str:
    """The same for a step, which must not mistake an array that mdadm could not read for another's. Raises
    ToolFailed.
    """
    return _read_detail(system, kernel_name).get("MD_NAME", "")


def _detail(system: System, kernel_name: str) -> dict[str, str]:
    try:
        return _read_detail(system, kernel_name)
    except LunetteError:
        return {}


def _read_detail(system: System, kernel_name: str) -> dict[str, str]:
    return parse.detail(system.run(["mdadm", "--detail", "--export", f"/dev/{kernel_name}"], timeout_s=30).stdout)


def superblocks(system: System, disks: Sequence[ObservedDisk], uuid: str) -> dict[str, superblock.Superblock]:
    """The superblocks of this array by device, read from every local disk that carries its UUID.

    A disk over a fabric is omitted: it is a volume that contains another system's array, or a copy.
    """
    found = {}
    for disk in disks:
        if disk.array_uuid == uuid and not disk.fabric:
            shown = system.run(["mdadm", "--examine", disk.device], timeout_s=30, ok=(0, 1)).stdout
            block = superblock.superblock(shown)
            if block is not None and block.uuid == uuid:
                found[disk.device] = block
    return found


def readable_superblocks(system: System, disks: Disks, uuid: str) -> dict[str, superblock.Superblock]:
    """The same, only for observation: a disk that cannot be read, or hangs, is omitted."""
    found: dict[str, superblock.Superblock] = {}
    for disk in disks:
        with contextlib.suppress(LunetteError):
            found |= superblocks(system, (disk,), uuid)
    return found


def _running(system: System, kernel: parse.KernelArray, disks: Disks, has: tuning.MachineResources) -> ObservedArray:
    link = device_path(kernel.uuid)
    device = link if kernel.uuid and system.exists(link) else f"/dev/{kernel.kernel_name}"
    facts = _detail(system, kernel.kernel_name)
    # Firmware gives a name that no superblock of md contains, and md 0.90 has none: mdadm reports the name used here.
    name = facts.get("MD_NAME") or facts.get("MD_DEVNAME", "").rpartition(":")[2]
    if parse.is_system(name) and not _runs_from(kernel, disks):
        name = name.rpartition(":")[2]
    found = parse.running_array(kernel, name, device, {disk.kernel_name: disk.id for disk in disks})
    more = {"tuning": tuning.observed(system, kernel, has), "unusual": unusual.of_running(kernel)}
    return found.model_copy(update=more | ({} if found.level else {"level": facts.get("MD_LEVEL", "")}))


def _runs_from(kernel: parse.KernelArray, disks: Disks) -> bool:
    """True if this system runs from disks of the array: a mirror of another appliance's system is just an array."""
    below = {disk.kernel_name: disk.id for disk in disks if disk.used_by_system}
    return bool(parse.disks_of_partitions(kernel.members, below))


def _missing(system: System, disks: Sequence[ObservedDisk], known: set[str]) -> list[ObservedArray]:
    """Of two disks that were in one slot, the later one is reported."""
    arrays = []
    for uuid in sorted({disk.array_uuid for disk in disks if disk.array_uuid} - known):
        blocks = readable_superblocks(system, disks, uuid)
        if not blocks:
            continue
        reported = [
            (blocks[disk.device], _member(disk, blocks[disk.device]))
            for disk in sorted((one for one in disks if one.device in blocks), key=lambda d: blocks[d.device].events)
        ]
        members = {block.role: member for block, member in reported if not block.is_journal}
        journals = [member for block, member in reported if block.is_journal]
        array = parse.missing_array(list(blocks.values()), members, journals)
        arrays.append(array.model_copy(update={"unusual": unusual.of_superblocks(blocks)}))
    return arrays


def _member(disk: ObservedDisk, block: superblock.Superblock) -> ObservedMember:
    return ObservedMember(
        disk_id=disk.id,
        device=disk.device,
        state="spare",
        write_mostly="write_mostly" in block.flags,
        role=MemberRole.LOG if block.is_journal else MemberRole.DATA,
    )


def _kernel_array(system: System, name: str) -> parse.KernelArray:
    base = f"/sys/block/{name}/md"
    attributes = {key: attribute(system, f"{base}/{key}") for key in _ATTRIBUTES}
    version = attributes["metadata_version"]
    return parse.KernelArray(
        kernel_name=name,
        uuid=_uuid(system, name, version),
        attributes=attributes,
        size_bytes=(number(attribute(system, f"/sys/block/{name}/size")) or 0) * 512,
        members=tuple(_kernel_member(system, base, one) for one in system.listdir(base) if one.startswith("dev-")),
        firmware=_firmware(system, version),
    )


def _kernel_member(system: System, base: str, entry: str) -> parse.KernelMember:
    slot, state = attribute(system, f"{base}/{entry}/slot"), attribute(system, f"{base}/{entry}/state")
    is_journal = slot == "journal" and "journal" not in state.split(",")
    return parse.KernelMember(
        device=entry.removeprefix("dev-"),
        slot=number(slot),
        state=f"{state},journal" if is_journal else state,
        offset=number(attribute(system, f"{base}/{entry}/offset")) or 0,
    )


def _uuid(system: System, name: str, version: str) -> str:
    """As mdadm reports it if the kernel does not know it, or in another order: for all formats except its own
    format 1.
    """
    known = plain(attribute(system, f"/sys/block/{name}/md/uuid"))
    known = known if _UUID.fullmatch(known) and known.strip("0") else ""
    if known and (not version or version.startswith("1.")):
        return known
    reported = plain(_detail(system, name).get("MD_UUID", ""))
    return reported if _UUID.fullmatch(reported) and reported.strip("0") else known


def _firmware(system: System, version: str) -> str:
    """The format of the metadata of an array in a container: `external:/md127/0` names the container."""
    found = _VOLUME.match(version)
    if not found:
        return ""
    container = attribute(system, f"/sys/block/{found[1]}/md/metadata_version")
    return container.removeprefix("external:") or "external metadata"
