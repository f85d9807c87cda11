"""fio in a guest: how much it read and wrote, by its own count."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.machines.machine import Machine

_TIMEOUT_S = 900.0


@dataclass(frozen=True)
class Done:
    """What fio did; bytes and I/Os."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int


def mixed(machine: Machine, device: str, *, block_bytes: int, total_bytes: int, span_bytes: int) -> Done:
    """Read and write half and half in random places of the first `span_bytes`, past the page cache."""
    argv = [
        "fio",
        "--name=mixed",
        f"--filename={device}",
        "--rw=randrw",
        "--direct=1",
        "--ioengine=psync",
        f"--bs={block_bytes}",
        f"--size={span_bytes}",
        f"--io_size={total_bytes}",
        "--randrepeat=1",
        "--norandommap",
        "--output-format=json",
    ]
    reported = machine.check(argv, timeout_s=_TIMEOUT_S)
    (job,) = json.loads(reported[reported.index("{") :])["jobs"]
    return Done(
        reads=job["read"]["total_ios"],
        read_bytes=job["read"]["io_bytes"],
        writes=job["write"]["total_ios"],
        written_bytes=job["write"]["io_bytes"],
    )
