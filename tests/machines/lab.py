"""A machine of the real world, named in lab.toml. lab_guard lets it pass before anything changes it.

One thing comes before: a machine that does not answer cannot be asked who it is, so it is switched on first.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.machines.lab_guard import LabEntry, Seen, parse_lab, parse_seen, refuse_unless_ours
from tests.machines.machine import Machine
from tests.machines.model import Capability, CommandResult, DiskInfo, MachineError, NotCapable
from tests.machines.pace import deadline, within

_TREE = Path(__file__).resolve().parents[2]
_LSBLK = "lsblk --json --bytes -o NAME,TYPE,SERIAL,SIZE,TRAN,ID-LINK,MOUNTPOINTS"
_POWER_TIMEOUT_S = 60.0


def lab_entry(name: str) -> LabEntry:
    """The machine's entry in LUNETTE_LAB, else in lab.toml at the top of the tree."""
    path = Path(os.environ.get("LUNETTE_LAB") or _TREE / "lab.toml")
    try:
        return parse_lab(path.read_text(), name)
    except FileNotFoundError:
        raise MachineError(
            f"{path} does not exist: copy tests/machines/lab.example.toml there and fill it in"
        ) from None


class Lab(Machine):
    """See Machine. The guard runs at `start`, and until it has, every other call is refused."""

    kind = "lab"

    def __init__(self, name: str) -> None:
        self.entry = lab_entry(name)
        self.capabilities = self.entry.capabilities
        if "off" not in self.entry.power:
            self.capabilities -= {Capability.POWER_CUT}
        self._disks: list[DiskInfo] | None = None
        self._started_at = 0.0

    @property
    def disks(self) -> Sequence[DiskInfo]:
        """See Machine.disks."""
        if self._disks is None:
            raise MachineError(f"machine {self.entry.name} has not been checked yet: call start() first")
        return self._disks

    @property
    def address(self) -> str:
        """See Machine.address; the one kind of machine that is not on loopback."""
        return self.entry.address

    def start(self) -> None:
        """Check that this is the listed machine; if it does not answer, power it on where lab.toml says how.

        Raises UnsafeMachine where it is another one, and MachineError where it cannot be reached.
        """
        self._started_at = time.monotonic()
        self._disks = None
        if "on" in self.entry.power and self._ssh("true", 15.0).rc != 0:
            self._power("on")
        self.wait_for_shell(600.0)
        self._disks = refuse_unless_ours(self.entry, self._look())

    def stop(self, deadline_s: float = 180.0) -> None:
        """See Machine.stop."""
        self._checked()
        self._ssh("systemctl poweroff --no-block", 30.0)
        end = deadline(deadline_s)
        while self._ssh("true", 15.0).rc == 0:
            if time.monotonic() > end:
                raise MachineError(f"machine {self.entry.name} is still up {deadline_s:.0f} s after its power-off")
            time.sleep(2.0)

    def kill(self) -> None:
        """The hard power-off; on real hardware it may lose unflushed writes too."""
        self._checked()
        self._power("off")

    def power_cut(self) -> None:
        """See Machine.power_cut."""
        self.require(Capability.POWER_CUT)
        self.kill()

    def reset(self) -> None:
        """See Machine.reset."""
        self._checked()
        self._power("reset")
        self._started_at = time.monotonic()

    def forward(self, guest_port: int) -> int:
        """See Machine.forward; the machine is reached directly."""
        return guest_port

    def run(self, command: str | Sequence[str], timeout_s: float = 60.0) -> CommandResult:
        """See Machine.run; through ssh."""
        self._checked()
        return self._ssh(command if isinstance(command, str) else shlex.join(command), timeout_s)

    def wait_for_shell(self, deadline_s: float = 240.0) -> float:
        """See Machine.wait_for_shell."""
        end = deadline(deadline_s)
        while (result := self._ssh("true", 15.0)).rc != 0:
            if time.monotonic() > end:
                raise MachineError(f"no ssh to {self.entry.ssh} within {deadline_s:.0f} s: {result.stdout.strip()}")
            time.sleep(2.0)
        return time.monotonic() - self._started_at

    def _checked(self) -> None:
        if self._disks is None:
            raise MachineError(f"machine {self.entry.name} was not checked: call start() first")

    def _look(self) -> Seen:
        chassis = self._ssh("cat /sys/class/dmi/id/chassis_serial", 30.0)
        lsblk = self._ssh(_LSBLK, 30.0)
        if chassis.rc or lsblk.rc:
            raise MachineError(f"machine {self.entry.name} does not tell its serials: {chassis.stdout}{lsblk.stdout}")
        return parse_seen(chassis.stdout, lsblk.stdout)

    def _ssh(self, command: str, timeout_s: float) -> CommandResult:
        timeout_s = within(timeout_s)
        remote = f"timeout -k 5 {timeout_s:.1f} bash -c {shlex.quote(command)}"
        argv = ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", self.entry.ssh, "--", remote]
        try:
            done = subprocess.run(
                argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s + 30.0, check=False
            )
        except subprocess.TimeoutExpired:
            return CommandResult(124, f"ssh {self.entry.ssh} gave no answer within {timeout_s + 30.0:.0f} s")
        return CommandResult(done.returncode, done.stdout + (done.stderr if done.returncode else ""))

    def _power(self, verb: str) -> None:
        argv = self.entry.power.get(verb)
        if argv is None:
            raise NotCapable(f"machine {self.entry.name} cannot be powered {verb}: lab.toml has no power.{verb}")
        done = subprocess.run(argv, capture_output=True, text=True, timeout=within(_POWER_TIMEOUT_S), check=False)
        if done.returncode != 0:
            raise MachineError(f"{argv[0]} failed to power {verb} {self.entry.name}: {done.stderr.strip()}")
