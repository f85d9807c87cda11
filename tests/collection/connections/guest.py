"""A connection plugin of Ansible: the shell of the user-mode Linux machine that `ansible_host` names.

Files go through $LUNETTE_SHARE, a folder of ours that the guest sees as /run/share: its console is for commands.
"""

import os
import shutil
import uuid
from pathlib import Path
from typing import Any

from ansible.plugins.connection import ConnectionBase

from tests.machines.uml import Uml

DOCUMENTATION = """
name: guest
short_description: A test machine
description: Runs commands in a user-mode Linux guest of the tests.
options:
  machine:
    description: Name of the machine.
    default: inventory_hostname
    vars:
      - name: ansible_host
"""
SHARE = "/run/share"
_TIMEOUT_S = 300.0


def mount(machine: Uml, share: Path) -> None:
    """Shows the guest the folder that files go through."""
    machine.check(f"mkdir {SHARE} && mount -t hostfs share {SHARE} -o hostfs={share}")


class Connection(ConnectionBase):  # type: ignore[misc]  # ansible-core has no types
    """Attached to a machine that the test started."""

    transport = "guest"
    has_pipelining = True
    _connected = False

    def _connect(self) -> "Connection":
        if not self._connected:
            self._machine = Uml(self.get_option("machine"), disks=0, keep=True)
            self._machine.attach()
            self._connected = True
        return self

    def exec_command(self, cmd: str, in_data: Any = None, sudoable: bool = True) -> tuple[int, bytes, bytes]:
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        if in_data:
            name = self._shared()
            name.write_bytes(in_data)
            cmd = f"{{ {cmd}\n}} <{SHARE}/{name.name}"
        # The shell on a console has no HOME, and without it sh leaves ~ as it is.
        result = self._machine.run(f"export HOME=/root\n{cmd}", _TIMEOUT_S)
        return result.rc, result.stdout.encode(), b""

    def put_file(self, in_path: str, out_path: str) -> None:
        super().put_file(in_path, out_path)
        name = self._shared()
        shutil.copy(in_path, name)
        self._machine.check(["cp", f"{SHARE}/{name.name}", out_path])

    def fetch_file(self, in_path: str, out_path: str) -> None:
        raise NotImplementedError("no play of the tests fetches a file")

    def close(self) -> None:
        self._connected = False

    @staticmethod
    def _shared() -> Path:
        return Path(os.environ["LUNETTE_SHARE"], uuid.uuid4().hex)
