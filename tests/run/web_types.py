"""Types of the web page, by vue-tsc, which looks again only at what has changed since it last found nothing wrong.

What it knows is in files beside the packages (`tsBuildInfoFile`), with paths that are relative: a new clone starts with
those of an earlier one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.run.command import ROOT, cache_folder

_FRONTEND = ROOT / "frontend"
_KNOWN = "*.tsbuildinfo"


def main() -> int:
    """Checks this tree; the exit code of the check."""
    ours, packages = _FRONTEND / "node_modules/.cache", (_FRONTEND / "node_modules/.made").read_text().strip()
    later = cache_folder() / "vue-tsc" / packages
    bring(later, ours)
    code = subprocess.run(["npm", "--prefix", str(_FRONTEND), "run", "check:types"], check=False).returncode
    if code == 0:
        keep(ours, later)
    return code


def bring(later: Path, ours: Path) -> None:
    """Puts there what an earlier tree with the same packages knew, where this one knows nothing yet.

    It counts as older than every file: vue-tsc then compares what is in them. By their times alone it would take a file
    for unchanged that was written before the other tree was checked.
    """
    ours.mkdir(parents=True, exist_ok=True)
    if any(ours.glob(_KNOWN)):
        return
    for known in later.glob(_KNOWN):
        shutil.copyfile(known, ours / known.name)
        os.utime(ours / known.name, (1, 1))


def keep(ours: Path, later: Path) -> None:
    """For later trees; what belongs to other packages goes."""
    for other in later.parent.glob("*"):
        if other != later:
            shutil.rmtree(other, ignore_errors=True)
    later.mkdir(parents=True, exist_ok=True)
    for known in ours.glob(_KNOWN):
        fresh = later / f"{known.name}.{os.getpid()}"
        shutil.copyfile(known, fresh)
        fresh.replace(later / known.name)


if __name__ == "__main__":
    sys.exit(main())
