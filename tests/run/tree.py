"""The files of the repository as git sees them: committed, or new and not ignored."""

import os
import subprocess
from pathlib import Path

from tests.run.command import ROOT

_GENERATED = ("frontend/src/api/", "ansible/plugins/modules/", "lunette/client/generated/")


def files(*suffixes: str, root: Path = ROOT) -> list[Path]:
    """Every file that exists and whose name ends in one of the suffixes; all of them where none is given."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout
    paths = sorted(root / os.fsdecode(name) for name in set(listed.split(b"\0")) - {b""})
    return [path for path in paths if path.is_file() and (not suffixes or path.name.endswith(suffixes))]


def is_generated(path: Path) -> bool:
    """True for what a program wrote from openapi.json or another source in the tree."""
    return ".gen." in path.name or any(part in path.as_posix() for part in _GENERATED)
