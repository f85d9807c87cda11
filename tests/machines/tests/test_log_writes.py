"""What a power cut leaves of a disk whose writes were logged."""

import random
import struct
from pathlib import Path

import pytest

from tests.machines.log_writes import Entry, entries, replay, survivors

SECTOR = 512
FLUSH, DISCARD = 1, 4


def logged(path: Path, *writes: tuple[int, bytes, int]) -> list[int]:
    """A log of writes at a sector each; their flags. How long it is after each."""
    said = struct.pack("<QQQI", 0x6A736677736872, 1, len(writes) - 1, SECTOR)
    ends, content = [], said.ljust(SECTOR, b"\0")
    for at, data, flags in writes:
        content += (
            struct.pack("<QQQQ", at, len(data) // SECTOR or (flags == DISCARD), flags, 0).ljust(SECTOR, b"\0") + data
        )
        ends.append(len(content))
    path.write_bytes(content)
    return ends


def test_all_before_the_last_flush_is_there_and_any_of_the_rest(tmp_path: Path) -> None:
    log = tmp_path / "log"
    sectors = [bytes([letter]) * SECTOR for letter in b"abcd"]
    ends = logged(log, (0, sectors[0], 0), (1, sectors[1], 0), (0, b"", FLUSH), (0, sectors[2], 0), (1, sectors[3], 0))
    seen = set()
    for seed in range(64):
        kept, lost = survivors(log, ends[-1], random.Random(seed))
        with (tmp_path / "device").open("w+b") as device:
            device.truncate(2 * SECTOR)
            replay(log, device, kept)
            device.seek(0)
            content = device.read()
        seen.add(content[:1] + content[SECTOR : SECTOR + 1])
        assert lost == (content[:1] == b"a") + (content[SECTOR : SECTOR + 1] == b"b")
    assert seen == {b"ab", b"cb", b"ad", b"cd"}
    kept, lost = survivors(log, ends[-1], random.Random(1), has_cache=False)
    assert (len(kept), lost) == (5, 0)


def test_what_was_not_wholly_logged_by_then_never_was(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ends = logged(log, (0, b"a" * SECTOR, 0), (0, b"", FLUSH), (3, b"", DISCARD), (1, b"b" * 2 * SECTOR, 0))
    assert [one.at for one in entries(log, ends[-1] - SECTOR)] == [0, 0, 3 * SECTOR]
    assert len(list(entries(log, ends[-1]))) == 4
    assert len(list(entries(log))) == 3, "of its own it has as many as it says"
    assert list(entries(log, ends[2]))[-1] == Entry(3 * SECTOR, SECTOR, None, None)
    kept, _ = survivors(log, ends[0] - 1, random.Random(1))
    assert kept == []


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(bytes(SECTOR))
    with pytest.raises(ValueError, match="no log of writes"):
        list(entries(tmp_path / "log"))
