"""The images the machines boot: asked of `image/build` once per process, so that they are never stale."""

from __future__ import annotations

import fcntl
import functools
import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from tests.machines.model import MachineError

_BUILD = Path(__file__).resolve().parents[2] / "image" / "build"
UML_KERNEL = "LUNETTE_UML_KERNEL"
"""Which user-mode kernel the images hold, as `image/build` reads it: `testing`, or `stable`, that of Debian 13."""


@dataclass(frozen=True)
class Image:
    """A raw ext4 root file system and the kernels that boot it.

    `uml` is how the command line of the user-mode kernel begins.
    """

    rootfs: Path
    kernel: Path
    initrd: Path
    uml: tuple[str, ...]
    zfs: bool = False
    """Whether the root file system holds ZFS's modules."""


def parse(text: str) -> Image:
    """Read the JSON `image/build --print` writes; refuses when a file is missing."""
    raw = json.loads(text)
    image = Image(
        rootfs=Path(raw["rootfs"]),
        kernel=Path(raw["kernel"]),
        initrd=Path(raw["initrd"]),
        uml=tuple(raw["uml_command"]),
        zfs=bool(raw.get("zfs")),
    )
    for path in (image.rootfs, image.kernel, image.initrd, Path(image.uml[-1])):
        if not path.is_file():
            raise MachineError(f"the image names {path}, which does not exist: run image/build again")
        _hold(path)
    return image


def _hold(path: Path) -> Path:
    """Builds of other trees do not remove the layer of the cache that this file is in while this process lives."""
    for layer in (place for place in (path, *path.parents) if place.parent.name == "image"):
        fcntl.flock(os.open(layer, os.O_RDONLY), fcntl.LOCK_SH)
    return path


def pinned(image: Image, folder: Path) -> Image:
    """The same image under names in the machine's folder.

    The cache forgets old images; hard links keep the one a machine was started with for its later boots.
    """
    return replace(
        image,
        rootfs=_link(image.rootfs, folder / "base.ext4"),
        kernel=_link(image.kernel, folder / "vmlinuz"),
        initrd=_link(image.initrd, folder / "initrd.img"),
    )


def _link(source: Path, target: Path) -> Path:
    if target.exists():
        return target
    try:
        target.hardlink_to(source)
    except OSError:  # the state folder is on another file system
        target.symlink_to(source)
    return target


@functools.cache
def appliance_image(uml_kernel: str = "") -> Image:
    """The appliance, built where out of date; LUNETTE_IMAGE names a manifest to use instead.

    `uml_kernel`: what UML_KERNEL says, for who asks about another process.
    """
    given = os.environ.get("LUNETTE_IMAGE")
    return parse(Path(given).read_text()) if given else parse(_built("--print", uml_kernel=uml_kernel))


def zfs_image() -> Image:
    """The appliance with ZFS's modules, which are compiled now if no build of this kernel has them yet.

    That takes 7 to 18 minutes, once. Call it before a machine for tests of ZFS is started.
    """
    if not appliance_image().zfs:
        if subprocess.run([_BUILD, "zfs"], check=False).returncode != 0:
            raise MachineError("image/build zfs failed: its own messages above say why")
        appliance_image.cache_clear()
    image = appliance_image()
    if not image.zfs:
        raise MachineError("the appliance's image has no ZFS modules, though image/build zfs made them: run it again")
    return image


@functools.cache
def plain_image() -> Image:
    """The same Debian without the product, for initiators; LUNETTE_PLAIN_IMAGE names a manifest instead."""
    given = os.environ.get("LUNETTE_PLAIN_IMAGE")
    return parse(Path(given).read_text()) if given else _build("--without-product", "--print")


@functools.cache
def bare_image() -> Image:
    """Debian's packages and nothing of Lunette, not even settings: what the role `appliance` is for."""
    return _build("--bare", "--print")


def bundle() -> Path:
    """What the role `appliance` installs, built from this tree."""
    return _hold(Path(json.loads(_built("bundle", "--print"))["bundle"]))


@functools.cache
def iso_image() -> Path:
    """The appliance's ISO, built where out of date."""
    return _hold(Path(json.loads(_built("iso", "--print"))["iso"]))


@functools.cache
def iso_tree() -> Path:
    """The tree of Debian packages that the ISO is made of; nothing may be written to it."""
    return _hold(Path(json.loads(_built("iso", "--print"))["tree"]))


def update_bundle(version: str, *options: str) -> Path:
    """A signed bundle of this tree for installed appliances, built where out of date."""
    return _hold(Path(json.loads(_built("update", "--print", "--version", version, *options))["update"]))


def _build(*options: str) -> Image:
    return parse(_built(*options))


def _built(*options: str, uml_kernel: str = "") -> str:
    environment = {**os.environ, **({UML_KERNEL: uml_kernel} if uml_kernel else {})}
    done = subprocess.run([_BUILD, *options], stdout=subprocess.PIPE, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise MachineError(f"image/build failed with status {done.returncode}; its own messages above say why")
    return done.stdout
