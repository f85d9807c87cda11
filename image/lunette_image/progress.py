"""Progress lines on standard error, and commands that show them while they run."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .problem import ImageProblem

INTERVAL_S = 10.0
WIDTH = 90


def say(text: str) -> None:
    """Write one progress line."""
    print(f"image: {text}", file=sys.stderr, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a step and, when it ends, the seconds it took."""
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
) -> None:
    """Run a command, with a line every ten seconds that quotes the end of its output.

    Raises ImageProblem with that end when it is not installed, fails, or takes longer than `timeout_s`.
    """
    with tempfile.TemporaryDirectory(prefix="lunette-image-") as folder:
        _run(argv, timeout_s, log or Path(folder) / "log", env)


def _run(argv: Sequence[str], timeout_s: float, log: Path, env: Mapping[str, str] | None) -> None:
    started = time.monotonic()
    name = Path(argv[0]).name
    with log.open("ab") as sink:
        try:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, env=env)
        except FileNotFoundError:
            raise ImageProblem(f"{name} is not installed on this machine: install it and start again") from None
        while True:
            try:
                code = process.wait(INTERVAL_S)
                break
            except subprocess.TimeoutExpired:
                elapsed_s = time.monotonic() - started
                if elapsed_s > timeout_s:
                    process.kill()
                    process.wait()
                    raise ImageProblem(f"{name} took longer than {timeout_s:.0f} s\n{tail(log, 15)}") from None
                say(f"  {elapsed_s:3.0f} s  {name}: {tail(log, 1)[:WIDTH]}")
            except BaseException:
                process.kill()
                raise
    if code != 0:
        raise ImageProblem(f"{' '.join(argv[:6])} … failed with status {code}\n{tail(log, 15)}")


def capture(argv: Sequence[str], *, timeout_s: float = 60) -> str:
    """What a short command prints; raises ImageProblem with its complaint when it fails."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout_s, check=False)
    except FileNotFoundError:
        raise ImageProblem(f"{argv[0]} is not installed on this machine: install it and start again") from None
    if done.returncode != 0:
        raise ImageProblem(f"{' '.join(argv)} failed with status {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def tail(log: Path, lines: int) -> str:
    """The last non-empty lines of a log."""
    kept = [line for line in log.read_text(errors="replace").replace("\r", "\n").splitlines() if line.strip()]
    return "\n".join(kept[-lines:])
