"""Which drives there are and what is on them, read afresh from the machine each time."""

import re
from collections.abc import Collection, Mapping

from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.errors import Conflict, NotFound, ToolFailed
from lunette.providers.disks import parse, place
from lunette.system.doorway import System

BY_ID = "/dev/disk/by-id"
MOUNTS = "/proc/1/mountinfo"
"""What the machine has mounted. Our own mounts, which are all that lsblk looks at, are others in a container."""
UNREADABLE = "unreadable"
"""The signature of a drive that could not be read: what it carries is not known."""
_GIVEN_UP = ("offline", "transport-offline", "dead")
"""`device/state` of a SCSI device or an NVMe controller at which nothing answers any more (kernel: scsi_sysfs.c,
sdev_states; nvme sysfs.c, state_name)."""
_PARTITION = re.compile(r"-part\d+$")
_STACKED = ("dm-", "md-", "lvm-")
"""Links of what is built on drives: there is one or more per volume."""
_COLUMNS = "NAME,KNAME,PATH,TYPE,SIZE,VENDOR,MODEL,SERIAL,REV,WWN,TRAN,ROTA,LOG-SEC,PHY-SEC,MOUNTPOINTS,MAJ:MIN"
"""No more: lsblk shows every volume below every drive of its array, and all its columns take three times as long."""


def observe_disks(system: System, only: Collection[str] | None = None) -> tuple[ObservedDisk, ...]:
    """Every drive of the machine, in order of its id; those over a fabric too, marked as such. With `only` those that
    are known by one of these names below /dev/disk/by-id: no other one is read, and one that hangs holds nobody up.

    A drive over a fabric is never read: it is not ours, and one whose target is gone holds every reader until the
    kernel gives up. A drive the kernel has given up is not asked again.
    """
    entries = parse.block_tree(system.run(["lsblk", "-J", "-b", "-o", _COLUMNS]).stdout)
    links = _links(system)
    board = place.slots(system)
    if only is not None:
        entries = [entry for entry in entries if not set(only).isdisjoint(links.get(entry["path"], ()))]
    drives = [(entry, _facts(system, entry["kname"], board)) for entry in entries]
    local = [(entry, facts) for entry, facts in drives if not parse.over_fabric(entry, facts)]
    found = read_signatures(system, [entry["path"] for entry, facts in local if facts.state not in _GIVEN_UP])
    for entry, facts in local:
        if facts.state in _GIVEN_UP:
            found[entry["kname"]] = (Signature(type=UNREADABLE, label=f"the kernel says {facts.state}", uuid=None),)
    mounted = parse.mounts(_attribute(system, MOUNTS) or "")
    disks = [parse.disk(entry, links.get(entry["path"], ()), found, facts, mounted) for entry, facts in drives]
    return tuple(sorted(parse.one_per_drive(disks), key=lambda disk: disk.id))


def read_signatures(system: System, devices: list[str]) -> dict[str, tuple[Signature, ...]]:
    """What the devices carry, by kernel name. One unreadable drive (a dying one) must not hide the others."""
    if not devices:
        return {}
    try:
        return parse.signatures(system.run(["wipefs", "--json", "--no-act", "--", *devices]).stdout)
    except ToolFailed as error:
        if len(devices) == 1:
            name = devices[0].rpartition("/")[2]
            return {name: (Signature(type=UNREADABLE, label=error.log.strip()[:80] or None, uuid=None),)}
    return {name: found for device in devices for name, found in read_signatures(system, [device]).items()}


def settle(system: System) -> None:
    """Wait until udev has made and dropped the links of what just changed. Slow udev is no error by itself."""
    system.run(["udevadm", "settle", "--timeout=60"], timeout_s=90, ok=(0, 1))


def same_disk(disks: tuple[ObservedDisk, ...], disk_id: str, serial: str) -> ObservedDisk:
    """The disk of this id, if it is the very drive the plan meant.

    Raises NotFound if it is absent, Conflict if another drive answers to its id.
    """
    disk = next((d for d in disks if d.id == disk_id or disk_id in d.links), None)
    if disk is None:
        raise NotFound(f"disk {disk_id} is not there: check the drive and its cable, then try again")
    if disk.serial != serial:
        raise Conflict(
            f"disk {disk_id} has serial {disk.serial or '(none)'}, but the plan was made for serial {serial}: "
            "the drive was exchanged, so make a new plan"
        )
    return disk


def _links(system: System) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in system.listdir(BY_ID):
        if not name.startswith(_STACKED) and not _PARTITION.search(name):
            found.setdefault(system.realpath(f"{BY_ID}/{name}"), []).append(name)
    return {device: tuple(names) for device, names in found.items()}


def _facts(system: System, name: str, board: Mapping[str, str]) -> parse.SysfsFacts:
    base = f"/sys/block/{name}"
    holders = [
        holder
        for folder in (base, *(f"{base}/{part}" for part in system.listdir(base) if part.startswith(name)))
        for holder in system.listdir(f"{folder}/holders")
    ]
    numa = _attribute(system, f"{base}/device/numa_node") or _attribute(system, f"{base}/device/device/numa_node")
    below = system.listdir(f"{base}/device") if name.startswith("nvme") else []
    controllers = [f"{base}/device", *(f"{base}/device/{one}" for one in below)] if name.startswith("nvme") else []
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
        state=_attribute(system, f"{base}/device/state"),
        cache_type=next((_attribute(system, f"{path}/cache_type") for path in scsi), None),
    )


def _attribute(system: System, path: str) -> str | None:
    try:
        return system.read(path).strip()
    except OSError:
        return None
