"""Runs one command of the test runner: its output passes through, silence is filled in, a deadline ends it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_HEARTBEAT_S = 30.0
_GIVE_WAY = 'echo "$0" 2>/dev/null >/proc/self/autogroup; exec nice -n "$0" "$@"'
"""A kernel that schedules sessions (autogroup, sched(7)) heeds the value of the session alone, others that of nice."""


def cache_folder() -> Path:
    """Where everything that is made once is stored for later runs, outside the tree."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("LUNETTE_CACHE") or base / "lunette")


@dataclass(frozen=True)
class Ran:
    """How a command ended; `output` is empty if it was shown."""

    code: int
    seconds: float
    timed_out: bool
    output: str = ""


stopping = threading.Event()
"""Set when the run is broken off: every command that is shown ends."""


def run_shown(
    label: str,
    argv: Sequence[str],
    *,
    deadline_s: float,
    env: Mapping[str, str] | None = None,
    mark: str = "",
    nice: int = 0,
    log: Path | None = None,
) -> Ran:
    """Runs a command with its output on our own, each line behind `mark`; silence is filled with a sign of life.

    `log`: a file that gets the same output, without the marks.
    """
    started = last_line = time.monotonic()
    process = _start(["sh", "-c", _GIVE_WAY, str(nice), *argv], ROOT, {**os.environ, **(env or {})})

    def show() -> None:
        nonlocal last_line
        assert process.stdout is not None
        with process.stdout as output, (log or Path(os.devnull)).open("w") as copy:
            for line in output:
                last_line = time.monotonic()
                sys.stdout.write(mark + line)
                sys.stdout.flush()
                copy.write(line)
                copy.flush()

    reader = threading.Thread(target=show, daemon=True)
    reader.start()
    timed_out = False
    try:
        while process.poll() is None:
            now = time.monotonic()
            if stopping.is_set():
                break
            if now - started > deadline_s:
                timed_out = True
                print(f"{mark}    {label}: not finished after {deadline_s:.0f} s, stopping it", flush=True)
                break
            if now - last_line > _HEARTBEAT_S:
                last_line = now
                print(f"{mark}    {label}: still running, {now - started:.0f} s", flush=True)
            time.sleep(0.2)
    finally:
        _end(process)
    reader.join(timeout=5)
    return Ran(process.returncode, time.monotonic() - started, timed_out)


def run_quietly(argv: Sequence[str], *, deadline_s: float, cwd: Path = ROOT) -> Ran:
    """Runs a command and keeps its output, for steps that are only worth reading when they fail."""
    started = time.monotonic()
    process = _start(argv, cwd)
    timed_out = False
    try:
        output, _ = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end(process)
        output, _ = process.communicate()
    finally:
        _end(process)
    return Ran(process.returncode, time.monotonic() - started, timed_out, output)


def _start(argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the whole process group: first politely, so that machines and servers are stopped, then for good."""
    for sign, wait_s in ((signal.SIGINT, 20), (signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sign)
        try:
            process.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            continue
