"""Writes and verifies a pattern on a block device: every 4 KiB block says which seed and which block it is.

Runs inside an initiator's guest too, so it is one file of the standard library. Writes go through O_DIRECT and are
followed by fdatasync, which the kernel turns into SYNCHRONIZE CACHE: a block that `stream` has acknowledged is one the
target has promised to keep.

    pattern.py write DEVICE SEED BLOCKS     pattern.py verify DEVICE SEED BLOCKS
    pattern.py stream DEVICE SEED BLOCKS LOG      pattern.py acknowledged DEVICE SEED LOG
"""

import mmap
import os
import struct
import sys

BLOCK = 4096
_STAMP = struct.Struct("<8sII")
_RUN = 64
"""Blocks written at a time by `write`: 256 KiB."""


def block(seed: int, index: int) -> bytes:
    """The 4 KiB that belong at this index."""
    return _STAMP.pack(b"LUNETTE1", seed, index) * (BLOCK // _STAMP.size)


def write(device: str, seed: int, blocks: int) -> None:
    """Writes the first blocks of a device and flushes once at the end. Raises OSError."""
    buffer = mmap.mmap(-1, BLOCK * _RUN)
    descriptor = os.open(device, os.O_WRONLY | os.O_DIRECT)
    try:
        for first in range(0, blocks, _RUN):
            count = min(_RUN, blocks - first)
            buffer[: count * BLOCK] = b"".join(block(seed, first + i) for i in range(count))
            os.pwrite(descriptor, memoryview(buffer)[: count * BLOCK], first * BLOCK)
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def stream(device: str, seed: int, blocks: int, log: str) -> None:
    """Writes block after block, each flushed, and logs each index once the device has acknowledged the flush."""
    buffer = mmap.mmap(-1, BLOCK)
    descriptor = os.open(device, os.O_WRONLY | os.O_DIRECT)
    with open(log, "w", buffering=1) as journal:
        for index in range(blocks):
            buffer[:] = block(seed, index)
            os.pwrite(descriptor, buffer, index * BLOCK)
            os.fdatasync(descriptor)
            journal.write(f"{index}\n")
    os.close(descriptor)


def wrong_blocks(device: str, seed: int, indexes: "list[int]") -> "list[int]":
    """Those of the blocks that do not hold what was written."""
    buffer = mmap.mmap(-1, BLOCK)
    descriptor = os.open(device, os.O_RDONLY | os.O_DIRECT)
    try:
        wrong = []
        for index in indexes:
            os.preadv(descriptor, [buffer], index * BLOCK)
            if buffer[:] != block(seed, index):
                wrong.append(index)
        return wrong
    finally:
        os.close(descriptor)


def main(argv: "list[str]") -> int:
    """Runs one command; 1 if blocks are wrong."""
    command, device, seed = argv[0], argv[1], int(argv[2])
    if command == "write":
        write(device, seed, int(argv[3]))
        return 0
    if command == "stream":
        stream(device, seed, int(argv[3]), argv[4])
        return 0
    if command == "acknowledged":
        with open(argv[3]) as journal:
            indexes = [int(line) for line in journal if line.endswith("\n")]
    else:
        indexes = list(range(int(argv[3])))
    wrong = wrong_blocks(device, seed, indexes)
    print(f"{len(indexes)} blocks, {len(wrong)} wrong" + (f", first {wrong[0]}" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
