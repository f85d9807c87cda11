"""Layer `zfs`: spl.ko and zfs.ko for the appliance's kernel, compiled in a throw-away copy of the base."""

import lzma
import re
import shutil
from pathlib import Path

from .base import kernel_version
from .cache import Cache, content_key
from .problem import ImageProblem
from .progress import run, step, tail
from .tree import in_root_with_proc

MODULES = ("spl.ko", "zfs.ko")
TIMEOUT_S = 3600


def zfs_version(dpkg_status: str) -> str:
    """Version of zfsutils-linux in dpkg's status file; the modules must have the same one."""
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
    """The modules' layer if it has been built; does not wait for it."""
    layer = cache.path("zfs", zfs_key(base))
    return layer if layer.is_dir() else None


def zfs_layer(cache: Cache, base: Path) -> Path:
    """The modules' layer, compiled now (7 to 18 minutes on two cores) if it does not exist."""
    return cache.layer("zfs", zfs_key(base), lambda work: _build(work, base), keep=2)


def add_modules(layer: Path, root: Path, kernel: str) -> str:
    """Links the modules into a tree; returns the version to run depmod for."""
    target = root / "usr/lib/modules" / kernel / "extra"
    target.mkdir(exist_ok=True)
    for name in MODULES:
        (target / name).hardlink_to(layer / name)
    return kernel


def _build(work: Path, base: Path) -> None:
    root, log = work / "root", work / "build.log"
    kernel = kernel_version(base / "root")
    version = zfs_version((base / "root/var/lib/dpkg/status").read_text())
    with step("zfs: a throw-away system with compiler and headers"):
        run(["cp", "-a", str(base / "root"), str(root)], timeout_s=300)
        (root / "etc/resolv.conf").unlink(missing_ok=True)
        shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
        _inside(root, log, "apt-get", "-qq", "update")
        wanted = ("build-essential", "dkms", f"linux-headers-{kernel}")
        try:
            _inside(root, log, "apt-get", "-qy", "install", "--no-install-recommends", *wanted)
        except ImageProblem as problem:
            # Mirrors keep only the newest kernel's headers.
            raise ImageProblem(f"{problem}\nif {kernel} is no longer served, run image/build --refresh first") from None
    with step(f"zfs: compiling OpenZFS {version} for {kernel}"):
        # The package's own trigger compiles; another dkms call does nothing, or shows why it failed.
        _inside(root, log, "apt-get", "-qy", "install", f"zfs-dkms={version}")
        _inside(root, log, "dkms", "autoinstall", "-k", kernel)
    built = root / "usr/lib/modules" / kernel
    for name in MODULES:
        found = [path for path in built.rglob(f"{name}*") if path.is_file()]
        if not found:
            raise ImageProblem(f"dkms created no {name} for {kernel}\n{tail(log, 20)}")
        content = found[0].read_bytes()
        (work / name).write_bytes(lzma.decompress(content) if found[0].suffix == ".xz" else content)
    shutil.rmtree(root)


def _inside(root: Path, log: Path, *argv: str) -> None:
    """Compilers and dkms expect /proc."""
    in_root_with_proc(root, *argv, timeout_s=TIMEOUT_S, log=log)
