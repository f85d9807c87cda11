"""Types and style of the web page: vue-tsc and eslint check only what has changed since they last succeeded.

python -m tests.run.web_checks types
python -m tests.run.web_checks style

Their caches are files next to the packages; a new clone starts with those of an earlier one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.run.command import ROOT, cache_folder

KNOWN = {"types": ("app.tsbuildinfo", "node.tsbuildinfo"), "style": ("eslint.json",)}
"""The caches of each check, in `node_modules/.cache`. Caches of prettier work in one folder only: it hashes paths."""
_HERE = "<here>"
"""Replaces the path of the tree in stored caches: eslint names files by their whole path."""


def main() -> int:
    """Makes the check that is named; its exit code."""
    (check,) = sys.argv[1:]
    frontend = ROOT / "frontend"
    ours, packages = frontend / "node_modules/.cache", (frontend / "node_modules/.made").read_text().strip()
    later = cache_folder() / "web-checks" / packages
    bring(check, later, ours)
    code = subprocess.run(["npm", "--prefix", str(frontend), "run", f"check:{check}"], check=False).returncode
    if code == 0:
        keep(check, ours, later)
    return code


def bring(check: str, later: Path, ours: Path, tree: Path = ROOT) -> None:
    """Puts there what an earlier tree with the same packages knew, where this one knows nothing yet.

    It counts as older than every file: vue-tsc then compares what is in them, as eslint does always. By their times
    alone it would take a file for unchanged that was written before the other tree was checked.
    """
    ours.mkdir(parents=True, exist_ok=True)
    for name in KNOWN[check]:
        if (later / name).exists() and not (ours / name).exists():
            (ours / name).write_text((later / name).read_text().replace(_HERE, str(tree)))
            os.utime(ours / name, (1, 1))


def keep(check: str, ours: Path, later: Path, tree: Path = ROOT) -> None:
    """For later trees; what belongs to other packages goes."""
    for other in later.parent.glob("*"):
        if other != later:
            shutil.rmtree(other, ignore_errors=True)
    later.mkdir(parents=True, exist_ok=True)
    for name in KNOWN[check]:
        if (ours / name).exists():
            fresh = later / f"{name}.{os.getpid()}"
            fresh.write_text((ours / name).read_text().replace(str(tree), _HERE))
            fresh.replace(later / name)


if __name__ == "__main__":
    sys.exit(main())
