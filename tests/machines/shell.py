"""Run a command in a guest through the root shell systemd's debug-shell unit opens on a spare console.

The image holds no back door: the shell exists only where the kernel command line asks for it. A console
is a slow line shared with whatever the shell prints, so everything is framed: the command travels as
base64 in acknowledged chunks (a tty drops what exceeds its 4096-byte buffer) and the answer comes back
gzipped and base64-coded between markers that carry a nonce. Markers are typed as `"@B""nonce"` so that
an echo of the input never looks like one. A busy serial line loses characters now and then, so a command
runs only when all of it arrived, and is sent again when it did not.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import fcntl
import os
import re
import secrets
import select
import shlex
import socket
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from tests.machines.model import CommandResult, MachineError
from tests.machines.pace import within
from tests.machines.sockets import connect_unix

_CHUNK_BYTES = 900
_SETTLE = (
    '[ "$SETTLED" ] || { set +o emacs +o vi +o history; stty -echo -onlcr && PS1= PS2= PROMPT_COMMAND= && '
    "export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin && SETTLED=yes; }"
)
_NOTHING = "-"
"""What stands for an answer without output: one that was lost on the way is not taken for it."""
_MARK_LENGTH = 60
_SENDINGS = 5
_SLACK_S = 60.0
"""What the line and the framing may add to a command's own timeout; emulated guests are slow."""


class ShellTimeout(MachineError):
    """The shell, or the command in it, gave no answer in time."""


class Line(Protocol):
    """Bytes to and from the console."""

    def send(self, data: bytes) -> None:
        """Write all of `data`."""

    def receive(self, timeout_s: float) -> bytes:
        """What arrived; empty when nothing did within the timeout."""


class _SocketLine:
    def __init__(self, link: socket.socket) -> None:
        self._link = link

    def send(self, data: bytes) -> None:
        self._link.settimeout(within(_SLACK_S))
        self._link.sendall(data)

    def receive(self, timeout_s: float) -> bytes:
        ready, _, _ = select.select([self._link], [], [], timeout_s)
        if not ready:
            return b""
        try:
            data = self._link.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            raise MachineError("the console of the guest closed while a command was under way: the guest ended")
        return data


class _FifoLine:
    def __init__(self, to_guest: int, from_guest: int) -> None:
        self._to_guest = to_guest
        self._from_guest = from_guest

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._to_guest, data) :]

    def receive(self, timeout_s: float) -> bytes:
        ready, _, _ = select.select([self._from_guest], [], [], timeout_s)
        return os.read(self._from_guest, 65536) if ready else b""


@contextlib.contextmanager
def socket_line(path: Path) -> Iterator[Line]:
    """The console behind a unix socket (QEMU)."""
    try:
        link = connect_unix(path, within(_SLACK_S))
    except OSError as error:
        raise MachineError(f"no console at {path} ({error}): the guest is not running; start it first") from error
    with link:
        yield _SocketLine(link)


@contextlib.contextmanager
def fifo_line(to_guest: Path, from_guest: Path) -> Iterator[Line]:
    """The console behind two named pipes (user-mode Linux holds both open at both ends)."""
    try:
        write = os.open(to_guest, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        raise MachineError(f"no console at {to_guest} ({error}): the guest is not running; start it first") from error
    os.set_blocking(write, True)
    read = os.open(from_guest, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield _FifoLine(write, read)
    finally:
        os.close(write)
        os.close(read)


class GuestShell:
    """One root shell on one console; callers in several processes take turns through a lock file."""

    def __init__(self, open_line: Callable[[], AbstractContextManager[Line]], lock: Path) -> None:
        self._open_line = open_line
        self._lock = lock

    def wait_ready(self, deadline_s: float) -> None:
        """Return when the shell answers; ShellTimeout after the deadline."""
        with self._turn() as line:
            self._synchronise(line, within(deadline_s))

    def run(self, command: str | Sequence[str], timeout_s: float) -> CommandResult:
        """Run under bash (a sequence is quoted first). The guest itself kills it after `timeout_s` (rc 124), at today's
        pace."""
        text = command if isinstance(command, str) else shlex.join(command)
        timeout_s, slack_s = within(timeout_s), within(_SLACK_S)
        nonce = secrets.token_hex(6)
        with self._turn() as line:
            self._synchronise(line, slack_s)
            self._send_text(line, text)
            line.send(_frame(nonce, timeout_s).encode())
            answer = _expect(line, rf"@B{nonce}\r?\n(.*?)\r?\n@E{nonce} (\d+)\r?\n", timeout_s + slack_s, text)
        return CommandResult(int(answer[2]), _decode(answer[1]))

    @contextlib.contextmanager
    def _turn(self) -> Iterator[Line]:
        with self._lock.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with self._open_line() as line:
                yield line

    def _synchronise(self, line: Line, deadline_s: float) -> None:
        end = time.monotonic() + deadline_s
        attempt = 0
        while True:
            nonce = secrets.token_hex(6)
            interrupt = b"\x03" if attempt else b""  # something may still run there from a call that gave up
            line.send(interrupt + f'\n{_SETTLE}; echo "@S""{nonce}"\n'.encode())
            try:
                _expect(line, f"@S{nonce}", min(3.0 + attempt, max(0.1, end - time.monotonic())), "")
                return
            except ShellTimeout:
                attempt += 1
                if time.monotonic() > end:
                    raise ShellTimeout(
                        f"the guest's root shell did not answer within {deadline_s:.0f} s: "
                        f"look at console.log in {self._lock.parent}"
                    ) from None

    @staticmethod
    def _send_text(line: Line, text: str) -> None:
        """Put the command into the shell's variable C; MachineError when the line never lets it through whole."""
        code = base64.b64encode(text.encode()).decode()
        for _ in range(_SENDINGS):
            nonce, arrived = secrets.token_hex(6), 0
            line.send(b"C=\n")
            for start in range(0, len(code), _CHUNK_BYTES):
                line.send(f'C+={code[start : start + _CHUNK_BYTES]}; echo "@K""{nonce}.{start}.${{#C}}."\n'.encode())
                arrived = int(_expect(line, rf"@K{nonce}\.{start}\.(\d+)\.", within(_SLACK_S), text)[1])
            if arrived == len(code):
                return
        raise MachineError(f"the console of the guest lost a part of {text!r} {_SENDINGS} times; nothing was run")


def _frame(nonce: str, timeout_s: float) -> str:
    """Few processes: in an emulated guest each takes longer than most commands."""
    return (
        f"D=/run/answer.{nonce}; "
        f'timeout -k 5 {timeout_s:.1f} bash -c "$(base64 -d <<<$C)" >$D 2>$D.e </dev/null; R=$?; '
        f'[ $R = 0 ] || cat $D.e >>$D; echo "@B""{nonce}"; if [ -s $D ]; then gzip -1 <$D | base64 -w 120; else '
        f'echo {_NOTHING}; fi; echo "@E""{nonce} $R"; rm -f $D $D.e\n'
    )


def _expect(line: Line, pattern: str, timeout_s: float, doing: str) -> re.Match[str]:
    """Read until the pattern appears."""
    wanted = re.compile(pattern, re.DOTALL)
    end = time.monotonic() + timeout_s
    seen = ""
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise ShellTimeout(f"no answer within {timeout_s:.0f} s to {doing!r}; the console says {seen[-300:]!r}")
        arrived = line.receive(min(left, 1.0)).decode("ascii", errors="replace")
        if not arrived:
            continue
        seen += arrived
        found = wanted.search(seen) if "@" in seen[-len(arrived) - _MARK_LENGTH :] else None
        if found:
            return found


def _decode(body: str) -> str:
    if body.strip() == _NOTHING:
        return ""
    try:
        packed = base64.b64decode(re.sub(r"\s", "", body), validate=True)
        return zlib.decompress(packed, wbits=31).decode(errors="replace")
    except (binascii.Error, zlib.error) as error:
        raise MachineError(
            f"the answer was damaged on the console ({error}): something else writes to it; it reads {body[:200]!r}"
        ) from error
