"""Reports the state of the agent to systemd (sd_notify(3)); does nothing if systemd does not listen."""

import os
import socket


def notify(state: str) -> None:
    """Send one state such as READY=1 or WATCHDOG=1."""
    path = os.environ.get("NOTIFY_SOCKET")
    if not path:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        try:
            peer.sendto(state.encode(), f"\0{path[1:]}" if path.startswith("@") else path)
        except OSError:
            return
