"""Every test on machines is in one tier for each kernel, and in one only: a test that no tier runs proves nothing."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.run.command import ROOT
from tests.run.tiers import load

_MACHINES = ("tests/machines", "tests/initiators", "tests/e2e")


@cache
def _collected(arguments: tuple[str, ...]) -> list[str]:
    argv = [sys.executable, "-m", "pytest", *arguments, "--collect-only", "-q", "-p", "no:randomly", "-n", "0"]
    said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return [line for line in said.splitlines() if "::" in line and line.startswith("tests/")]


def _times(uml_kernel: str) -> Counter[str]:
    """In how many tiers each test is that boot this kernel where they boot user-mode Linux."""
    times = Counter[str]()
    for tier in load().tiers:
        if tier.uml_kernel != uml_kernel or not tier.is_pytest:
            continue
        if not any(part.startswith(_MACHINES) for part in tier.command):
            continue
        arguments = tuple(part for part in tier.argv(Path("/nowhere"))[3:] if not part.startswith("--junitxml"))
        times.update(one for one in _collected(arguments) if one.startswith(_MACHINES))
    return times


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_test_on_machines_is_in_one_tier() -> None:
    every = _collected(_MACHINES)
    assert len(every) > 200
    times = _times("")
    assert [one for one in every if times[one] != 1] == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_test_on_user_mode_linux_is_in_one_tier_of_debian_13s_kernel_too() -> None:
    every = _collected((*_MACHINES, "-m", "uml"))
    assert len(every) > 100
    assert _times("stable") == Counter(every)
