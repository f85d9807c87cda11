"""Plain files. Only what was written durably is there after a power cut; /run is gone after every reboot."""

import errno
from dataclasses import dataclass

FOLDERS = ("/etc/target/pr", "/etc/target/alua", "/var/lib/lunette/agent", "/run/lunette", "/run/systemd/system")
"""What the image and the service manager make."""


@dataclass
class _File:
    now: bytes
    on_disk: bytes | None
    mode: int = 0o644


class Files:
    """A flat store of files and folders by absolute path."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._folders: set[str] = {"/"}
        self.owners: dict[str, int] = {}
        """Uids of what is not root's."""
        self._make_folders()

    def _make_folders(self) -> None:
        for folder in FOLDERS:
            self.seed(f"{folder}/.keep", b"")

    def seed(self, path: str, data: bytes) -> None:
        """Put a file there as the image has it, with the folders above it."""
        parent = path
        while parent != "/":
            parent = parent.rpartition("/")[0] or "/"
            self._folders.add(parent)
        self.write_durably(path, data, 0o644)

    def read(self, path: str) -> bytes:
        if path in self._files:
            return self._files[path].now
        if self.is_dir(path):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)

    def mode(self, path: str) -> int:
        """The permission bits of a file."""
        self.read(path)
        return self._files[path].mode

    def write(self, path: str, data: bytes) -> None:
        """Overwrite an existing file; not on stable storage yet."""
        self.read(path)
        self._files[path].now = data

    def write_durably(self, path: str, data: bytes, mode: int) -> None:
        if not self.is_dir(path.rpartition("/")[0] or "/"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        self._files[path] = _File(data, data, mode)

    def append_durably(self, path: str, data: bytes, mode: int) -> None:
        self.write_durably(path, (self._files[path].now if path in self._files else b"") + data, mode)

    def rename(self, path: str, to: str) -> None:
        self.read(path)
        self._files[to] = self._files.pop(path)

    def exists(self, path: str) -> bool:
        return path in self._files or self.is_dir(path)

    def is_dir(self, path: str) -> bool:
        return path in self._folders

    def listdir(self, path: str) -> list[str]:
        prefix = path.rstrip("/") + "/"
        everything = [*self._files, *self._folders]
        return sorted({p[len(prefix) :].split("/")[0] for p in everything if p.startswith(prefix) and p != prefix})

    def mkdir(self, path: str) -> None:
        if self.exists(path):
            raise FileExistsError(errno.EEXIST, "File exists", path)
        if not self.is_dir(path.rpartition("/")[0] or "/"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        self._folders.add(path)

    def rmdir(self, path: str) -> None:
        if not self.is_dir(path):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        if self.listdir(path):
            raise OSError(errno.ENOTEMPTY, "Directory not empty", path)
        self._folders.discard(path)

    def unlink(self, path: str) -> None:
        self.read(path)
        del self._files[path]

    def reboot(self, *, power_cut: bool) -> None:
        """A reboot keeps what the page cache held; a power cut only what reached the disk."""
        for path, file in list(self._files.items()):
            if power_cut and file.on_disk is not None:
                file.now = file.on_disk
            if path.startswith("/run/") or (power_cut and file.on_disk is None):
                del self._files[path]
            file.on_disk = file.now
        self._folders = {folder for folder in self._folders if not folder.startswith("/run/")}
        self._make_folders()
