"""What Ansible itself asks of a collection. ansible-lint is part of `make check`."""

import subprocess
import sys

import pytest

from tests.run.command import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("check", ["sanity", "docs"])
def test_a_check_of_ansible_passes(check: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.run.collection", check],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-6000:]
