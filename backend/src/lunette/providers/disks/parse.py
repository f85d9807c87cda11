"""Parses the output of lsblk, wipefs and sysfs into disks. Pure, tested with recorded output."""

import functools
import logging
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from lunette.domain.base import Model
from lunette.domain.disks import DiskPlace, ObservedDisk, Signature, Transport
from lunette.providers.disks import identity, listing
from lunette.providers.reading import document, reader, word

log = logging.getLogger(__name__)
DRIVES = re.compile(
    r"^(sd[a-z]+|nvme\d+n\d+|vd[a-z]+|xvd[a-z]+|hd[a-z]+|ubd[a-z]+|mmcblk\d+|dasd[a-z]+|rssd[a-z]+"
    r"|cciss!c\d+d\d+|fio[a-z]+)$"
)
"""Kernel names of drives; fioa is a Fusion-io card, whose driver is not in the kernel."""
NO_DRIVES = re.compile(
    r"^(ram|zram|loop|nbd|rbd|drbd|ublkb|rnbd|nullb|etherd[!/]|bcache|pmem|zd|fd|sr|mtdblock|dm-|md)"
    r"|^mmcblk\d+(boot|rpmb|gp)|^nvme\d+c\d+n\d+$"
)
"""Other devices that lsblk calls a disk: memory, a file, a device of another machine, devices built on drives, a boot
area, one path of an NVMe namespace.
"""
_TYPES = ("disk", "rbc", "zbc")
"""SCSI device types of the sd driver: plain, reduced and zoned ones."""
_FABRIC = {"iscsi", "fc", "fcoe", "srp", "tcp", "rdma", "loop"}
_FABRIC_PATH = re.compile(r"/(session\d+|rport-[\d:-]+|tcm_loop_\d+|nvme-fabrics)(/|$)")
_SYSTEM_MOUNTS = frozenset(("/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/opt", "/run/live/medium", "/cdrom"))
_SWAP = "[SWAP]"
_ESCAPE = re.compile(r"\\([0-7]{3})")


class SysfsFacts(Model):
    """Facts about a drive in sysfs that lsblk does not show."""

    path: str
    """The device's real path under /sys/devices."""
    holders: tuple[str, ...]
    write_cache: bool
    numa_node: int | None
    transports: tuple[str, ...]
    """Transports of the NVMe controllers behind it."""
    place: DiskPlace = DiskPlace()
    state: str | None = None
    """State of the device in the kernel, `running` or `live` while it works."""
    cache_type: str | None = None
    """Only of devices of the sd driver."""
    zoned: str | None = None
    is_read_only: bool = False
    exports: tuple[str, ...] = ()
    """The exporter of the whole drive, or of a partition, in words."""


def drives(text: str, unread: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The drives of `lsblk -d -J -b`. One that disappeared while lsblk ran has no size.

    What cannot be read goes into `unread`, as `listing.entries` says, and so does what is about to disappear.
    """
    disks = [entry for entry in listing.entries(text, unread) if entry["type"] in _TYPES]
    known = [entry for entry in disks if DRIVES.match(entry["kname"])]
    for entry in disks:
        if entry not in known and not NO_DRIVES.match(entry["kname"]):
            _log_left_out(entry["kname"])
    there = [entry for entry in known if None not in (entry["size"], entry["log-sec"], entry["phy-sec"])]
    if unread is not None:
        unread |= {
            entry["kname"]: "lsblk reports no size for it: it is being removed" for entry in known if entry not in there
        }
    return there


@functools.cache
def _log_left_out(name: str) -> None:
    """Once for each name, because the machine is read all the time."""
    log.warning("block device %s is left out: Lunette does not know its kernel name as that of a drive", name)


@reader("wipefs")
def signatures(text: str) -> dict[str, tuple[Signature, ...]]:
    """Signatures by device name (without directory) from `wipefs --json --no-act DEVICE…`; it prints nothing if there
    are none.

    A signature that is stored in several copies, such as ZFS labels, counts once.
    """
    found: dict[str, list[Signature]] = {}
    for entry in document(text)["signatures"] if text.strip() else ():
        signature = Signature(type=entry["type"], label=entry.get("label") or None, uuid=entry.get("uuid") or None)
        known = found.setdefault(word(entry["device"]), [])
        if signature not in known:
            known.append(signature)
    return {device: tuple(known) for device, known in found.items()}


def mounts(text: str) -> dict[str, list[str]]:
    """Mount points by device number `major:minor` and by source, from /proc/PID/mountinfo (proc_pid_mountinfo(5)).

    btrfs shows a number that no block device has, so the source identifies the device; bcachefs names all its devices
    there.
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        own, _, of_file_system = line.partition(" - ")
        number, point = own.split()[2], _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), own.split()[4])
        source = of_file_system.split()[1]
        for key in (number, *(source.split(":") if source.startswith("/dev/") else (source,))):
            found.setdefault(key, []).append(point)
    return found


def swaps(text: str) -> dict[str, list[str]]:
    """Swap space by path, as lsblk calls it, from /proc/swaps."""
    return {line.split()[0]: [_SWAP] for line in text.splitlines()[1:] if line.strip()}


def system_devices(mounted: Mapping[str, list[str]]) -> set[str]:
    """Those of the `mounted` devices that the system runs from."""
    return {device for device, points in mounted.items() if not _SYSTEM_MOUNTS.isdisjoint(points)}


def system_pools(text: str) -> set[str]:
    """The ZFS pools that the system runs from, from the same file."""
    found = set()
    for line in text.splitlines():
        own, _, of_file_system = line.partition(" - ")
        kind, source, *_ = of_file_system.split()
        if kind == "zfs" and own.split()[4] in _SYSTEM_MOUNTS:
            found.add(source.partition("/")[0])
    return found


def disk(
    entry: Mapping[str, Any],
    links: tuple[str, ...],
    found: Mapping[str, tuple[Signature, ...]],
    facts: SysfsFacts,
    mounted: Mapping[str, list[str]] = MappingProxyType({}),
    *,
    is_systems: bool = False,
) -> ObservedDisk:
    """One drive from its lsblk entry, its by-id links, all signatures by device name, sysfs, and the `mounted` devices.

    `is_systems`: the system runs from something on it.
    """
    serial, wwn = (entry["serial"] or "").strip(), (entry["wwn"] or "").strip() or None
    own = found.get(entry["kname"], ())
    parts = [child for child in entry.get("children", ()) if child["type"] == "part"]
    points = [point for child in (entry, *parts) for point in _mounts(child, mounted)]
    return ObservedDisk(
        id=identity.name_of(entry["kname"], wwn, serial, _model(entry), links),
        device=entry["path"],
        kernel_name=entry["kname"],
        paths=tuple(f"/dev/{name}" for name in entry.get("paths", ())),
        model=_model(entry),
        serial=serial,
        wwn=wwn,
        firmware=(entry["rev"] or "").strip() or None,
        transport=_transport(entry),
        is_usb=entry["tran"] == "usb",
        rotational=bool(entry["rota"]),
        size_bytes=int(entry["size"]),
        logical_block_bytes=int(entry["log-sec"]),
        physical_block_bytes=int(entry["phy-sec"]),
        write_cache=facts.write_cache,
        cache_type=facts.cache_type,
        numa_node=facts.numa_node,
        place=facts.place,
        links=links,
        partitions=len(parts),
        signatures=own,
        holders=facts.holders,
        mounts=tuple(dict.fromkeys(point for point in points if point != _SWAP)),
        is_swap=_SWAP in points,
        used_by_system=is_systems or not _SYSTEM_MOUNTS.isdisjoint(points),
        fabric=over_fabric(entry, facts),
        array_uuid=next((plain(s.uuid) for s in own if s.type == "linux_raid_member" and s.uuid), None),
        barred=(*_limits(entry, facts), *facts.exports),
    )


def _limits(entry: Mapping[str, Any], facts: SysfsFacts) -> Iterator[str]:
    if entry["type"] == "zbc" or facts.zoned == "host-managed":
        yield "it is a host-managed zoned disk, which accepts only sequential writes in each zone: no array can use it"
    if facts.is_read_only:
        yield "it is read-only"


def over_fabric(entry: Mapping[str, Any], facts: SysfsFacts) -> bool:
    """True if it is another machine's volume, seen here by an initiator."""
    return entry["tran"] in _FABRIC or bool(_FABRIC & set(facts.transports) or _FABRIC_PATH.search(facts.path))


def plain(uuid: str) -> str:
    """A UUID as 32 hex digits, as md's steps name it."""
    return re.sub(r"[:-]", "", uuid).lower()


def _model(entry: Mapping[str, Any]) -> str:
    """Vendor and model in readable form; a bare PCI number (virtio) is omitted."""
    words = [(entry[key] or "").strip() for key in ("vendor", "model")]
    return " ".join(part for part in words if part and not part.startswith("0x"))


def _transport(entry: Mapping[str, Any]) -> Transport:
    name = next(iter(entry.get("paths", ())), entry["kname"])
    if name.startswith("ubd"):
        return Transport.UBD
    if name.startswith("vd"):
        return Transport.VIRTIO
    if name.startswith("nvme"):
        return Transport.NVME
    known = {"sas": Transport.SAS, "sata": Transport.SATA, "ata": Transport.SATA}
    if entry["tran"] in known:
        return known[entry["tran"]]
    return Transport.SCSI if name.startswith("sd") else Transport.OTHER


def _mounts(entry: Mapping[str, Any], mounted: Mapping[str, list[str]]) -> list[str]:
    """Where it is mounted; as lsblk shows it only if `mounted` does not know it, or for swap space."""
    known = [point for key in (entry.get("maj:min"), entry["path"]) for point in mounted.get(key or "", ())]
    return known + [point for point in entry.get("mountpoints") or () if point and (point == _SWAP or not known)]
