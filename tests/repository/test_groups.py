"""What shares a fixture of its module runs in one process: otherwise each worker makes it anew, which costs minutes."""

import subprocess
import sys
from pathlib import Path

TESTS = """
import os
from pathlib import Path

import pytest


@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(12))
def test_one_of_a_group(number: int) -> None:
    Path(f"{os.getpid()}.ran").touch()
"""


def test_tests_of_one_group_run_in_one_worker(tmp_path: Path) -> None:
    """As the tier `unit` starts them: `--dist loadgroup` of this pytest-xdist works with this pytest."""
    (tmp_path / "test_group.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "--dist", "loadgroup", "-p", "no:randomly", "."]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(list(tmp_path.glob("*.ran"))) == 1
