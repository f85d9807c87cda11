"""A private network for one guest: a namespace with a tap device, and loopback ports that lead into it.

Addresses are those of QEMU's user network (guest 10.0.2.15, gateway 10.0.2.2), so that a guest looks the
same from inside on both machines. Nothing outside the namespace can reach the guest but through 127.0.0.1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.machines.model import MachineError
from tests.machines.pace import deadline
from tests.machines.process import OwnedProcess, is_alive, spawn

GUEST_ADDRESS = "10.0.2.15"
GATEWAY = "10.0.2.2"
TAP = "tap0"
_FORWARDER = Path(__file__).with_name("forward.py")
_DEADLINE_S = 20.0


def make_namespace(log: Path) -> OwnedProcess:
    """Start a process that holds a namespace with a configured tap; the namespace ends with it."""
    if os.geteuid() != 0:
        raise MachineError("a user-mode Linux machine needs root for its private network: run as root or with sudo")
    for program in ("ip", "unshare", "nsenter"):
        if shutil.which(program) is None:
            raise MachineError(f"{program} is missing: install the packages iproute2 and util-linux")
    holder = spawn(["unshare", "--net", "sleep", "infinity"], log, cwd=log.parent)
    end = deadline(_DEADLINE_S)
    while not _is_private(holder):
        if not is_alive(holder) or time.monotonic() > end:
            raise MachineError(f"no network namespace within {_DEADLINE_S:.0f} s: the end of {log} says why")
        time.sleep(0.01)
    for argv in (
        ["link", "set", "lo", "up"],
        ["tuntap", "add", TAP, "mode", "tap"],
        ["address", "add", f"{GATEWAY}/24", "dev", TAP],
        ["link", "set", TAP, "up"],
    ):
        subprocess.run([*inside(holder), "ip", *argv], check=True)
    return holder


def inside(holder: OwnedProcess) -> list[str]:
    """The start of a command line that runs in the namespace."""
    return ["nsenter", f"--net={_path(holder)}", "--"]


def forward_in(holder: OwnedProcess, port: int, guest_port: int, log: Path) -> OwnedProcess:
    """127.0.0.1:port on the host leads to the guest's port."""
    return _forwarder(["-", f"127.0.0.1:{port}", _path(holder), f"{GUEST_ADDRESS}:{guest_port}"], log)


def forward_out(holder: OwnedProcess, gateway_port: int, target: str, log: Path) -> OwnedProcess:
    """The gateway's port, seen from the guest, leads to `target` (address:port) on the host."""
    return _forwarder([_path(holder), f"{GATEWAY}:{gateway_port}", "-", target], log)


def _path(holder: OwnedProcess) -> str:
    return f"/proc/{holder.pid}/ns/net"


def _is_private(holder: OwnedProcess) -> bool:
    return os.readlink(_path(holder)) != os.readlink("/proc/self/ns/net")


def _forwarder(arguments: list[str], log: Path) -> OwnedProcess:
    reader, writer = os.pipe()
    try:
        process = spawn([sys.executable, "-IS", str(_FORWARDER), *arguments], log, cwd=log.parent, stdout=writer)
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb") as said:
        if said.readline() != b"listening\n":
            raise MachineError(f"the forwarder {' '.join(arguments)} did not start: the end of {log} says why")
    return process
