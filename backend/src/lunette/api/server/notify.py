"""Reports the state of the process to systemd (sd_notify protocol), if systemd started it."""

import os
import socket


def notify(state: str) -> None:
    """Sends `READY=1`, `STOPPING=1` or the like; does nothing outside a service."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as peer:
        peer.sendto(state.encode(), address)
