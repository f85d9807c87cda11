"""Two small facts about sockets the machines need: a free loopback port, and long unix paths."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

_LOWEST = 15000
_CHOICE = random.SystemRandom()
"""Not the shared one, which pytest-randomly sets to the same seed in every run beside this one."""


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody listens on now, and that the kernel gives to nobody meanwhile.

    A machine keeps its port over stops and starts; one of the kernel's own (ip_local_port_range, ip-sysctl of the
    kernel's documentation) would be some connection's by then.
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
