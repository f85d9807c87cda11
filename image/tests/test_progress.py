"""A command that fails or hangs ends the build with its own words."""

import itertools
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from lunette_image import progress
from lunette_image.problem import ImageProblem


def test_a_failing_command_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ImageProblem, match="status 3\nno such mirror"):
        progress.run(["sh", "-c", "echo no such mirror; exit 3"], timeout_s=60, log=tmp_path / "log")


def test_a_missing_program_is_named() -> None:
    with pytest.raises(ImageProblem, match="no-such-program is not installed"):
        progress.run(["no-such-program"], timeout_s=10)


def test_a_hanging_command_is_ended(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second is over at every look, and the first one is when the command has spoken."""
    log, seconds, wait = tmp_path / "log", itertools.count(), progress._wait

    def once_it_has_spoken(process: "subprocess.Popen[bytes]", interval_s: float) -> int | None:
        while not log.read_text():
            time.sleep(0.01)
        return wait(process, interval_s)

    monkeypatch.setattr(progress, "_wait", once_it_has_spoken)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    with pytest.raises(ImageProblem, match="longer than 2 s\nstill unpacking"):
        progress.run(["sh", "-c", "echo still unpacking; exec sleep 60"], timeout_s=2, log=log, interval_s=0.01)
    assert "sh: still unpacking" in capfd.readouterr().err
