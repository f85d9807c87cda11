"""Program and module: self-describing data, with the block, the run and the age of each block.

Every 32 bytes of a 4 KiB block hold magic, seed, block number and generation, so a block that is lost, torn,
stale or in the wrong place is named exactly. Runs in a guest with plain python3: it imports nothing of ours, and little
else, for in a guest imports cost more than the rest.

    pattern.py write  FIRST COUNT DEVICE SEED …            blocks of each device, past the page cache, then fsync
    pattern.py verify FIRST COUNT DEVICE SEED …            JSON, a line for each device; status 1 when a block is wrong
    pattern.py log    DEVICE SEED COUNT LOG SECONDS flush|no-flush
    pattern.py verify-log DEVICE SEED LOG                  JSON; status 1 when an acknowledged block is lost

`log` writes blocks 0 … COUNT-1 over and over with a growing generation. Each block is flushed, and only then
noted in LOG as `block generation`: what LOG holds is acknowledged. With `no-flush` it notes without flushing,
as broken software would, so that a test can show that it would notice.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import time

BLOCK_BYTES = 4096
_STAMP = struct.Struct("<8sQQQ")
_MAGIC = b"lunette\0"
_BATCH = 256
_REPORTED = 10
_REST_S = 0.01
"""A writer rests between two blocks: an emulated host that never does leaves its guest no time for anything else."""


def stamped(seed: int, block: int, generation: int = 0) -> bytes:
    """The content of one block."""
    return _STAMP.pack(_MAGIC, seed, block, generation) * (BLOCK_BYTES // _STAMP.size)


def generation_of(content: bytes, seed: int, block: int) -> int | None:
    """The generation of a block that is whole, of this seed and in its place; None for any other."""
    magic, found_seed, found_block, generation = _STAMP.unpack_from(content)
    if (magic, found_seed, found_block) != (_MAGIC, seed, block):
        return None
    return int(generation) if content == stamped(seed, block, generation) else None


def describe(content: bytes, seed: int, block: int) -> str:
    """What a wrong block holds, in words."""
    if not any(content):
        return "zeroes"
    magic, found_seed, found_block, generation = _STAMP.unpack_from(content)
    if magic != _MAGIC:
        return "foreign data"
    if content != stamped(found_seed, found_block, generation):
        return f"a torn block {found_block} of seed {found_seed}"
    return f"block {found_block} of seed {found_seed}, generation {generation}"


def read_log(text: str) -> dict[int, int]:
    """The newest acknowledged generation by block; a last line cut in the middle is no acknowledgement."""
    newest: dict[int, int] = {}
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):
            block, generation = line.split()
            newest[int(block)] = int(generation)
    return dict(sorted(newest.items()))


class _Device:
    """Direct I/O: what is written left this machine, what is read came from the other side."""

    def __init__(self, path: str, flags: int) -> None:
        self._fd = os.open(path, flags | os.O_DIRECT)
        self._buffer = mmap.mmap(-1, _BATCH * BLOCK_BYTES)

    def write(self, block: int, content: bytes) -> None:
        self._buffer[: len(content)] = content
        done = os.pwrite(self._fd, memoryview(self._buffer)[: len(content)], block * BLOCK_BYTES)
        if done != len(content):
            raise OSError(f"short write at block {block}: {done} of {len(content)} bytes")

    def read(self, block: int, count: int) -> bytes:
        done = os.preadv(self._fd, [memoryview(self._buffer)[: count * BLOCK_BYTES]], block * BLOCK_BYTES)
        if done != count * BLOCK_BYTES:
            raise OSError(f"short read at block {block}: {done} of {count * BLOCK_BYTES} bytes")
        return self._buffer[:done]

    def flush(self) -> None:
        os.fsync(self._fd)


def write(path: str, seed: int, first: int, count: int) -> None:
    """Write and flush blocks."""
    device = _Device(path, os.O_WRONLY)
    for start in range(first, first + count, _BATCH):
        blocks = range(start, min(start + _BATCH, first + count))
        device.write(start, b"".join(stamped(seed, block) for block in blocks))
    device.flush()


def verify(path: str, seed: int, first: int, count: int) -> dict[str, object]:
    """Compare blocks with what `write` wrote."""
    device = _Device(path, os.O_RDONLY)
    wrong: dict[int, str] = {}
    for start in range(first, first + count, _BATCH):
        batch = min(_BATCH, first + count - start)
        content = device.read(start, batch)
        if content == b"".join(stamped(seed, block) for block in range(start, start + batch)):
            continue
        for index in range(batch):
            found = content[index * BLOCK_BYTES : (index + 1) * BLOCK_BYTES]
            if found != stamped(seed, start + index):
                wrong[start + index] = describe(found, seed, start + index)
    return _report(count, wrong)


def log(path: str, seed: int, count: int, log_path: str, seconds: float, *, flush: bool) -> None:
    """Write until the time is over; an error of the device ends it with that error."""
    device = _Device(path, os.O_WRONLY)
    noted = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    end = time.monotonic() + seconds
    generation = 0
    while True:
        generation += 1
        for block in range(count):
            if time.monotonic() > end:
                return
            device.write(block, stamped(seed, block, generation))
            if flush:
                device.flush()
            os.write(noted, f"{block} {generation}\n".encode())
            time.sleep(_REST_S)


def verify_log(path: str, seed: int, log_path: str) -> dict[str, object]:
    """Every acknowledged block must be there in the noted generation or the next, which was under way."""
    device = _Device(path, os.O_RDONLY)
    with open(log_path) as file:  # noqa: PTH123 - pathlib would be the only import from there
        acknowledged = read_log(file.read())
    lost: dict[int, str] = {}
    for block, generation in acknowledged.items():
        content = device.read(block, 1)
        found = generation_of(content, seed, block)
        if found is None or not generation <= found <= generation + 1:
            wanted = f"generation {generation} was acknowledged"
            lost[block] = f"{wanted}, found {describe(content, seed, block)}"
    return _report(len(acknowledged), lost)


def _report(count: int, wrong: dict[int, str]) -> dict[str, object]:
    first = dict(list(wrong.items())[:_REPORTED])
    return {"blocks": count, "wrong": len(wrong), "first_wrong": first}


def main(arguments: list[str]) -> int:
    """Run one of the commands above."""
    match arguments:
        case ["write", first, count, *pairs]:
            for path, seed in zip(pairs[::2], pairs[1::2], strict=True):
                write(path, int(seed), int(first), int(count))
            return 0
        case ["log", path, seed, count, log_path, seconds, flush]:
            log(path, int(seed), int(count), log_path, float(seconds), flush={"flush": True, "no-flush": False}[flush])
            return 0
        case ["verify", first, count, *pairs]:
            reports = [
                verify(path, int(seed), int(first), int(count))
                for path, seed in zip(pairs[::2], pairs[1::2], strict=True)
            ]
        case ["verify-log", path, seed, log_path]:
            reports = [verify_log(path, int(seed), log_path)]
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    for report in reports:
        print(json.dumps(report))
    return 1 if any(report["wrong"] for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
