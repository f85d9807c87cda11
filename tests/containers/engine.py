"""Finds a Docker engine, or starts one of our own; both are asked by the `docker` command."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.waiting import wait_until
from tests.run.command import ROOT, cache_folder

START_S = 60.0


class NoEngine(Exception):
    """Neither runs an engine here nor can one be started; the text says why."""


class Docker:
    """The commands `docker` and `docker compose` (or `docker-compose`) on one engine."""

    def __init__(self, **environment: str) -> None:
        self.environment = {**os.environ, **environment}
        plugin = self.run("docker", "compose", "version", check=False).returncode == 0
        self._compose = ("docker", "compose") if plugin else ("docker-compose",)

    def run(
        self, *argv: str, deadline_s: float = 300, check: bool = True, stdin: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in the repository. AssertionError with the end of its output if it fails and is checked."""
        ran = subprocess.run(
            argv,
            cwd=ROOT,
            env=self.environment,
            stdin=stdin.open("rb") if stdin else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=deadline_s,
            check=False,
        )
        if check and ran.returncode:
            raise AssertionError(f"{' '.join(argv)} ended with {ran.returncode}:\n{(ran.stdout + ran.stderr)[-4000:]}")
        return ran

    def compose(self, *argv: str, deadline_s: float = 300) -> str:
        """What `docker compose` says on standard output."""
        return self.run(*self._compose, *argv, deadline_s=deadline_s).stdout


@contextmanager
def engine(folder: Path) -> Iterator[Docker]:
    """The engine that runs on this machine, or one of our own for the time of the test. Raises NoEngine.

    `folder` is short-lived; what an engine of our own has built stays in the cache.
    """
    found = Docker()
    if found.run("docker", "version", check=False).returncode == 0:
        yield found
        return
    socket, log = folder / "docker.sock", folder / "dockerd.log"
    command = [
        *("dockerd", "--host", f"unix://{socket}", "--pidfile", str(folder / "pid")),
        *("--data-root", str(cache_folder() / "docker"), "--exec-root", str(folder / "exec")),
    ]
    if shutil.which("dockerd") is None or os.geteuid() != 0:
        raise NoEngine("dockerd is not installed, or this is not root")
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    own = Docker(DOCKER_HOST=f"unix://{socket}")

    def answers() -> bool:
        if process.poll() is not None:
            raise NoEngine(f"dockerd ended: {log.read_text(errors='replace')[-300:]}")
        return own.run("docker", "version", check=False).returncode == 0

    try:
        try:
            wait_until("dockerd answers", answers, START_S)
        except AssertionError:
            raise NoEngine(f"dockerd does not answer within {START_S:.0f} s") from None
        yield own
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        _unmount_below(folder)


def _unmount_below(folder: Path) -> None:
    """dockerd leaves the network namespace of the machine mounted, so that the folder cannot be removed."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        if (point := Path(line.split()[1])).is_relative_to(folder):
            subprocess.run(["umount", str(point)], check=True)
