"""Layers in the cache folder: keyed by content, built once, published by one rename.

A layer is a folder `<cache>/image/<name>-<key>`. It is built in a temporary folder next to it
and appears under its final name only when complete, so a killed build leaves nothing half done.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .problem import ImageProblem
from .progress import say

KEY_LENGTH = 16


def cache_root() -> Path:
    """Lunette's cache folder: LUNETTE_CACHE, else the user's cache folder plus `lunette`."""
    chosen = os.environ.get("LUNETTE_CACHE")
    if chosen:
        return Path(chosen).expanduser().resolve()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().resolve() / "lunette"


def files_under(path: Path) -> Iterator[Path]:
    """Files and symbolic links at or below `path`, sorted, without Python's own caches."""
    if path.is_symlink() or path.is_file():
        yield path
        return
    for child in sorted(path.rglob("*")):
        if "__pycache__" not in child.parts and (child.is_symlink() or child.is_file()):
            yield child


def content_key(paths: Iterable[Path], *words: str) -> str:
    """A key that changes when a word, a file's place, permission, link target or content changes.

    Times and the place of the whole tree do not count, so two clones share layers.
    """
    digest = hashlib.sha256()
    for word in words:
        digest.update(b"word\0" + word.encode() + b"\0")
    for top in paths:
        for file in files_under(top):
            place = "." if file == top else str(file.relative_to(top))
            digest.update(b"file\0" + top.name.encode() + b"\0" + place.encode() + b"\0")
            if file.is_symlink():
                digest.update(b"link\0" + os.readlink(file).encode() + b"\0")
            else:
                executable = b"x" if os.access(file, os.X_OK) else b"-"
                digest.update(executable + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:KEY_LENGTH]


class Cache:
    """The image part of the cache folder."""

    def __init__(self, root: Path | None = None) -> None:
        self.folder = (root or cache_root()) / "image"
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str, key: str) -> Path:
        """The path of the layer, whether it exists or not."""
        return self.folder / f"{name}-{key}"

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Holds the lock of one kind of layer; waits, with a message, while another build holds it."""
        with (self.folder / f".{name}.lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"{name}: another build is making this layer, waiting for it")
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def layer(self, name: str, key: str, build: Callable[[Path], None], *, keep: int = 3) -> Path:
        """The finished layer, built by `build(empty folder)` if it does not exist yet.

        Keeps the `keep` layers of this kind that were used last and those in use, on whose folder a process holds a
        shared lock (flock), and removes the rest.
        """
        final = self.path(name, key)
        if not final.is_dir():
            with self.lock(name):
                if not final.is_dir():
                    self._build(name, final, build)
        os.utime(final)
        self._prune(name, keep)
        return final

    def _build(self, name: str, final: Path, build: Callable[[Path], None]) -> None:
        for left in [*self.folder.glob(f".tmp-{name}-*"), *self.folder.glob(f".tmp-gone-{name}-*")]:
            remove_tree(left)
        work = Path(tempfile.mkdtemp(prefix=f".tmp-{name}-", dir=self.folder))
        work.chmod(0o755)
        try:
            build(work)
            work.rename(final)
        finally:
            if work.exists():
                remove_tree(work)

    def _prune(self, name: str, keep: int) -> None:
        with os.scandir(self.folder) as entries:
            ages = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.startswith(f"{name}-")]
        for _, old in sorted(ages, reverse=True)[keep:]:
            if not _is_in_use(Path(old)):
                remove_tree(Path(old))


def _is_in_use(layer: Path) -> bool:
    try:
        opened = os.open(layer, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False


def mount_points() -> list[Path]:
    """Where file systems are mounted now."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [Path(line.split()[4].encode().decode("unicode_escape")) for line in lines]


def remove_tree(path: Path, mounts: Iterable[Path] | None = None) -> None:
    """Removes a layer, renamed first so that no process sees an incomplete one. Another process may do the same, which
    is fine.

    Refused while something is mounted inside, such as /dev in a tree whose build was killed.
    """
    mounted = [place for place in (mount_points() if mounts is None else mounts) if place.is_relative_to(path)]
    if mounted:
        raise ImageProblem(f"{path} was not removed: {mounted[0]} is mounted there, unmount it and start again")
    doomed = path
    if not path.name.startswith(".tmp-"):
        doomed = path.with_name(f".tmp-gone-{path.name}-{os.getpid()}")
        try:
            path.rename(doomed)
        except FileNotFoundError:
            return
    shutil.rmtree(doomed, ignore_errors=True)
