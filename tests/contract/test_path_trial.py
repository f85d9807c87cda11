"""What takes a path away means to a kernel: this machine's own, in a network namespace, with Debian's nft and ss."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.contract.path_in_a_namespace import SECONDS
from tests.contract.test_firewall import NO_NFTABLES
from tests.run.command import ROOT

pytestmark = [pytest.mark.root, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    assert shutil.which("nft"), "nft is missing: run `make deps`"
    assert shutil.which("ss"), "ss is missing: run `make deps`"
    apart = ["unshare", "--net"]
    tried = subprocess.run(
        [*apart, "nft", "add table inet tried"],
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode:
        pytest.skip(f"{NO_NFTABLES}: {tried.stderr}")
    argv = [*apart, sys.executable, "-m", "tests.contract.path_in_a_namespace"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_connection_tells_how_long_its_host_was_silent(found: dict[str, Any]) -> None:
    assert 0 <= found["silent_s"] < 60


def test_the_connection_ends_on_both_sides_at_once(found: dict[str, Any]) -> None:
    assert (found["stood"], found["left"], found["host"]) == (
        False,
        0,
        "ConnectionResetError",
    )


def test_another_host_on_the_same_portal_notices_nothing(found: dict[str, Any]) -> None:
    assert found["other"] == "y"


def test_the_kernel_itself_lets_the_host_in_again_when_the_time_is_over(
    found: dict[str, Any],
) -> None:
    assert found["away_s"] is not None
    assert found["away_s"] >= 0.9 * SECONDS


def test_lifted_it_is_in_force_no_more(found: dict[str, Any]) -> None:
    assert (found["refused"], found["lifted"], found["after_lift"], found["again"]) == (True, True, False, False)
