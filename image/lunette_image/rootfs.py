"""Composes the layers into a bootable system: rootfs.ext4, vmlinuz, initrd.img and the user-mode kernel.

rootfs-<key>/   rootfs.ext4, layers.json
boot-<key>/     vmlinuz, initrd.img
uml-<key>/      linux, its loader and libc   (depends on the base and the user-mode kernel only)
"""

import json
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import product, uml, venv, zfs
from .base import base_identity, base_layer, kernel_version
from .cache import Cache, content_key
from .initrd import make_initrd
from .problem import ImageProblem
from .progress import run, say, step
from .tree import add_tree, in_root, linked_copy, write_file

SIZE = "3G"
LABEL = "lunette-root"
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Sources:
    """What an image is made from; `backend` is None for an image without the product.

    A `bare` one lacks the product's settings too: a server before the role `appliance` is applied. `spdk`
    is a folder with SPDK's installed files; it and firmware (unless excluded) are in the ISO and its updates.
    """

    image: Path
    backend: Path | None
    ui: Path | None
    uv: str | None = None
    bare: bool = False
    spdk: Path | None = None
    firmware: bool = True

    def overlays(self) -> list[Path]:
        """Folders that are copied over the tree."""
        return [self.image / "appliance"] if self.bare else [self.image / "server", self.image / "appliance"]


@dataclass(frozen=True)
class Layers:
    """The cached parts of an image; `venv` is None without the product, `zfs` until it has been compiled.

    `firmware` is only for the ISO and its updates.
    """

    base: Path
    venv: Path | None = None
    zfs: Path | None = None
    firmware: Path | None = None

    def names(self) -> dict[str, str]:
        """Folder names, `-` for a missing one."""
        parts = {"base": self.base, "venv": self.venv, "zfs": self.zfs}
        return {name: path.name if path else "-" for name, path in parts.items()}


def layers_below(cache: Cache, sources: Sources) -> Layers:
    """The layers that an image is composed of, built if they are missing."""
    if os.geteuid() != 0:
        raise ImageProblem("building the image needs root (it makes files of other owners): run it with sudo")
    layers = Layers(base_layer(cache, sources.image))
    if sources.backend is not None:
        if not (sources.backend / "src").is_dir():
            raise ImageProblem(f"{sources.backend}/src does not exist: name the backend with --backend")
        lock = sources.backend / "requirements.lock"
        layers = replace(layers, venv=venv.venv_layer(cache, layers.base, lock, sources.uv))
    return replace(layers, zfs=zfs.cached_modules(cache, layers.base))


def build_rootfs(cache: Cache, sources: Sources) -> dict[str, Any]:
    """Builds what is missing and returns the manifest: absolute paths and how to boot them."""
    layers = layers_below(cache, sources)
    boot = cache.layer(
        "boot",
        content_key([HERE / "initrd.py", sources.image / "initrd"], base_identity(layers.base)),
        lambda work: _build_boot(work, layers.base, sources.image),
    )
    user_mode = uml.chosen_kernel(cache, layers.base)
    runtime = _uml_layer(cache, layers.base, user_mode, sources.image / "uml/xstate.c")
    key = composed_key(sources, layers, [HERE / "uml.py"], uml.kernel_identity(user_mode))
    output = cache.layer("rootfs", key, lambda work: _build_rootfs(work, sources, layers, user_mode), keep=6)
    return manifest(output, boot, runtime, layers) | {"uml_version": uml.module_version(user_mode)}


def composed_key(sources: Sources, layers: Layers, more: list[Path], *words: str) -> str:
    """Key of a layer whose tree `compose` makes; `more` are its own inputs."""
    inputs = [HERE / name for name in ("rootfs.py", "product.py", "tree.py")] + more + sources.overlays()
    if sources.backend is not None:
        inputs += [sources.backend / "src", sources.backend / "pyproject.toml"]
    if sources.ui is not None:
        inputs.append(sources.ui)
    words = (*layers.names().values(), "ui" if sources.ui else "no ui", *words)
    return content_key(inputs, base_identity(layers.base), *words)


def manifest(output: Path, boot: Path, runtime: Path, layers: Layers) -> dict[str, Any]:
    """Paths of the outputs, and the kernel command lines that boot them."""
    return {
        "key": output.name,
        "rootfs": str(output / "rootfs.ext4"),
        "kernel": str(boot / "vmlinuz"),
        "initrd": str(boot / "initrd.img"),
        "kernel_version": kernel_version(layers.base / "root"),
        "append": "root=/dev/vda rw console=ttyS0 quiet",
        "uml_command": uml.command(runtime),
        "uml_append": "root=/dev/ubda rw con=null con0=fd:0,fd:1 quiet",
        "zfs": layers.zfs is not None,
    }


def _build_boot(work: Path, base: Path, image: Path) -> None:
    root = base / "root"
    kernel = kernel_version(root)
    shutil.copyfile(root / "boot" / f"vmlinuz-{kernel}", work / "vmlinuz")
    (work / "initrd.img").write_bytes(make_initrd(root, kernel, image / "initrd/init"))


def _uml_layer(cache: Cache, base: Path, user_mode: Path, shim: Path) -> Path:
    # The program carries the path of its loader, so the place is part of the key.
    key = content_key([HERE / "uml.py", shim], base_identity(base), uml.kernel_identity(user_mode), str(cache.folder))
    final = cache.path("uml", key)
    return cache.layer("uml", key, lambda work: uml.make_runtime(base, user_mode, shim, work, final))


def _build_rootfs(work: Path, sources: Sources, layers: Layers, user_mode: Path) -> None:
    root = work / "root"
    with step("rootfs: composing the layers"):
        linked_copy(layers.base / "root", root)
        in_root(root, "depmod", uml.add_modules(user_mode, root))
        compose(root, sources, layers, sources.overlays())
    with step("rootfs: writing the file system"):
        write_ext4(root, work / "rootfs.ext4")
    shutil.rmtree(root)
    (work / "layers.json").write_text(json.dumps(layers.names(), indent=2) + "\n")


def compose(root: Path, sources: Sources, layers: Layers, overlays: list[Path]) -> None:
    """Puts everything above the base into `root`, a linked copy of it; the `overlays` come last, in their order."""
    if layers.zfs is not None:
        in_root(root, "depmod", zfs.add_modules(layers.zfs, root, kernel_version(layers.base / "root")))
    if sources.backend is not None and layers.venv is not None:
        product.add_venv(root, layers.venv / "site-packages")
        product.add_product(root, sources.backend, sources.ui)
    else:
        say("  without the product: a plain Debian guest")
    for overlay in overlays:
        add_tree(overlay, root)
    configure(root, with_product=layers.venv is not None, bare=sources.bare)


def configure(root: Path, *, with_product: bool, bare: bool) -> None:
    """Steps that need the tree's own programs: users and enabled units."""
    in_root(root, "systemd-sysusers")
    for name in () if bare else product.FOLDERS:
        (root / name).mkdir(mode=0o700, exist_ok=True)
    in_root(root, "systemctl", "preset-all", "--preset-mode=full")
    if not with_product:
        for unit in sorted((root / "etc/systemd/system").glob("*.wants/lunette-*")):
            unit.unlink()
    forget_identity(root)
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    (root / "etc/resolv.conf").symlink_to("/run/systemd/resolve/stub-resolv.conf")
    for name in ("etc/.updated", "var/.updated"):
        # Nothing under /usr is newer than these, so no boot rebuilds users, caches and catalogs.
        write_file(root / name, "")


def forget_identity(root: Path) -> None:
    """Removes what distinguishes machines: each one creates its own at its first start.

    zfsutils-linux generates a hostid when it is installed. Were it the same on two appliances, either would import a
    pool that the other uses. nvme-cli generates a host NQN and a host identifier: two machines with the same ones are
    one host to a subsystem, and reservations of one are those of the other.
    """
    write_file(root / "etc/machine-id", "", 0o444)
    write_file(root / "etc/hostname", "lunette\n")
    for name in ("etc/hostid", "etc/nvme/hostnqn", "etc/nvme/hostid"):
        (root / name).unlink(missing_ok=True)


def write_ext4(root: Path, image: Path) -> None:
    """A sparse ext4 file with the tree's content; the inode tables are complete, so no guest fills them later."""
    options = ("-E", "lazy_itable_init=0,lazy_journal_init=0", "-m", "1", "-i", "32768")
    run(["mke2fs", "-q", "-t", "ext4", "-L", LABEL, *options, "-d", str(root), str(image), SIZE], timeout_s=600)
