"""What a provider may do to the machine. Agent and installer hold the real one (local.py), tests the fake one.

Commands are argv lists, never a shell. File calls raise OSError with the kernel's own errno: configfs speaks by errno
(EINVAL, EEXIST, ENOTEMPTY, EBUSY), and only the provider that wrote knows the words for it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lunette.domain.base import Model


class CommandResult(Model):
    """What a command printed and how it ended."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str


class RpcCall(Model):
    """One request to a program that speaks JSON-RPC 2.0."""

    method: str
    params: Mapping[str, Any]


class RpcAnswer(Model):
    """`error` is what the program says against it, with its number; None where it did it."""

    result: Any = None
    error: str | None = None


class FileFacts(Model):
    """Of a file or folder itself, not of what a link leads to. `mode`: the permission bits."""

    is_plain: bool
    """A regular file, or a folder."""
    uid: int
    mode: int


class System(Protocol):
    """Access to the machine. Paths are absolute; times are seconds."""

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        """Run a command to its end.

        Raises ToolFailed if its code is not in `ok` or the time is over (its whole process group is killed then),
        Unavailable, naming the Debian package, if the tool is not installed.
        """
        ...

    def ask(self, program: str, words: Sequence[str], *, timeout_s: float, limit_bytes: int) -> str:
        """What a program that is not ours prints. `program` is its path.

        Raises ToolFailed if it ends with another code than 0, takes too long, or prints more than `limit_bytes`; it and
        all it started are killed then.
        """
        ...

    def file_facts(self, path: str) -> FileFacts | None:
        """Whose a file or folder is and who may change it; None if there is none."""
        ...

    def find_tool(self, name: str) -> str | None:
        """The path `run` would use for this tool, None if it is not installed."""
        ...

    def call(self, socket: str, calls: Sequence[RpcCall], *, timeout_s: float = 30.0) -> tuple[RpcAnswer, ...]:
        """Send requests to the program behind a Unix socket, all before the first answer; answers in the same order.

        The program may process them concurrently. Raises Unavailable if no program listens there (nothing was done),
        ToolFailed if the connection or the time ends early: the requests may or may not have been processed.
        """
        ...

    def read(self, path: str) -> str:
        """The text of a file or attribute. Raises OSError."""
        ...

    def write(self, path: str, text: str) -> None:
        """Hand `text` to an existing file in one write(2), as configfs and sysfs attributes want it. Raises OSError."""
        ...

    def read_file(self, path: str) -> bytes | None:
        """The bytes of a plain file, None if there is none."""
        ...

    def write_durably(self, path: str, data: bytes, mode: int = 0o600) -> None:
        """Replace a plain file so that after a power cut it is the old or the new one whole, and new once we return."""
        ...

    def append_durably(self, path: str, data: bytes, mode: int = 0o600) -> None:
        """Add to a plain file, which is made if there is none, so that it survives a power cut once we return.

        A power cut before that may leave a part of `data` at its end.
        """
        ...

    def rename(self, path: str, to: str) -> None:
        """Give a plain file another name in its folder, in the place of what has it; durable once we return.

        It works where the file system is full. Raises OSError.
        """
        ...

    def exists(self, path: str) -> bool: ...

    def is_dir(self, path: str) -> bool: ...

    def is_block_device(self, path: str) -> bool: ...

    def listdir(self, path: str) -> list[str]:
        """Sorted names in a directory, [] if it does not exist."""
        ...

    def mkdir(self, path: str) -> None: ...

    def rmdir(self, path: str) -> None: ...

    def symlink(self, target: str, link: str) -> None: ...

    def unlink(self, path: str) -> None: ...

    def readlink(self, path: str) -> str: ...

    def realpath(self, path: str) -> str: ...

    def is_held(self, device: str) -> bool:
        """True if someone uses the block device: the kernel refuses an exclusive open (EBUSY)."""
        ...

    def unheld_bytes(self, device: str) -> int | None:
        """The size of a block device in bytes, by one exclusive open; None if someone uses it. Raises OSError."""
        ...

    def zero(self, device: str, offset: int, length: int) -> None:
        """Write zeros to an unused block device, and return once they are on stable storage. Bytes."""
        ...

    def read_range(self, device: str, offset: int, length: int) -> bytes:
        """Bytes of a block device, fewer where it ends. Raises OSError."""
        ...

    def write_range(self, device: str, offset: int, data: bytes) -> None:
        """Write to an unused block device, and return once it is on stable storage. Raises OSError."""
        ...

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...
