"""The fake machine: the system port's calls over simulated disks, md, LVM, configfs and files.

It keeps the kernel's rules and real state, so that the providers, the dispatcher and the agent run on it unchanged.
What lies on media and what was written durably survives `reboot`; running arrays, active volumes and configfs do not.
"""

import errno
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from backend.tests.fakemachine.faults import Faults
from backend.tests.fakemachine.files.configfs import refuse
from backend.tests.fakemachine.hardware import Hardware
from backend.tests.fakemachine.nvme.spdk import looks
from lunette.domain.errors import ToolFailed, Unavailable
from lunette.system.system_port import CommandResult, FileFacts, RpcAnswer, RpcCall
from lunette.system.tools import missing_tool

COMMAND_SECONDS = 0.02
"""What a command takes on the fake clock."""


class FakeSystem(Hardware):
    """Implements the system port (lunette.system.system_port.System). What tests do to the machine: hardware.py."""

    def __init__(self) -> None:
        super().__init__()
        self.faults = Faults()
        self.pause_s = 0.0
        """Real seconds that every sleep takes: for tests in which other threads do their part meanwhile."""
        self._one_at_a_time = threading.RLock()

    def half_way(self) -> None:
        self.faults.half_way()

    def die(self) -> None:
        self.faults.dead = True

    def restart_process(self) -> None:
        """The agent's process was started again; the machine went on meanwhile."""
        self.faults.restart_process()

    def reboot(self) -> None:
        super().reboot()
        self.faults.restart_process()

    @contextmanager
    def _call(self, name: str, detail: str, *, changes: bool) -> Iterator[None]:
        with self._one_at_a_time, self.faults.call(name, detail, changes=changes):
            try:
                yield
            finally:
                if changes:
                    self.changed()

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        self.faults.hold(" ".join(argv))
        with self._call("run", " ".join(argv), changes=not self.tools.only_looks(argv)):
            self.advance(COMMAND_SECONDS)
            self.crypt.stdin = self.tools.lvm.stdin = stdin or ""
            answer = self.tools.run(argv)
        if answer is None:
            raise Unavailable(missing_tool(argv[0]))
        code, stdout, stderr = answer
        if code not in ok:
            raise ToolFailed(f"{argv[0]} refused (exit code {code}); the log has its words", log=stderr)
        return CommandResult(argv=tuple(argv), returncode=code, stdout=stdout, stderr=stderr)

    def call(self, socket: str, calls: Sequence[RpcCall], *, timeout_s: float = 30.0) -> tuple[RpcAnswer, ...]:
        found = []
        with self._call("call", ", ".join(one.method for one in calls), changes=not all(looks(one) for one in calls)):
            for one in calls:
                found.append(self.spdk.call(socket, one))
                self.half_way()
        return tuple(found)

    def ask(self, program: str, words: Sequence[str], *, timeout_s: float, limit_bytes: int) -> str:
        with self._call("ask", " ".join((program, *words)), changes=False):
            answer = self.tools.run([program, *words])
        if answer is None:
            raise ToolFailed(f"{program} does not start: No such file or directory")
        code, stdout, _ = answer
        if code or len(stdout.encode()) > limit_bytes:
            what = f"ended with exit code {code}" if code else f"printed more than {limit_bytes} bytes and was stopped"
            raise ToolFailed(f"{program} {what}", log=stdout)
        return stdout

    def file_facts(self, path: str) -> FileFacts | None:
        if not self.files.exists(path):
            return None
        mode = 0o755 if self.files.is_dir(path) else self.files.mode(path)
        return FileFacts(is_plain=True, uid=self.files.owners.get(path, 0), mode=mode)

    def find_tool(self, name: str) -> str | None:
        return self.tools.find(name)

    def read(self, path: str) -> str:
        with self._call("read", path, changes=False):
            return self.vfs.read(path)

    def write(self, path: str, text: str) -> None:
        with self._call("write", path, changes=True):
            self.vfs.write(path, text)

    def read_file(self, path: str) -> bytes | None:
        with self._call("read_file", path, changes=False):
            try:
                return self.files.read(path)
            except FileNotFoundError:
                return None

    def write_durably(self, path: str, data: bytes, mode: int = 0o600) -> None:
        with self._call("write_durably", path, changes=True):
            self.half_way()  # the new content lies in a file of another name until here
            self.files.write_durably(path, data, mode)

    def append_durably(self, path: str, data: bytes, mode: int = 0o600) -> None:
        with self._call("append_durably", path, changes=True):
            middle = len(data) // 2
            self.files.append_durably(path, data[:middle], mode)
            self.half_way()  # a power cut leaves a part
            self.files.append_durably(path, data[middle:], mode)

    def rename(self, path: str, to: str) -> None:
        with self._call("rename", path, changes=True):
            self.files.rename(path, to)

    def exists(self, path: str) -> bool:
        return self.vfs.exists(path)

    def is_dir(self, path: str) -> bool:
        return self.vfs.is_dir(path)

    def is_block_device(self, path: str) -> bool:
        return self.blocks.find(self.vfs.realpath(path)) is not None

    def listdir(self, path: str) -> list[str]:
        with self._call("listdir", path, changes=False):
            return self.vfs.listdir(path)

    def mkdir(self, path: str) -> None:
        with self._call("mkdir", path, changes=True):
            self.vfs.mkdir(path)

    def rmdir(self, path: str) -> None:
        with self._call("rmdir", path, changes=True):
            self.vfs.rmdir(path)

    def symlink(self, target: str, link: str) -> None:
        with self._call("symlink", link, changes=True):
            self.vfs.symlink(target, link)

    def unlink(self, path: str) -> None:
        with self._call("unlink", path, changes=True):
            self.vfs.unlink(path)

    def readlink(self, path: str) -> str:
        with self._call("readlink", path, changes=False):
            return self.vfs.readlink(path)

    def realpath(self, path: str) -> str:
        return self.vfs.realpath(path)

    def is_held(self, device: str) -> bool:
        with self._call("is_held", device, changes=False):
            found = self.blocks.find(self.vfs.realpath(device))
            if found is None:
                raise refuse(errno.ENOENT, device)
            return self.blocks.is_held(found.kernel_name)

    def unheld_bytes(self, device: str) -> int | None:
        with self._call("unheld_bytes", device, changes=False):
            found = self.blocks.find(self.vfs.realpath(device))
            if found is None:
                raise refuse(errno.ENOENT, device)
            return None if self.blocks.is_held(found.kernel_name) else found.size_bytes

    def zero(self, device: str, offset: int, length: int) -> None:
        with self._call("zero", f"{device} {offset}+{length}", changes=True):
            found = self.blocks.find(self.vfs.realpath(device))
            if found is None:
                raise refuse(errno.ENOENT, device)
            if self.blocks.is_held(found.kernel_name):
                raise refuse(errno.EBUSY, device)
            if offset + length > found.size_bytes:
                raise refuse(errno.ENOSPC, device)
            self.zero_range(found, offset, length // 2)
            self.half_way()
            self.zero_range(found, offset + length // 2, length - length // 2)

    def read_range(self, device: str, offset: int, length: int) -> bytes:
        with self._call("read_range", f"{device} {offset}+{length}", changes=False):
            found = self.blocks.find(self.vfs.realpath(device))
            if found is None:
                raise refuse(errno.ENOENT, device)
            text = self.read_data(f"/dev/{found.kernel_name}", offset) or ""
            return text.encode("latin-1")[:length].ljust(length, b"\0")

    def write_range(self, device: str, offset: int, data: bytes) -> None:
        with self._call("write_range", f"{device} {offset}+{len(data)}", changes=True):
            found = self.blocks.find(self.vfs.realpath(device))
            if found is None:
                raise refuse(errno.ENOENT, device)
            if self.blocks.is_held(found.kernel_name):
                raise refuse(errno.EBUSY, device)
            if offset + len(data) > found.size_bytes:
                raise refuse(errno.ENOSPC, device)
            path, half = f"/dev/{found.kernel_name}", len(data) // 2
            self.write_data(path, offset, data[:half].decode("latin-1"))
            self.half_way()
            self.write_data(path, offset, data.decode("latin-1"))

    def now(self) -> float:
        return self.clock

    def monotonic(self) -> float:
        return self.clock

    def sleep(self, seconds: float) -> None:
        if self.faults.dead:
            with self.faults.call("sleep", "", changes=False):
                pass
        time.sleep(self.pause_s)
        self.advance(seconds)
