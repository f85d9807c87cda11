"""configfs itself: folders that are kernel objects, attributes that answer, links that the kernel may refuse.

The rules of fs/configfs/dir.c and symlink.c (Linux 6.12), which know nothing of LIO:
* mkdir asks the parent's type; where that makes nothing, EPERM. Default groups and attributes appear with the folder.
* rmdir of a default group: EPERM. With a folder or link that a user made inside, also deeper in default groups:
  ENOTEMPTY. While a link points to it: EBUSY.
* symlink needs an existing target in the same tree (ENOENT) and a type that allows links (EPERM).
* a missing attribute is ENOENT, writing a read-only one or reading a write-only one EACCES.
"""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field


def refuse(code: int, path: str = "") -> OSError:
    """The OSError the kernel's errno becomes in user space (the subclass Python picks for it)."""
    return OSError(code, os.strerror(code), path)


@dataclass
class Attribute:
    """One file. `show` gives the whole text; `store` raises OSError to refuse."""

    show: Callable[[], str] | None = None
    store: Callable[[str], None] | None = None


def setting(value: str, check: Callable[[str], None] | None = None) -> Attribute:
    """An attribute that keeps what was written, shown with a newline."""
    held = [value]

    def store(text: str) -> None:
        if check:
            check(text)
        held[0] = text.rstrip("\n")

    return Attribute(show=lambda: f"{held[0]}\n", store=store)


def constant(value: str) -> Attribute:
    """A read-only attribute."""
    return Attribute(show=lambda: f"{value}\n")


@dataclass(eq=False)
class Group:
    """One folder: a kernel object of some kind."""

    name: str
    kind: str
    attributes: dict[str, Attribute] = field(default_factory=dict)
    children: dict[str, "Group"] = field(default_factory=dict)
    links: dict[str, "Group"] = field(default_factory=dict)
    parent: "Group | None" = None
    is_default: bool = False
    pointed_at: int = 0
    make: Callable[[str], "Group"] | None = None
    allow_link: Callable[["Group"], None] | None = None
    drop_link: Callable[["Group"], None] | None = None
    drop: Callable[[], None] | None = None

    def add_default(self, group: "Group") -> "Group":
        """Attach a group that comes and goes with this one."""
        group.is_default, group.parent = True, self
        self.children[group.name] = group
        return group

    def path(self) -> str:
        return f"{self.parent.path()}/{self.name}" if self.parent else self.name

    def has_user_items(self) -> bool:
        return bool(self.links) or any(not c.is_default or c.has_user_items() for c in self.children.values())


class FakeConfigfs:
    """The file calls on a tree whose root group is mounted at `mount`."""

    def __init__(self, root: Group, mount: str) -> None:
        self._root = root
        self._mount = mount

    def find(self, path: str) -> Group | Attribute | None:
        """The object at a path, following links; None if there is none."""
        here: Group = self._root
        parts = [part for part in path.removeprefix(self._mount).split("/") if part]
        for index, part in enumerate(parts):
            if part in here.attributes and index == len(parts) - 1:
                return here.attributes[part]
            following = here.children.get(part) or here.links.get(part)
            if following is None:
                return None
            here = following
        return here

    def group(self, path: str) -> Group:
        found = self.find(path)
        if found is None:
            raise refuse(errno.ENOENT, path)
        if isinstance(found, Attribute):
            raise refuse(errno.ENOTDIR, path)
        return found

    def _parent(self, path: str) -> tuple[Group, str]:
        parent, _, name = path.rstrip("/").rpartition("/")
        return self.group(parent), name

    def read(self, path: str) -> str:
        found = self.find(path)
        if found is None:
            raise refuse(errno.ENOENT, path)
        if isinstance(found, Group):
            raise refuse(errno.EISDIR, path)
        if found.show is None:
            raise refuse(errno.EACCES, path)
        return found.show()

    def write(self, path: str, text: str) -> None:
        found = self.find(path)
        if found is None:
            raise refuse(errno.ENOENT, path)
        if isinstance(found, Group):
            raise refuse(errno.EISDIR, path)
        if found.store is None:
            raise refuse(errno.EACCES, path)
        if text:  # an empty write(2) never reaches the attribute
            found.store(text)

    def listdir(self, path: str) -> list[str]:
        found = self.find(path)
        if not isinstance(found, Group):
            return []
        return sorted([*found.attributes, *found.children, *found.links])

    def mkdir(self, path: str) -> None:
        parent, name = self._parent(path)
        if name in parent.children or name in parent.attributes or name in parent.links:
            raise refuse(errno.EEXIST, path)
        if parent.make is None:
            raise refuse(errno.EPERM, path)
        child = parent.make(name)
        child.parent = parent
        parent.children[name] = child

    def rmdir(self, path: str) -> None:
        parent, name = self._parent(path)
        if name not in parent.children:
            raise refuse(errno.ENOTDIR if name in parent.attributes or name in parent.links else errno.ENOENT, path)
        group = parent.children[name]
        if group.is_default:
            raise refuse(errno.EPERM, path)
        if group.pointed_at:
            raise refuse(errno.EBUSY, path)
        if group.has_user_items():
            raise refuse(errno.ENOTEMPTY, path)
        if group.drop:
            group.drop()
        del parent.children[name]

    def symlink(self, target: str, link: str) -> None:
        parent, name = self._parent(link)
        if parent.allow_link is None:
            raise refuse(errno.EPERM, link)
        absolute = target if target.startswith("/") else os.path.normpath(f"{link.rpartition('/')[0]}/{target}")
        found = self.find(absolute)
        if not isinstance(found, Group):
            raise refuse(errno.ENOENT, target)
        if name in parent.children or name in parent.attributes or name in parent.links:
            raise refuse(errno.EEXIST, link)
        parent.allow_link(found)
        parent.links[name] = found
        found.pointed_at += 1

    def unlink(self, path: str) -> None:
        parent, name = self._parent(path)
        if name in parent.children:
            raise refuse(errno.EISDIR, path)
        if name in parent.attributes:
            raise refuse(errno.EPERM, path)
        if name not in parent.links:
            raise refuse(errno.ENOENT, path)
        target = parent.links.pop(name)
        target.pointed_at -= 1
        if parent.drop_link:
            parent.drop_link(target)

    def readlink(self, path: str) -> str:
        parent, name = self._parent(path)
        if name not in parent.links:
            raise refuse(errno.EINVAL if self.find(path) else errno.ENOENT, path)
        up = "../" * len(parent.path().split("/"))
        return f"{up}{parent.links[name].path()}"

    def realpath(self, path: str) -> str:
        found = self.find(path)
        return f"{self._mount}{self._below(found)}" if isinstance(found, Group) else path

    def _below(self, group: Group) -> str:
        return group.path().removeprefix(self._root.name)
