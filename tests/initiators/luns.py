"""Program for the initiator guest: one session's state and its device paths by LUN, as JSON.

    python3 luns.py TARGET INTERFACE

A LUN whose disk the kernel has not finished making is left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def attribute(path: Path) -> str:
    """The content of a sysfs file, empty when it is gone."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def observe(target: str, interface: str, sysfs: Path = Path("/sys")) -> dict[str, object]:
    """`connected`: the session is logged in now; `devices`: LUN -> /dev path."""
    connected = False
    devices: dict[int, str] = {}
    for session in sysfs.glob("class/iscsi_session/session*"):
        if (attribute(session / "targetname"), attribute(session / "ifacename")) != (target, interface):
            continue
        connected = connected or attribute(session / "state") == "LOGGED_IN"
        for disk in session.glob("device/target*/*:*:*:*/block/*"):
            if (disk / "size").exists():
                devices[int(disk.parent.parent.name.rsplit(":", 1)[1])] = f"/dev/{disk.name}"
    return {"connected": connected, "devices": dict(sorted(devices.items()))}


if __name__ == "__main__":
    print(json.dumps(observe(sys.argv[1], sys.argv[2])))
