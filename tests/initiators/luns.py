"""Program for the initiator guest: one session's state and its device paths by LUN, as JSON.

    python3 -IS luns.py TARGET INTERFACE

A LUN whose disk the kernel has not finished making is left out. It imports little: in a guest that costs more than the
rest.
"""

from __future__ import annotations

import json
import os
import sys


def attribute(path: str) -> str:
    """The content of a sysfs file, empty when it is gone."""
    try:
        with open(path) as file:  # noqa: PTH123 - pathlib is slow to import
            return file.read().strip()
    except OSError:
        return ""


def inside(folder: str, beginning: str = "") -> list[str]:
    """The paths of what is in a folder and begins so; none when the folder is gone."""
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder) if name.startswith(beginning)]
    except OSError:
        return []


def observe(target: str, interface: str, sysfs: str = "/sys") -> dict[str, object]:
    """`connected`: the session is logged in now; `devices`: LUN -> /dev path."""
    connected = False
    devices: dict[int, str] = {}
    for session in inside(f"{sysfs}/class/iscsi_session", "session"):
        if (attribute(f"{session}/targetname"), attribute(f"{session}/ifacename")) != (target, interface):
            continue
        connected = connected or attribute(f"{session}/state") == "LOGGED_IN"
        units = [unit for part in inside(f"{session}/device", "target") for unit in inside(part)]
        for unit in units:
            for disk in inside(f"{unit}/block"):
                if attribute(f"{disk}/size"):
                    devices[int(unit.rpartition(":")[2])] = f"/dev/{disk.rpartition('/')[2]}"
    return {"connected": connected, "devices": dict(sorted(devices.items()))}


if __name__ == "__main__":
    print(json.dumps(observe(sys.argv[1], sys.argv[2])))
