"""Turns what lsblk, wipefs and sysfs say into disks: pure, tested with recorded output."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lunette.domain.base import Model
from lunette.domain.disks import DiskPlace, ObservedDisk, Signature, Transport

NOT_DRIVES = re.compile(r"^(ram|loop|zram|sr|md|dm-|zd|fd|nbd|rbd|drbd|bcache|mtdblock|pmem)")
"""Kernel names of block devices that are no drives: memory, removable media, and what is built on drives."""
_FABRIC = {"iscsi", "fc", "fcoe", "srp", "tcp", "rdma", "loop"}
_FABRIC_PATH = re.compile(r"/(session\d+|rport-[\d:-]+|tcm_loop_\d+|nvme-fabrics)(/|$)")
_SYSTEM_MOUNTS = ("/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/opt", "/run/live/medium", "/cdrom")
_ESCAPE = re.compile(r"\\([0-7]{3})")
_KINDS = ("nvme-", "ata-", "scsi-S", "scsi-0", "scsi-1", "scsi-2", "virtio-", "ubd-", "usb-", "mmc-", "scsi-", "wwn-")


class SysfsFacts(Model):
    """What sysfs knows about a drive and lsblk does not."""

    path: str
    """The device's real path under /sys/devices."""
    holders: tuple[str, ...]
    write_cache: bool
    numa_node: int | None
    transports: tuple[str, ...]
    """Transports of the NVMe controllers behind it."""
    place: DiskPlace = DiskPlace()
    state: str | None = None
    """What the kernel says of the device, `running` or `live` while it works."""
    cache_type: str | None = None
    """Of what is driven by sd alone."""


def block_tree(text: str) -> list[Mapping[str, Any]]:
    """The top level of `lsblk -J -b`, drives only. One that left while lsblk looked has no size: it is gone."""
    found = json.loads(text)["blockdevices"]
    drives = [entry for entry in found if entry["type"] == "disk" and not NOT_DRIVES.match(entry["kname"])]
    return [entry for entry in drives if None not in (entry["size"], entry["log-sec"], entry["phy-sec"])]


def signatures(text: str) -> dict[str, tuple[Signature, ...]]:
    """Signatures by device name (no folder) from `wipefs --json --no-act DEVICE…`; it prints nothing if there are none.

    A signature that is kept in several copies, such as ZFS labels, counts once.
    """
    found: dict[str, list[Signature]] = {}
    for entry in json.loads(text)["signatures"] if text.strip() else ():
        signature = Signature(type=entry["type"], label=entry.get("label") or None, uuid=entry.get("uuid") or None)
        known = found.setdefault(entry["device"], [])
        if signature not in known:
            known.append(signature)
    return {device: tuple(known) for device, known in found.items()}


def choose_id(links: Iterable[str], serial: str) -> str | None:
    """The link a person recognises: the one that shows the serial, without a namespace suffix. None without links."""

    def rank(link: str) -> tuple[bool, int, int, str]:
        opaque = link.startswith(("nvme-eui.", "nvme-uuid.", "nvme-nvme.", "wwn-"))
        kind = next((place for place, prefix in enumerate(_KINDS) if link.startswith(prefix)), len(_KINDS))
        return (opaque or not serial or serial.replace(" ", "_") not in link, kind, len(link), link)

    return min(links, key=rank, default=None)


def mounts(text: str) -> dict[str, list[str]]:
    """Mount points by device number `major:minor` and by source, from /proc/PID/mountinfo (proc_pid_mountinfo(5)).

    btrfs shows a number that no block device has, and there the source tells.
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        own, _, of_file_system = line.partition(" - ")
        number, point = own.split()[2], _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), own.split()[4])
        for key in (number, of_file_system.split()[1]):
            found.setdefault(key, []).append(point)
    return found


def disk(
    entry: Mapping[str, Any],
    links: tuple[str, ...],
    found: Mapping[str, tuple[Signature, ...]],
    facts: SysfsFacts,
    mounted: Mapping[str, list[str]] = MappingProxyType({}),
) -> ObservedDisk:
    """One drive from its lsblk entry, its by-id links, all signatures by device name, sysfs, and what is `mounted`."""
    serial = (entry["serial"] or "").strip()
    own = found.get(entry["kname"], ())
    parts = [child for child in entry.get("children", ()) if child["type"] == "part"]
    below = list(_descend(entry))
    points = [point for child in (entry, *parts) for point in _mounts(child, mounted)]
    return ObservedDisk(
        id=choose_id(links, serial) or entry["kname"],
        device=entry["path"],
        kernel_name=entry["kname"],
        model=_model(entry),
        serial=serial,
        wwn=entry["wwn"],
        firmware=(entry["rev"] or "").strip() or None,
        transport=_transport(entry),
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
        mounts=tuple(dict.fromkeys(point for point in points if point != "[SWAP]")),
        is_swap="[SWAP]" in points,
        used_by_system=any(point in _SYSTEM_MOUNTS for child in below for point in _mounts(child, mounted)),
        fabric=over_fabric(entry, facts),
        array_uuid=next((plain(s.uuid) for s in own if s.type == "linux_raid_member" and s.uuid), None),
    )


def one_per_drive(disks: Sequence[ObservedDisk]) -> Iterator[ObservedDisk]:
    """The disks; one that is a further path to a drive says so.

    A SAS drive with two ports shows twice, with one WWN, serial and size. udev gives its names under by-id to one of
    them: that is the disk. Some makers give all their drives one WWN, so that alone tells nothing.
    """
    first: dict[tuple[str, str, int], ObservedDisk] = {}
    for disk in sorted(disks, key=lambda disk: (not disk.links, disk.kernel_name)):
        if disk.wwn and disk.serial:
            first.setdefault((disk.wwn, disk.serial, disk.size_bytes), disk)
    for disk in disks:
        known = first.get((disk.wwn or "", disk.serial, disk.size_bytes), disk)
        yield disk if known is disk else disk.model_copy(update={"other_path_of": known.id})


def over_fabric(entry: Mapping[str, Any], facts: SysfsFacts) -> bool:
    """Whether it is another machine's volume, seen here by an initiator."""
    return entry["tran"] in _FABRIC or bool(_FABRIC & set(facts.transports) or _FABRIC_PATH.search(facts.path))


def plain(uuid: str) -> str:
    """A UUID as 32 hex digits, as md's steps name it."""
    return re.sub(r"[:-]", "", uuid).lower()


def _model(entry: Mapping[str, Any]) -> str:
    """Vendor and model as a person reads them; a bare PCI number (virtio) says nothing."""
    words = [(entry[key] or "").strip() for key in ("vendor", "model")]
    return " ".join(word for word in words if word and not word.startswith("0x"))


def _transport(entry: Mapping[str, Any]) -> Transport:
    name = entry["kname"]
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
    """Where it is mounted; in lsblk's own words only if `mounted` does not know it, or for swap space."""
    known = [point for key in (entry.get("maj:min"), entry["path"]) for point in mounted.get(key or "", ())]
    return known + [point for point in entry.get("mountpoints") or () if point and (point == "[SWAP]" or not known)]


def _descend(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield entry
    for child in entry.get("children", ()):
        yield from _descend(child)
