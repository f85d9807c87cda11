"""The initrds: busybox, modules, one script.

The one for direct kernel boot loads a dozen modules. Modules are stored unpacked and the archive is not
compressed: under emulation unpacking costs more than reading. The one of the ISO and of installed systems carries
the drivers of every storage controller and loads those that the machine has.
"""

import gzip
import lzma
import stat
from collections.abc import Mapping
from pathlib import Path

# Enough to find the root on a virtio, SCSI, NVMe or SATA disk; the rest is loaded by udev from the root.
WANTED_MODULES = ("virtio_blk", "virtio_scsi", "sd_mod", "nvme", "ahci", "crc32c_intel", "ext4")
# The same for every boot medium; drivers for other machines' disks (Fibre Channel, iSCSI) are omitted.
ANY_CONTROLLER = (
    *("kernel/drivers/ata", "kernel/drivers/block", "kernel/drivers/cdrom", "kernel/drivers/message/fusion"),
    *("kernel/drivers/nvme/host/nvme.ko", "kernel/drivers/pci/controller/vmd", "kernel/drivers/usb/host"),
    *("kernel/drivers/usb/storage", "kernel/drivers/virtio", "kernel/drivers/hv/hv_vmbus"),
    *(
        f"kernel/drivers/scsi/{name}"
        for name in (
            *("aacraid", "aic7xxx", "aic94xx", "arcmsr", "hpsa", "hv_storvsc", "isci", "megaraid", "mpi3mr", "mpt3sas"),
            *("mvsas", "mvumi", "pm8001", "sd_mod", "smartpqi", "sr_mod", "virtio_scsi", "vmw_pvscsi"),
        )
    ),
)
NOT_A_CONTROLLER = ("drbd", "nbd", "rbd", "zram", "brd", "null_blk", "ublk_drv", "aoe", "floppy", "pktcdvd", "rnbd")
FILE_SYSTEMS = ("ext4", "isofs", "squashfs", "overlay", "loop", "crc32c_intel", "raid1")
"""Always loaded; the initrd of an installed system and that of the ISO are the same file."""


def module_name(path: str) -> str:
    """`kernel/fs/ext4/ext4.ko.xz` -> `ext4`."""
    return Path(path).name.split(".ko", 1)[0].replace("-", "_")


def parse_dependencies(modules_dep: str) -> dict[str, list[str]]:
    """modules.dep as module file -> files it needs."""
    lines = (line.split(":", 1) for line in modules_dep.splitlines() if ":" in line)
    return {file: needs.split() for file, needs in lines}


def load_order(wanted: tuple[str, ...], dependencies: dict[str, list[str]]) -> list[str]:
    """Module files in an order in which each can be inserted; a requested module that is built in is omitted."""
    by_name = {module_name(file): file for file in dependencies}
    order: list[str] = []

    def add(file: str) -> None:
        for needed in dependencies[file]:
            add(needed)
        if file not in order:
            order.append(file)

    for name in wanted:
        if name in by_name:
            add(by_name[name])
    return order


def cpio_entry(inode: int, name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """One member of a `newc` archive, padded to four bytes."""
    fields = (inode, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4)


def make_initrd(root: Path, kernel: str, script: Path) -> bytes:
    """The archive for one kernel of a root tree; `script` becomes /init."""
    modules = root / "usr/lib/modules" / kernel
    order = load_order(WANTED_MODULES, parse_dependencies((modules / "modules.dep").read_text()))
    files = {f"modules/{module_name(file)}.ko": _unpacked(modules / file) for file in order}
    files["modules/order"] = "".join(f"{module_name(file)}.ko\n" for file in order).encode()
    return _archive(root, script, ["modules"], files)


def make_hardware_initrd(root: Path, kernel: str, script: Path, programs: Mapping[str, Path]) -> bytes:
    """The archive that boots any machine; busybox's modprobe finds a device's driver by modules.alias.

    `programs` are further files by their path in the archive, see `program_files`.
    """
    modules = root / "usr/lib/modules" / kernel
    dependencies = parse_dependencies((modules / "modules.dep").read_text())
    order = load_order(boot_modules(dependencies), dependencies)
    place = f"lib/modules/{kernel}"
    names = {file: f"{module_name(file)}.ko" for file in order}
    files = {f"{place}/{names[file]}": _unpacked(modules / file) for file in order}
    needs = "".join(f"{names[file]}: {' '.join(names[one] for one in dependencies[file])}\n" for file in order)
    known = {module_name(file) for file in order}
    aliases = [
        line for line in (modules / "modules.alias").read_text().splitlines() if line.rpartition(" ")[2] in known
    ]
    files |= {
        f"{place}/modules.dep": needs.encode(),
        f"{place}/modules.alias": "".join(f"{line}\n" for line in aliases).encode(),
        f"{place}/modules.symbols": b"",
        f"{place}/modules.builtin": (modules / "modules.builtin").read_bytes(),
        "file-systems": "".join(f"{name}\n" for name in FILE_SYSTEMS).encode(),
    }
    files |= {name: file.read_bytes() for name, file in sorted(programs.items())}
    folders = sorted(
        {str(parent) for name in files for parent in Path(name).parents if str(parent) not in (".", "bin")}
    )
    return gzip.compress(_archive(root, script, [*folders, "run"], files), 9, mtime=0)


def program_files(program: str, ldd: str) -> dict[str, str]:
    """Path in the archive -> path in the tree, of a program and of what `ldd` says that it loads."""
    loaded = [word for line in ldd.splitlines() for word in line.split() if word.startswith("/")]
    return {f"bin/{Path(program).name}": program.lstrip("/")} | {name.lstrip("/"): name.lstrip("/") for name in loaded}


def boot_modules(dependencies: dict[str, list[str]]) -> tuple[str, ...]:
    """Names of the modules from which any machine can be booted."""
    found = [
        module_name(file)
        for file in sorted(dependencies)
        if file.startswith(ANY_CONTROLLER) and not any(f"/{name}" in file for name in NOT_A_CONTROLLER)
    ]
    return (*FILE_SYSTEMS, *found)


def _archive(root: Path, script: Path, folders: list[str], files: dict[str, bytes]) -> bytes:
    files = {"init": script.read_bytes(), "bin/busybox": (root / "usr/bin/busybox").read_bytes(), **files}
    entries = [cpio_entry(0, name, stat.S_IFDIR | 0o755) for name in ("bin", "dev", "proc", "root", "sys", *folders)]
    entries.append(cpio_entry(0, "dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    entries += [cpio_entry(0, name, stat.S_IFREG | 0o755, content) for name, content in files.items()]
    return b"".join([*entries, cpio_entry(0, "TRAILER!!!", 0)])


def _unpacked(module: Path) -> bytes:
    content = module.read_bytes()
    return lzma.decompress(content) if module.suffix == ".xz" else content
