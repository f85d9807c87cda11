"""What a tier needs from the machine it runs on: each need answers None, or the reason why it is missing."""

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.run.command import ROOT, run_shown

_IMAGE_DEADLINE_S = 1500


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


@cache
def _image() -> str | None:
    """Builds the appliance image of this tree, which answers at once where the cache has it."""
    print("\n== image: the appliance of this tree", flush=True)
    ran = run_shown("image", ["image/build"], deadline_s=_IMAGE_DEADLINE_S)
    return None if ran.code == 0 else "the image build failed: run `make image` to see why"


_NEEDS: dict[str, Callable[[], str | None]] = {
    "chromium": lambda: _commands("chromium"),
    "image": _image,
    "node": _node,
    "postgres": _postgres,
    "qemu": _qemu,
    "root": _root,
}
