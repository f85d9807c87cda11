"""Every call of a job fails, and the agent is killed at it: the world is clean or complete afterward."""

import pytest

from backend.tests.fakemachine import When
from backend.tests.faults.harness import Fault, Harness, every, sample
from backend.tests.wiring_agent import Ending

FEW_LOOKS = 4
"""How many of the calls that only look are struck in the quick suite, spread over the whole job."""


def show(violations: list[str]) -> str:
    return "\n".join(["", *violations[:12], f"{len(violations)} lines in all"])


@pytest.mark.parametrize(
    ("when", "ending", "point"),
    [
        (When.BEFORE, None, 1),
        (When.DURING, None, 1),
        (When.AFTER, Ending.RESTART, 1),
        (When.DURING, Ending.REBOOT, 2),
        (When.AFTER, Ending.POWER_CUT, 1),
    ],
)
def test_a_fault_at_a_call_that_changes_something(
    harness: Harness, when: When, ending: Ending | None, point: int
) -> None:
    faults = [Fault(number, when, ending, point) for number in sample(harness.reference.calls, looks=0)]
    violations = harness.violations(faults)
    assert not violations, show(violations)


@pytest.mark.parametrize("ending", [None, Ending.RESTART, Ending.REBOOT])
def test_a_fault_at_a_call_that_only_reads(harness: Harness, ending: Ending | None) -> None:
    changing = {call.number for call in harness.reference.calls if call.changes}
    numbers = set(sample(harness.reference.calls, looks=FEW_LOOKS)) - changing
    violations = harness.violations(Fault(number, When.BEFORE, ending) for number in sorted(numbers))
    assert not violations, show(violations)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ending", [None, *Ending])
@pytest.mark.parametrize(("when", "point"), [(When.BEFORE, 1), (When.DURING, 1), (When.DURING, 2), (When.AFTER, 1)])
def test_a_fault_at_every_call(harness: Harness, when: When, point: int, ending: Ending | None) -> None:
    numbers = every(harness.reference.calls, when, kills=ending is not None)
    violations = harness.violations(Fault(number, when, ending, point) for number in numbers)
    assert not violations, show(violations)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_engine_is_killed_at_every_commit_of_the_journal(harness: Harness, after: bool) -> None:
    violations = harness.engine_crash_violations(range(1, harness.reference.commits + 1), after=after)
    assert not violations, show(violations)
