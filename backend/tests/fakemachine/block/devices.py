"""The kernel's block layer: disks, md arrays and LVs as devices, who holds them, and their names in /dev."""

import errno
from dataclasses import dataclass, field

from backend.tests.fakemachine.block.media import Media
from backend.tests.fakemachine.files.configfs import refuse


@dataclass
class Partition:
    """A partition: a part of a drive with signatures of its own."""

    number: int
    media: Media
    mount: str | None = None
    label: str | None = None
    """Its name in the partition table."""


BAY = "enclosure_device:"


@dataclass
class FakeDisk:
    """A drive. Its media keep their content while it is out of the machine."""

    kernel_name: str
    serial: str
    model: str
    transport: str
    """nvme, sas, sata, virtio or iscsi (a disk reached over a fabric)."""
    wwn: str
    media: Media
    rotational: bool = False
    logical_block_bytes: int = 512
    physical_block_bytes: int = 4096
    numa_node: int = 0
    partitions: list[Partition] = field(default_factory=list)
    mount: str | None = None
    is_swap: bool = False
    scheduler: str = "none"
    is_present: bool = True
    bay: str | None = None
    """What the SCSI enclosure it sits in calls its bay."""
    is_located: bool = False
    """The bay's light."""
    has_write_cache: bool = False
    """A volatile one, which is on."""
    command_timeout_s: int = 30
    """How long the kernel waits for an answer of a SCSI device."""
    given_up: set[str] = field(default_factory=set)
    """Names under /dev/disk/by-id that udev has given to another LUN of the same drive."""

    def links(self) -> list[str]:
        """Names under /dev/disk/by-id."""
        return [link for link in self._all_links() if link not in self.given_up]

    def _all_links(self) -> list[str]:
        if not (self.serial or self.wwn):
            return []
        model = self.model.replace(" ", "_")
        match self.transport:
            case "nvme":
                by_serial = f"nvme-{model}_{self.serial}"
                return [f"{by_serial}_{self.kernel_name.rpartition('n')[2]}", by_serial, f"nvme-{self.wwn}"]
            case "virtio":
                return [f"virtio-{self.serial}"]
            case "sata":
                return [f"ata-{model}_{self.serial}", f"wwn-{self.wwn}"]
            case _:
                return [f"scsi-3{self.wwn.removeprefix('0x')}", f"scsi-S{model}_{self.serial}", f"wwn-{self.wwn}"]

    def partition_name(self, number: int) -> str:
        """The kernel name of a partition: sda1, nvme0n1p1."""
        return f"{self.kernel_name}{'p' if self.kernel_name[-1].isdigit() else ''}{number}"

    def is_used(self) -> bool:
        """True if something is mounted from it, or it is swap."""
        return bool(self.mount or self.is_swap or any(p.mount for p in self.partitions))


@dataclass
class Device:
    """One block device that is there now."""

    kernel_name: str
    kind: str
    """disk, part, md, crypt, lv or zvol."""
    size_bytes: int
    links: list[str]
    """All its paths in /dev other than /dev/<kernel_name>."""
    below: list[str] = field(default_factory=list)
    """Kernel names of the devices it is made of."""
    media: Media | None = None
    disk: FakeDisk | None = None


class Blocks:
    """The devices that are there now. md and LVM add theirs; LIO and tests hold some."""

    def __init__(self) -> None:
        self.disks: list[FakeDisk] = []
        self.stacked: dict[str, Device] = {}
        """md arrays and LVs that are active."""
        self._numbers: dict[str, int] = {}
        self._holders: dict[str, set[str]] = {}
        self._openers: dict[str, set[str]] = {}

    def devices(self) -> dict[str, Device]:
        """Everything by kernel name: disks and partitions first, then what is stacked on them."""
        found: dict[str, Device] = {}
        for disk in self.disks:
            links = [f"/dev/disk/by-id/{link}" for link in disk.links()]
            if disk.is_present:
                name, size = disk.kernel_name, disk.media.size_bytes
                found[name] = Device(name, "disk", size, links, media=disk.media, disk=disk)
            for part in disk.partitions if disk.is_present else ():
                name, size = disk.partition_name(part.number), part.media.size_bytes
                names = [f"{link}-part{part.number}" for link in links]
                found[name] = Device(name, "part", size, names, media=part.media)
        return found | self.stacked

    def number(self, kernel_name: str) -> str:
        """Its device number, which it keeps."""
        return f"259:{self._numbers.setdefault(kernel_name, len(self._numbers))}"

    def write(self, path: str, text: str) -> bool:
        """The light of a bay, or how long the kernel waits for a drive; False for any other path."""
        slow = next((d for d in self.disks if path == f"/sys/block/{d.kernel_name}/device/timeout"), None)
        if slow is not None and slow.transport != "nvme":
            slow.command_timeout_s = int(text)
            return True
        disk = next((d for d in self.disks if path == f"/sys/block/{d.kernel_name}/device/{BAY}{d.bay}/locate"), None)
        if disk is not None:
            disk.is_located = text.strip() == "1"
        return disk is not None

    def disk(self, kernel_name: str) -> FakeDisk | None:
        return next((d for d in self.disks if d.kernel_name == kernel_name and d.is_present), None)

    def find(self, path: str) -> Device | None:
        """The device behind a path in /dev; None if there is none."""
        for device in self.devices().values():
            if path == f"/dev/{device.kernel_name}" or path in device.links:
                return device
        return None

    def above(self, kernel_name: str) -> list[str]:
        """Kernel names of what is built directly on a device."""
        return sorted(d.kernel_name for d in self.stacked.values() if kernel_name in d.below)

    def beneath(self, device: Device) -> list[str]:
        """Kernel names of a device and of everything below it."""
        below = [self.stacked[name] for name in device.below if name in self.stacked]
        return [device.kernel_name, *device.below, *(name for one in below for name in self.beneath(one))]

    def is_held(self, kernel_name: str) -> bool:
        """True if an exclusive open is refused: something is stacked on it, mounted from it, or holds it."""
        disk = self.disk(kernel_name)
        parts = [disk.partition_name(part.number) for part in disk.partitions] if disk else []
        if (disk and disk.is_used()) or any(self.is_held(part) for part in parts):
            return True
        mounted = any(
            part.mount and d.partition_name(part.number) == kernel_name for d in self.disks for part in d.partitions
        )
        return bool(mounted or self._holders.get(kernel_name) or self.above(kernel_name))

    def open_exclusively(self, path: str, holder: str) -> str:
        """Claim a device. Raises OSError ENOENT or EBUSY."""
        device = self.find(path)
        if device is None:
            raise refuse(errno.ENOENT, path)
        if self.is_held(device.kernel_name):
            raise refuse(errno.EBUSY, path)
        self._holders.setdefault(device.kernel_name, set()).add(holder)
        return device.kernel_name

    def release(self, kernel_name: str, holder: str) -> None:
        self._holders.get(kernel_name, set()).discard(holder)

    def open_shared(self, path: str, opener: str) -> str:
        """Open a device without claiming it; its kernel name. Raises OSError ENOENT."""
        device = self.find(path)
        if device is None:
            raise refuse(errno.ENOENT, path)
        self._openers.setdefault(device.kernel_name, set()).add(opener)
        return device.kernel_name

    def close_shared(self, kernel_name: str, opener: str) -> None:
        self._openers.get(kernel_name, set()).discard(opener)

    def is_open(self, kernel_name: str) -> bool:
        """True if it is in use, whether or not an exclusive open would be refused."""
        return self.is_held(kernel_name) or bool(self._openers.get(kernel_name))

    def holders(self, kernel_name: str) -> set[str]:
        """Who claims it, without what is stacked on it."""
        return self._holders.get(kernel_name, set())

    def reboot(self) -> None:
        """Only disks are left."""
        self.stacked.clear()
        self._holders.clear()
        self._openers.clear()

    def dev_links(self) -> dict[str, str]:
        """Every link in /dev with its relative target, as udev makes them."""
        return {
            link: "../" * (link.count("/") - 2) + device.kernel_name
            for device in self.devices().values()
            for link in device.links
        }
