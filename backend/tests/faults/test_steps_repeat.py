"""Each step done twice changes nothing the second time, and neither does each undo; no kind of step is left out."""

import typing
from collections.abc import Iterator, Sequence

import pytest

from backend.tests.faults.cases import CASES
from backend.tests.faults.harness import Harness, bystanders, changes
from backend.tests.faults.picture import Picture, differences
from backend.tests.faults.world import World
from lunette.domain.agent_protocol import DoStep, UndoStep
from lunette.domain.steps import (
    AnyStep,
    GroupAdopt,
    InterfaceKeep,
    InterfaceRevert,
    InterfaceTry,
    MachineStop,
    MdOpen,
    MdStart,
    SlotStart,
    SlotWrite,
    Step,
)

JOB = "job"
TIMED = {InterfaceTry, InterfaceKeep, InterfaceRevert}
"""What the machine itself takes back in time: providers/test_network_trial.py has the faults of these."""
RESTARTING = {SlotWrite, SlotStart, MachineStop}
"""The machine restarts in the middle of the job: see providers/test_updates.py, which cuts the power at each call, and
engine/test_power.py."""
ADOPTING = {GroupAdopt, MdStart, MdOpen}
"""A reboot before they are done takes away what others serve or started: engine/test_adopting.py and
engine/test_foreign_arrays.py have their faults."""


def runs(steps: Sequence[AnyStep]) -> Iterator[list[AnyStep]]:
    """The steps in order, in runs that can be undone as a whole; an irreversible step is a run of its own."""
    run: list[AnyStep] = []
    for step in steps:
        if step.irreversible:
            yield from ([run, [step]] if run else [[step]])
            run = []
        else:
            run.append(step)
    if run:
        yield run


def do(world: World, step: AnyStep) -> Picture:
    """Do a step; what there was before it."""
    picture = world.machine_picture()
    world.agent.ask(DoStep(job_id=JOB, step=step))
    return picture


def undo_twice(world: World, step: AnyStep, picture: Picture) -> None:
    """Take a step back, and again: after the first time there is `picture`, and the second changes nothing."""
    world.agent.ask(UndoStep(job_id=JOB, step=step))
    assert differences(picture, world.machine_picture()) == [], step.describe()
    since = len(world.machine.faults.calls)
    reply = world.agent.ask(UndoStep(job_id=JOB, step=step))
    assert not reply.changed, step.describe()
    assert changes(world, since) == [], step.describe()


def leaves(kind: type[Step]) -> Iterator[type[Step]]:
    """The kinds below this one that nothing is made of in turn."""
    below = kind.__subclasses__()
    yield from (leaf for one in below for leaf in leaves(one)) if below else (kind,)


@pytest.mark.slow  # it builds the world of each case
@pytest.mark.timeout(600)
def test_every_kind_of_step_is_in_a_case(harnesses: dict[str, Harness]) -> None:
    union, _ = typing.get_args(AnyStep)
    kinds = set(typing.get_args(union))
    seen = {type(step) for case in CASES for step in harnesses[case.name].reference.plan.steps}
    assert kinds == {kind for kind in leaves(Step) if kind.__module__.startswith("lunette.")}
    assert kinds - seen == TIMED | ADOPTING | RESTARTING, "add a case to cases.py that runs these steps"


def test_a_step_that_is_done_changes_nothing(harness: Harness) -> None:
    assert harness.repeat_violations() == []


def test_a_step_that_is_undone_twice_leaves_what_was_before_it(harness: Harness) -> None:
    with harness.world() as world:
        harness.start(world)
        for run in runs(harness.reference.plan.steps):
            before = [do(world, step) for step in run]
            if not run[0].irreversible:
                for step, picture in zip(reversed(run), reversed(before), strict=True):
                    undo_twice(world, step, picture)
                harness.case.again(world)
                for step in run:
                    world.agent.ask(DoStep(job_id=JOB, step=step))
        assert bystanders(world) == []


def test_a_step_is_undone_though_it_never_ran(harness: Harness) -> None:
    """The journal says `started` before the agent hears of a step, so this is what an early crash comes to."""
    with harness.world() as world:
        harness.start(world)
        for step in harness.reference.plan.steps:
            picture = world.machine_picture()
            if not step.irreversible:
                assert not world.agent.ask(UndoStep(job_id=JOB, step=step)).changed, step.describe()
            assert differences(picture, world.machine_picture()) == [], step.describe()
            world.agent.ask(DoStep(job_id=JOB, step=step))
