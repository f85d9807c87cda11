"""What every array engine must do, whatever it is made of: one suite for all that are registered.

A new engine is added to ENGINES with a level and so many disks, and passes as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backend.tests.fakemachine import FakeDisk, FakeSignature
from backend.tests.faults.asking import delete_array, delete_volume, erase, unmap_volume
from backend.tests.faults.picture import differences
from backend.tests.faults.world import World, database_template, give_host
from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayGrow,
    ArrayRelease,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.arrays import ArrayEngine, ArrayState, ArrayVerb, EngineAbility, Level, MemberRole, ObservedArray
from lunette.domain.errors import InUse, Invalid, LunetteError
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.engine.changes import array_changes, array_release
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.providers.arrays.machines import ARRAY_MACHINES

SYNCED_S = 60


@dataclass(frozen=True)
class Engine:
    engine: ArrayEngine
    level: Level
    disks: int


ENGINES = (
    Engine(ArrayEngine.MD, Level.RAID1, 2),
    Engine(ArrayEngine.ZFS, Level.MIRROR, 2),
    Engine(ArrayEngine.EXTERNAL, Level.EXTERNAL, 1),
    Engine(ArrayEngine.LVM, Level.RAID1, 2),
)


class Rig:
    """An appliance with four blank disks, of which the engine takes the first."""

    def __init__(self, world: World, of: Engine) -> None:
        self.world, self.machine, self.of = world, world.machine, of
        self.free = world.machine.add_disks(4)
        self.disks = self.free[: of.disks]
        self.options: dict[str, object] = {}
        """Further fields of what is asked for."""
        world.machine.advance(40)
        world.converge()

    def ask(self, name: str = "one", wipe: Sequence[FakeDisk] = ()) -> Outcome:
        of = self.of
        return self.world.create_array(name, of.level, self.disks, wipe, engine=of.engine, options=self.options)

    def make(self) -> None:
        self.world.finish(self.ask().job_id or "")
        self.world.pass_time(SYNCED_S)

    def serve(self) -> None:
        """A volume of it, with a host's data."""
        self.make()
        self.world.finish(self.world.create_volumes("one", "lun").job_id or "")
        give_host(self.world, "h", ["lun"])
        self.world.settle()
        self.machine.write_data(self.world.device_of("lun"), 0, "written")

    def observed(self) -> ObservedArray | None:
        self.world.control._cache.forget()
        arrays = self.world.control.observation().arrays
        return next((array for array in arrays if array.engine is self.of.engine), None)

    def restart(self) -> None:
        self.machine.power_cut()
        self.world.agent.kill()

    def report(self) -> ConvergeReport:
        self.world.pass_time(SYNCED_S)
        report = self.world.converge()
        assert report is not None
        return report


@pytest.fixture(params=ENGINES, ids=lambda one: one.engine.value)
def rig(request: pytest.FixtureRequest, sqlite_template: Path, tmp_path: Path) -> Iterator[Rig]:
    world = World(database_template(sqlite_template, tmp_path))
    yield Rig(world, request.param)
    world.close()


def test_every_engine_that_is_registered_is_here() -> None:
    assert {one.engine for one in ENGINES} == set(ARRAY_ENGINES) == set(ARRAY_MACHINES)


def test_it_says_what_it_can_do_and_the_machine_reports_it(rig: Rig) -> None:
    record = ARRAY_ENGINES[rig.of.engine].capability()
    assert (record.engine, record.kind) == (rig.of.engine.value, "array")
    assert record.needs
    assert rig.of.level in [level.level for level in record.levels]
    (found,) = [e for e in rig.world.control.observation().engines if (e.kind, e.engine) == ("array", record.engine)]
    assert found.available, found.reason
    assert found.levels == record.levels


def test_what_it_makes_is_observed_as_planned_and_carries_our_mark(rig: Rig) -> None:
    outcome = rig.ask()
    rig.world.finish(outcome.job_id or "")
    rig.world.pass_time(SYNCED_S)
    found = rig.observed()
    assert found is not None
    assert found.ours or found.marked  # an md array is ours once the agent has its record
    assert found.level == rig.of.level.value
    assert found.state in (ArrayState.CLEAN, ArrayState.UNKNOWN)
    assert sorted(m.disk_id or "" for m in found.members) == sorted(disk.links()[0] for disk in rig.disks)
    pool = next(pool for pool in rig.world.control.observation().groups if pool.array_uuid == found.uuid)
    assert 0 < pool.free_bytes <= sum(disk.media.size_bytes for disk in rig.disks)


def test_a_disk_that_carries_something_is_taken_only_if_it_is_to_be_wiped(rig: Rig) -> None:
    rig.disks[0].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    rig.machine.changed()
    before = rig.world.machine_picture()
    with pytest.raises(InUse, match="is not blank"):
        rig.ask()
    assert differences(before, rig.world.machine_picture()) == []
    rig.world.finish(rig.ask(wipe=rig.disks[:1]).job_id or "")
    assert rig.observed() is not None


def test_its_disks_belong_to_no_other_array(rig: Rig) -> None:
    rig.make()
    with pytest.raises(LunetteError, match="belongs to array one"):
        rig.ask("two", rig.disks)


def test_it_returns_after_a_power_cut_under_other_kernel_names(rig: Rig) -> None:
    rig.serve()
    for number, disk in enumerate(rig.disks):
        disk.kernel_name = f"nvme{70 - number}n1"
    rig.restart()
    rig.world.settle()
    assert rig.machine.read_data(rig.world.device_of("lun"), 0) == "written"


def test_without_its_disks_it_waits_and_says_for_which_array(rig: Rig) -> None:
    rig.serve()
    for disk in rig.disks:
        rig.machine.pull(disk)
    rig.restart()
    blocked = {target.reason for target in rig.report().targets if target.state is ServingState.BLOCKED}
    assert any("waiting for array one" in (reason or "") for reason in blocked), blocked
    for disk in rig.disks:
        rig.machine.insert(disk)
    rig.world.settle()
    assert rig.machine.read_data(rig.world.device_of("lun"), 0) == "written"


def test_deleted_it_leaves_its_disks_blank(rig: Rig) -> None:
    rig.serve()
    with pytest.raises(InUse, match="it contains 1 volume "):
        delete_array(rig.world, "one")
    unmap_volume(rig.world, "lun")
    rig.world.settle()
    rig.world.finish(delete_volume(rig.world, "lun").job_id or "")
    rig.world.finish(erase(rig.world, "lun").job_id or "")
    rig.world.finish(delete_array(rig.world, "one").job_id or "")
    assert rig.observed() is None
    ids = {disk.serial for disk in rig.disks}
    blank = [disk for disk in rig.world.control.observation().disks if disk.serial in ids]
    assert [disk.occupation() for disk in blank] == [None] * len(rig.disks)


def test_what_it_does_not_offer_it_refuses_with_a_reason(rig: Rig) -> None:
    rig.make()
    first, spare = rig.disks[0].links()[0], rig.free[-1].links()[0]
    calls: dict[ArrayVerb, tuple[Callable[[ChangeContext, str, Any], Outcome], object]] = {
        ArrayVerb.ADD_SPARES: (array_changes.add_spares, ArrayAddSpares(disks=(spare,))),
        ArrayVerb.ADD_DISKS: (array_changes.add_disks, ArrayAddDisks(role=MemberRole.CACHE, disks=(spare,))),
        ArrayVerb.GROW: (array_changes.grow, ArrayGrow(disks=(spare,))),
        ArrayVerb.RESHAPE: (array_changes.reshape, ArrayReshape(level=Level.RAID6)),
        ArrayVerb.REPLACE: (array_changes.replace, ArrayReplace(disk=first, new=spare)),
        ArrayVerb.FAIL: (array_changes.fail, ArrayDiskChoice(disk=first)),
        ArrayVerb.REMOVE: (array_changes.remove, ArrayDiskChoice(disk=first)),
        ArrayVerb.READD: (array_changes.readd, ArrayDiskChoice(disk=first)),
        ArrayVerb.SCRUB: (array_changes.scrub, ArrayScrub()),
        ArrayVerb.FORCE_START: (array_changes.force_start, ArrayForceStart(confirm="one")),
        ArrayVerb.RELEASE: (array_release.release, ArrayRelease(confirm="one")),
    }
    facts = next(one for one in ARRAY_ENGINES[rig.of.engine].capability().levels if one.level is rig.of.level)
    before = rig.world.machine_picture()
    for verb in set(calls) - set(facts.verbs):
        with pytest.raises(Invalid) as caught:
            rig.world.change_array("one", *calls[verb])
        assert caught.value.errors[0].message, verb
    assert differences(before, rig.world.machine_picture()) == []


def test_an_encrypted_one_is_restored_with_its_key_or_says_why_it_cannot_be(rig: Rig) -> None:
    (found,) = [
        e for e in rig.world.control.observation().engines if (e.kind, e.engine) == ("array", rig.of.engine.value)
    ]
    before = rig.world.machine_picture()
    rig.options = {"encryption": "luks2", "passphrase": "correct horse battery", "keep_key": True}
    if not found.encryption:
        reason = found.lacks(EngineAbility.ENCRYPTION)
        with pytest.raises(Invalid) as caught:
            rig.ask()
        assert [(one.field, one.message) for one in caught.value.errors] == [("encryption", reason)]
        assert differences(before, rig.world.machine_picture()) == []
        return
    rig.serve()
    rig.restart()
    rig.world.settle()
    assert rig.machine.read_data(rig.world.device_of("lun"), 0) == "written"
