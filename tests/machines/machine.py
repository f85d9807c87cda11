"""The one interface of every test machine; a test takes the machine as a parameter and asks `capabilities`.

    with Qemu("raid5", nvme=8, scsi=4) as m:
        m.start()
        m.wait_for_api()
        m.check(["lsblk", "--json"])

Leaving the block kills the guest and removes its folder, unless the machine was made with `keep=True`;
when the block fails, console.log and processes.log stay behind.
"""

from __future__ import annotations

import http.client
import ssl
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from tests.machines.images import Image, pinned
from tests.machines.model import Capability, CommandResult, DiskInfo, MachineError, NotCapable
from tests.machines.pace import deadline, within
from tests.machines.process import is_alive, kill_group, wait_gone
from tests.machines.shell import GuestShell
from tests.machines.sockets import free_port
from tests.machines.state import Record, StateFolder

API_PORT = 8443
BOOT_S, STILL_S = 900.0, 15.0
"""An emulated machine boots in a minute where nothing else runs, and in several where much does."""
API_HEALTH = "/api/v1/health"
GUEST = "guest"
"""The role of the guest's own process among the recorded ones."""
_POWER_OFF = "systemctl poweroff --no-block"
_POWER_OFF_WITHOUT_SYSTEMD = (
    "[ -e /proc/1 ] || mount -t proc proc /proc; sync; (sleep 0.2; poweroff -ff) >/dev/null 2>&1 &"
)


class Machine(ABC):
    """A server with disks that runs the appliance."""

    kind: ClassVar[str]
    capabilities: frozenset[Capability]

    @property
    @abstractmethod
    def disks(self) -> Sequence[DiskInfo]:
        """The data disks, in order; serials never change."""

    @abstractmethod
    def start(self) -> None:
        """Power on with the disks as they are. Returns at once: wait for the shell or the API next."""

    @abstractmethod
    def stop(self, deadline_s: float = 180.0) -> None:
        """Power off through the guest's own shutdown; after the deadline kill it and raise MachineError."""

    @abstractmethod
    def kill(self) -> None:
        """Lose the guest's memory, nothing else: every write it issued survives, flushed or not."""

    @abstractmethod
    def power_cut(self) -> None:
        """Lose the guest's memory and every write it had not flushed."""

    @abstractmethod
    def reset(self) -> None:
        """The reset button: the guest's memory is lost and it boots again."""

    @abstractmethod
    def forward(self, guest_port: int) -> int:
        """The port on `address` that leads to the guest's TCP port; the same for the machine's life."""

    @abstractmethod
    def run(self, command: str | Sequence[str], timeout_s: float = 60.0) -> CommandResult:
        """Run a command as root in the guest, for evidence; a string goes to bash."""

    @abstractmethod
    def wait_for_shell(self, deadline_s: float = 240.0) -> float:
        """Wait until `run` works; seconds since start."""

    @property
    def address(self) -> str:
        """Where forwarded ports are reached."""
        return "127.0.0.1"

    @property
    def api_url(self) -> str:
        """Base URL of the appliance's API; its certificate is its own, so verification is up to the caller."""
        return f"https://{self.address}:{self.forward(API_PORT)}"

    def pull(self, serial: str) -> None:
        """Pull a disk out of the running machine."""
        raise NotCapable(f"cannot pull disk {serial}: a {self.kind} machine has no hot-plug; use a qemu machine")

    def insert(self, serial: str) -> None:
        """Put a pulled disk back, with the data it had."""
        raise NotCapable(f"cannot insert disk {serial}: a {self.kind} machine has no hot-plug; use a qemu machine")

    def disk(self, serial: str) -> DiskInfo:
        """The disk with that serial."""
        for disk in self.disks:
            if disk.serial == serial:
                return disk
        known = ", ".join(disk.serial for disk in self.disks)
        raise MachineError(f"no disk with serial {serial}: this machine has {known or 'none'}")

    def require(self, *needed: Capability) -> None:
        """Fail, not skip, when the machine lacks something the test must have."""
        missing = sorted(set(needed) - self.capabilities)
        if missing:
            raise NotCapable(f"a {self.kind} machine cannot {', '.join(missing)}; it can {sorted(self.capabilities)}")

    def check(self, command: str | Sequence[str], timeout_s: float = 60.0) -> str:
        """Standard output of a command that must succeed."""
        result = self.run(command, timeout_s)
        if result.rc != 0:
            raise MachineError(f"in the guest {command!r} ended with status {result.rc}: {result.stdout.strip()}")
        return result.stdout

    def wait_for_api(self, deadline_s: float = BOOT_S, still: Callable[[], None] = lambda: None) -> None:
        """Wait until the API says it is healthy; MachineError says what it answered last. `still` is called meanwhile,
        every STILL_S."""
        end = deadline(deadline_s)
        next_still = time.monotonic() + STILL_S
        last = "no connection"
        while time.monotonic() < end:
            last = self._health()
            if last == "200":
                return
            self.check_running()
            if time.monotonic() >= next_still:
                still()
                next_still += STILL_S
            time.sleep(0.5)
        raise MachineError(
            f"{self.api_url}{API_HEALTH} was not healthy within {deadline_s:.0f} s (last: {last}): read the console "
            "log, or run `systemctl status lunette-api lunette-agent` in the guest"
        )

    def check_running(self) -> None:
        """MachineError when the machine is known to have ended; one that cannot tell is taken to run."""

    def _health(self) -> str:
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE  # the guest made its certificate a moment ago
        port = self.forward(API_PORT)
        link = http.client.HTTPSConnection(self.address, port, timeout=within(10.0), context=trust)
        try:
            link.request("GET", API_HEALTH)
            return str(link.getresponse().status)
        except (OSError, http.client.HTTPException) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            link.close()

    def close(self, *, failed: bool = False) -> None:
        """End the machine and remove what it left; `failed` keeps the logs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(failed=kind is not None)


class VirtualMachine(Machine):
    """What QEMU and user-mode Linux share: a state folder, a console shell, loopback ports."""

    def __init__(
        self, name: str, settings: dict[str, int | bool | str], *, keep: bool, init: str | None = None
    ) -> None:
        self.name = name
        self.keep = keep
        self._init = init
        self._settings = settings if init is None else settings | {"init": init}
        self._folder = StateFolder(name)
        self._record: Record | None = None
        self._started_at = 0.0

    @property
    def folder(self) -> Path:
        """Disks, sockets and logs of this machine."""
        return self._folder.path

    @property
    def console_log(self) -> Path:
        """All the guest printed on its main console, over all its boots."""
        return self.folder / "console.log"

    @property
    def image(self) -> Image:
        """What the machine boots, whatever the cache forgot since its first start."""
        return pinned(self._source_image(), self.folder)

    @property
    def record(self) -> Record:
        """What is written down about the machine; refuses before the first start."""
        if self._record is None:
            raise MachineError(f"machine {self.name} was never started: call start() first")
        return self._record

    def attach(self) -> None:
        """Take over a machine another process started (`make lab-down`)."""
        record = self._folder.read()
        if record is None:
            raise MachineError(f"no machine named {self.name} in {self.folder.parent}: nothing to attach to")
        self._record = record

    def start(self) -> None:
        """See Machine.start. The first start makes empty disks; later ones boot the same disks again."""
        if self._record is None:
            self._record = self._folder.create(self.kind, self._settings, kept=self.keep)
            pinned(self._source_image(), self.folder)
            self._make_disks()
        self._started_at = time.monotonic()
        self._boot()
        self._folder.write(self.record)

    def kill(self) -> None:
        """See Machine.kill; drives served by processes of their own stay up and keep what they cached."""
        guest = self.record.processes.pop(GUEST, None)
        if guest is not None:
            kill_group(guest)
        self._folder.write(self.record)

    def check_running(self) -> None:
        """See Machine.check_running."""
        guest = self.record.processes.get(GUEST)
        if guest is None or not is_alive(guest):
            raise MachineError(f"machine {self.name} is not running; the logs in {self.folder} may say why")

    def stop(self, deadline_s: float = 180.0) -> None:
        """See Machine.stop."""
        try:
            self._ask_to_power_off(deadline_s)
        finally:
            self._folder.write(self.record)
            self._folder.kill_processes()
            self._record = self._folder.read()

    def run(self, command: str | Sequence[str], timeout_s: float = 60.0) -> CommandResult:
        """See Machine.run."""
        return self._shell().run(command, timeout_s)

    def wait_for_shell(self, deadline_s: float = 240.0) -> float:
        """See Machine.wait_for_shell."""
        self._shell().wait_ready(deadline_s)
        return time.monotonic() - self._started_at

    def close(self, *, failed: bool = False) -> None:
        """See Machine.close; a machine with `keep` stays up."""
        if self.keep and not failed:
            return
        self.discard(failed=failed)

    def discard(self, *, failed: bool = False) -> None:
        """Kill the machine, even with `keep`, and remove its folder; `failed` leaves the logs.

        Does nothing if another process has done it.
        """
        if self._record is None:
            return
        with self._folder.locked():
            if self._folder.read() is not None:
                self._folder.write(self._record)
                if failed:
                    print(f"machine {self.name} failed; its logs stay in {self.folder}", file=sys.stderr)
                self._folder.destroy(keep_logs=failed)
            self._record = None

    def _port(self, guest_port: int) -> tuple[int, bool]:
        """The host port for a guest port, and whether it was chosen just now."""
        known = self.record.ports.get(guest_port)
        if known is not None:
            return known, False
        self.record.ports[guest_port] = free_port()
        self._folder.write(self.record)
        return self.record.ports[guest_port], True

    @abstractmethod
    def _source_image(self) -> Image: ...

    @abstractmethod
    def _make_disks(self) -> None: ...

    @abstractmethod
    def _boot(self) -> None: ...

    @abstractmethod
    def _shell(self) -> GuestShell: ...

    def _ask_to_power_off(self, deadline_s: float) -> None:
        guest = self.record.processes.get(GUEST)
        if guest is None or not is_alive(guest):
            return
        self.run(_POWER_OFF if self._init is None else _POWER_OFF_WITHOUT_SYSTEMD, timeout_s=min(60.0, deadline_s))
        if not wait_gone(guest, deadline_s):
            raise MachineError(
                f"machine {self.name} did not power off within {deadline_s:.0f} s and was killed: "
                f"the end of {self.console_log} names the unit that held it up"
            )
