"""Processes of a machine, each the leader of its own session, known by pid *and* start time.

The kernel may have reused a recorded pid, so nothing is signaled before its start time has been compared with the
recorded one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.machines.model import MachineError
from tests.machines.pace import deadline

_KILL_DEADLINE_S = 20.0


@dataclass(frozen=True)
class OwnedProcess:
    """A process we started: `started` is its start time in clock ticks since boot, from /proc."""

    pid: int
    started: int


@dataclass(frozen=True)
class _Stat:
    state: str
    group: int
    session: int
    started: int


def _stat(pid: int) -> _Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rsplit(")", 1)[1].split()
    return _Stat(state=fields[0], group=int(fields[2]), session=int(fields[3]), started=int(fields[19]))


def identify(pid: int) -> OwnedProcess:
    """The identity of a running process; MachineError when there is none."""
    found = _stat(pid)
    if found is None:
        raise MachineError(f"process {pid} ended before its start time could be read; see its log")
    return OwnedProcess(pid, found.started)


def this_process() -> OwnedProcess:
    """The identity of the caller."""
    return identify(os.getpid())


def spawn(
    argv: Sequence[str | os.PathLike[str]],
    log: Path,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
    stdout: int | None = None,
) -> OwnedProcess:
    """Start a session of its own; its error output (and output, unless `stdout` is given) goes to `log`."""
    with log.open("ab") as sink:
        child = subprocess.Popen(  # with `keep` the child outlives us: it is recorded in state.json
            argv,
            cwd=cwd,
            env=None if env is None else dict(env),
            stdin=subprocess.DEVNULL,
            stdout=sink if stdout is None else stdout,
            stderr=sink,
            pass_fds=pass_fds,
            start_new_session=True,
        )
    _children[child.pid] = child
    return identify(child.pid)


_children: dict[int, subprocess.Popen[bytes]] = {}


def is_alive(process: OwnedProcess) -> bool:
    """Whether this very process still runs; a zombie does not. An ended child of ours is reaped.

    The first thread of a killed process may be a zombie while others still hold its files, and so its ports.
    """
    found = _stat(process.pid)
    is_it = found is not None and found.started == process.started
    if found is not None and is_it and (found.state not in "ZX" or _threads(process.pid) > 1):
        return True
    child = _children.get(process.pid)  # asked after the look: a child seen as a zombie is reaped here
    if child is not None and child.poll() is not None:
        del _children[process.pid]
    return False


def _threads(pid: int) -> int:
    """Threads that have not given back what they held; 0 once the process is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except FileNotFoundError:
        return 0


def wait_gone(process: OwnedProcess, deadline_s: float) -> bool:
    """Whether the process ended within the deadline."""
    end = deadline(deadline_s)
    while is_alive(process):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def group_members(process: OwnedProcess) -> list[int]:
    """Living members of the session `process` started, whether or not it still runs itself."""
    leader = _stat(process.pid)
    if leader is not None and leader.started != process.started:
        return []  # the pid belongs to another process now
    members = []
    for entry in os.listdir("/proc"):
        found = _stat(int(entry)) if entry.isdigit() else None
        if found is None or found.session != process.pid or found.state in "ZX":
            continue
        if found.started >= process.started:
            members.append(int(entry))
    return members


def signal_group(process: OwnedProcess, number: signal.Signals) -> None:
    """Signal the whole session of `process`; nothing happens when it is gone."""
    for pid in group_members(process):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def stop_group(process: OwnedProcess) -> None:
    """SIGSTOP the session of `process`, and wait until no thread of it is in the middle of anything."""
    end = deadline(_KILL_DEADLINE_S)
    signal_group(process, signal.SIGSTOP)
    while not all(_is_stopped(pid) for pid in group_members(process)):
        if time.monotonic() > end:
            raise MachineError(f"process group {process.pid} did not stand still within {_KILL_DEADLINE_S:.0f} s")
        time.sleep(0.005)


def _is_stopped(pid: int) -> bool:
    tasks = Path(f"/proc/{pid}/task")
    try:
        states = [(task / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()[0] for task in tasks.iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return False  # a thread ended just now: the next look sees the others
    return all(state in "TZX" for state in states)


def kill_group(process: OwnedProcess) -> None:
    """SIGKILL the session of `process` and wait until nothing of it is left."""
    end = deadline(_KILL_DEADLINE_S)
    while True:
        signal_group(process, signal.SIGKILL)
        if not is_alive(process) and not group_members(process):
            return
        if time.monotonic() > end:
            raise MachineError(
                f"process group {process.pid} survives SIGKILL for {_KILL_DEADLINE_S:.0f} s, probably in "
                f"uninterruptible I/O: look at /proc/{process.pid}/stack"
            )
        time.sleep(0.02)
