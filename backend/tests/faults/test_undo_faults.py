"""A job that is being undone meets a second fault.

A killed agent is asked again, so the world ends clean. A call that fails while a step is undone makes the job stuck,
as it must; once a person requests a retry, it ends clean or complete.
"""

import pytest

from backend.tests.fakemachine import Call, When
from backend.tests.faults.harness import Fault, Harness, arm, counted, sample
from backend.tests.faults.test_job_faults import show
from backend.tests.faults.world import World
from backend.tests.wiring_agent import Ending
from lunette.domain.jobs import JobState

FEW_LOOKS = 3


def turning_point(harness: Harness) -> Call:
    """The last call that changes something: when it fails before it took effect, all earlier steps go back."""
    return [call for call in harness.reference.calls if call.changes][-1]


def way_back(harness: Harness) -> list[Call]:
    """The calls of a job that turns round undisturbed, counted as in the reference, from the turning point on."""
    point = turning_point(harness).number
    with harness.world() as world:
        _, job_id = harness.start(world)
        first = len(world.machine.faults.calls)
        arm(world, Fault(point, When.BEFORE))
        world.finish(job_id)
        return counted(world.machine.faults.calls, first)[point:]


@pytest.mark.parametrize(
    ("when", "ending"),
    [(When.BEFORE, None), (When.AFTER, None), (When.AFTER, Ending.RESTART), (When.DURING, Ending.REBOOT)],
)
def test_a_fault_on_the_way_back(harness: Harness, when: When, ending: Ending | None) -> None:
    turning = Fault(turning_point(harness).number, When.BEFORE)
    violations = []
    for number in sample(way_back(harness), FEW_LOOKS if when is When.BEFORE else 0):
        second = Fault(number, when, ending)

        def work(world: World, job_id: str, second: Fault = second) -> list[str]:
            arm(world, turning)
            arm(world, second)
            state = world.finish(job_id)
            if state is JobState.STUCK and ending is None:
                world.machine.faults.disarm()
                state = world.retry(job_id)
            return harness.judge(world, job_id, state)

        violations += [f"{second}: {line}" for line in harness.strike(work)]
    assert not violations, show(violations)
