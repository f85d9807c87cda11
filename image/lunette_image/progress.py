"""Progress lines on standard error, and commands that show them while they run."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .problem import ImageProblem

GRACE_S = 10.0
WIDTH = 90


def say(text: str) -> None:
    """Writes one progress line."""
    print(f"image: {text}", file=sys.stderr, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announces a step and, when it ends, the seconds it took."""
    say(f"{text} …")
    started = time.monotonic()
    yield
    say(f"{text}: {time.monotonic() - started:.1f} s")


def run(
    argv: Sequence[str],
    *,
    timeout_s: float,
    log: Path | None = None,
    env: Mapping[str, str] | None = None,
    interval_s: float = 10.0,
) -> None:
    """Runs a command, with a line every `interval_s` that quotes the end of its output.

    Raises ImageProblem with that end when it is not installed, fails, or takes longer than `timeout_s`.
    """
    with tempfile.TemporaryDirectory(prefix="lunette-image-") as folder:
        _run(argv, timeout_s, log or Path(folder) / "log", env, interval_s)


def _run(argv: Sequence[str], timeout_s: float, log: Path, env: Mapping[str, str] | None, interval_s: float) -> None:
    started = time.monotonic()
    name = Path(argv[2] if argv[0] == "chroot" else argv[0]).name
    with log.open("ab") as sink:
        try:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, env=env, start_new_session=True
            )
        except FileNotFoundError:
            raise ImageProblem(f"{name} is not installed on this machine: install it and start again") from None
        try:
            while (code := _wait(process, interval_s)) is None:
                elapsed_s = time.monotonic() - started
                if elapsed_s > timeout_s:
                    raise ImageProblem(f"{name} took longer than {timeout_s:.0f} s\n{tail(log, 15)}")
                say(f"  {elapsed_s:3.0f} s  {name}: {tail(log, 1)[:WIDTH]}")
        except BaseException:
            _end(process)
            raise
    if code != 0:
        raise ImageProblem(f"{' '.join(argv[:6])} … failed with status {code}\n{tail(log, 15)}")


def _wait(process: subprocess.Popen[bytes], interval_s: float) -> int | None:
    try:
        return process.wait(interval_s)
    except subprocess.TimeoutExpired:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a command and its children; it may first unmount what it mounted."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def tail(log: Path, lines: int) -> str:
    """The last non-empty lines of a log."""
    kept = [line for line in log.read_text(errors="replace").replace("\r", "\n").splitlines() if line.strip()]
    return "\n".join(kept[-lines:])
