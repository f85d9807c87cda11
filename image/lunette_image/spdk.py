"""SPDK from a directory filled by `make install`, for the ISO and its updates: Debian has no package of it.

`nvmf_tgt` and shared libraries are copied, from below `usr` of the directory. Headers, archives and other programs are
omitted.
"""

import hashlib
import re
from pathlib import Path

from .problem import ImageProblem
from .tree import add_file, in_root

PROGRAM = "nvmf_tgt"
PLACES = tuple(f"usr/{place}/{PROGRAM}" for place in ("local/bin", "local/sbin", "bin", "sbin"))
"""Where systemd looks for a program that a unit names without a path."""
LIBRARIES = ("usr/lib", "usr/local/lib")
LOADED = re.compile(r"\.so(\.[0-9.]+)?$")
VERSION = re.compile(r"^#define\s+SPDK_VERSION_(MAJOR|MINOR|PATCH)\s+(\d+)\s*$", re.MULTILINE)


def staged(folder: Path) -> tuple[str, ...]:
    """The files to copy, by their paths in the directory; the program comes first. Raises ImageProblem without it."""
    found = [place for place in PLACES if (folder / place).is_file()]
    if len(found) != 1:
        raise ImageProblem(
            f"{folder} has {' and '.join(found) or f'no usr/local/bin/{PROGRAM}'}, expected one: build SPDK with the "
            f"prefix /usr/local and fill the folder with `make install DESTDIR={folder}`"
        )
    libraries = (path for top in LIBRARIES for path in (folder / top).rglob("*.so*") if not path.is_dir())
    return (found[0], *sorted(str(path.relative_to(folder)) for path in libraries if LOADED.search(path.name)))


def add(root: Path, folder: Path) -> None:
    """Puts the files into a tree, whose own are never replaced. Raises ImageProblem if the program could not run."""
    program, *libraries = files = staged(folder)
    known = {path.name for top in LIBRARIES for path in (root / top).rglob("*.so*")}
    twice = sorted({Path(name).name for name in libraries} & known)
    if twice:
        raise ImageProblem(
            f"{folder} has libraries that the image has already: {', '.join(twice)}. Other programs would get these "
            "too, and security updates of Debian would not reach them: take them out of the folder"
        )
    for name in files:
        add_file(folder / name, root / name)
    in_root(root, "ldconfig")
    reported = root.parent / f"{PROGRAM}.libraries"
    in_root(root, "ldd", f"/{program}", log=reported)
    absent = missing(reported.read_text())
    reported.unlink()
    if absent:
        raise ImageProblem(
            f"{folder}/{program} needs what the image has not: {', '.join(absent)}. Put these libraries into "
            f"{folder}/usr/local/lib, or the packages that have them into image/packages.txt; what was built on a "
            "newer system than Debian 13 has to be built there"
        )


def missing(ldd: str) -> tuple[str, ...]:
    """Dependencies that `ldd` did not find: libraries, and versions of symbols (glibc, elf/dl-version.c)."""
    absent = re.findall(r"^\s*(\S+) => not found", ldd, re.MULTILINE)
    older = re.findall(r"version `([^']+)' not found", ldd)
    return tuple(dict.fromkeys([*absent, *older]))


def version(folder: Path) -> str:
    """The version in the staged headers, else the SHA-256 of the program. Raises ImageProblem."""
    program = staged(folder)[0]
    header = (folder / program).parents[1] / "include/spdk/version.h"
    if header.is_file():
        found = dict(VERSION.findall(header.read_text(errors="replace")))
        if {"MAJOR", "MINOR"} <= set(found):
            return ".".join(
                [found["MAJOR"], f"{int(found['MINOR']):02}", *([found["PATCH"]] if "PATCH" in found else [])]
            )
    with (folder / program).open("rb") as opened:
        return f"sha256-{hashlib.file_digest(opened, 'sha256').hexdigest()}"
