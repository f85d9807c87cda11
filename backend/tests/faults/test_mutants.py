"""The harness finds what it is there to find: faults put into the product on purpose, one at a time."""

from pathlib import Path

import pytest

from backend.tests.fakemachine import FakeSystem, When
from backend.tests.faults.cases import CASES
from backend.tests.faults.harness import Fault, Harness, Mutate
from backend.tests.faults.world import World
from backend.tests.wiring_agent import Mutant
from lunette.domain.agent_protocol import StepReply
from lunette.domain.steps import AnyStep, GroupCreate, VolumeCut, VolumesSeal

NEVER = 10**6
"""No job makes so many calls."""


def replaced(request: str, kind: str, mutant: Mutant) -> Mutate:
    def mutate(world: World) -> None:
        world.agent.mutants[request, kind] = mutant

    return mutate


def an_undo_that_takes_all_volumes_along(machine: FakeSystem, step: AnyStep) -> StepReply:
    assert isinstance(step, VolumeCut)
    for view in machine.lvm.lvs():
        if view.vg.name == step.group and not machine.lvm.is_open(view):
            machine.run(["lvremove", "-y", f"{step.group}/{view.lv.name}"])
    return StepReply(changed=True, detail="")


def an_undo_that_forgets_its_work(machine: FakeSystem, step: AnyStep) -> StepReply:
    return StepReply(changed=False, detail="it was already undone")


def a_create_that_does_not_look_first(machine: FakeSystem, step: AnyStep) -> StepReply:
    assert isinstance(step, GroupCreate)
    running = machine.md.by_uuid(step.array_uuid)
    assert running
    tags = ["--addtag", "lunette", "--addtag", f"lunette.array={step.array_uuid}"]
    machine.run(["vgcreate", "-y", *tags, step.group, f"/dev/{running.kernel_name}"])
    return StepReply(changed=True, detail="")


def a_seal_that_stops_half_way(machine: FakeSystem, step: AnyStep) -> StepReply:
    assert isinstance(step, VolumesSeal)
    machine.run(["lvchange", "--deltag", "lunette.fresh", f"{step.group}/{step.volumes[0].backing_name}"])
    return StepReply(changed=True, detail="")


def a_wipe_of_a_disk_of_others(machine: FakeSystem, step: AnyStep) -> StepReply:
    machine.blocks.disks[-1].media.superblock = None
    return StepReply(changed=True, detail="")


def a_cut_that_leaves_the_old_content(machine: FakeSystem, step: AnyStep) -> StepReply:
    assert isinstance(step, VolumeCut)
    tags = ["--addtag", "lunette", "--addtag", f"lunette.volume={step.volume_id}", "--addtag", "lunette.fresh"]
    size = ["--name", step.backing_name, "--size", f"{step.size_bytes}b"]
    machine.run(["lvcreate", "-y", "--zero", "n", "--wipesignatures", "n", *tags, *size, step.group])
    return StepReply(changed=True, detail="")


@pytest.mark.parametrize(
    ("name", "mutate", "fault"),
    [
        ("create volumes", replaced("undo_step", "volume.cut", an_undo_that_takes_all_volumes_along), "lvchange"),
        pytest.param(
            "create volumes",
            replaced("undo_step", "volume.cut", an_undo_that_forgets_its_work),
            "lvchange",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "create volumes",
            replaced("do_step", "volumes.seal", a_seal_that_stops_half_way),
            None,
            marks=pytest.mark.slow,
        ),
        ("create volumes", replaced("do_step", "volume.cut", a_cut_that_leaves_the_old_content), None),
        ("create an array, wiping", replaced("do_step", "disk.wipe", a_wipe_of_a_disk_of_others), None),
    ],
)
def test_a_mutant_is_caught(
    request: pytest.FixtureRequest, template: Path, name: str, mutate: Mutate, fault: str | None
) -> None:
    """`fault` is the command whose last call fails; None: the mutant is wrong without any fault."""
    harness = Harness(next(case for case in CASES if case.name == name), template, mutate)
    request.addfinalizer(harness.close)
    calls = [call.number for call in harness.calls() if fault and call.detail.startswith(fault)] or [NEVER]
    assert harness.violations([Fault(calls[-1], When.BEFORE)]) != []


def test_a_step_that_does_not_check_first_is_caught(template: Path) -> None:
    mutate = replaced("do_step", "group.create", a_create_that_does_not_look_first)
    case = next(case for case in CASES if case.name == "create an array")
    assert any("already exists" in line for line in Harness(case, template, mutate).repeat_violations())


def test_the_sound_product_is_not_caught(harness: Harness) -> None:
    """The same way of looking, without a mutant: what the tests above find are the mutants."""
    assert harness.violations([Fault(NEVER, When.BEFORE)]) == []
