"""What a tier needs from the machine it runs on: each need answers None, or the reason why it is missing."""

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.machines.images import UML_KERNEL
from tests.machines.qemu_command import OVMF_CODE
from tests.run.command import ROOT, run_shown

_IMAGE_DEADLINE_S = 1500
_ZFS_DEADLINE_S = 3000
"""They take 7 to 18 minutes alone, and up to 25 with other load."""


def missing(need: str) -> str | None:
    """The reason why a need is not met and what to do about it, or None where it is."""
    return _NEEDS[need]()


def _commands(*names: str) -> str | None:
    absent = [name for name in names if shutil.which(name) is None]
    return f"{', '.join(absent)} not on the PATH: run `make deps`" if absent else None


def _root() -> str | None:
    if os.geteuid() == 0:
        return None
    return "root is needed for network name spaces: run it as root or with sudo"


def _postgres() -> str | None:
    found = any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return None if found else "no PostgreSQL server programs in /usr/lib/postgresql: run `make deps`"


def _node() -> str | None:
    if (ROOT / "frontend/node_modules/.made").exists():
        return _commands("node", "npm")
    return "frontend/node_modules is missing or of another lock file: run `make deps`"


def _qemu() -> str | None:
    return _commands("qemu-system-x86_64", "qemu-img", "nbdkit", "iscsi-inq", "qemu-io")


def _docker() -> str | None:
    plugin = Path("/usr/libexec/docker/cli-plugins/docker-compose")
    return _commands("docker", "mmdebstrap", *(() if plugin.exists() else ("docker-compose",)))


@cache
def _image(uml_kernel: str = "") -> str | None:
    """Builds the images of this tree, the appliance and the plain one of the hosts; quick where the cache has them."""
    environment = {UML_KERNEL: uml_kernel} if uml_kernel else {}
    setting = " ".join(f"{name}={value}" for name, value in environment.items())
    print("\n== image: the appliance of this tree, and a plain one for the hosts", setting, flush=True)
    for options in ([], ["--without-product"]):
        if run_shown("image", ["image/build", *options], deadline_s=_IMAGE_DEADLINE_S, env=environment).code:
            return f"the image build failed: run `{f'{setting} image/build'.strip()}` to see why"
    return None


@cache
def _zfs() -> str | None:
    """Compiles ZFS's modules where no build of this kernel has them yet: before a machine starts that loads them."""
    if run_shown("zfs", ["image/build", "zfs"], deadline_s=_ZFS_DEADLINE_S).code:
        return "ZFS's modules were not compiled: run `image/build zfs` to see why"
    return None


@cache
def _iso() -> str | None:
    """Builds the ISO of this tree: minutes after a change of the product, since the tree is compressed again."""
    missing = _commands("mksquashfs", "xorriso", "mformat")
    if missing is not None:
        return missing
    if not Path(OVMF_CODE).is_file():
        return f"{OVMF_CODE} is missing: run `make deps`"
    if run_shown("iso", ["image/build", "iso"], deadline_s=_IMAGE_DEADLINE_S).code:
        return "the ISO's build failed: run `make image` to see why"
    return None


_NEEDS: dict[str, Callable[[], str | None]] = {
    "chromium": lambda: _commands("chromium"),
    "docker": _docker,
    "image": _image,
    "iso": _iso,
    "node": _node,
    "postgres": _postgres,
    "qemu": _qemu,
    "root": _root,
    "stable-image": lambda: _image("stable"),
    "zfs": _zfs,
}
