"""Small moves in LIO's part of configfs, counted, and the kernel's refusals put into words."""

import errno
from collections.abc import Callable

from lunette.domain.errors import Unavailable
from lunette.providers.exports.lio.tree import Attribute
from lunette.system.doorway import System

ROOT = "/sys/kernel/config/target"
DB_ROOT = "/etc/target"
_CLEARED = "NULL"
"""Writing this word to a CHAP attribute clears it, and reading gives it back."""
_WORDS = {
    errno.EBUSY: "it is in use",
    errno.ENODEV: "its device is not there",
}


class Refused(Exception):
    """The kernel refused a move; the text says which and why."""


class Configfs:
    """Paths are below ROOT. `changed` counts writes, links and folders made or removed."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.changed = 0

    def names(self, path: str) -> list[str]:
        return self.system.listdir(f"{ROOT}/{path}")

    def folders(self, path: str) -> list[str]:
        """Names of folders only: configfs mixes attributes and folders."""
        return [name for name in self.names(path) if self.system.is_dir(f"{ROOT}/{path}/{name}")]

    def exists(self, path: str) -> bool:
        return self.system.exists(f"{ROOT}/{path}")

    def read(self, path: str) -> str:
        """An attribute without the newline; "" where it cannot be read."""
        try:
            return self.system.read(f"{ROOT}/{path}").rstrip("\n")
        except OSError:
            return ""

    def points_to(self, link: str) -> str | None:
        """Where a link leads, below ROOT; None if there is no such link."""
        try:
            found = self.system.readlink(f"{ROOT}/{link}")
        except OSError:
            return None
        return found.removeprefix(f"{ROOT}/").rpartition("../")[2].removeprefix("target/")

    def mkdir(self, path: str) -> None:
        self._move(f"make {path}", lambda: self.system.mkdir(f"{ROOT}/{path}"))

    def listen(self, path: str) -> None:
        """Make a portal. The kernel says no more than EINVAL where it cannot bind (6.12)."""
        try:
            if not self.exists(path):
                self.mkdir(path)
        except Refused as error:
            where = path.rpartition("/")[2]
            raise Refused(
                f"nobody can listen on {where}: the machine does not have this address, or another portal or program "
                "has this port"
            ) from error

    def rmdir(self, path: str) -> None:
        self._move(f"remove {path}", lambda: self.system.rmdir(f"{ROOT}/{path}"))

    def link(self, path: str, target: str) -> None:
        self._move(f"link {path}", lambda: self.system.symlink(f"{ROOT}/{target}", f"{ROOT}/{path}"))

    def unlink(self, path: str) -> None:
        self._move(f"unlink {path}", lambda: self.system.unlink(f"{ROOT}/{path}"))

    def write(self, path: str, value: str) -> None:
        """Without a newline: CHAP attributes would keep it as part of the secret. The value is in no message."""
        self._move(f"set {path}", lambda: self.system.write(f"{ROOT}/{path}", value))

    def hold(self, path: str, attribute: Attribute) -> None:
        """Write the attribute only if it holds something else: some kernels refuse a write that changes nothing."""
        found = self.read(f"{path}/{attribute.name}")
        if attribute.secret:
            if ("" if found == _CLEARED else found) != attribute.value:
                self.write(f"{path}/{attribute.name}", attribute.value or _CLEARED)
        elif found != attribute.value:
            self.write(f"{path}/{attribute.name}", attribute.value)

    def remove_linked(self, path: str) -> None:
        """Remove a folder that holds links, such as a LUN."""
        for name in self.names(path):
            if self.points_to(f"{path}/{name}") is not None:
                self.unlink(f"{path}/{name}")
        self.rmdir(path)

    def _move(self, what: str, move: Callable[[], None]) -> None:
        try:
            move()
        except OSError as error:
            why = _WORDS.get(error.errno or 0) or error.strerror or str(error)
            raise Refused(f"the kernel refused to {what}: {why}") from error
        self.changed += 1


def prepare(system: System) -> None:
    """Bring LIO up with its data folder, before any fabric. Raises Unavailable with what is missing."""
    for module in ("target_core_mod", "target_core_iblock", "iscsi_target_mod"):
        if system.find_tool("modprobe"):
            system.run(["modprobe", "-q", module], ok=(0, 1))
        if module == "target_core_mod":
            _set_data_folder(system)
    if not system.is_dir(f"{ROOT}/iscsi"):
        try:
            system.mkdir(f"{ROOT}/iscsi")
        except OSError as error:
            raise Unavailable(
                f"the kernel offers no iSCSI target ({error.strerror}): "
                "boot a kernel with LIO (Debian package linux-image-amd64)"
            ) from error


def _set_data_folder(system: System) -> None:
    """Persistent reservations live below dbroot, which can be set only while no fabric is loaded."""
    if not system.is_dir(ROOT):
        raise Unavailable(
            "the kernel has no LIO target: boot one with target_core_mod (Debian package linux-image-amd64)"
        )
    for folder in ("", "/pr", "/alua"):
        if not system.is_dir(f"{DB_ROOT}{folder}"):
            system.mkdir(f"{DB_ROOT}{folder}")
    if system.read(f"{ROOT}/dbroot").strip() != DB_ROOT and not system.is_dir(f"{ROOT}/iscsi"):
        system.write(f"{ROOT}/dbroot", DB_ROOT)
