"""Layer `stable`: the user-mode kernel of Debian 13 itself, whose version the appliance ships, unpacked.

    stable-<key>/uml/    like that of testing next to the base

Only `LUNETTE_UML_KERNEL=stable` uses it: tests that also run on the appliance's own kernel.
"""

import os
import shutil
from pathlib import Path

from .apt import configured_mirrors, configured_proxies
from .base import unpack_argv
from .cache import Cache, content_key
from .progress import run, step

PACKAGE = "user-mode-linux"
TIMEOUT_S = 600
PARTS = ("usr/bin", "usr/lib/uml")


def stable_key() -> str:
    """Key of the layer: the command that creates it, without this machine's mirrors and folders."""
    return content_key([], *unpack_argv([PACKAGE], "main", None, Path("root")))


def stable_layer(cache: Cache) -> Path:
    """The layer, fetched if the cache has none."""
    return cache.layer("stable", stable_key(), _build, keep=2)


def _build(work: Path) -> None:
    whole = work / "whole"
    argv = unpack_argv([PACKAGE], "main", configured_mirrors(), whole)
    with step("stable: Debian 13's user-mode kernel"):
        run(argv, timeout_s=TIMEOUT_S, log=work / "mmdebstrap.log", env={**os.environ, **configured_proxies()})
    for part in PARTS:
        (work / "uml" / part).parent.mkdir(parents=True, exist_ok=True)
        (whole / part).rename(work / "uml" / part)
    shutil.rmtree(whole)
