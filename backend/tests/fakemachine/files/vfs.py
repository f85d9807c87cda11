"""One path space over three kinds of files: configfs, the views of /dev, /sys and /proc, and plain files."""

import errno
from collections.abc import Callable

from backend.tests.fakemachine.files.configfs import FakeConfigfs, Group, refuse
from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.files.views import Link, Tree, child

CONFIGFS = "/sys/kernel/config"
_SEEN = ("/dev", "/sys", "/proc")


class Vfs:
    """File calls by absolute path. Raises OSError as the kernel does."""

    def __init__(self, files: Files, view: Callable[[], Tree], write_sysfs: Callable[[str, str], None]) -> None:
        self.files, self._view, self._write_sysfs = files, view, write_sysfs
        self.configfs: dict[str, FakeConfigfs] = {}
        """The trees that loaded modules brought, by name: target, nvmet."""

    def mount(self, root: Group) -> None:
        """A module brings its tree."""
        self.configfs[root.name] = FakeConfigfs(root, f"{CONFIGFS}/{root.name}")

    def _target(self, path: str) -> FakeConfigfs | None:
        name = path.removeprefix(f"{CONFIGFS}/").partition("/")[0] if path.startswith(f"{CONFIGFS}/") else ""
        return self.configfs.get(name)

    def _is_seen(self, path: str) -> bool:
        return path.startswith(tuple(f"{top}/" for top in _SEEN)) or path in _SEEN

    def _walk(self, path: str, *, follow: bool) -> tuple[Tree | Link | str | None, str]:
        """The node in the views and its path without links; None if there is none."""
        done: list[str] = []
        todo = [part for part in path.split("/") if part]
        here: Tree | Link | str | None = self._view()
        for _ in range(200):
            if not todo:
                return here, "/" + "/".join(done)
            part = todo.pop(0)
            if part in (".", ".."):
                done = done[:-1] if part == ".." else done
                here = self._at(done)
                continue
            following = child(here, part) if isinstance(here, dict) else None
            if isinstance(following, Link) and (todo or follow):
                if following.target.startswith("/"):
                    done, here = [], self._view()
                todo = [p for p in following.target.split("/") if p] + todo
                continue
            done.append(part)
            here = following
            if here is None:
                return None, "/" + "/".join(done + todo)
        raise refuse(errno.ELOOP, path)

    def _at(self, parts: list[str]) -> Tree | Link | str | None:
        here: Tree | Link | str | None = self._view()
        for part in parts:
            here = child(here, part) if isinstance(here, dict) else None
        return here

    def read(self, path: str) -> str:
        target = self._target(path)
        if target:
            return target.read(path)
        if not self._is_seen(path):
            return self.files.read(path).decode()
        node, _ = self._walk(path, follow=True)
        if node is None:
            raise refuse(errno.ENOENT, path)
        if not isinstance(node, str):
            raise refuse(errno.EISDIR, path)
        return node

    def write(self, path: str, text: str) -> None:
        target = self._target(path)
        if target:
            target.write(path, text)
        elif self._is_seen(path):
            self.read(path)
            self._write_sysfs(path, text)
        else:
            self.files.write(path, text.encode())

    def exists(self, path: str) -> bool:
        target = self._target(path)
        if target:
            return target.find(path) is not None
        if path == CONFIGFS:
            return True
        return self._walk(path, follow=True)[0] is not None if self._is_seen(path) else self.files.exists(path)

    def is_dir(self, path: str) -> bool:
        target = self._target(path)
        if target:
            return isinstance(target.find(path), Group)
        if path == CONFIGFS:
            return True
        if self._is_seen(path):
            return isinstance(self._walk(path, follow=True)[0], dict)
        return self.files.is_dir(path)

    def listdir(self, path: str) -> list[str]:
        target = self._target(path)
        if target:
            return target.listdir(path)
        if path == CONFIGFS:
            return sorted(self.configfs)
        if self._is_seen(path):
            node, _ = self._walk(path, follow=True)
            return sorted(node) if isinstance(node, dict) else []
        return self.files.listdir(path)

    def _configfs_only(self, path: str) -> FakeConfigfs:
        target = self._target(path)
        if target is None:
            raise refuse(errno.EPERM, path)
        return target

    def mkdir(self, path: str) -> None:
        if self._is_seen(path):
            self._configfs_only(path).mkdir(path)
        else:
            self.files.mkdir(path)

    def rmdir(self, path: str) -> None:
        if self._is_seen(path):
            self._configfs_only(path).rmdir(path)
        else:
            self.files.rmdir(path)

    def symlink(self, target: str, link: str) -> None:
        self._configfs_only(link).symlink(target, link)

    def unlink(self, path: str) -> None:
        if self._is_seen(path):
            self._configfs_only(path).unlink(path)
        else:
            self.files.unlink(path)

    def readlink(self, path: str) -> str:
        target = self._target(path)
        if target:
            return target.readlink(path)
        node, _ = self._walk(path, follow=False)
        if isinstance(node, Link):
            return node.target
        raise refuse(errno.ENOENT if node is None else errno.EINVAL, path)

    def realpath(self, path: str) -> str:
        target = self._target(path)
        if target:
            return target.realpath(path)
        return self._walk(path, follow=True)[1] if self._is_seen(path) else path
