"""The location of a drive: on the PCI bus, and in a SCSI enclosure (SES) as the kernel shows it.

A SCSI drive in an enclosure has a link `enclosure_device:<bay>` to the directory of the bay, whose `locate` is the
light (drivers/misc/enclosure.c, Linux 6.12). The lights of NVMe bays (NPEM) appear as LEDs from Linux 6.13 on; they are
not supported here.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from lunette.domain.disks import DiskPlace
from lunette.system.system_port import System

_SLOTS = "/sys/bus/pci/slots"
_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
"""Domains behind Intel's VMD have five digits (10000:01:00.0)."""
_BAY = "enclosure_device:"


def slots(system: System) -> dict[str, str]:
    """The slots of the board by PCI address, which has no function: 0000:3b:00 is slot 4."""
    found = {}
    for name in system.listdir(_SLOTS):
        with suppress(OSError):
            found[system.read(f"{_SLOTS}/{name}/address").strip()] = name
    return found


def observe(system: System, name: str, controllers: Iterable[str], board: Mapping[str, str]) -> DiskPlace:
    """The location of a drive by its kernel name; `controllers` are the directories of its NVMe controllers."""
    base = f"/sys/block/{name}"
    addresses = _ADDRESS.findall(system.realpath(base))
    for folder in controllers:
        addresses += _ADDRESS.findall(system.realpath(folder))
    address = addresses[-1] if addresses else None
    bay = bay_of(system, name)
    where = system.realpath(bay[1]).rpartition("/")[0] if bay else ""
    return DiskPlace(
        pci_address=address,
        pci_slot=board.get(address.partition(".")[0]) if address else None,
        enclosure=(_read(system, f"{where}/id") or where.rpartition("/")[2]) if bay else None,
        bay=bay[0] if bay else None,
        is_located=is_lit(system, bay[1]) if bay else None,
    )


def bay_of(system: System, name: str) -> tuple[str, str] | None:
    """The enclosure's name for the drive's bay, and its directory; None for a drive in no enclosure."""
    device = f"/sys/block/{name}/device"
    link = next((entry for entry in system.listdir(device) if entry.startswith(_BAY)), None)
    return (link.removeprefix(_BAY).strip(), f"{device}/{link}") if link else None


def is_lit(system: System, bay: str) -> bool | None:
    """True if its light is on; None for a bay without one."""
    said = _read(system, f"{bay}/locate")
    return bool(int(said)) if said and said.isdigit() else None


def _read(system: System, path: str) -> str | None:
    try:
        return system.read(path).strip() or None
    except OSError:
        return None
