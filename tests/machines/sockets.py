"""Two small facts about sockets the machines need: a free loopback port, and long unix paths."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

_LOWEST = 15000
_CHOICE = random.SystemRandom()
"""Not the shared generator, which pytest-randomly gives the same seed in every parallel run."""


def free_port() -> int:
    """A TCP port on 127.0.0.1 that is not in use, and that the kernel does not allocate automatically.

    A machine keeps its port over stops and starts; a port of the kernel's range (ip_local_port_range, ip-sysctl of the
    kernel's documentation) could be allocated to a connection meanwhile.
    """
    low = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in _CHOICE.sample(range(_LOWEST, max(low, _LOWEST + 1000)), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise OSError(f"of 100 ports between {_LOWEST} and {low} none is free on 127.0.0.1")


def connect_unix(path: Path, timeout_s: float) -> socket.socket:
    """Connect to a stream socket whatever its path's length (the kernel takes 107 bytes of path)."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(timeout_s)
        try:
            link.connect(f"/proc/self/fd/{folder}/{path.name}")
        except BaseException:
            link.close()
            raise
        return link
    finally:
        os.close(folder)
