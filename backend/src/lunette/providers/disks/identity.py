"""Identifies drives: the ID of a disk, and paths that lead to one drive.

A drive is identified by its NAA, EUI-64 or NGUID, else by its serial with vendor and model; never by a kernel name, and
never by a link that a second device can take over: namespaces of one NVMe controller, the LUNs of a drive with two
actuators and the bays of a USB bridge all report one serial.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from lunette.domain.disks import ObservedDisk, Transport

_KINDS = ("nvme-", "ata-", "scsi-S", "scsi-0", "scsi-1", "scsi-2", "virtio-", "ubd-", "usb-", "mmc-", "scsi-", "wwn-")
_OPAQUE = ("nvme-eui.", "nvme-uuid.", "nvme-nvme.", "wwn-")
_NVME_OWN = ("nvme-eui.", "nvme-uuid.", "nvme-nvme.")
"""Links of one namespace: udev derives them from its `wwid`."""
_BY_SERIAL = ("scsi-S", "scsi-0", "usb-")
"""Links that udev derives from a serial, which several LUNs or bays may report."""
_UNPRINTABLE = re.compile(r"[^A-Za-z0-9_.:+-]+")
_ONE_PATH = (Transport.SATA, Transport.UBD)
"""Drives on these transports have only one path."""


def choose_id(links: Iterable[str], serial: str) -> str | None:
    """The most readable link among those that no other device can take over, if there are any."""
    known = [*links]
    shown = serial.strip().replace(" ", "_")

    def rank(link: str) -> tuple[bool, bool, int, int, str]:
        kind = next((place for place, prefix in enumerate(_KINDS) if link.startswith(prefix)), len(_KINDS))
        is_opaque = link.startswith(_OPAQUE) or not shown or shown not in link
        return (is_shared(link, known, shown), is_opaque, kind, len(link), link)

    return min(known, key=rank, default=None)


def is_shared(link: str, links: Sequence[str], serial: str) -> bool:
    """True for a link that names a controller or an enclosure of drives rather than one drive: udev gives it to any of
    them, and may move it at any time. `links`: those that it is one of.
    """
    if link.startswith(_BY_SERIAL):
        return True
    if not link.startswith("nvme-") or link.startswith(_NVME_OWN):
        return False
    base, _, namespace = link.rpartition("_")
    return not (namespace.isdigit() and (base in links or (serial and base.endswith(serial))))


def name_of(kernel_name: str, wwn: str | None, serial: str, model: str, links: Iterable[str]) -> str:
    """The ID of a drive: a link of udev's, else its reported identity; its kernel name if it reports nothing."""
    if link := choose_id(links, serial):
        return link
    if is_meaningful(wwn):
        return f"{'nvme' if kernel_name.startswith('nvme') else 'wwn'}-{_UNPRINTABLE.sub('_', wwn or '')}"
    if is_meaningful(serial) and not kernel_name.startswith("nvme"):
        return f"serial-{_UNPRINTABLE.sub('_', f'{model}_{serial}'.strip('_ '))}"
    return kernel_name


def is_meaningful(value: str | None) -> bool:
    """True if an identity is usable: some manufacturers leave it empty, or fill it with one character."""
    digits = re.sub(r"^(0x|eui\.|uuid\.|naa\.)", "", (value or "").strip().lower())
    return len(set(re.sub(r"[^a-z0-9]", "", digits))) > 1


def one_per_drive(disks: Sequence[ObservedDisk]) -> tuple[ObservedDisk, ...]:
    """The disks; each lists the devices over which it is reached, and a further path to a drive names its disk.

    udev assigns the by-id names of a drive to one of its paths, and to another when that one returns. The disk is the
    path that is in use, whatever udev says; if none is in use, the one with the names. A disk that nothing
    distinguishes from another one says so.
    """
    drives: list[list[ObservedDisk]] = []
    for disk in sorted(disks, key=lambda disk: (not disk.links, disk.kernel_name)):
        known = next((paths for paths in drives if is_one_drive(paths[0], disk)), None)
        if known is None:
            drives.append([disk])
        else:
            known.append(disk)
    drives = [_main_first(paths) for paths in drives]
    firsts = [paths[0] for paths in drives]
    found = []
    for first, *others in drives:
        devices = tuple(device for path in (first, *others) for device in path.paths or (path.device,))
        facts = {"id": _own_id(first, firsts), "paths": devices, "is_known": _is_known(first, firsts)}
        found.append(first.model_copy(update=facts))
        # A further path is named by its device, because the drive's own name leads to the disk. The content of the
        # drive is shown only for the disk, so that a member of an array is never found twice.
        of_path = {"links": (), "other_path_of": facts["id"], "signatures": (), "array_uuid": None}
        found += [path.model_copy(update={**of_path, "id": path.kernel_name}) for path in others]
    return tuple(found)


def _main_first(paths: Sequence[ObservedDisk]) -> list[ObservedDisk]:
    """The paths to one drive: the one that represents the disk first, with the names of all of them."""
    main, *others = sorted(paths, key=lambda one: (not one.is_busy(), not one.links, one.kernel_name))
    links = tuple(link for path in (main, *others) for link in path.links)
    name = name_of(main.kernel_name, main.wwn, main.serial, main.model, links)
    return [main.model_copy(update={"links": links, "id": name}), *others] if links else [main, *others]


def one_per_content(disks: Sequence[ObservedDisk]) -> Iterator[ObservedDisk]:
    """The disks; among those identified by content, equal ones are paths to one drive, or copies of it."""
    first: dict[str, ObservedDisk] = {}
    for disk in sorted(disks, key=lambda disk: (not disk.holders, disk.kernel_name)):
        first.setdefault(disk.id, disk)
    for disk in disks:
        known = first[disk.id]
        update = {"id": disk.kernel_name, "links": (), "other_path_of": known.id}
        yield disk if known is disk else disk.model_copy(update=update)


def _own_id(disk: ObservedDisk, drives: Sequence[ObservedDisk]) -> str:
    """The id of a drive; where a maker gave another drive the same WWN, nothing that is made of that."""
    if is_meaningful(disk.wwn) and any(other is not disk and other.wwn == disk.wwn for other in drives):
        digits = (disk.wwn or "").removeprefix("0x")
        links = [link for link in disk.links if digits not in link]
        chosen = name_of(disk.kernel_name, None, disk.serial, disk.model, links)
    else:
        chosen = disk.id
    return chosen if chosen in disk.links or _is_known(disk, drives) else disk.kernel_name


def is_one_drive(one: ObservedDisk, other: ObservedDisk) -> bool:
    """True if two devices are paths to one drive.

    Some manufacturers give all their drives one WWN, so different serials distinguish two drives, as different WWNs
    always do.
    """
    if one.size_bytes != other.size_bytes or one.fabric != other.fabric or one.is_usb or other.is_usb:
        return False
    if is_meaningful(one.serial) and is_meaningful(other.serial) and one.serial != other.serial:
        return False
    if is_meaningful(one.wwn) and is_meaningful(other.wwn):
        return one.wwn == other.wwn
    if one.transport in _ONE_PATH or other.transport in _ONE_PATH or _namespace(one) != _namespace(other):
        return False
    return is_meaningful(one.serial) and (one.serial, one.model) == (other.serial, other.model)


def _namespace(disk: ObservedDisk) -> str:
    return disk.kernel_name.rpartition("n")[2] if disk.transport is Transport.NVME else ""


def _is_known(disk: ObservedDisk, drives: Sequence[ObservedDisk]) -> bool:
    """True if a permanent property distinguishes this drive from all others, also after a restart with other kernel
    names.
    """
    others = [other for other in drives if other is not disk]
    if is_meaningful(disk.wwn) and all(other.wwn != disk.wwn for other in others):
        return True
    if is_meaningful(disk.serial):
        return all((other.serial, other.model) != (disk.serial, disk.model) for other in others)
    return False
