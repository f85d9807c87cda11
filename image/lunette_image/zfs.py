"""Layer `zfs`: spl.ko and zfs.ko for the appliance's kernel, compiled in a throw-away copy of the base."""

import re
import shutil
from pathlib import Path

from .base import kernel_version
from .cache import Cache, content_key
from .problem import ImageProblem
from .progress import run, step
from .tree import in_root

MODULES = ("spl.ko", "zfs.ko")
TIMEOUT_S = 3600


def zfs_version(dpkg_status: str) -> str:
    """Version of zfsutils-linux in dpkg's status file; the modules must be of the same one."""
    for block in dpkg_status.split("\n\n"):
        if block.startswith("Package: zfsutils-linux\n"):
            found = re.search(r"^Version: (\S+)$", block, re.M)
            if found:
                return found.group(1)
    raise ImageProblem("zfsutils-linux is not in the base: is it still in packages.txt?")


def zfs_key(base: Path) -> str:
    """Key of the modules: kernel and OpenZFS version, not the whole base."""
    root = base / "root"
    version = zfs_version((root / "var/lib/dpkg/status").read_text())
    return content_key([], kernel_version(root), version)


def cached_modules(cache: Cache, base: Path) -> Path | None:
    """The modules' layer if it has been built; nothing waits for it."""
    layer = cache.path("zfs", zfs_key(base))
    return layer if layer.is_dir() else None


def zfs_layer(cache: Cache, base: Path) -> Path:
    """The modules' layer, compiled now (7 to 18 minutes on two cores) if it is not there."""
    return cache.layer("zfs", zfs_key(base), lambda work: _build(work, base), keep=2)


def add_modules(layer: Path, root: Path, kernel: str) -> str:
    """Link the modules into a tree; returns the version to run depmod for."""
    target = root / "usr/lib/modules" / kernel / "extra"
    target.mkdir(exist_ok=True)
    for name in MODULES:
        (target / name).hardlink_to(layer / name)
    return kernel


def _build(work: Path, base: Path) -> None:
    root = work / "root"
    kernel = kernel_version(base / "root")
    version = zfs_version((base / "root/var/lib/dpkg/status").read_text())
    with step("zfs: a throw-away system with compiler and headers"):
        run(["cp", "-a", str(base / "root"), str(root)], timeout_s=300)
        (root / "etc/resolv.conf").unlink(missing_ok=True)
        shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
        log = work / "apt.log"
        in_root(root, "apt-get", "-qq", "update", timeout_s=300, log=log)
        wanted = ("dpkg-dev", "dkms", f"linux-headers-{kernel}")
        in_root(root, "apt-get", "-qy", "install", "--no-install-recommends", *wanted, timeout_s=900, log=log)
    with step(f"zfs: compiling OpenZFS {version} for {kernel}"):
        in_root(root, "apt-get", "-qy", "install", f"zfs-dkms={version}", timeout_s=TIMEOUT_S, log=work / "dkms.log")
    built = root / "usr/lib/modules" / kernel
    for name in MODULES:
        found = [path for path in built.rglob(f"{name}*") if path.is_file()]
        if not found:
            raise ImageProblem(f"{name} was not built; the end of dkms's log is in {work}/dkms.log")
        shutil.copyfile(found[0], work / found[0].name)
    shutil.rmtree(root)
