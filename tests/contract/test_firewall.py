"""What the agent's rules mean to a kernel: this machine's own, in a network namespace, with Debian's nft."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.run.command import ROOT

pytestmark = [pytest.mark.root, pytest.mark.timeout(300)]
NO_NFTABLES = "the kernel of this machine has no nftables"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    assert shutil.which("nft"), "nft is missing: run `make deps`"
    apart = ["unshare", "--net"]
    tried = subprocess.run([*apart, "nft", "add table inet tried"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"{NO_NFTABLES}: {tried.stderr}")
    argv = [*apart, sys.executable, "-m", "tests.contract.firewall_in_a_namespace"]
    folder = tmp_path_factory.mktemp("firewall")
    done = subprocess.run([*argv, str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_storage_reaches_its_portal_and_management_the_api(found: dict[str, Any]) -> None:
    assert (found["reported"]["state"], found["reported"]["closed_on"]) == ("in_force", ["stor0"])
    assert [found[name] for name in ("portal", "api from management")] == ["passes", "passes"]
    shut = ("address without portal", "api from storage", "api from storage at the other address", "anything else")
    assert {name: found[name] for name in shut} == dict.fromkeys(shut, "dropped")


def test_a_port_is_open_before_its_portal_and_closed_after_it(found: dict[str, Any]) -> None:
    assert (found["portal that is about to open"], found["portal that has closed"]) == ("passes", "dropped")


def test_what_takes_a_trial_back_takes_its_rules_back(found: dict[str, Any]) -> None:
    assert (found["api on trial"], found["api after the trial"]) == ("passes", "dropped")
    assert found["after the trial"] == 0, "and that is nobody's meddling"


def test_the_kernels_table_is_the_one_that_was_loaded_until_somebody_changes_it(found: dict[str, Any]) -> None:
    assert found["second round"] == 0
    assert (found["flushed"], found["meddled with"], found["changed"], found["put right"]) == (
        1,
        "passes",
        1,
        "dropped",
    )


def test_off_leaves_the_tables_of_others(found: dict[str, Any]) -> None:
    assert (found["off"], found["tables"]) == ("passes", "table inet other\n")
