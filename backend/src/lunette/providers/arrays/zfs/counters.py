"""Counters of a pool: /proc/spl/kstat/zfs/<pool>/iostats (module/zfs/spa_stats.c, OpenZFS 2.3).

Reads that are served from memory are not counted there; writes count as they are accepted into memory. Older releases
do not have these counters.
"""

from collections.abc import Mapping

from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.errors import ToolFailed
from lunette.providers.reading import reader
from lunette.system.system_port import System

KSTAT = "/proc/spl/kstat/zfs"
_WAYS = ("arc", "direct")
"""Through memory, and past it (direct I/O, since 2.3)."""


def read(system: System, pool: str) -> ArrayCounters | None:
    """The counters of an imported pool; None if there is no such pool."""
    try:
        return ArrayCounters(io=io_of(parse(system.read(f"{KSTAT}/{pool}/iostats"))))
    except (OSError, ToolFailed):
        return None


def io_of(reported: Mapping[str, int]) -> BlockCounters | None:
    """Both directions together; None from a release without counters."""
    if "arc_read_count" not in reported:
        return None
    reads, read_bytes, writes, write_bytes = (
        sum(reported.get(f"{way}_{name}", 0) for way in _WAYS)
        for name in ("read_count", "read_bytes", "write_count", "write_bytes")
    )
    return BlockCounters(reads=reads, read_bytes=read_bytes, writes=writes, write_bytes=write_bytes)


@reader("/proc/spl/kstat/zfs")
def parse(text: str) -> dict[str, int]:
    """A kstat of named numbers: two lines of heading, then name, type and value."""
    rows = [line.split() for line in text.splitlines()[2:]]
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[2].isdigit()}
