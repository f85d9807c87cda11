"""The inventory of drives and their content, read from the machine each time."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.errors import Conflict, LunetteError, NotFound, ToolFailed
from lunette.providers.disks import exported, identity, parse, place, stack
from lunette.providers.disks.stack import attribute
from lunette.system.system_port import System

BY_ID = "/dev/disk/by-id"
MOUNTS = "/proc/1/mountinfo"
"""The mounts of the machine. In a container, the process's own mounts, which are all that lsblk reads, are
different.
"""
_OWN_MOUNTS, _SWAPS = "/proc/self/mountinfo", "/proc/swaps"
_BLOCK, _BTRFS = "/sys/block", "/sys/fs/btrfs"
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
_LISTED = (0, 32, 64)
"""lsblk ends with 32 if none of the devices is there, with 64 if some are not: what was removed meanwhile."""


def observe_disks(
    system: System, only: Collection[str] | None = None, unread: dict[str, str] | None = None
) -> tuple[ObservedDisk, ...]:
    """Every drive of the machine, ordered by ID, including drives over a fabric, marked as such. With `only`, those
    with one of these names below /dev/disk/by-id: no other drive is read, so one that hangs delays nothing.

    A drive over a fabric is never read: it belongs to another system, and if its target is down it blocks every reader
    until the kernel times out. A drive that the kernel has dropped is not read again. If a drive cannot be read, the
    reason goes into `unread`, by name; without it that is an error.
    """
    listed = _listed(system, unread)
    own = parse.mounts(attribute(system, _OWN_MOUNTS) or "")
    own |= parse.swaps(attribute(system, _SWAPS) or "")
    names = system.listdir(BY_ID)
    entries = stack.drives(system, listed, [f"{BY_ID}/{name}" for name in names], own)
    links = _links(system, names)
    board = place.slots(system)
    if only is not None:
        entries = [entry for entry in entries if not set(only).isdisjoint(links.get(entry["path"], ()))]
    given_away = _given_away(system)
    drives = [(entry, _facts(system, entry, board, given_away)) for entry in entries]
    local = [(entry, facts) for entry, facts in drives if not parse.over_fabric(entry, facts)]
    found = read_signatures(system, [entry["path"] for entry, facts in local if facts.state not in _GIVEN_UP])
    for entry, facts in local:
        if facts.state in _GIVEN_UP:
            found[entry["kname"]] = (Signature(type=UNREADABLE, label=f"the kernel says {facts.state}", uuid=None),)
    mountinfo = attribute(system, MOUNTS) or ""
    together = [system.listdir(f"{_BTRFS}/{file_system}/devices") for file_system in system.listdir(_BTRFS)]
    mounted = _with_btrfs(parse.mounts(mountinfo), together)
    used, is_pool_hidden = _of_the_system(system, own | mounted, together, parse.system_pools(mountinfo))
    disks = []
    for entry, facts in drives:
        has_content = entry["children"] or facts.holders or found.get(entry["kname"])
        is_systems = not used.isdisjoint((entry["kname"], *entry["paths"])) or bool(is_pool_hidden and has_content)
        own_links = links.get(entry["path"], ())
        disks.append(parse.disk(entry, own_links, found, facts, mounted, is_systems=is_systems))
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


def _listed(system: System, unread: dict[str, str] | None) -> list[dict[str, Any]]:
    """The drives as lsblk shows them. By name and without what is on them (`-d`), because otherwise it looks at every
    volume; what is needed of those `stack` finds.
    """
    names = [name for name in system.listdir(_BLOCK) if not parse.NO_DRIVES.match(name)]
    devices = [f"/dev/{name.replace('!', '/')}" for name in names]
    reported = system.run(["lsblk", "-d", "-J", "-b", "-o", _COLUMNS, *devices], ok=_LISTED).stdout
    entries = parse.drives(reported, unread)
    if unread is not None:
        known = {entry["kname"] for entry in entries} | unread.keys()
        lost = [name for name in names if name not in known and parse.DRIVES.match(name)]
        unread |= {name: "lsblk does not list it" for name in lost if system.exists(f"{_BLOCK}/{name}")}
    return entries


def _links(system: System, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in names:
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


def _with_btrfs(mounted: dict[str, list[str]], together: Iterable[Iterable[str]]) -> dict[str, list[str]]:
    """The same, with all devices of a mounted btrfs, which are `together`: mountinfo names one of them."""
    for names in together:
        devices = [f"/dev/{name}" for name in names]
        points = list(dict.fromkeys(point for device in devices for point in mounted.get(device, ())))
        mounted |= dict.fromkeys(devices, points) if points else {}
    return mounted


def _of_the_system(
    system: System, mounted: Mapping[str, list[str]], together: Iterable[Collection[str]], pools: Collection[str]
) -> tuple[set[str], bool]:
    """Kernel names of all devices that the system runs from. True if it runs from a ZFS pool and zpool does not answer:
    then any drive that is not blank may contain it.
    """
    members: set[str] = set()
    try:
        for pool in sorted(pools):
            reported = system.run(["zpool", "list", "-v", "-H", "-P", "-L", "--", pool], timeout_s=30).stdout
            members |= {word for word in reported.split() if word.startswith("/dev/")}
    except LunetteError:
        members = set()
    names = {stack.kernel_name(system, device) for device in parse.system_devices(mounted) | members}
    for devices in together:
        if not names.isdisjoint(devices):
            names |= set(devices)
    return stack.below(system, names), bool(pools and not members)


def _given_away(system: System) -> dict[str, list[str]]:
    """The exporters of each device in words, by kernel name. A partition is given away with all that it lies on."""
    found: dict[str, list[str]] = {}
    for device, words in exported.devices(system).items():
        name = device.removeprefix("/dev/").replace("/", "!")
        is_volume = name.startswith(("dm-", "zd"))
        is_part = not is_volume and stack.is_partition(system, name)
        for one in stack.below(system, [name]) if is_part else [name]:
            found.setdefault(one, []).append(words)
    return found


def _facts(
    system: System, entry: Mapping[str, Any], board: Mapping[str, str], given_away: Mapping[str, Iterable[str]]
) -> parse.SysfsFacts:
    """For a multipath device: of its first working path, with what is built on the device itself."""
    states = {name: attribute(system, f"/sys/block/{name}/device/state") for name in entry["paths"]}
    name = next((path for path, state in states.items() if state not in _GIVEN_UP), entry["paths"][0])
    base, own = f"/sys/block/{name}", f"/sys/block/{entry['kname']}"
    parts = [part for part in system.listdir(own) if part.startswith(entry["kname"])]
    holders = [
        holder
        for folder in (own, *(f"{own}/{part}" for part in parts))
        for holder in system.listdir(f"{folder}/holders")
    ]
    whole = (entry["kname"], *entry["paths"], *(part["kname"] for part in entry["children"]))
    numa = attribute(system, f"{base}/device/numa_node") or attribute(system, f"{base}/device/device/numa_node")
    inside = system.listdir(f"{base}/device") if name.startswith("nvme") else []
    controllers = [f"{base}/device", *(f"{base}/device/{one}" for one in inside)] if name.startswith("nvme") else []
    by_sd = f"{base}/device/scsi_disk"
    scsi = [f"{by_sd}/{one}" for one in system.listdir(by_sd)] if name.startswith("sd") else []
    transports = {path: attribute(system, f"{path}/transport") for path in controllers}
    return parse.SysfsFacts(
        path=system.realpath(base),
        holders=tuple(holders),
        write_cache=attribute(system, f"{base}/queue/write_cache") == "write back",
        numa_node=int(numa) if numa and int(numa) >= 0 else None,
        transports=tuple(transport for transport in transports.values() if transport),
        place=place.observe(system, name, [path for path in controllers if transports[path]], board),
        state=states[name],
        zoned=attribute(system, f"{base}/queue/zoned"),
        is_read_only=attribute(system, f"{own}/ro") == "1",
        exports=tuple(sorted({words for name in whole for words in given_away.get(name, ())})),
        cache_type=next((attribute(system, f"{path}/cache_type") for path in scsi), None),
    )
