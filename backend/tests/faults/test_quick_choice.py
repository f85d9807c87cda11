"""What `make test` takes of the faults: never nothing of the jobs that every appliance runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from backend.tests.faults.conftest import ALWAYS
from backend.tests.wiring_agent import Ending

pytestmark = pytest.mark.xdist_group("choice of faults")
TREE = Path(__file__).parents[3]
FILES = ("test_job_faults.py", "test_undo_faults.py")


def collected(*more: str) -> list[str]:
    """The ids of tests of faults, as pytest itself chooses them."""
    files = [f"backend/tests/faults/{name}" for name in FILES]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "--color=no", *more, *files]
    ran = subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=100, check=True)
    return [line.rpartition("::")[2] for line in ran.stdout.splitlines() if "::" in line]


@pytest.fixture(scope="session")
def taken(request: pytest.FixtureRequest) -> list[str]:
    """Those that are not `slow`: what this run has collected itself, or a run of its own where it took no others."""
    here = [one.name for one in request.session.items if one.path.name in FILES and not one.get_closest_marker("slow")]
    return here if len({name.partition("[")[0] for name in here}) >= len(FILES) else collected("-m", "not slow")


@pytest.mark.parametrize("case", ALWAYS)
def test_the_jobs_of_every_appliance_are_failed_and_killed(taken: list[str], case: str) -> None:
    struck = [name for name in taken if name.startswith(f"test_a_fault_at_a_call_that_changes_something[{case}-")]
    kills = [name for name in struck if any(f"-{ending}-" in name for ending in Ending)]
    assert kills, struck
    assert len(struck) > len(kills), struck
    assert any(name.startswith(f"test_a_fault_on_the_way_back[{case}-") for name in taken), taken
    assert any(name.startswith(f"test_the_engine_is_killed_at_every_commit_of_the_journal[{case}-") for name in taken)


@pytest.mark.slow
def test_the_parts_of_the_full_matrix_are_the_whole_of_it_and_have_nothing_in_common() -> None:
    parts = [collected("-m", "slow", "--part", f"{number}/3") for number in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(collected("-m", "slow"))
    assert all(parts)


@pytest.mark.slow
def test_a_run_of_the_full_matrix_draws_its_part_by_its_seed() -> None:
    first, same, other = (
        set(collected("-m", "slow", "--part", part, *seed))
        for part, *seed in (("any/100", "--hypothesis-seed=101"), ("2/100",), ("any/100", "--hypothesis-seed=102"))
    )
    assert first == same
    assert not first & other
    assert first
