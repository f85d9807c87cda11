"""What the tiers rely on where pytest has several workers: groups stay together, and failures are named at once."""

import os
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).parents[2]
GROUP = """
import os
from pathlib import Path

import pytest


@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(12))
def test_one_of_a_group(number: int) -> None:
    Path(f"{os.getpid()}.ran").touch()
"""
FAILURES = """
import pytest


@pytest.fixture
def scene() -> None:
    raise OSError("the scene cannot be made")


def test_with_a_scene(scene: None) -> None: ...


@pytest.mark.parametrize("number", range(4))
def test_a_number(number: int) -> None:
    assert number != 2
"""


def run(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "--dist", "loadgroup", "-p", "no:randomly", *options]
    environment = {**os.environ, "PYTHONPATH": str(TREE)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )


def test_tests_of_one_group_run_in_one_worker(tmp_path: Path) -> None:
    """`--dist loadgroup` of this pytest-xdist works with this pytest: fixtures of a module are made once."""
    ran = run(tmp_path, GROUP)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(list(tmp_path.glob("*.ran"))) == 1


def test_what_fails_is_named_when_it_fails(tmp_path: Path) -> None:
    """Before the summary, which a run that is broken off never prints."""
    ran = run(tmp_path, FAILURES, "-p", "tests.run.at_once", "--tb=short")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    at_once = ran.stdout.partition("= ERRORS =")[0]
    assert "setup of test_it.py::test_with_a_scene failed:" in at_once
    assert "the scene cannot be made" in at_once
    assert "call of test_it.py::test_a_number[2] failed:" in at_once
    assert "assert 2 != 2" in at_once
