"""Two small facts about sockets the machines need: a free loopback port, and long unix paths."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


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
