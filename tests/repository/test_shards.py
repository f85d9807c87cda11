"""Every test on machines is in one tier, and in one only: a test that no tier runs proves nothing."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.run.command import ROOT
from tests.run.tiers import load

_MACHINES = ("tests/machines", "tests/initiators", "tests/e2e")


def _collected(arguments: list[str]) -> list[str]:
    argv = [sys.executable, "-m", "pytest", *arguments, "--collect-only", "-q", "-p", "no:randomly", "-n", "0"]
    said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return [line for line in said.splitlines() if "::" in line and line.startswith("tests/")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_test_on_machines_is_in_one_tier() -> None:
    every = _collected(list(_MACHINES))
    assert len(every) > 200
    times = Counter[str]()
    for tier in load().tiers:
        if not tier.is_pytest or not any(part.startswith(_MACHINES) for part in tier.command):
            continue
        arguments = [part for part in tier.argv(Path("/nowhere"))[3:] if not part.startswith("--junitxml")]
        times.update(one for one in _collected(arguments) if one.startswith(_MACHINES))
    assert [one for one in every if times[one] != 1] == []
