"""What hosts read and wrote, as the kernel counts it: the block layer of every device on the way, LIO, the network.

Rules: a device counts from when it appears; what goes through a volume goes through its array and all its disks, each
an equal share (what redundancy costs more is left out); LIO counts a mapped LUN's commands from when it is mapped and
shows bytes in whole MiB (target_core_stat.c, Linux 6.12).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from backend.tests.fakemachine.block.devices import Blocks
from backend.tests.fakemachine.files.configfs import Attribute, Group

SECTOR_BYTES, MIB = 512, 1024**2


class Io(NamedTuple):
    """Some reads and writes; the times are sums, in milliseconds."""

    reads: int = 0
    read_bytes: int = 0
    writes: int = 0
    write_bytes: int = 0
    read_ms: int = 0
    write_ms: int = 0


@dataclass
class MappedLun:
    """What LIO counts for one initiator and LUN."""

    commands: int = 0
    read_bytes: int = 0
    write_bytes: int = 0

    def group(self) -> Group:
        """Its folder scsi_auth_intr."""
        attributes = {
            "num_cmds": Attribute(show=lambda: f"{self.commands}\n"),
            "read_mbytes": Attribute(show=lambda: f"{self.read_bytes // MIB}\n"),
            "write_mbytes": Attribute(show=lambda: f"{self.write_bytes // MIB}\n"),
        }
        return Group("scsi_auth_intr", "statistics", attributes)


@dataclass
class Traffic:
    """Counters by kernel name of the device, and of the one network interface."""

    blocks: Blocks
    counted: dict[str, Io] = field(default_factory=dict)
    received_bytes: int = 0
    sent_bytes: int = 0

    def reboot(self) -> None:
        self.counted.clear()
        self.received_bytes = self.sent_bytes = 0

    def carry(self, path: str, io: Io) -> None:
        """Let I/O go through a device, by its path in /dev, and through all below it. Raises OSError ENOENT."""
        device = self.blocks.find(path)
        if device is None:
            raise FileNotFoundError(path)
        self._count(device.kernel_name, io)
        self.sent_bytes += io.read_bytes
        self.received_bytes += io.write_bytes

    def _count(self, kernel_name: str, io: Io) -> None:
        before = self.counted.get(kernel_name, Io())
        self.counted[kernel_name] = Io._make(then + more for then, more in zip(before, io, strict=True))
        device = self.blocks.devices().get(kernel_name)
        below = device.below if device else []
        for name in below:
            self._count(name, Io._make(number // len(below) for number in io))

    def diskstats(self) -> str:
        """/proc/diskstats: 17 numbers since 5.5. Removed devices are no longer counted."""
        there = self.blocks.devices()
        self.counted = {name: io for name, io in self.counted.items() if name in there}
        return "".join(f" 259 {minor:7d} {name} {self._numbers(name)}\n" for minor, name in enumerate(there))

    def _numbers(self, name: str) -> str:
        io = self.counted.get(name, Io())
        reads = f"{io.reads} 0 {io.read_bytes // SECTOR_BYTES} {io.read_ms}"
        writes = f"{io.writes} 0 {io.write_bytes // SECTOR_BYTES} {io.write_ms}"
        return f"{reads} {writes} 0 {io.read_ms + io.write_ms} {io.read_ms + io.write_ms} 0 0 0 0 0 0"

    def iostats(self, pool: str) -> str:
        """/proc/spl/kstat/zfs/<pool>/iostats: all of it passes through memory here."""
        zvols = [d.kernel_name for d in self.blocks.stacked.values() if f"/dev/zvol/{pool}/" in d.links[0]]
        sums = [sum(column) for column in zip(Io(), *(self.counted.get(name, Io()) for name in zvols), strict=True)]
        names = ("arc_read_count", "arc_read_bytes", "arc_write_count", "arc_write_bytes")
        rows = "".join(f"{name:<32}4    {value}\n" for name, value in zip(names, sums[:4], strict=True))
        return f"15 1 0x01 26 5176 0 0\nname{' ' * 28}type data\n{rows}"

    def net(self) -> str:
        """/proc/net/dev."""
        heading = "Inter-|   Receive  |  Transmit\n face |bytes packets ... |bytes packets ...\n"
        eth0 = f"{self.received_bytes} {self.received_bytes // 1460} 0 0 0 0 0 0 "
        eth0 += f"{self.sent_bytes} {self.sent_bytes // 1460} 0 0 0 0 0 0"
        return f"{heading}    lo: {'0 ' * 16}\n  eth0: {eth0}\n"
