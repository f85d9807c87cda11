"""Where the choice is stored: one small file on the EFI file system of every system disk, none of them mirrored.

GRUB reads and writes the file of the disk it was loaded from; the system reads and writes all of them. A file is
overwritten in place, never created again: no table of the file system changes, so a power failure leaves the old
content or the new one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from lunette.domain.errors import ToolFailed
from lunette.domain.updates import SLOTS, Slot
from lunette.providers.reading import document, reader, rows, text_of
from lunette.providers.updates.choice import FILE, Choice, latest
from lunette.providers.updates.slots import Slots
from lunette.system.system_port import System

WORK = "/run/lunette/efi"
NEXT = "/run/lunette/next-slot"
"""Result of `next_slot`; GRUB writes only while this machine does not run."""


def read(system: System, slots: Slots) -> Choice:
    """The valid choice."""
    found = []
    for device in partitions(system, slots):
        with _mounted(system, device, "ro") as folder:
            found.append(Choice.decode(system.read_file(f"{folder}/{FILE}") or b""))
    return latest(found)


def next_slot(system: System, slots: Slots) -> Slot:
    """The slot of the next start, without reading the disks every time."""
    known = (system.read_file(NEXT) or b"").decode(errors="replace")
    if known not in SLOTS:
        known = read(system, slots).next
        system.write_durably(NEXT, known.encode())
    return "b" if known == "b" else "a"


def write(system: System, slots: Slots, choice: Choice) -> None:
    """Write it to every disk, one after another. Raises ToolFailed if it is on none of them."""
    reasons = []
    devices = partitions(system, slots)
    for device in devices:
        try:
            with _mounted(system, device, "rw") as folder:
                system.write(f"{folder}/{FILE}", choice.encode().decode("ascii"))
        except (ToolFailed, OSError) as error:
            reasons.append(f"{device}: {error}")
    if len(reasons) == len(devices):
        raise ToolFailed("the choice of the slot could not be written to any system disk", log="\n".join(reasons))
    system.write_durably(NEXT, choice.next.encode())


def partitions(system: System, slots: Slots) -> tuple[str, ...]:
    """The present EFI partitions of the system disks."""
    command = ["lsblk", "--json", "--list", "--paths", "--output", "NAME,UUID,FSTYPE"]
    return parse_partitions(system.run(command).stdout, slots.efi)


@reader("lsblk")
def parse_partitions(text: str, uuid: str) -> tuple[str, ...]:
    """The paths of the FAT file systems with this serial number."""
    found = rows(document(text)["blockdevices"])
    return tuple(sorted({text_of(one["name"]) for one in found if (one["uuid"], one["fstype"]) == (uuid, "vfat")}))


@contextmanager
def _mounted(system: System, device: str, option: str) -> Iterator[str]:
    folder = f"{WORK}-{device.rpartition('/')[2]}"
    if not system.is_dir(folder):
        system.mkdir(folder)
    system.run(["mount", "-t", "vfat", "-o", f"{option},nosuid,nodev,noexec", device, folder])
    try:
        yield folder
    finally:
        system.run(["umount", folder])
