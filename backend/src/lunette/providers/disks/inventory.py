"""The inventory of drives and their content, read from the machine each time."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.errors import Conflict, LunetteError, NotFound, ToolFailed
from lunette.providers.disks import exported, identity, parse, place
from lunette.system.system_port import System

BY_ID = "/dev/disk/by-id"
MOUNTS = "/proc/1/mountinfo"
"""The mounts of the machine. In a container, the process's own mounts, which are all that lsblk reads, are
different.
"""
_BTRFS = "/sys/fs/btrfs"
UNREADABLE = "unreadable"
"""The signature of a drive that could not be read: its content is unknown."""
_GIVEN_UP = ("offline", "transport-offline", "dead")
"""`device/state` of a SCSI device or an NVMe controller that no longer responds (kernel: scsi_sysfs.c, sdev_states;
nvme sysfs.c, state_name).
"""
_PARTITION = re.compile(r"-part\d+$")
_STACKED = ("dm-", "md-", "lvm-")
"""Links of devices that are built on drives: there is one or more per volume."""
_COLUMNS = "NAME,KNAME,PATH,TYPE,SIZE,VENDOR,MODEL,SERIAL,REV,WWN,TRAN,ROTA,LOG-SEC,PHY-SEC,MOUNTPOINTS,MAJ:MIN"
"""No other columns: lsblk shows every volume below every drive of its array, and all columns take three times as
long.
"""


def observe_disks(
    system: System, only: Collection[str] | None = None, unread: dict[str, str] | None = None
) -> tuple[ObservedDisk, ...]:
    """Every drive of the machine, ordered by ID, including drives over a fabric, marked as such. With `only`, those
    with one of these names below /dev/disk/by-id: no other drive is read, so one that hangs delays nothing.

    A drive over a fabric is never read: it belongs to another system, and if its target is down it blocks every reader
    until the kernel times out. A drive that the kernel has dropped is not read again. If a drive cannot be read, the
    reason goes into `unread`, by name; without it that is an error.
    """
    entries = parse.block_tree(system.run(["lsblk", "-J", "-b", "-o", _COLUMNS]).stdout, unread)
    links = _links(system)
    board = place.slots(system)
    if only is not None:
        entries = [entry for entry in entries if not set(only).isdisjoint(links.get(entry["path"], ()))]
    given_away = exported.devices(system)
    drives = [(entry, _facts(system, entry, board, given_away)) for entry in entries]
    local = [(entry, facts) for entry, facts in drives if not parse.over_fabric(entry, facts)]
    found = read_signatures(system, [entry["path"] for entry, facts in local if facts.state not in _GIVEN_UP])
    for entry, facts in local:
        if facts.state in _GIVEN_UP:
            found[entry["kname"]] = (Signature(type=UNREADABLE, label=f"the kernel says {facts.state}", uuid=None),)
    mountinfo = _attribute(system, MOUNTS) or ""
    mounted = _with_btrfs(system, parse.mounts(mountinfo))
    holds_system = _holds_system_pool(system, parse.system_pools(mountinfo), found)
    disks = [
        parse.disk(entry, links.get(entry["path"], ()), found, facts, mounted, is_systems=holds_system(entry))
        for entry, facts in drives
    ]
    named = [_by_content(system, disk) for disk in identity.one_per_drive(disks)]
    return tuple(sorted(identity.one_per_content(named), key=lambda disk: disk.id))


def read_signatures(system: System, devices: list[str]) -> dict[str, tuple[Signature, ...]]:
    """The signatures of the devices, by kernel name. One unreadable drive must not hide the others."""
    if not devices:
        return {}
    try:
        found = parse.signatures(system.run(["wipefs", "--json", "--no-act", "--", *devices]).stdout)
        if odd := found.keys() - {device.rpartition("/")[2] for device in devices}:
            raise ToolFailed(f"wipefs reported devices that were not requested: {', '.join(sorted(odd))[:200]}")
        return found
    except ToolFailed as error:
        if len(devices) == 1:
            name = devices[0].rpartition("/")[2]
            return {name: (Signature(type=UNREADABLE, label=error.log.strip()[:80] or None, uuid=None),)}
    return {name: found for device in devices for name, found in read_signatures(system, [device]).items()}


def settle(system: System) -> None:
    """Wait until udev has updated the links of what just changed. Slow udev alone is not an error."""
    system.run(["udevadm", "settle", "--timeout=60"], timeout_s=90, ok=(0, 1))


def same_disk(disks: tuple[ObservedDisk, ...], disk_id: str, serial: str) -> ObservedDisk:
    """The disk with this ID, if it is the very drive that the plan meant.

    Raises NotFound if it is absent, Conflict if another drive has its ID.
    """
    named = [d for d in disks if d.id == disk_id or disk_id in d.links]
    # A disk that is now identified by its superblock had only its kernel name when the plan was made.
    bare = [d for d in disks if d.kernel_name == disk_id and not (d.is_known or d.other_path_of)]
    disk = next(iter([*named, *bare]), None)
    if disk is None:
        raise NotFound(f"disk {disk_id} was not found: check the drive and its cable, then try again")
    if disk.serial != serial:
        raise Conflict(
            f"disk {disk_id} has serial {disk.serial or '(none)'}, but the plan was made for serial {serial}: the "
            "drive was replaced, so make a new plan"
        )
    others = [one.id for one in disks if one.serial == serial and one is not disk and not one.other_path_of]
    if serial and others and disk.id != disk_id and identity.is_shared(disk_id, disk.links, serial):
        raise Conflict(
            f"{disk_id} is a name that disks {disk.id} and {', '.join(others)} share, so it identifies neither: make "
            "a new plan"
        )
    return disk


def _links(system: System) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in system.listdir(BY_ID):
        if not name.startswith(_STACKED) and not _PARTITION.search(name):
            found.setdefault(system.realpath(f"{BY_ID}/{name}"), []).append(name)
    return {device: tuple(names) for device, names in found.items()}


def _by_content(system: System, disk: ObservedDisk) -> ObservedDisk:
    """A disk that nothing distinguishes from others is identified by the superblock of an array on it, if there is
    one.
    """
    if disk.is_known or disk.other_path_of or not disk.array_uuid or disk.fabric:
        return disk
    said = system.run(["blkid", "-p", "-o", "export", "--", disk.device], timeout_s=60, ok=(0, 2, 8)).stdout
    facts = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    is_member = facts.get("TYPE") == "linux_raid_member" and facts.get("UUID_SUB")
    return disk.model_copy(update={"id": f"md-{facts['UUID_SUB']}"}) if is_member else disk


def _with_btrfs(system: System, mounted: dict[str, list[str]]) -> dict[str, list[str]]:
    """The same, with all devices of a mounted btrfs: mountinfo names one of them."""
    for file_system in system.listdir(_BTRFS):
        devices = [f"/dev/{name}" for name in system.listdir(f"{_BTRFS}/{file_system}/devices")]
        points = list(dict.fromkeys(point for device in devices for point in mounted.get(device, ())))
        mounted |= dict.fromkeys(devices, points) if points else {}
    return mounted


def _holds_system_pool(
    system: System, pools: Collection[str], found: Mapping[str, tuple[Signature, ...]]
) -> Callable[[Mapping[str, Any]], bool]:
    """True if the system runs from a ZFS pool on this drive. If zpool does not answer, any drive that is not blank may
    contain it.
    """
    members: set[str] = set()
    try:
        for pool in sorted(pools):
            reported = system.run(["zpool", "list", "-v", "-H", "-P", "-L", "--", pool], timeout_s=30).stdout
            members |= {system.realpath(word) for word in reported.split() if word.startswith("/dev/")}
    except LunetteError:
        members = set()

    def holds(entry: Mapping[str, Any]) -> bool:
        if not pools:
            return False
        if not members:
            return bool(entry.get("children") or found.get(entry["kname"]))
        return any(one["path"] in members or f"/dev/{one['kname']}" in members for one in parse.descend(entry))

    return holds


def _facts(
    system: System, entry: Mapping[str, Any], board: Mapping[str, str], given_away: Mapping[str, str]
) -> parse.SysfsFacts:
    """For a multipath device: of its first working path, with what is built on the device itself."""
    states = {name: _attribute(system, f"/sys/block/{name}/device/state") for name in entry["paths"]}
    name = next((path for path, state in states.items() if state not in _GIVEN_UP), entry["paths"][0])
    base, own = f"/sys/block/{name}", f"/sys/block/{entry['kname']}"
    parts = [part for part in system.listdir(own) if part.startswith(entry["kname"])]
    holders = [
        holder
        for folder in (own, *(f"{own}/{part}" for part in parts))
        for holder in system.listdir(f"{folder}/holders")
    ]
    below = {f"/dev/{one['kname']}" for one in parse.descend(entry) if one["type"] in ("part", "mpath")}
    below |= {entry["path"], *(f"/dev/{path}" for path in entry["paths"])}
    numa = _attribute(system, f"{base}/device/numa_node") or _attribute(system, f"{base}/device/device/numa_node")
    inside = system.listdir(f"{base}/device") if name.startswith("nvme") else []
    controllers = [f"{base}/device", *(f"{base}/device/{one}" for one in inside)] if name.startswith("nvme") else []
    by_sd = f"{base}/device/scsi_disk"
    scsi = [f"{by_sd}/{one}" for one in system.listdir(by_sd)] if name.startswith("sd") else []
    transports = {path: _attribute(system, f"{path}/transport") for path in controllers}
    return parse.SysfsFacts(
        path=system.realpath(base),
        holders=tuple(holders),
        write_cache=_attribute(system, f"{base}/queue/write_cache") == "write back",
        numa_node=int(numa) if numa and int(numa) >= 0 else None,
        transports=tuple(transport for transport in transports.values() if transport),
        place=place.observe(system, name, [path for path in controllers if transports[path]], board),
        state=states[name],
        zoned=_attribute(system, f"{base}/queue/zoned"),
        is_read_only=_attribute(system, f"{own}/ro") == "1",
        exports=tuple(sorted({given_away[device] for device in below & given_away.keys()})),
        cache_type=next((_attribute(system, f"{path}/cache_type") for path in scsi), None),
    )


def _attribute(system: System, path: str) -> str | None:
    try:
        return system.read(path).strip()
    except OSError:
        return None
