"""The QEMU command line of a machine, as a pure function of its parts.

The options are those that QEMU 7.2 (Debian 12) and 10 (Debian 13) have in common. Names of files are
relative to the machine's folder, QEMU's working directory, because a unix socket's path is short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.machines.disks import ROOT_SERIAL, wwn
from tests.machines.images import Image
from tests.machines.model import DiskInfo

SHELL_SOCKET = "shell.sock"
MONITOR_SOCKET = "monitor.sock"
OVMF_CODE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
OVMF_VARS = "/usr/share/OVMF/OVMF_VARS_4M.fd"
OVMF_OWN_VARS = "uefi-variables.fd"
"""A copy of OVMF_VARS: what the firmware of this machine remembers."""
SYSTEM_DISK = "system.raw"
_KERNEL = "root=/dev/vda rw mitigations=off panic=-1 net.ifnames=0"
_WITH_SYSTEMD = "console=ttyS0,115200 systemd.debug_shell=1 systemd.default_debug_tty=ttyS1 systemd.show_status=0"
_WITH_SHELL = "console=ttyS1,115200 quiet loglevel=1"
"""The kernel drives one serial console only, and a shell that is init sits on it."""


@dataclass(frozen=True)
class Wiring:
    """How SCSI drives are connected. `paths`: so many controllers see each of them. `reversed`: they are found in the
    opposite order, so that their kernel names are others. `namespaces`: all NVMe drives are namespaces of one
    controller, which has the serial of the first.
    """

    paths: int = 1
    reversed: bool = False
    namespaces: bool = False


PLAIN = Wiring()
_CONTROLLER = "nvme0"
_LAST_SCSI = 100
"""More than any number of a drive, within virtio-scsi's 256."""


@dataclass(frozen=True)
class QemuParts:
    """What the command line is made of."""

    program: str
    kvm: bool
    name: str
    memory_mib: int
    cpus: int
    forgetful: bool
    """Drives are served by nbdkit at `<node>.sock` instead of being files."""
    logged: bool = False
    """Each drive writes down all that is written to it, see `logged_blockdev`."""
    init: str | None = None
    cable: str | None = None
    """One end of a cable to another guest, see `cable_ends`."""
    bootable: tuple[str, ...] = ()
    """Serials of data disks that the firmware starts before the system disk: of these a BIOS tries the first only."""
    wiring: Wiring = PLAIN
    typed: bool = False
    """Whether a test types at the console, which is a terminal then. console.log has what it shows either way."""


@dataclass(frozen=True)
class Media:
    """What a machine starts from that is handed no kernel."""

    iso: Path | None
    """In the drive, or None."""
    uefi: bool = False
    """UEFI (OVMF) instead of BIOS (SeaBIOS)."""
    stick: bool = False
    """The ISO is on a USB stick instead of a disc."""


def accelerator(kvm: bool) -> list[str]:
    """Debian 13's kernel panics on QEMU 7.2's default emulated CPU; `Westmere` works with both versions.

    It has AES and CRC but no AVX, which programs choose where they find it and which is slow to emulate: reading and
    hashing cost 40 % less than on `max`. Nor has it five-level page tables, or AMD's virtualisation. RDRAND is added:
    a guest with a shell as init has no other source of randomness from its start. CMPXCHG16B is taken away: QEMU 7.2
    once left garbage in the flags after it, in the kernel's allocator, and their trap flag stopped the machine. The
    kernel has another way where it is missing.
    """
    if kvm:
        return ["-accel", "kvm", "-cpu", "host"]
    return ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "Westmere,rdrand=on,cx16=off"]


def kernel_arguments(init: str | None) -> str:
    """The kernel command line; `init` is a shell that replaces systemd."""
    return f"{_KERNEL} {_WITH_SYSTEMD}" if init is None else f"{_KERNEL} {_WITH_SHELL} init={init}"


def node(disk: DiskInfo) -> str:
    """The block node's name, which is also the stem of its file or socket."""
    return disk.serial.lower()


def root_port(disk: DiskInfo) -> str:
    """The PCIe slot an NVMe drive sits in."""
    return f"slot-{node(disk)}"


def blockdev(name: str, file: str, forgetful: bool) -> str:
    """A -blockdev argument; discard reaches the file so that sparse disks stay sparse."""
    if forgetful:
        return f"driver=nbd,node-name={name},server.type=unix,server.path={name}.sock,discard=unmap"
    return f"driver=raw,node-name={name},discard=unmap,file.driver=file,file.filename={file},file.discard=unmap"


def logged_blockdev(name: str, file: str) -> str:
    """A -blockdev argument for a drive that writes each of its writes and flushes to a log, once it is done and before
    the guest hears of it (block/blklogwrites.c of QEMU). A write that is to be lasting at once is logged with a flush.
    """
    below = (
        f"file.driver=raw,file.discard=unmap,file.file.driver=file,file.file.filename={file},file.file.discard=unmap"
    )
    log = f"log.driver=raw,log.file.driver=file,log.file.filename={write_log(name)}"
    return f"driver=blklogwrites,node-name={name},discard=unmap,{below},{log}"


def write_log(name: str) -> str:
    """The file that has the log of a drive, in the format that tests/machines/log_writes.py reads."""
    return f"{name}.writes"


def root_blockdev(image: Image, forgetful: bool) -> str:
    """The root disk: a throw-away overlay over the image.

    The image is read only and not locked: a user-mode Linux guest over the same image holds a lock of its own kind.
    """
    if forgetful:
        return blockdev("root", "root.raw", forgetful)
    overlay = "driver=qcow2,node-name=root,discard=unmap,file.driver=file,file.filename=root.qcow2"
    below = f"backing.driver=raw,backing.file.driver=file,backing.file.filename={image.rootfs}"
    return f"{overlay},{below},backing.read-only=on,backing.file.locking=off"


def device(disk: DiskInfo, wiring: Wiring = PLAIN, path: int = 0) -> dict[str, str | int]:
    """Properties of the emulated drive, for the command line and for QMP's device_add alike.

    `path` counts from 0; a drive with several is seen by each controller with the same serial and WWN.
    """
    suffix = f"-path{path + 1}" if path else ""
    named: dict[str, str | int] = {"id": f"dev-{node(disk)}{suffix}", "drive": node(disk), "serial": disk.serial}
    number = int(disk.serial.rsplit("-", 1)[1])
    if disk.bus == "nvme" and wiring.namespaces:
        del named["serial"]
        return {"driver": "nvme-ns", "bus": _CONTROLLER, "nsid": number, **named}
    if disk.bus == "nvme":
        return {"driver": "nvme", "bus": root_port(disk), **named}
    place: dict[str, str | int] = {
        "bus": f"scsi{path}.0",
        "scsi-id": _LAST_SCSI - number if wiring.reversed else number,
        "device_id": disk.serial,
        "wwn": wwn(disk.serial),
    }
    return {"driver": "scsi-hd", **named, **place, **({"share-rw": "on"} if wiring.paths > 1 else {})}


def cable_ends(port: int) -> tuple[str, str]:
    """Both ends of an Ethernet cable between two guests, over a port of this machine's loopback.

    The guest with the first end is started before the one with the second.
    """
    return f"listen=127.0.0.1:{port}", f"connect=127.0.0.1:{port}"


def _cable(end: str | None) -> list[str]:
    """A second network card, eth1 in the guest; the last digit of its address tells the ends apart."""
    if end is None:
        return []
    mac = f"52:54:00:4c:55:{2 if end.startswith('listen') else 3:02}"
    return ["-netdev", f"socket,id=net1,{end}", "-device", f"virtio-net-pci,netdev=net1,mac={mac}"]


def _comma(properties: Mapping[str, str | int]) -> str:
    return ",".join(str(value) if key == "driver" else f"{key}={value}" for key, value in properties.items())


def _disks(disks: Sequence[DiskInfo], parts: QemuParts) -> list[str]:
    argv = [word for path in range(parts.wiring.paths) for word in ("-device", f"virtio-scsi-pci,id=scsi{path}")]
    for slot, disk in enumerate(disks, start=1):
        file = f"{node(disk)}.raw"
        drive = logged_blockdev(node(disk), file) if parts.logged else blockdev(node(disk), file, parts.forgetful)
        argv += ["-blockdev", drive]
        if disk.bus == "nvme" and (slot == 1 or not parts.wiring.namespaces):
            argv += ["-device", f"pcie-root-port,id={root_port(disk)},bus=pcie.0,chassis={slot},slot={slot}"]
            if parts.wiring.namespaces:
                argv += ["-device", f"nvme,id={_CONTROLLER},bus={root_port(disk)},serial={disk.serial}"]
        place = {"bootindex": 2 + parts.bootable.index(disk.serial)} if disk.serial in parts.bootable else {}
        argv += ["-device", _comma({**device(disk, parts.wiring), **place})]
        for path in range(1, parts.wiring.paths) if disk.bus == "scsi" else ():
            argv += ["-device", _comma(device(disk, parts.wiring, path))]
    return argv


def direct_boot(parts: QemuParts, image: Image) -> list[str]:
    """The kernel is handed to the machine, and the root disk is a throw-away copy of the image."""
    return [
        *("-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", kernel_arguments(parts.init)),
        *("-blockdev", root_blockdev(image, parts.forgetful)),
        *("-device", f"virtio-blk-pci,drive=root,serial={ROOT_SERIAL}"),
    ]


def firmware_boot(media: Media) -> list[str]:
    """The machine starts as a server does: its firmware looks at the ISO first, then at the system disk."""
    argv = [
        *("-blockdev", blockdev("root", SYSTEM_DISK, forgetful=False)),
        *("-device", f"virtio-blk-pci,drive=root,serial={ROOT_SERIAL},bootindex=9"),
    ]
    if media.uefi:
        argv += ["-blockdev", f"driver=file,node-name=code,read-only=on,filename={OVMF_CODE}"]
        argv += ["-blockdev", f"driver=file,node-name=vars,filename={OVMF_OWN_VARS}"]
        argv += ["-machine", "pflash0=code,pflash1=vars"]
    if media.iso is not None:
        argv += ["-blockdev", _read_only("iso", media.iso)]
        stick = ["-device", "qemu-xhci", "-device", "usb-storage,drive=iso,bootindex=1"]
        argv += stick if media.stick else ["-device", "ide-cd,drive=iso,bootindex=1"]
    return argv


def _read_only(name: str, file: Path) -> str:
    return f"driver=raw,node-name={name},read-only=on,file.driver=file,file.filename={file},file.locking=off"


def _console(*, typed: bool) -> str:
    """A terminal, because QEMU logs a character once more each time it has to send it again (chardev/char.c), and a
    socket is full after a few hundred characters that are not read yet, a terminal only after thousands.
    """
    return "pty,id=console,logfile=console.log,logappend=on" if typed else "file,id=console,path=console.log,append=on"


def command(parts: QemuParts, boot: Sequence[str], disks: Sequence[DiskInfo], ports: Mapping[int, int]) -> list[str]:
    """The whole argument vector; `boot` says what is started, `ports` are guest port -> port on 127.0.0.1."""
    forwards = "".join(f",hostfwd=tcp:127.0.0.1:{host}-:{guest}" for guest, host in sorted(ports.items()))
    return [
        parts.program,
        *("-name", f"lunette-{parts.name}", "-nodefaults", "-no-user-config", "-display", "none"),
        *("-machine", "q35", *accelerator(parts.kvm)),
        *("-smp", str(parts.cpus), "-m", f"{parts.memory_mib}M"),
        *("-chardev", _console(typed=parts.typed), "-serial", "chardev:console"),
        *("-chardev", f"socket,id=shell,path={SHELL_SOCKET},server=on,wait=off", "-serial", "chardev:shell"),
        *("-qmp", f"unix:{MONITOR_SOCKET},server=on,wait=off"),
        *("-object", "rng-random,id=entropy,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=entropy"),
        *("-netdev", f"user,id=net0,ipv6=off{forwards}", "-device", "virtio-net-pci,netdev=net0,mac=52:54:00:4c:55:01"),
        *boot,
        *_disks(disks, parts),
        *_cable(parts.cable),
    ]
