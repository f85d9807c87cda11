"""Trees of files: a cheap copy of the base, and additions that never write into the base's files."""

import os
import shutil
from pathlib import Path

from .problem import ImageProblem
from .progress import run

EPOCH_S = 1767225600
"""Time of every file of what is published, so that the same source makes the same bytes: 1 January 2026."""
INSIDE = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "SYSTEMD_OFFLINE": "1",
    "DEBIAN_FRONTEND": "noninteractive",
    "SOURCE_DATE_EPOCH": str(EPOCH_S),
}
"""Environment of programs that run in a tree."""


def linked_copy(source: Path, target: Path) -> None:
    """Copies a tree with hard links: folders are new, files are shared with `source`."""
    run(["cp", "-al", "--", str(source), str(target)], timeout_s=300)


def add_file(source: Path, target: Path, mode: int | None = None) -> None:
    """Copies one file or symbolic link to `target`, replacing what is there, owned by root."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or target.exists():
        target.unlink()
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
        return
    shutil.copyfile(source, target)
    executable = os.access(source, os.X_OK)
    target.chmod(mode if mode is not None else 0o755 if executable else 0o644)


def write_file(target: Path, text: str, mode: int = 0o644) -> None:
    """Puts a new file at `target`; an old one is replaced, not written into."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.write_text(text)
    target.chmod(mode)


def add_tree(source: Path, target: Path) -> None:
    """Adds every file of `source` below `target`; folders that exist keep their permissions."""
    for folder, names, files in os.walk(source):
        names[:] = sorted(name for name in names if name != "__pycache__")
        inside = target / Path(folder).relative_to(source)
        links = [name for name in names if (Path(folder) / name).is_symlink()]
        if not inside.is_dir():
            inside.mkdir(parents=True, mode=0o755)
        for name in [*sorted(files), *links]:
            add_file(Path(folder) / name, inside / name)


def in_root(root: Path, *argv: str, timeout_s: float = 300, log: Path | None = None) -> None:
    """Runs a program of the tree inside it; needs root."""
    if os.geteuid() != 0:
        raise ImageProblem("building the image needs root (it makes files of other owners): run it with sudo")
    run(["chroot", str(root), *argv], timeout_s=timeout_s, env=INSIDE, log=log)


def in_root_with_proc(root: Path, *argv: str, timeout_s: float = 300, log: Path | None = None) -> None:
    """The same with /proc, which is unmounted after the program."""
    script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    run(["unshare", "--mount", "sh", "-c", script, str(root), *argv], timeout_s=timeout_s, env=INSIDE, log=log)
