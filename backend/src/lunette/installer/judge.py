"""Which disks are meant, whether they may be written to, and whether the network of the document exists.

Disks are judged by the running appliance's observation (`lunette.providers.disks`), so the installer refuses what the
product refuses.
"""

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound
from lunette.domain.interfaces import ObservedInterface
from lunette.domain.sizes import format_size
from lunette.installer.document import Document
from lunette.installer.interfaces import Planned, card_name, carriers, for_the_web_page, planned
from lunette.installer.layout import BOOT_CODE_BYTES, MINIMUM_BYTES
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.providers.network.observe import links, observe
from lunette.system.system_port import System

NET = "/sys/class/net"


class Installed(Exception):
    """This very document is installed on that disk already."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def judge(system: System, document: Document) -> tuple[ObservedDisk, ...]:
    """The disk to install to, or the two of a mirror in the order of the document.

    Raises Installed, or a LunetteError with the reason: absent, ambiguous, in use, not blank, too small, no network.
    """
    settle(system)
    disks = observe_disks(system)
    found = tuple(chosen(disks, name) for name in document.disks)
    if len({disk.id for disk in found}) < len(found):
        names = " and ".join(document.disks)
        raise Conflict(f"{names} are the same disk, {found[0].id}: a mirror needs two. {candidates(disks)}")
    for disk in found:
        if disk.used_by_system:
            raise InUse(f"disk {disk.id} carries the running system: choose another one. {candidates(disks)}")
        if disk.fabric:
            raise Conflict(
                f"disk {disk.id} belongs to another machine and is attached over a fabric: choose a local disk"
            )
    started = tuple(mine(system, disk, document, number) for number, disk in enumerate(found))
    refuse_installed(system, found, started)
    for disk, name, begun in zip(found, document.disks, started, strict=True):
        refuse_occupied(disk, disks, document, name, started=begun)
        if disk.size_bytes < MINIMUM_BYTES:
            raise NoSpace(
                f"disk {disk.id} has {format_size(disk.size_bytes)}, but the system needs "
                f"{format_size(MINIMUM_BYTES)}: choose a larger disk. {candidates(disks)}"
            )
        if system.is_held(disk.device):
            raise InUse(f"disk {disk.id} is open in a program or file system: free it first")
    check_network(system, document)
    return found


def refuse_installed(system: System, found: tuple[ObservedDisk, ...], started: tuple[bool, ...]) -> None:
    """Raises Installed if nothing is left to do, Conflict if one half of a mirror is installed: it may be in
    service.
    """
    whole = [disk.id for disk, begun in zip(found, started, strict=True) if begun and boots(system, disk)]
    again = "To reinstall, change the document"
    if len(whole) == len(found):
        names = " and ".join(whole)
        raise Installed(
            f"disk {names} was installed from this document: remove the medium and start from the disk. {again}"
        )
    if whole:
        other = next(disk.id for disk in found if disk.id not in whole)
        raise Conflict(
            f"disk {whole[0]} was installed from this document, but {other} was not, or not completely: the first is "
            f"an appliance that may be in use, and was not changed. {again}, which must name it under `wipe`"
        )


def chosen(disks: tuple[ObservedDisk, ...], name: str) -> ObservedDisk:
    """The one disk with this ID or serial. Raises NotFound, or Conflict if several have it."""
    found = [disk for disk in disks if name in (disk.id, disk.serial, *disk.links)]
    if not found:
        raise NotFound(f"disk {name} was not found: check the drive, its cable and the spelling. {candidates(disks)}")
    if len(found) > 1:
        names = ", ".join(disk.id for disk in found)
        raise Conflict(f"several disks have the name {name}: {names}. Specify one of them by its ID")
    return found[0]


def candidates(disks: tuple[ObservedDisk, ...]) -> str:
    """Disks that could be chosen instead."""
    free = [disk for disk in disks if not disk.is_busy() and disk.occupation() is None]
    listed = ", ".join(f"{disk.id} ({format_size(disk.size_bytes)})" for disk in free)
    return f"Blank disks of this machine: {listed or 'none'}"


def refuse_occupied(
    disk: ObservedDisk, disks: tuple[ObservedDisk, ...], document: Document, name: str, *, started: bool
) -> None:
    """Raises InUse for a disk that is not blank, unless the document allows overwriting it or began to write here
    itself.

    `name` is its name in the document.
    """
    occupied = disk.occupation()
    if disk.is_busy():
        raise InUse(f"disk {disk.id} is in use: {occupied or 'the running system is on it'}. {candidates(disks)}")
    if occupied is not None and name not in document.wipe and not started:
        raise InUse(
            f"disk {disk.id} is not blank: {occupied}. Choose another disk or, if its data can be lost, add the line "
            f"`wipe: {as_yaml((*document.wipe, name))}` to the document. {candidates(disks)}"
        )


def as_yaml(names: tuple[str, ...]) -> str:
    """Names as a document has them."""
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def mine(system: System, disk: ObservedDisk, document: Document, number: int) -> bool:
    """True if the partition table on the disk is the one that this document creates on its disk of this number."""
    argv = ["blkid", "--probe", "--match-tag", "PTUUID", "--output", "value", disk.device]
    found = system.run(argv, ok=(0, 2, 8)).stdout.strip().lower()
    return found == str(document.identity(number))


def boots(system: System, disk: ObservedDisk) -> bool:
    """True if the boot code exists, which is written last."""
    argv = ["head", f"--bytes={BOOT_CODE_BYTES}", disk.device]
    return system.run(argv).stdout.strip("\0") != ""


def check_network(system: System, document: Document) -> None:
    """Raises NotFound or Conflict if the web page could not be reached over the interface in the document.

    Without `network`, some interface must have a link.
    """
    interfaces = {name: f"{NET}/{name}" for name in system.listdir(NET) if system.exists(f"{NET}/{name}/device")}
    connected = [name for name, folder in interfaces.items() if _read(system, f"{folder}/carrier") == "1"]
    if document.interfaces:
        _check_web_page(system, document, connected)
        return
    if document.network is None:
        if not connected:
            raise NotFound("no network: no interface of this machine has a link. Connect a cable, then start again")
        return
    wanted = document.network.interface
    found = [name for name, folder in interfaces.items() if wanted in (name, _read(system, f"{folder}/address"))]
    if not found:
        raise NotFound(
            f"network interface {wanted} does not exist. This machine has: {', '.join(interfaces) or 'none'}"
        )
    if not set(found) & set(connected):
        raise Conflict(
            f"no network: interface {wanted} has no link. Interfaces with one: {', '.join(connected) or 'none'}"
        )


def network_of(system: System, document: Document) -> Planned:
    """The settings of each interface; none if the document does not have several. Raises what the product refuses."""
    return planned(document.interfaces, _cards(system)) if document.interfaces else ()


def _cards(system: System) -> tuple[ObservedInterface, ...]:
    """Raises Conflict naming an interface that cannot be read: no network is planned without it."""
    unread: dict[str, str] = {}
    found = observe(system, links(system), unread)
    if unread:
        raise Conflict("; ".join(f"network interface {name} cannot be read: {why}" for name, why in unread.items()))
    return found


def _check_web_page(system: System, document: Document, connected: list[str]) -> None:
    there = _cards(system)
    network = planned(document.interfaces, there)
    names = [
        one.name if one.name in dict(network) else card_name(one.name, there)
        for one in for_the_web_page(document.interfaces)
    ]
    if not any(carriers(network, name) & set(connected) for name in names):
        raise Conflict(
            f"no network: {', '.join(names)}, for the web page, has no link. Interfaces with one: "
            f"{', '.join(connected) or 'none'}"
        )


def _read(system: System, path: str) -> str:
    try:
        return system.read(path).strip()
    except OSError:
        return ""
