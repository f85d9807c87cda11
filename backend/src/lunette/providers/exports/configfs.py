"""Single operations in one target's part of configfs, counted, with the kernel's refusals in words."""

import errno
from collections.abc import Callable, KeysView
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from lunette.system.system_port import System

MOST = 200
_MISSING = "was missing"
_WORDS = {
    errno.EBUSY: "it is in use",
    errno.ENODEV: "its device does not exist",
    errno.ENOENT: "its device does not exist",
    errno.EADDRNOTAVAIL: "the appliance does not have this address",
    errno.EADDRINUSE: "another portal or program uses this port",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A file below a directory and the text it must contain."""

    name: str
    value: str
    secret: bool = False
    shown: str | None = None
    """What reading it returns if that differs from what was written."""


class KernelRefused(Exception):
    """The kernel refused an operation; the text says which and why."""


class Configfs:
    """Paths are below `root`. `changed` counts writes, and links and directories created or removed.

    `found` records the previous state of each, up to MOST; without what is written to sysfs.
    """

    cleared: ClassVar[str] = ""
    """What is written to a secret attribute to clear it."""

    def __init__(self, system: System, root: str) -> None:
        self.system, self.root = system, root
        self.changed = 0
        self.found: list[tuple[str, str]] = []

    def _at(self, path: str) -> str:
        """The whole path of what is below the root. Raises KernelRefused for one that would lead out of it.

        Links lead out of the root only if root created them: no other user writes to configfs.
        """
        inside = f"/{path}/"
        if path and ("//" in inside or "/./" in inside or "/../" in inside or "\0" in path):
            raise KernelRefused(f"{path!r} does not stay below {self.root}")
        return f"{self.root}/{path}"

    def names(self, path: str) -> list[str]:
        return self.system.listdir(self._at(path))

    def folders(self, path: str, *, but: str | None = None) -> list[str]:
        """Names of directories only, except for those with this prefix: configfs mixes attributes and directories."""
        names = [name for name in self.names(path) if but is None or not name.startswith(but)]
        return [name for name in names if self.system.is_dir(self._at(f"{path}/{name}" if path else name))]

    def exists(self, path: str) -> bool:
        return self.system.exists(self._at(path))

    def read(self, path: str) -> str:
        """An attribute without the newline; "" if it cannot be read."""
        try:
            return self.system.read(self._at(path)).rstrip("\n")
        except OSError:
            return ""

    def points_to(self, link: str) -> str | None:
        """Where a link leads, below the root; None if there is no such link."""
        try:
            found = self.system.readlink(self._at(link))
        except OSError:
            return None
        below = found.removeprefix(f"{self.root}/").rpartition("../")[2]
        return below.removeprefix(f"{self.root.rpartition('/')[2]}/")

    def mkdir(self, path: str) -> None:
        self._move(f"make {path}", lambda: self.system.mkdir(self._at(path)), (path, _MISSING))

    def rmdir(self, path: str) -> None:
        self._move(f"remove {path}", lambda: self.system.rmdir(self._at(path)), (path, "was unexpected"))

    def link(self, path: str, target: str) -> None:
        make = partial(self.system.symlink, self._at(target), self._at(path))
        self._move(f"link {path}", make, (path, _MISSING))

    def unlink(self, path: str) -> None:
        self._move(f"unlink {path}", lambda: self.system.unlink(self._at(path)), (path, "was unexpected"))

    def write(self, path: str, value: str) -> None:
        """Without a newline: LIO's CHAP attributes would store it. The value appears in no message."""
        self._move(f"set {path}", lambda: self.system.write(self._at(path), value), (path, "was different"))

    def write_sysfs(self, path: str, value: str) -> None:
        """Set an attribute of a device, by its whole path."""
        self._move(f"set {path} to {value}", lambda: self.system.write(path, value))

    def hold(self, path: str, attribute: Attribute, found: str | None = None) -> None:
        """Write the attribute only if it contains something else: some kernels refuse a write that changes nothing.

        `found` is what it contains, where that is known.
        """
        if found is None:
            found = self.read(f"{path}/{attribute.name}")
        if attribute.secret and found == self.cleared:
            found = ""
        if found != (attribute.value if attribute.shown is None else attribute.shown):
            self.write(f"{path}/{attribute.name}", attribute.value or (self.cleared if attribute.secret else ""))

    def remove_linked(self, path: str) -> None:
        """Remove a directory that contains links, such as a LUN."""
        for name in self.names(path):
            if self.points_to(f"{path}/{name}") is not None:
                self.unlink(f"{path}/{name}")
        self.rmdir(path)

    def put_right(self, failed: KeysView[str]) -> tuple[str, ...]:
        """How things were that are right now, in words: without what is at or below a path that failed, and what is
        below a folder that was missing itself."""
        missing = {path for path, was in self.found if was == _MISSING}
        return tuple(
            f"{path} {was}"
            for path, was in self.found
            if failed.isdisjoint((path, *_above(path))) and missing.isdisjoint(_above(path))
        )

    def _move(self, what: str, move: Callable[[], None], was: tuple[str, str] | None = None) -> None:
        try:
            move()
        except OSError as error:
            why = _WORDS.get(error.errno or 0) or error.strerror or str(error)
            raise KernelRefused(f"the kernel refused to {what}: {why}") from error
        self.changed += 1
        if was is not None and len(self.found) < MOST:
            self.found.append(was)


def _above(path: str) -> list[str]:
    """The folders that a path is in."""
    return [path.rsplit("/", count)[0] for count in range(1, path.count("/") + 1)]


def attempt(failed: dict[str, str], path: str, move: Callable[[], None]) -> None:
    """Run an operation; a refusal is recorded under the path and blocks nothing else."""
    try:
        move()
    except KernelRefused as error:
        failed[path] = str(error)
