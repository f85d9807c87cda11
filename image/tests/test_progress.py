"""A command that fails or hangs ends the build with its own words."""

from pathlib import Path

import pytest

from lunette_image import progress
from lunette_image.problem import ImageProblem


def test_a_failing_command_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ImageProblem, match="status 3\nno such mirror"):
        progress.run(["sh", "-c", "echo no such mirror; exit 3"], timeout_s=10, log=tmp_path / "log")


def test_a_missing_program_is_named() -> None:
    with pytest.raises(ImageProblem, match="no-such-program is not installed"):
        progress.run(["no-such-program"], timeout_s=10)


def test_a_hanging_command_is_ended(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ImageProblem, match="longer than 0 s\nstill unpacking"):
        progress.run(["sh", "-c", "echo still unpacking; exec sleep 60"], timeout_s=0.3, interval_s=0.1)
    assert "sh: still unpacking" in capfd.readouterr().err
