"""The life of an array of LVM RAID on a whole appliance in one process: reports of a lost disk, and what ends them."""

import base64
import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.fakemachine.block.media import RaidVg
from backend.tests.faults.world import World, database_template, give_host
from lunette.agent.steps import RUNNERS
from lunette.domain.agent_protocol import DoStep, ReadCopies, SealCopy
from lunette.domain.array_changes import ArrayReplace, ArrayScrub, ScrubAction
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray
from lunette.domain.errors import Conflict, InUse, LunetteError
from lunette.domain.exports import ServingState
from lunette.domain.sealed_copies import CopyHeader, SealOrder
from lunette.domain.steps import DiskWipe, LvmRaidDestroy, MemberDisk
from lunette.engine.changes import array_changes
from lunette.store.journal import Alert
from lunette.store.resources import ArrayDisk

FILLED_S = 60.0


class Life:
    """An array of the first of six disks, with a volume that a host uses."""

    def __init__(
        self,
        world: World,
        level: Level = Level.RAID5,
        data: int = 3,
        *,
        integrity: bool = False,
        old_names: bool = False,
    ) -> None:
        self.world, self.machine = world, world.machine
        self.disks = world.machine.add_disks(6)
        for disk in self.disks if old_names else ():
            disk.given_up = {disk.links()[0]}
        self.ids = [disk.links()[0] for disk in self.disks]
        world.machine.advance(40)
        world.converge()
        outcome = world.create_array(
            "tank", level, self.disks[:data], engine=ArrayEngine.LVM, options={"integrity": integrity}
        )
        world.finish(outcome.job_id or "")
        world.finish(world.create_volumes("tank", "lun").job_id or "")
        give_host(world, "writer", ["lun"])
        world.settle()
        world.machine.write_data(world.device_of("lun"), 0, "written")

    def group(self) -> RaidVg:
        (found,) = self.machine.tools.raid.groups(listed=False).values()
        return found

    def look(self, seconds: float = FILLED_S) -> ObservedArray:
        self.world.pass_time(seconds)
        self.world.control._cache.forget()
        self.world.control._watcher.round(0.0)
        return next(array for array in self.world.control.observation().arrays if array.engine is ArrayEngine.LVM)

    def alerts(self) -> list[str]:
        with self.world.store.read() as tx:
            return [alert.message for alert in tx.query(Alert).filter(Alert.resolved_at.is_(None))]

    def replace(self, old: int, new: int) -> None:
        spec = ArrayReplace(disk=self.ids[old], new=self.ids[new])
        self.world.finish(self.world.change_array("tank", array_changes.replace, spec).job_id or "")

    def restart(self) -> None:
        self.machine.power_cut()
        self.world.agent.kill()

    def blocked(self) -> list[str]:
        """Why the host's target is not open."""
        report = None
        for _ in range(3):  # a late disk is waited for first
            self.world.pass_time(FILLED_S)
            report = self.world.converge()
        assert report is not None
        return [target.reason or "" for target in report.targets if target.state is ServingState.BLOCKED]

    def is_kept(self) -> bool:
        self.world.settle()
        return self.machine.read_data(self.world.device_of("lun"), 0) == "written"


@pytest.fixture
def world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    found = World(database_template(sqlite_template, tmp_path))
    yield found
    found.close()


def test_a_lost_disk_is_reported_and_replaced_with_progress(world: World) -> None:
    life = Life(world)
    assert life.look().state is ArrayState.CLEAN
    life.machine.pull(life.disks[1])
    found = life.look(1)
    assert found.state is ArrayState.DEGRADED
    assert [member.state for member in found.members] == ["in_sync", "missing", "in_sync"]
    assert any(life.ids[1] in message for message in life.alerts())
    assert life.is_kept()
    life.replace(1, 3)
    found = life.look(5)
    assert found.state is ArrayState.REBUILDING
    assert found.progress is not None
    assert found.progress.action == "recover"
    assert life.look().state is ArrayState.CLEAN
    assert not [message for message in life.alerts() if "tank" in message]
    with world.store.read() as tx:
        assert {row.disk_id for row in tx.query(ArrayDisk)} == {life.ids[0], life.ids[2], life.ids[3]}
    assert life.is_kept()


@pytest.mark.parametrize(("level", "data"), [(Level.RAID1, 2), (Level.RAID6, 5), (Level.RAID10, 4)])
def test_each_level_is_made_loses_a_disk_and_is_whole_again(world: World, level: Level, data: int) -> None:
    life = Life(world, level, data, integrity=True)
    found = life.look()
    assert (found.level, found.state, len(found.members)) == (level.value, ArrayState.CLEAN, data)
    life.machine.pull(life.disks[1])
    assert life.look(1).state is ArrayState.DEGRADED
    life.replace(1, data)
    life.look()
    assert life.look().state is ArrayState.CLEAN
    assert life.is_kept()


def test_a_disk_that_works_is_replaced_and_becomes_blank(world: World) -> None:
    life = Life(world)
    life.look()
    life.replace(0, 4)
    life.look()
    assert life.disks[0].media.pv is None
    assert life.is_kept()


@pytest.mark.parametrize("is_pulled", [False, True])
def test_a_disk_whose_name_has_changed_since_it_joined_is_replaced(world: World, is_pulled: bool) -> None:
    """The UUID of its physical volume was made of that name."""
    life = Life(world, old_names=True)
    life.look()
    for disk in life.disks:
        disk.given_up = set()
    life.machine.changed()
    life.ids = [disk.links()[0] for disk in life.disks]
    assert life.look().state is ArrayState.CLEAN
    assert life.alerts() == []
    if is_pulled:
        life.machine.pull(life.disks[0])
        assert life.look().state is ArrayState.DEGRADED
    life.replace(0, 3)
    found = life.look()
    assert (found.state, {member.disk_id for member in found.members}) == (ArrayState.CLEAN, {*life.ids[1:4]})
    assert len(life.group().pvs) == 3, "nothing of the old disk is left in the group"
    assert life.disks[0].media.pv is None or is_pulled
    assert life.alerts() == []
    assert life.is_kept()


def test_no_disk_is_lent_that_the_array_needs(world: World) -> None:
    life = Life(world)
    life.look()
    life.machine.pull(life.disks[1])
    life.look(1)
    with pytest.raises((Conflict, InUse), match="replace the lost disk first"):
        life.replace(0, 3)
    assert len(life.group().pvs) == 3


def test_while_it_is_synchronised_nothing_is_replaced(world: World) -> None:
    life = Life(world)
    assert life.look(1).state is ArrayState.RESYNCING
    with pytest.raises(LunetteError, match="busy"):
        life.replace(0, 3)


@pytest.mark.parametrize("integrity", [False, True])
def test_a_missing_disk_does_not_stop_a_boot(world: World, integrity: bool) -> None:
    life = Life(world, integrity=integrity)
    life.look()
    life.machine.pull(life.disks[1])
    life.restart()
    assert life.is_kept()
    assert life.look().state is ArrayState.DEGRADED
    life.replace(1, 3)
    life.look()
    assert life.look().state is ArrayState.CLEAN
    assert life.is_kept()


def test_with_too_few_disks_it_stays_stopped_and_says_how_many_it_waits_for(world: World) -> None:
    life = Life(world)
    life.look()
    for disk in life.disks[1:3]:
        life.machine.pull(disk)
    life.restart()
    (reason,) = {*life.blocked()}
    assert "tank did not start with 1 of 3 disks" in reason
    for disk in life.disks[1:3]:
        life.machine.insert(disk)
    assert life.is_kept()


def test_with_too_few_disks_checksums_are_never_dropped(world: World) -> None:
    """Dropping them cannot be undone: it is not done where the array could not start even without them."""
    life = Life(world, integrity=True)
    life.look()
    before = list(life.group().pvs)
    for disk in life.disks[1:3]:
        life.machine.pull(disk)
    life.restart()
    assert life.blocked()
    for disk in life.disks[1:3]:
        life.machine.insert(disk)
    assert life.group().pvs == before
    assert life.is_kept()


def test_a_scrub_with_checksums_is_a_check_and_what_it_repairs_is_counted(world: World) -> None:
    life = Life(world, Level.RAID1, 2, integrity=True)
    life.look()
    spec = ArrayScrub(action=ScrubAction.REPAIR)
    world.finish(world.change_array("tank", array_changes.scrub, spec).job_id or "")
    found = life.look(1)
    assert found.progress is not None
    assert found.progress.action == "check"
    lv = life.group().lv
    assert lv is not None
    lv.repaired[lv.images[0]] = 8
    assert life.look().mismatch_count == 8


def test_a_group_that_carries_volumes_is_not_destroyed(world: World) -> None:
    """A delete whose first step did not run: the agent looks what is on the array itself."""
    life = Life(world)
    found = life.look()
    step = LvmRaidDestroy(
        array_id="a",
        uuid=found.uuid,
        raid_group=found.name,
        size_bytes=found.size_bytes,
        members=tuple(
            MemberDisk(disk_id=id_, serial=d.serial) for id_, d in zip(life.ids[:3], life.disks, strict=False)
        ),
    )
    with pytest.raises(InUse, match="is in use"):
        RUNNERS[LvmRaidDestroy].do(life.machine, step)
    assert life.is_kept()


def test_its_sealed_copy_is_read_by_an_agent_that_knows_nothing(world: World) -> None:
    life = Life(world)
    array = life.look()
    (pool,) = [pool for pool in world.control.observation().groups if pool.array_uuid == array.uuid]
    header = CopyHeader(
        generation=7,
        written_at=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
        array_uuid=array.uuid,
        appliance_id="abc",
        appliance="box",
        version="1",
        schema_revision="0020",
    )
    order = SealOrder(group=pool.group, header=header, content=base64.b64encode(b"rows").decode())
    assert world.agent.ask(SealCopy(order=order)) == 7
    life.restart()
    life.machine.files.write_durably("/etc/lvm/devices/system.devices", b"", 0o600)
    (found,) = [copy for copy in world.agent.ask(ReadCopies()) if copy.array_uuid == array.uuid]
    assert found.header is not None
    assert (found.header.generation, base64.b64decode(found.content)) == (7, b"rows")


def test_its_disks_cannot_be_wiped_even_while_it_is_down(world: World) -> None:
    life = Life(world)
    life.look()
    for one in life.disks[1:3]:
        life.machine.pull(one)
    life.restart()
    assert life.blocked()
    disk = next(d for d in world.control.observation().disks if d.serial == life.disks[0].serial)
    wipe = DiskWipe(disk_id=disk.id, serial=disk.serial, size_bytes=disk.size_bytes, signatures=disk.signatures)
    with pytest.raises(LunetteError, match="belongs to array tank"):
        world.agent.ask(DoStep(job_id="job", step=wipe))
