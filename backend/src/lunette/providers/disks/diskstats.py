"""The block layer's counters of every device, from one file: /proc/diskstats (Linux 6.12)."""

from lunette.domain.counters import BlockCounters
from lunette.domain.errors import ToolFailed
from lunette.providers.reading import reader
from lunette.system.system_port import System

DISKSTATS = "/proc/diskstats"
_SECTOR_BYTES = 512
"""The sector size of this file, whatever the device's own block size is."""


def read(system: System) -> dict[str, BlockCounters]:
    """Counters by kernel name; empty if the kernel does not show them."""
    try:
        return parse(system.read(DISKSTATS))
    except (OSError, ToolFailed):
        return {}


@reader(DISKSTATS)
def parse(text: str) -> dict[str, BlockCounters]:
    """A line: major, minor, name, 11 numbers, since 4.18 four of discards, since 5.5 two of flushes."""
    found = {}
    for words in (line.split() for line in text.splitlines()):
        numbers = [int(word) for word in words[3:] if word.isdigit()]
        if len(numbers) >= 11:
            found[words[2]] = _counters(numbers)
    return found


def _counters(numbers: list[int]) -> BlockCounters:
    reads, _, read_sectors, read_ms, writes, _, write_sectors, write_ms, in_flight, busy_ms, _, *later = numbers
    discards, flushes = later[:4], later[4:]
    return BlockCounters(
        reads=reads,
        read_bytes=read_sectors * _SECTOR_BYTES,
        read_ms=read_ms,
        writes=writes,
        write_bytes=write_sectors * _SECTOR_BYTES,
        write_ms=write_ms,
        in_flight=in_flight,
        busy_ms=busy_ms,
        discards=discards[0] if discards else None,
        discard_bytes=discards[2] * _SECTOR_BYTES if len(discards) > 2 else None,
        flushes=flushes[0] if flushes else None,
    )
