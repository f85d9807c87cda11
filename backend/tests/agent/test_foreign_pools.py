"""ZFS pools are shown by what ZFS says of those that are imported, and by their labels alone otherwise."""

import pytest

from backend.tests import seen
from backend.tests.planner.test_adopting import NOTHING
from backend.tests.providers.test_zfs_steps import Farm
from lunette.api.answers.foreign_arrays import ForeignArray, foreign_array_answer
from lunette.domain.arrays import ArrayState
from lunette.domain.foreign_arrays import FoundArray, NextStep
from lunette.planner.adopting.arrays import judge


@pytest.fixture
def farm() -> Farm:
    return Farm()


def found(farm: Farm) -> FoundArray:
    (one,) = farm.agent.foreign_arrays()
    return one


def answer(one: FoundArray) -> ForeignArray:
    return foreign_array_answer(judge(one, seen.machine(), NOTHING))


def test_an_imported_pool_shows_its_volumes(farm: Farm) -> None:
    one = found(farm)
    assert (one.seen.uuid, one.seen.level) == (farm.create_step.guid, "raidz1")
    assert one.group is not None
    (volume,) = one.group.volumes
    assert (volume.name, volume.size_bytes, volume.is_open) == (
        farm.cut_step.backing_name,
        farm.cut_step.size_bytes,
        False,
    )
    reported = answer(one)
    assert (reported.next, "restore a backup" in (reported.reason or "")) == (NextStep.NONE, True), (
        "it carries our mark"
    )
    foreign = one.model_copy(update={"group": one.group.model_copy(update={"marked_for": None})})
    assert "cannot be adopted yet. Copy its volumes" in (answer(foreign).reason or "")


def test_a_pool_that_is_not_imported_is_reported_from_its_labels_and_nothing_is_imported(farm: Farm) -> None:
    farm.machine.run(["zpool", "export", farm.create_step.pool])
    imports = len(farm.imports())
    one = found(farm)
    assert (one.seen.state, one.seen.uuid, one.group) == (ArrayState.MISSING, farm.create_step.guid, None)
    assert [member.disk_id for member in one.seen.members] == sorted(farm.create_step.devices())
    reported = answer(one)
    assert (reported.name, reported.home_host, reported.next) == (farm.create_step.pool, None, NextStep.NONE)
    assert "Import it manually" in (reported.reason or "")
    assert len(farm.imports()) == imports


def test_disks_without_a_pool_show_none(farm: Farm) -> None:
    farm.machine.run(["zpool", "destroy", farm.create_step.pool])
    for disk in farm.create_step.devices():
        farm.machine.run(["zpool", "labelclear", "-f", f"/dev/disk/by-id/{disk}-part1"])
    assert farm.agent.foreign_arrays() == ()
