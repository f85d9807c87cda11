"""User-mode Linux: the same root file system on a kernel that is an ordinary process, one CPU, no ZFS, no NVMe.

With `init="/bin/bash"` the guest has no systemd: a root shell on the main console is up in about a second,
which is how initiator hosts are made.

A ubd disk that is in use cannot be taken out of the running kernel (ubd_remove in arch/um/drivers/ubd_kern.c), so
disks to pull are drives of scsi_debug: they live in the guest's memory, keep their content while they are out, and are
blank after a boot.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path

from tests.machines.disks import ROOT_SERIAL, make_empty
from tests.machines.images import Image, appliance_image, bare_image, plain_image
from tests.machines.machine import API_PORT, GUEST, VirtualMachine
from tests.machines.model import Capability, DiskInfo, MachineError, NotCapable
from tests.machines.netns import GATEWAY, GUEST_ADDRESS, TAP, forward_in, forward_out, inside, make_namespace
from tests.machines.process import OwnedProcess, is_alive, spawn
from tests.machines.shell import GuestShell, fifo_line

_NAMESPACE = "namespace"
_LETTERS = "bcdefghijklmnop"
"""ubda is the root; the driver has 16 units."""
_NETWORK = f"[Match]\nName=vec0\n[Network]\nAddress={GUEST_ADDRESS}/24\nGateway={GATEWAY}\n"


def disk_names(count: int, size_bytes: int) -> list[DiskInfo]:
    """The disks of a UML machine: LUN-UBD-01…."""
    if count > len(_LETTERS):
        raise MachineError(f"{count} disks refused: user-mode Linux takes {len(_LETTERS)} beside its root disk")
    serials = [f"LUN-UBD-{number:02}" for number in range(1, count + 1)]
    return [DiskInfo(serial, size_bytes, "ubd", f"ubd-{serial}") for serial in serials]


def hot_disks(count: int, size_mib: int) -> list[DiskInfo]:
    """Drives of scsi_debug, each with a host and a store of its own; their serials count the hosts."""
    serials = [str(2000 * number) for number in range(1, count + 1)]
    return [DiskInfo(serial, size_mib << 20, "scsi", f"wwn-0x3333333{int(serial):09x}") for serial in serials]


def hot_arguments(disks: Sequence[DiskInfo]) -> list[str]:
    """What makes the kernel load scsi_debug at boot; options on the command line reach a module that is loaded."""
    if not disks:
        return []
    settings = {"add_host": len(disks), "dev_size_mb": disks[0].size_bytes >> 20, "per_host_store": 1}
    options = [f"scsi_debug.{name}={value}" for name, value in settings.items()]
    return [*options, "modules_load=scsi_debug"]


def arguments(
    folder: Path, rootfs: Path, disks: Sequence[DiskInfo], memory_mib: int, fds: tuple[int, int], init: str | None
) -> list[str]:
    """The kernel's arguments; `fds` are the shell's input and output."""
    shell = f"fd:{fds[0]},fd:{fds[1]}"
    argv = [f"uml_dir={folder}/", "umid=control", f"mem={memory_mib}M", "panic=-1", "net.ifnames=0", "seccomp=auto"]
    argv += [f"ubda={folder}/root.cow,{rootfs},{ROOT_SERIAL}", "root=/dev/ubda", "rw", "con=null"]
    argv += [
        f"ubd{letter}={folder}/{disk.serial.lower()}.raw,,{disk.serial}"
        for letter, disk in zip(_LETTERS, disks, strict=False)
    ]
    argv.append(f"vec0:transport=tap,ifname={TAP},depth=128,gro=1")
    if init is not None:
        return [*argv, f"con0={shell}", "ssl=null", f"init={init}", "quiet", "loglevel=1"]
    network = base64.b64encode(_NETWORK.encode()).decode()
    argv += ["con0=null,fd:1", "ssl=null", f"ssl1={shell}", "console=tty0", "systemd.show_status=0"]
    argv += ["systemd.debug_shell=1", "systemd.default_debug_tty=ttyS1"]
    return [*argv, f"systemd.set_credential_binary=network.network.10-vec0:{network}"]


class Uml(VirtualMachine):
    """See Machine; disks are LUN-UBD-01…, `disk_mib` each."""

    kind = "uml"

    def __init__(
        self,
        name: str,
        disks: int = 8,
        *,
        keep: bool = False,
        disk_mib: int = 1024,
        hot: int = 0,
        hot_mib: int = 96,
        memory_mib: int = 1024,
        init: str | None = None,
        product: bool = True,
        bare: bool = False,
    ) -> None:
        """`init` is a shell such as /bin/bash that replaces systemd; without `product` the image is plain Debian.
        A `bare` one has none of the product's settings either.

        `hot` disks of `hot_mib` each can be pulled; they need systemd, and memory in addition to `memory_mib`.
        """
        settings: dict[str, int | bool | str] = {"disks": disks, "disk_mib": disk_mib, "memory_mib": memory_mib}
        settings |= {"product": product, "hot": hot, "hot_mib": hot_mib, "bare": bare}
        super().__init__(name, settings, keep=keep, init=init)
        self.capabilities = frozenset({Capability.PULL} if hot else ())
        self._disks = disk_names(disks, disk_mib << 20)
        self._hot = hot_disks(hot, hot_mib)
        self._memory_mib = memory_mib + hot * hot_mib
        self._source = bare_image if bare else appliance_image if product else plain_image

    @property
    def disks(self) -> Sequence[DiskInfo]:
        """See Machine.disks."""
        return [*self._disks, *self._hot]

    def attach_in_reverse(self) -> None:
        """From its next boot on the disks hang in the other order: each has another kernel name."""
        self._disks = self._disks[::-1]

    def pull(self, serial: str) -> None:
        """See Machine.pull."""
        disk = self._hot_disk(serial)
        drive = f"$(basename $(readlink -e {disk.path}))"
        if self.run(f"[ -e {disk.path} ] && echo 1 >/sys/block/{drive}/device/delete").rc:
            raise MachineError(f"disk {serial} cannot be pulled: is it pulled already?")

    def insert(self, serial: str) -> None:
        """See Machine.insert."""
        disk = self._hot_disk(serial)
        host = int(disk.serial) // 2000 - 1
        if self.run(f"[ ! -e {disk.path} ] && echo '0 0 0' >/sys/class/scsi_host/host{host}/scan").rc:
            raise MachineError(f"disk {serial} cannot be inserted: is it in the machine?")

    def _hot_disk(self, serial: str) -> DiskInfo:
        found = self.disk(serial)
        if found not in self._hot:
            raise NotCapable(f"disk {serial} cannot be pulled or inserted: only the `hot` disks of a uml machine can")
        return found

    def _source_image(self) -> Image:
        return self._source()

    def power_cut(self) -> None:
        """Refused: the host's page cache holds what the guest wrote, and killing a process does not drop that."""
        raise NotCapable("a uml machine cannot lose unflushed writes: use a qemu machine with power_cut=True")

    def reset(self) -> None:
        """See Machine.reset; the kernel has no reset button, so a new one is started."""
        self.kill()
        self.start()

    def forward(self, guest_port: int) -> int:
        """See Machine.forward."""
        port, _ = self._port(guest_port)
        self._forward_port(guest_port, port)
        return port

    def reach(self, gateway_port: int, target: str) -> str:
        """Let the guest reach `target` (address:port on the host); returns the address:port it must use."""
        role = f"out-{gateway_port}-{target}"
        known = self.record.processes.get(role)
        if known is None or not is_alive(known):
            self.record.processes[role] = forward_out(self._namespace(), gateway_port, target, self._log)
            self._folder.write(self.record)
        return f"{GATEWAY}:{gateway_port}"

    @property
    def _log(self) -> Path:
        return self.folder / "processes.log"

    def _namespace(self) -> OwnedProcess:
        holder = self.record.processes.get(_NAMESPACE)
        if holder is None or not is_alive(holder):
            holder = self.record.processes[_NAMESPACE] = make_namespace(self._log)
        return holder

    def _forward_port(self, guest_port: int, port: int) -> None:
        role = f"in-{guest_port}"
        known = self.record.processes.get(role)
        if known is None or not is_alive(known):
            self.record.processes[role] = forward_in(self._namespace(), port, guest_port, self._log)
            self._folder.write(self.record)

    def _make_disks(self) -> None:
        for disk in self._disks:
            make_empty(self.folder / f"{disk.serial.lower()}.raw", disk.size_bytes)
        for name in ("shell.in", "shell.out"):
            os.mkfifo(self.folder / name)

    def _boot(self) -> None:
        guest = self.record.processes.get(GUEST)
        if guest is not None and is_alive(guest):
            raise MachineError(f"machine {self.name} is running already: stop, kill or reset it first")
        image = self.image
        holder = self._namespace()
        if self._init is None:
            self._port(API_PORT)
        for guest_port, port in self.record.ports.items():
            self._forward_port(guest_port, port)
        memory = str(_memory_folder(self._memory_mib, self.folder))
        # Opened for both reading and writing, so that neither end ever sees the other one go away.
        fds = [os.open(self.folder / name, os.O_RDWR) for name in ("shell.in", "shell.out")]
        try:
            of_kernel = arguments(
                self.folder, image.rootfs, self._disks, self._memory_mib, (fds[0], fds[1]), self._init
            )
            argv = [*inside(holder), *image.uml, *of_kernel, *hot_arguments(self._hot)]
            environment = {**os.environ, "TMPDIR": memory, "HOME": memory}
            with self.console_log.open("ab") as console:
                out = console.fileno()
                process = spawn(argv, self._log, cwd=self.folder, env=environment, pass_fds=fds, stdout=out)
        finally:
            for fd in fds:
                os.close(fd)
        self.record.processes[GUEST] = process
        self._folder.write(self.record)

    def _shell(self) -> GuestShell:
        self.check_running()
        to_guest, from_guest = self.folder / "shell.in", self.folder / "shell.out"
        return GuestShell(lambda: fifo_line(to_guest, from_guest), self.folder / "shell.lock")


def _memory_folder(memory_mib: int, fallback: Path) -> Path:
    """Where the guest's memory file is made: memory if there is room, else the machine's folder."""
    shared = Path("/dev/shm")
    if not shared.is_dir():
        return fallback
    room = os.statvfs(shared)
    return shared if room.f_bavail * room.f_frsize > (memory_mib << 20) * 5 // 4 else fallback
