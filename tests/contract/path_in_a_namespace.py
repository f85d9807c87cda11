"""Run by test_path_trial.py in a network namespace: one of two TCP connections is taken away by the agent's own code.

Prints what was seen as JSON. 127.0.0.5 is the host whose path goes, 127.0.0.6 another one on the same portal.
"""

from __future__ import annotations

import json
import socket
import subprocess
import tempfile
import time

from lunette.domain.steps import HostLink
from lunette.providers.exports.paths import barrier, sockets
from lunette.system.local import LocalSystem

PORT, SECONDS = 3260, 3
PATIENCE_S, LONG_S = 40, 300
LINK = HostLink(portal="a", address="127.0.0.1", port=PORT, peer="127.0.0.5")


def connect(listener: socket.socket, peer: str) -> tuple[socket.socket, socket.socket]:
    """Both ends: the host's and ours. Raises OSError where it is refused."""
    host = socket.socket()
    host.bind((peer, 0))
    host.settimeout(PATIENCE_S)
    host.connect((LINK.address, PORT))
    ours, _ = listener.accept()
    ours.settimeout(PATIENCE_S)
    return host, ours


def outcome(receive: socket.socket) -> str:
    """What one read returns: the byte, or the name of the error."""
    try:
        return receive.recv(1).decode()
    except OSError as error:
        return type(error).__name__


def is_refused(listener: socket.socket) -> bool:
    """Whether connections of the host are refused."""
    try:
        connect(listener, LINK.peer)
    except ConnectionRefusedError:
        return True
    return False


def in_again_after(listener: socket.socket, begun: float) -> float | None:
    """Seconds from `begun` until the host can connect; None if it stays refused."""
    end = time.monotonic() + PATIENCE_S
    while is_refused(listener):
        if time.monotonic() > end:
            return None
        time.sleep(0.1)
    return time.monotonic() - begun


def main() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    system, listener = LocalSystem(), socket.socket()
    listener.bind(("0.0.0.0", PORT))
    listener.listen()
    host, _ours = connect(listener, LINK.peer)
    other, ours_of_other = connect(listener, "127.0.0.6")
    host.send(b"x")
    (seen,) = sockets.of_link(sockets.established(system), LINK)
    found: dict[str, object] = {
        "silent_s": seen.silent_s,
        "stood": barrier.stands(system),
    }
    begun = time.monotonic()
    barrier.put(system, LINK, SECONDS)
    sockets.end(system, seen)
    found |= {
        "left": len(sockets.of_link(sockets.established(system), LINK)),
        "host": outcome(host),
    }
    other.send(b"y")
    found["other"] = outcome(ours_of_other)
    found["away_s"] = in_again_after(listener, begun)
    barrier.put(system, LINK, LONG_S)
    found |= {
        "refused": is_refused(listener),
        "lifted": barrier.lift(system),
        "after_lift": is_refused(listener),
        "again": barrier.lift(system),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile(prefix="lunette-path-") as own:  # the same may run in parallel
        barrier.FILE = own.name
        main()
