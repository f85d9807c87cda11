"""The log of the device-mapper target log-writes: every write of a device in the order in which it became lasting.
QEMU's block driver `blklogwrites` writes the same, but in the order in which its drive answered: there a write is
lasting once a flush follows it.

Format: drivers/md/dm-log-writes.c. The first sector holds a magic number, a version, the number of entries and the size
of a sector. An entry is a sector of its own: where, how many sectors, flags, and the length of a mark's text, which
follows in the same sector. The data follow it; those of a discard are not there. All numbers are little-endian.
"""

import random
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_MAGIC, _VERSION = 0x6A736677736872, 1
_SUPER, _ENTRY = struct.Struct("<QQQI"), struct.Struct("<QQQQ")
_FLUSH, _DISCARD, _MARK = 1, 4, 8


@dataclass(frozen=True)
class Entry:
    """`at`, `length`: which bytes of the device. `data_at`: where they lie in the log; None for a discard."""

    at: int
    length: int
    data_at: int | None
    mark: str | None
    is_flush: bool = False


def entries(log: Path, end: int | None = None) -> Iterator[Entry]:
    """As many as it says it has; with `end`, those that end within so many bytes of it.

    Raises ValueError for what is no such log.
    """
    with log.open("rb") as file:
        magic, version, count, sector = _SUPER.unpack(file.read(_SUPER.size))
        if (magic, version) != (_MAGIC, _VERSION):
            raise ValueError(f"{log} is no log of writes")
        place, known = sector, 0
        while known < count if end is None else place + sector <= end:
            known += 1
            file.seek(place)
            head = file.read(sector)
            at, sectors, flags, length = _ENTRY.unpack_from(head)
            place += sector
            mark = head[_ENTRY.size : _ENTRY.size + length].decode() if flags & _MARK else None
            has_data = not flags & _DISCARD
            data_at, place = place, place + (sectors * sector if has_data else 0)
            if end is None or place <= end:
                yield Entry(at * sector, sectors * sector, data_at if has_data else None, mark, bool(flags & _FLUSH))


def survivors(log: Path, end: int, choice: random.Random, *, has_cache: bool = True) -> tuple[list[Entry], int]:
    """What a drive has for good when the power goes as its log has `end` bytes, and how many of its writes are lost.

    With a volatile cache that is all before its last flush, and any of the writes after it.
    """
    every = list(entries(log, end))
    if not has_cache:
        return every, 0
    flushed = max((number for number, one in enumerate(every, 1) if one.is_flush), default=0)
    kept = [one for one in every[flushed:] if choice.random() < 0.5]
    return every[:flushed] + kept, len(every) - flushed - len(kept)


def replay(log: Path, device: BinaryIO, some: Iterable[Entry]) -> list[str]:
    """Writes these entries to the device; the marks among them."""
    marks = []
    with log.open("rb") as file:
        for entry in some:
            if entry.mark is not None:
                marks.append(entry.mark)
            device.seek(entry.at)
            if entry.data_at is None:
                device.write(bytes(entry.length))
            else:
                file.seek(entry.data_at)
                device.write(file.read(entry.length))
    device.flush()
    return marks
