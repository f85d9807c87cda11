"""A QEMU guest: everything the appliance does can be tried in it, with KVM where that works, else emulated.

The image's kernel is booted directly over a throw-away root disk. With `power_cut=True` every drive, the
root included, is served by an nbdkit that loses unflushed writes when killed (slower, so it is asked for).
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.machines.disks import GIB, copy_sparse, disk_names, make_empty, serve_forgetful
from tests.machines.images import Image, appliance_image, plain_image
from tests.machines.kvm import kvm_verdict
from tests.machines.machine import API_PORT, GUEST, VirtualMachine
from tests.machines.model import Capability, DiskInfo, MachineError, NotCapable
from tests.machines.pace import deadline
from tests.machines.process import is_alive, kill_group, signal_group, spawn, stop_group
from tests.machines.qemu_command import (
    MONITOR_SOCKET,
    PLAIN,
    SHELL_SOCKET,
    QemuParts,
    Wiring,
    command,
    device,
    direct_boot,
    node,
    write_log,
)
from tests.machines.qmp import Qmp, QmpError, answers
from tests.machines.shell import GuestShell, socket_line

_SOCKET_DEADLINE_S = 30.0
_PULL_DEADLINE_S = 90.0


class Qemu(VirtualMachine):
    """See Machine; disks are LUN-NVME-01… and LUN-SCSI-01…, `disk_mib` each."""

    kind = "qemu"

    def __init__(
        self,
        name: str,
        nvme: int = 8,
        scsi: int = 0,
        *,
        power_cut: bool = False,
        write_logs: bool = False,
        keep: bool = False,
        disk_mib: int = 1024,
        memory_mib: int = 2048,
        cpus: int = 2,
        kvm: bool = True,
        init: str | None = None,
        product: bool = True,
        cable: str | None = None,
        wiring: Wiring = PLAIN,
    ) -> None:
        """`kvm=False` emulates even where KVM works. `cable` is one of `cable_ends`. With `write_logs` each data disk
        keeps a log of its writes for `frozen`, until the next start. For the others see Uml.
        """
        settings: dict[str, int | bool | str] = {
            "nvme": nvme,
            "scsi": scsi,
            "power_cut": power_cut,
            "disk_mib": disk_mib,
        }
        settings |= {"memory_mib": memory_mib, "cpus": cpus, "kvm": kvm, "product": product}
        super().__init__(name, settings | ({"cable": cable} if cable else {}), keep=keep, init=init)
        self._cable = cable
        self.wiring = wiring
        """Of the next start."""
        self._disks = disk_names(nvme, scsi, disk_mib * GIB // 1024)
        self._forgetful = power_cut
        self._logged = write_logs
        self._memory_mib = memory_mib
        self._cpus = cpus
        self._want_kvm = kvm
        self._product = product
        can = {Capability.PULL, Capability.NVME, Capability.ZFS, Capability.RDMA, Capability.SMP}
        self.capabilities = frozenset(can | ({Capability.POWER_CUT} if power_cut else set()))

    @property
    def disks(self) -> Sequence[DiskInfo]:
        """See Machine.disks."""
        return self._disks

    @property
    def accelerator(self) -> str:
        """`kvm`, or `tcg` with the reason."""
        if not self._want_kvm:
            return "tcg (asked for)"
        verdict = kvm_verdict(_program(), self._source_image().kernel)
        return "kvm" if verdict.usable else f"tcg ({verdict.reason})"

    def power_cut(self) -> None:
        """See Machine.power_cut.

        The guest is stopped first, so that it cannot see one drive vanish before another and write that
        down; then the drives die with their caches, then the guest.
        """
        if not self._forgetful:
            raise NotCapable(f"machine {self.name} keeps unflushed writes: make it with power_cut=True")
        guest = self.record.processes.get(GUEST)
        if guest is not None:
            stop_group(guest)
        for role in [role for role in self.record.processes if role != GUEST]:
            kill_group(self.record.processes.pop(role))
        self.kill()

    @contextmanager
    def frozen(self) -> Iterator[dict[Path, int]]:
        """Stops every processor and drive of the machine meanwhile. How many bytes the log of each disk has.

        In them is all that the machine had written before, and was answered. The file of the disk has the log's name,
        but for the suffix `.raw`.
        """
        if not self._logged:
            raise NotCapable(f"machine {self.name} has no logs of its writes: make it with write_logs=True")
        guest = self.record.processes[GUEST]
        stop_group(guest)
        try:
            logs = [self.folder / write_log(node(disk)) for disk in self._disks]
            yield {log: log.stat().st_size for log in logs}
        finally:
            signal_group(guest, signal.SIGCONT)

    def reset(self) -> None:
        """See Machine.reset."""
        with self._monitor() as monitor:
            monitor.execute("system_reset")
        self._started_at = time.monotonic()

    def forward(self, guest_port: int) -> int:
        """See Machine.forward."""
        port, fresh = self._port(guest_port)
        if fresh and GUEST in self.record.processes:
            with self._monitor() as monitor:
                rule = f"hostfwd_add net0 tcp:127.0.0.1:{port}-:{guest_port}"
                said = monitor.execute("human-monitor-command", command_line=rule)
            if said:
                raise MachineError(f"QEMU refused to forward port {guest_port}: {said.strip()}")
        return port

    def pull(self, serial: str, path: int = 0) -> None:
        """See Machine.pull. Returns when the guest has released the disk, or one of its paths."""
        name = str(device(self.disk(serial), self.wiring, path)["id"])
        with self._monitor() as monitor:
            try:
                monitor.execute("device_del", id=name)
            except QmpError as error:
                raise MachineError(f"disk {serial} cannot be pulled ({error}): is it pulled already?") from error
            monitor.wait_event("DEVICE_DELETED", "device", name, _PULL_DEADLINE_S)

    def insert(self, serial: str, path: int = 0) -> None:
        """See Machine.insert; `path` as in pull."""
        with self._monitor() as monitor:
            try:
                monitor.execute_raw("device_add", dict(device(self.disk(serial), self.wiring, path)))
            except QmpError as error:
                raise MachineError(f"disk {serial} cannot be inserted ({error}): is it there already?") from error

    def set_property(self, serial: str, name: str, value: int) -> None:
        """Change a property of an emulated drive while the guest runs, such as smart_critical_warning of NVMe."""
        path = f"/machine/peripheral/{device(self.disk(serial))['id']}"
        with self._monitor() as monitor:
            monitor.execute("qom-set", path=path, property=name, value=value)

    def _source_image(self) -> Image:
        return appliance_image() if self._product else plain_image()

    def _make_disks(self) -> None:
        for disk in self._disks:
            make_empty(self._disk_file(disk), disk.size_bytes)
            if self._logged:
                make_empty(self.folder / write_log(node(disk)), 0)
        if self._forgetful:
            copy_sparse(self.image.rootfs, self.folder / "root.raw")
            return
        base = self.image.rootfs
        argv = ["qemu-img", "create", "-q", "-u", "-f", "qcow2", "-F", "raw", "-b", str(base)]
        subprocess.run([*argv, str(self.folder / "root.qcow2"), str(base.stat().st_size)], check=True)

    def _disk_file(self, disk: DiskInfo) -> Path:
        return self.folder / f"{node(disk)}.raw"

    def _boot(self) -> None:
        guest = self.record.processes.get(GUEST)
        if guest is not None and is_alive(guest):
            raise MachineError(f"machine {self.name} is running already: stop, kill or reset it first")
        self._port(API_PORT)
        if self._forgetful:
            self._serve_drives()
        log = self.folder / "processes.log"
        argv = command(self._parts(), self._boot_from(), self._disks, self.record.ports)
        for name in (MONITOR_SOCKET, SHELL_SOCKET):
            (self.folder / name).unlink(missing_ok=True)
        guest = self.record.processes[GUEST] = spawn(argv, log, cwd=self.folder)
        end = deadline(_SOCKET_DEADLINE_S)
        while not answers(self.folder / MONITOR_SOCKET):
            if not is_alive(guest) or time.monotonic() > end:
                raise MachineError(f"QEMU did not start: it said {log.read_text().strip()[-500:]!r}")
            time.sleep(0.02)

    def _boot_from(self) -> list[str]:
        return direct_boot(self._parts(), self.image)

    def _serve_drives(self) -> None:
        files = {"root": self.folder / "root.raw"} | {node(disk): self._disk_file(disk) for disk in self._disks}
        for name, file in files.items():
            known = self.record.processes.get(name)
            if known is None or not is_alive(known):
                socket = self.folder / f"{name}.sock"
                self.record.processes[name] = serve_forgetful(file, socket, self.folder / "processes.log")

    def _parts(self) -> QemuParts:
        return QemuParts(
            program=_program(),
            kvm=self.accelerator == "kvm",
            name=self.name,
            memory_mib=self._memory_mib,
            cpus=self._cpus,
            forgetful=self._forgetful,
            logged=self._logged,
            init=self._init,
            cable=self._cable,
            wiring=self.wiring,
        )

    def _shell(self) -> GuestShell:
        self.check_running()
        return GuestShell(lambda: socket_line(self.folder / SHELL_SOCKET), self.folder / "shell.lock")

    def _monitor(self) -> Qmp:
        self.check_running()
        return Qmp(self.folder / MONITOR_SOCKET)


def _program() -> str:
    found = shutil.which("qemu-system-x86_64")
    if found is None:
        raise MachineError("qemu-system-x86_64 is missing: install the package qemu-system-x86")
    return found
