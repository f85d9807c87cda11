"""The initrd for direct kernel boot: busybox, a dozen modules, one script.

Modules are stored unpacked and the archive is not compressed: under emulation unpacking costs
more than reading.
"""

import lzma
import stat
from pathlib import Path

# Enough to find the root on a virtio, SCSI, NVMe or SATA disk; the rest is loaded by udev from the root.
WANTED_MODULES = ("virtio_blk", "virtio_scsi", "sd_mod", "nvme", "ahci", "crc32c_intel", "ext4")


def module_name(path: str) -> str:
    """`kernel/fs/ext4/ext4.ko.xz` -> `ext4`."""
    return Path(path).name.split(".ko", 1)[0].replace("-", "_")


def parse_dependencies(modules_dep: str) -> dict[str, list[str]]:
    """modules.dep as module file -> files it needs."""
    lines = (line.split(":", 1) for line in modules_dep.splitlines() if ":" in line)
    return {file: needs.split() for file, needs in lines}


def load_order(wanted: tuple[str, ...], dependencies: dict[str, list[str]]) -> list[str]:
    """Module files in an order in which each can be inserted; a wanted module that is built in is left out."""
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
    files = {"init": script.read_bytes(), "bin/busybox": (root / "usr/bin/busybox").read_bytes()}
    for file in order:
        files[f"modules/{module_name(file)}.ko"] = _unpacked(modules / file)
    files["modules/order"] = "".join(f"{module_name(file)}.ko\n" for file in order).encode()
    folders = ("bin", "dev", "modules", "proc", "root", "sys")
    entries = [cpio_entry(0, name, stat.S_IFDIR | 0o755) for name in folders]
    entries.append(cpio_entry(0, "dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    entries += [cpio_entry(0, name, stat.S_IFREG | 0o755, content) for name, content in files.items()]
    return b"".join([*entries, cpio_entry(0, "TRAILER!!!", 0)])


def _unpacked(module: Path) -> bytes:
    content = module.read_bytes()
    return lzma.decompress(content) if module.suffix == ".xz" else content
