"""Layer `firmware`: what Debian keeps in non-free-firmware for network cards and host bus adapters, for the ISO and its
updates. Images of tests have no such devices.

    firmware-<key>/root/usr/lib/firmware    what drivers load
    firmware-<key>/root/usr/share/doc       the license of each package
    firmware-<key>/packages                 their control records

The packages are unpacked and not installed: they contain only files, and no initrd is rebuilt for them. The component
is named for this layer only, so no other package of the image can come from it.
"""

import os
import shutil
from pathlib import Path

from .apt import FIRMWARE, Mirrors, configured_mirrors, configured_proxies, parse_packages
from .base import unpack_argv
from .cache import Cache, content_key
from .progress import run, step
from .tree import linked_copy

COMPONENT = "non-free-firmware"
FILES, DOCS = "usr/lib/firmware", "usr/share/doc"
RECORDS = "packages"
TIMEOUT_S = 600


def firmware_packages(image: Path) -> list[str]:
    """The packages of the layer."""
    return parse_packages((image / "packages.txt").read_text())[FIRMWARE]


def firmware_key(image: Path) -> str:
    """Key of the layer: the command that makes it, without this machine's mirrors and folders."""
    return content_key([], *extract_argv(sorted(firmware_packages(image)), None, Path("root")))


def firmware_layer(cache: Cache, image: Path) -> Path:
    """The layer, fetched if the cache has none. Raises ImageProblem, for example if a mirror lacks the component."""
    return cache.layer("firmware", firmware_key(image), lambda work: _build(work, image), keep=2)


def identity(layer: Path) -> str:
    """What other layers key on: a refreshed layer has the same key but other package versions."""
    return content_key([layer / RECORDS], layer.name)


def extract_argv(wanted: list[str], mirrors: Mirrors | None, root: Path) -> list[str]:
    """The command that unpacks the packages; the hook stores their records, which are deleted with apt's lists."""
    keep_records = (
        f'--extract-hook=APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-cache show --no-all-versions {" ".join(wanted)} '
        f'| sed "s/^Package: /Status: install ok installed\\n&/" > "$1/{RECORDS}"'
    )
    return unpack_argv(wanted, COMPONENT, mirrors, root, keep_records)


def add(root: Path, layer: Path) -> None:
    """Links firmware and licenses into a tree, in addition to its own content of those directories."""
    for folder in (FILES, DOCS):
        (root / folder).mkdir(parents=True, exist_ok=True)
        for found in sorted((layer / "root" / folder).iterdir()):
            linked_copy(found, root / folder / found.name)


def _build(work: Path, image: Path) -> None:
    whole = work / "whole"
    argv = extract_argv(firmware_packages(image), configured_mirrors(), whole)
    with step("firmware: Debian's for network cards and host bus adapters"):
        run(argv, timeout_s=TIMEOUT_S, log=work / "mmdebstrap.log", env={**os.environ, **configured_proxies()})
    (whole / RECORDS).rename(work / RECORDS)
    for changes in (whole / DOCS).rglob("changelog*"):
        changes.unlink()
    for kept in (FILES, DOCS):
        (work / "root" / kept).parent.mkdir(parents=True, exist_ok=True)
        (whole / kept).rename(work / "root" / kept)
    shutil.rmtree(whole)
