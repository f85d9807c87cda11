"""Access to the real machine: only the agent and the installer hold it.

Thousands of attributes are read at every look at the exports, so it speaks through `os`: a Path would cost more than
the call.
"""

import contextlib
import errno
import os
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lunette.domain.errors import ToolFailed, Unavailable
from lunette.domain.sizes import MIB
from lunette.system import jsonrpc
from lunette.system.reserve import Reserve
from lunette.system.system_port import CommandResult, FileFacts, RpcAnswer, RpcCall
from lunette.system.tools import SEARCH_PATH, missing_tool

_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": ":".join(SEARCH_PATH), "TZ": "UTC", "HOME": "/"}
_ENVIRONMENT["SYSTEMD_IGNORE_CHROOT"] = "1"
"""In a container, udevadm would detect a chroot and wait for nothing (systemd, chroot-util.c)."""
_READ_BYTES = 65536
_IN_ONE_READ = "/sys/"
_ATTRIBUTE_BYTES = 4096
"""An attribute of sysfs or configfs is shorter than a page, and one read returns all of it (kernel:
Documentation/filesystems/sysfs.rst; fs/configfs/file.c).
"""
_REAP_S = 5.0
"""How long to wait for a killed process group: a process stuck in the kernel cannot die, and must not block the
agent.
"""
_starting = threading.Lock()
"""Held while a process starts. Until it executes its program, a child shares every file that this process has open."""


class LocalSystem:
    """Implements `lunette.system.system_port.System` on this machine."""

    def __init__(self, reserve: Reserve | None = None) -> None:
        """`reserve` provides space for durable writes when the file system is full; it is on the same file system."""
        self._reserve = reserve
        self.undead: dict[tuple[str, ...], int] = {}
        """Process IDs of commands that were killed but hang in the kernel, by argv."""

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        path = self.find_tool(argv[0])
        if path is None:
            raise Unavailable(missing_tool(argv[0]))
        self._refuse_while_undead(tuple(argv))
        with _starting:
            started = subprocess.Popen(
                [path, *argv[1:]],
                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_ENVIRONMENT,
                cwd="/",
                start_new_session=True,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        with started as process:
            try:
                out, err = process.communicate(stdin, timeout=timeout_s)
            except subprocess.TimeoutExpired as error:
                if not _kill_group(process):
                    self.undead[tuple(argv)] = process.pid
                raise ToolFailed(
                    f"{argv[0]} did not finish within {timeout_s:.0f} s and was stopped: check whether a disk hangs",
                    log=f"{' '.join(argv)}: no end after {timeout_s} s",
                ) from error
            except BaseException:
                _kill_group(process)
                raise
        if process.returncode not in ok:
            words = (err.strip() or out.strip()).splitlines()
            raise ToolFailed(
                f"{argv[0]} refused: {words[-1].strip() if words else f'exit code {process.returncode}'}",
                log=f"{' '.join(argv)}: exit code {process.returncode}\n{err}{out}",
            )
        return CommandResult(argv=tuple(argv), returncode=process.returncode, stdout=out, stderr=err)

    def _refuse_while_undead(self, words: tuple[str, ...]) -> None:
        """Raises ToolFailed while an earlier run of the same command cannot die: both would do the same work."""
        pid = self.undead.get(words)
        if pid is None:
            return
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(pid, os.WNOHANG) == (0, 0):
                raise ToolFailed(
                    f"{words[0]} of an earlier attempt hangs in the kernel as process {pid} and cannot be stopped: "
                    "check whether a disk hangs; the command is retried when that process has ended",
                    log=f"{' '.join(words)}: process {pid} does not die",
                )
        self.undead.pop(words, None)

    def ask(self, program: str, words: Sequence[str], *, timeout_s: float, limit_bytes: int) -> str:
        with _starting:
            try:
                started = subprocess.Popen(
                    [program, *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_ENVIRONMENT,
                    cwd="/",
                    start_new_session=True,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                )
            except OSError as error:
                raise ToolFailed(f"{program} does not start: {error.strerror}", log=repr(error)) from error
        with started as process:
            try:
                printed = _read_to_end(process, time.monotonic() + timeout_s, limit_bytes)
            except BaseException as error:
                _kill_group(process)
                if isinstance(error, _TooMuch):
                    raise ToolFailed(f"{program} {error} and was stopped") from None
                raise
        if process.returncode != 0:
            raise ToolFailed(f"{program} ended with exit code {process.returncode}", log=printed)
        return printed

    def file_facts(self, path: str) -> FileFacts | None:
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        plain = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
        return FileFacts(is_plain=plain, uid=found.st_uid, mode=stat.S_IMODE(found.st_mode))

    def find_tool(self, name: str) -> str | None:
        return shutil.which(name, path=_ENVIRONMENT["PATH"])

    def call(self, socket: str, calls: Sequence[RpcCall], *, timeout_s: float = 30.0) -> tuple[RpcAnswer, ...]:
        return jsonrpc.call(socket, calls, timeout_s)

    def read(self, path: str) -> str:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = os.read(handle, _READ_BYTES)
            if not (path.startswith(_IN_ONE_READ) and len(found) < _ATTRIBUTE_BYTES):
                found += b"".join(iter(lambda: os.read(handle, _READ_BYTES), b""))
            return found.decode("utf-8", "replace")
        finally:
            os.close(handle)

    def write(self, path: str, text: str) -> None:
        data = text.encode()
        handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            if os.write(handle, data) != len(data):
                raise OSError(errno.EIO, f"{path} accepted only a part of the text")
        finally:
            os.close(handle)

    def read_file(self, path: str) -> bytes | None:
        try:
            return Path(path).read_bytes()
        except FileNotFoundError:
            return None

    def write_durably(self, path: str, data: bytes, mode: int = 0o600) -> None:
        self._with_reserve(path, lambda: self._write_durably(path, data, mode))

    def append_durably(self, path: str, data: bytes, mode: int = 0o600) -> None:
        self._with_reserve(path, lambda: self._append_durably(path, data, mode))

    def _with_reserve(self, path: str, write: Callable[[], None]) -> None:
        """Writes; where there is no room, the reserve gives some."""
        while True:
            try:
                return write()
            except OSError as error:
                if (
                    error.errno != errno.ENOSPC
                    or self._reserve is None
                    or not self._reserve.give(os.path.dirname(path))
                ):
                    raise

    @staticmethod
    def _append_durably(path: str, data: bytes, mode: int) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, mode)
        try:
            before = os.fstat(handle).st_size
            try:
                if os.write(handle, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
                os.fsync(handle)
            except OSError as error:
                try:
                    os.ftruncate(handle, before)
                except OSError as cut:
                    raise OSError(errno.EIO, f"a part of the text stays ({cut.strerror})", path) from error
                raise
        finally:
            os.close(handle)
        if before == 0:
            _flush_folder(os.path.dirname(path))

    @staticmethod
    def _write_durably(path: str, data: bytes, mode: int) -> None:
        folder = os.path.dirname(path)
        handle, temporary = tempfile.mkstemp(prefix=".", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()
            raise
        _flush_folder(folder)

    def rename(self, path: str, to: str) -> None:
        Path(path).replace(to)
        _flush_folder(os.path.dirname(to))

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_dir(self, path: str) -> bool:
        return os.path.isdir(path)

    def is_block_device(self, path: str) -> bool:
        try:
            return stat.S_ISBLK(os.stat(path).st_mode)
        except OSError:
            return False

    def listdir(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(path))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def mkdir(self, path: str) -> None:
        os.mkdir(path)

    def rmdir(self, path: str) -> None:
        os.rmdir(path)

    def symlink(self, target: str, link: str) -> None:
        os.symlink(target, link)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def readlink(self, path: str) -> str:
        return os.readlink(path)

    def realpath(self, path: str) -> str:
        return os.path.realpath(path)

    def is_held(self, device: str) -> bool:
        try:
            with _alone(device, os.O_RDONLY):
                return False
        except OSError as error:
            if error.errno == errno.EBUSY:
                return True
            raise

    def unheld_bytes(self, device: str) -> int | None:
        try:
            with _alone(device, os.O_RDONLY) as handle:
                return os.lseek(handle, 0, os.SEEK_END)
        except OSError as error:
            if error.errno == errno.EBUSY:
                return None
            raise

    def zero(self, device: str, offset: int, length: int) -> None:
        with _alone(device, os.O_WRONLY) as handle:
            zeros = bytes(min(length, MIB))
            done = 0
            while done < length:
                done += os.pwrite(handle, zeros[: length - done], offset + done)
            os.fsync(handle)

    def read_range(self, device: str, offset: int, length: int) -> bytes:
        handle = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = b""
            while len(found) < length and (more := os.pread(handle, length - len(found), offset + len(found))):
                found += more
            return found
        finally:
            os.close(handle)

    def write_range(self, device: str, offset: int, data: bytes) -> None:
        with _alone(device, os.O_WRONLY) as handle:
            done = 0
            while done < len(data):
                done += os.pwrite(handle, data[done:], offset + done)
            os.fsync(handle)

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def _flush_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _alone(device: str, flags: int) -> Iterator[int]:
    """A descriptor of a device that no other process has claimed; afterward the device is free for the next one. A
    child that is starting keeps the claim with its copy of the descriptor: close-on-exec ends that, close does not.
    """
    handle = os.open(device, flags | os.O_EXCL | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)
        with _starting:
            pass


class _TooMuch(Exception):
    """The limit that a program exceeded, in words."""


def _read_to_end(process: subprocess.Popen[str], deadline: float, limit_bytes: int) -> str:
    """All output, and the exit of the program. Raises _TooMuch beyond the time or the size."""
    pipe, found = process.stdout.fileno() if process.stdout else -1, b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise _TooMuch("did not finish in time")
        more = os.read(pipe, _READ_BYTES)
        found += more
        if len(found) > limit_bytes:
            raise _TooMuch(f"printed more than {limit_bytes} bytes")
        if not more:
            break
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise _TooMuch("did not finish in time") from None
    return found.decode("utf-8", "replace")


def _kill_group(process: subprocess.Popen[str]) -> bool:
    """False if it hangs in the kernel and cannot die."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    try:
        process.communicate(timeout=_REAP_S)
    except subprocess.TimeoutExpired:
        # It hangs in the kernel. Release its pipes: Popen would wait for it on exit.
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        process.returncode = -signal.SIGKILL
        return False
    return True
