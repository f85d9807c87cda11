"""The life of a ZFS pool on a whole appliance in one process: reports about a lost disk, and what ends them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.faults.world import World, database_template, give_host
from lunette.domain.array_changes import ArrayAddSpares, ArrayDiskChoice, ArrayReplace
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, MemberRole, ObservedArray
from lunette.domain.errors import InUse
from lunette.domain.jobs import JobState
from lunette.engine.changes import array_changes
from lunette.store.journal import Alert, Job
from lunette.store.resources import ArrayDisk

FILLED_S = 60.0


class Life:
    """A mirror of the first two of five disks, with a volume that a host uses."""

    def __init__(
        self, world: World, log: int = 0, cache: int = 0, spares: int = 0, level: Level = Level.MIRROR, data: int = 2
    ) -> None:
        self.world, self.machine = world, world.machine
        self.disks = world.machine.add_disks(5)
        self.ids = [disk.links()[0] for disk in self.disks]
        world.machine.advance(40)
        world.converge()
        auxiliary = {"log": self.disks[2 : 2 + log], "cache": self.disks[2 + log : 2 + log + cache]}
        standing_by = self.disks[2 : 2 + spares]
        outcome = world.create_array(
            "tank", level, self.disks[:data], spares=standing_by, engine=ArrayEngine.ZFS, auxiliary=auxiliary
        )
        world.finish(outcome.job_id or "")
        world.finish(world.create_volumes("tank", "lun").job_id or "")
        give_host(world, "writer", ["lun"])
        world.settle()
        world.machine.write_data(world.device_of("lun"), 0, "written")

    def look(self) -> ObservedArray:
        """Time enough for a disk to be filled goes by, and the watcher looks."""
        self.world.pass_time(FILLED_S)
        self.world.control._cache.forget()
        self.world.control._watcher.round(0.0)
        return next(array for array in self.world.control.observation().arrays if array.engine is ArrayEngine.ZFS)

    def care(self) -> list[str]:
        """What is done without being asked, until nothing is left to do; the titles of its jobs."""
        titles = []
        for _ in range(4):
            self.look()
            with self.world.store.read() as tx:
                waiting = [(job.id, job.title) for job in tx.query(Job).filter(Job.state == JobState.PENDING.value)]
            for job_id, title in waiting:
                assert self.world.finish(job_id) is JobState.SUCCEEDED, self.world.story(job_id)
                titles.append(title)
        return titles

    def alerts(self) -> list[tuple[str, str]]:
        """Message and fix of those that stand."""
        with self.world.store.read() as tx:
            return [(alert.message, alert.fix) for alert in tx.query(Alert).filter(Alert.resolved_at.is_(None))]

    def members(self) -> list[str | None]:
        return [member.disk_id for member in self.look().members]

    def is_kept(self) -> bool:
        self.world.settle()
        return self.machine.read_data(self.world.device_of("lun"), 0) == "written"


@pytest.fixture
def life(sqlite_template: Path, tmp_path: Path) -> Iterator[Life]:
    world = World(database_template(sqlite_template, tmp_path))
    yield Life(world)
    world.close()


def test_a_lost_disk_is_reported_by_name_until_another_has_its_place(life: Life) -> None:
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    life.machine.pull(life.disks[0])
    assert life.look().state is ArrayState.DEGRADED
    ((message, fix),) = life.alerts()
    lost = f"disk {life.ids[0]} (serial {life.disks[0].serial})"
    assert message.startswith(f"Array tank is degraded: it runs without {lost}, and has no redundancy left")
    assert fix == f"Replace it: `lunette array replace tank {life.ids[0]} NEW`."
    spec = ArrayReplace(disk=life.ids[0], new=life.ids[2])
    life.world.finish(life.world.change_array("tank", array_changes.replace, spec).job_id or "")
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert sorted(map(str, life.members())) == sorted([life.ids[1], life.ids[2]])
    assert life.is_kept()


def test_a_pool_of_mirrors_survives_while_each_has_a_disk(sqlite_template: Path, tmp_path: Path) -> None:
    world = World(database_template(sqlite_template, tmp_path))
    life = Life(world, level=Level.RAID10, data=4)
    found = life.look()
    assert (found.state, found.level, found.survives_disks) == (ArrayState.CLEAN, "raid10", 1)
    life.machine.pull(life.disks[0])
    life.machine.pull(life.disks[3])
    assert (life.look().state, life.look().survives_disks) == (ArrayState.DEGRADED, 0)
    assert life.is_kept()
    world.finish(
        world.change_array("tank", array_changes.replace, ArrayReplace(disk=life.ids[0], new=life.ids[4])).job_id or ""
    )
    assert life.look().survives_disks == 0
    life.machine.insert(life.disks[3])
    life.care()
    assert (life.look().state, life.look().survives_disks) == (ArrayState.CLEAN, 1)
    life.machine.power_cut()
    world.agent.kill()
    assert life.is_kept()
    life.machine.pull(life.disks[2])
    life.machine.pull(life.disks[3])
    assert life.look().state is ArrayState.FAILED
    assert any("Array tank has failed" in message for message, _ in life.alerts())
    world.close()


def test_a_replaced_disk_that_returns_is_not_used_after_a_power_cut(life: Life) -> None:
    life.machine.pull(life.disks[0])
    spec = ArrayReplace(disk=life.ids[0], new=life.ids[2])
    life.world.finish(life.world.change_array("tank", array_changes.replace, spec).job_id or "")
    life.look()
    life.machine.insert(life.disks[0])
    life.machine.power_cut()
    life.world.agent.kill()
    assert life.is_kept()
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert sorted(map(str, life.members())) == sorted([life.ids[1], life.ids[2]])


def test_a_disk_that_was_only_away_ends_its_alert_by_itself(life: Life) -> None:
    life.machine.pull(life.disks[0])
    life.look()
    assert len(life.alerts()) == 1
    life.machine.insert(life.disks[0])
    life.look()
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert life.is_kept()


def test_a_disk_that_zfs_gave_up_is_to_be_replaced_and_no_command_is_reported_that_pools_refuse(life: Life) -> None:
    (pool,) = life.machine.zfs.imported.values()
    life.machine.pull(life.disks[0])
    pool.given_up.add(0)
    life.machine.insert(life.disks[0])
    assert life.look().state is ArrayState.DEGRADED
    ((message, fix),) = life.alerts()
    assert life.ids[0] in message
    assert "readd" not in fix
    assert "too many errors. Replace it: `lunette array replace" in fix


@pytest.fixture
def cached(sqlite_template: Path, tmp_path: Path) -> Iterator[Life]:
    """A mirror with two log disks and a cache."""
    world = World(database_template(sqlite_template, tmp_path))
    yield Life(world, log=2, cache=1)
    world.close()


def test_lost_disks_of_each_role_are_reported_without_fear_for_the_data(cached: Life) -> None:
    first, second, cache = cached.disks[2:5]
    cached.machine.pull(cache)
    assert cached.look().state is ArrayState.CLEAN
    ((message, fix),) = cached.alerts()
    name = cache.links()[0]
    assert message == f"Array tank reads more slowly: cache disk {name} (serial {cache.serial}) is lost"
    assert f"lunette array remove tank {name}" in fix
    cached.machine.insert(cache)
    cached.machine.pull(first)
    assert cached.look().state is ArrayState.CLEAN
    assert ["has 1 log disk left" in message for message, _ in cached.alerts()] == [True]
    cached.machine.pull(second)
    assert cached.look().state is ArrayState.CLEAN
    assert ["runs without its log" in message for message, _ in cached.alerts()] == [True, True], cached.alerts()
    assert cached.is_kept()
    for disk in (first, second):
        cached.machine.insert(disk)
    assert (cached.look().state, cached.alerts()) == (ArrayState.CLEAN, [])


def test_members_show_their_roles(cached: Life) -> None:
    roles = {member.disk_id: member.role.value for member in cached.look().members}
    assert [roles[id_] for id_ in cached.ids] == ["data", "data", "log", "log", "cache"]
    with cached.world.store.read() as tx:
        assert {row.disk_id: row.role for row in tx.query(ArrayDisk)} == roles


@pytest.fixture
def spared(sqlite_template: Path, tmp_path: Path) -> Iterator[Life]:
    """A mirror with a spare."""
    world = World(database_template(sqlite_template, tmp_path))
    yield Life(world, spares=1)
    world.close()


def test_a_distributed_spare_steps_in_and_is_free_again_once_the_disk_is_replaced(
    sqlite_template: Path, tmp_path: Path
) -> None:
    world = World(database_template(sqlite_template, tmp_path))
    life = Life(world, level=Level.DRAID1, data=4)
    first, fifth = life.ids[0], life.ids[4]
    life.machine.pull(life.disks[0])
    assert life.care() == [f"Spare draid1-0-0 replaces disk {first} of array tank"]
    found = life.look()
    assert (found.state, found.layout) == (ArrayState.CLEAN, "draid1:2d:4c:1s")
    assert [(m.disk_id, m.device, m.state) for m in found.members if m.role is MemberRole.SPARE] == [
        (None, "draid1-0-0", "in_sync")
    ]
    with pytest.raises(InUse, match="replace it"):
        world.change_array("tank", array_changes.remove, ArrayDiskChoice(disk=first))
    spec = ArrayReplace(disk=first, new=fifth)
    world.finish(world.change_array("tank", array_changes.replace, spec).job_id or "")
    assert life.care() == []
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert [(m.device, m.state) for m in life.look().members if m.role is MemberRole.SPARE] == [("draid1-0-0", "spare")]
    assert life.is_kept()
    world.close()


def roles_of(life: Life) -> dict[str, str]:
    with life.world.store.read() as tx:
        return {row.disk_id: row.role for row in tx.query(ArrayDisk) if row.disk_id in life.ids}


def test_a_spare_replaces_a_lost_disk_and_is_returned_once_another_takes_its_place(spared: Life) -> None:
    """ZFS's own event daemon, which would do it, does not run here."""
    life, (first, _, spare, fourth, _) = spared, spared.ids
    assert life.care() == []
    life.machine.pull(life.disks[0])
    assert life.care() == [f"Spare {spare} replaces disk {first} of array tank"]
    found = life.look()
    assert found.state is ArrayState.CLEAN
    places = {member.disk_id: (member.role.value, member.slot, member.state) for member in found.members}
    assert places[first] == ("data", 0, "missing")
    assert places[spare] == ("spare", 0, "in_sync")
    ((message, fix),) = life.alerts()
    assert message == f"Disk {first} of array tank failed or is missing; the array remains redundant without it"
    assert f"lunette array replace tank {first} NEW" in fix
    spec = ArrayReplace(disk=first, new=fourth)
    life.world.finish(life.world.change_array("tank", array_changes.replace, spec).job_id or "")
    assert life.care() == []
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert {m.disk_id: (m.slot, m.state) for m in life.look().members}[spare] == (None, "spare")
    assert life.is_kept()


def test_a_disk_that_was_only_away_sends_its_spare_back(spared: Life) -> None:
    life, spare = spared, spared.ids[2]
    life.machine.pull(life.disks[0])
    life.care()
    life.machine.insert(life.disks[0])
    assert life.care() == [f"Spare {spare} of array tank is available again"]
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert {m.disk_id: m.state for m in life.look().members}[spare] == "spare"


def test_a_lost_disk_is_done_without_and_its_spare_stays_for_good(spared: Life) -> None:
    life, (first, second, spare, *_) = spared, spared.ids
    life.machine.pull(life.disks[0])
    life.care()
    refusal = ArrayDiskChoice(disk=spare)
    with pytest.raises(InUse, match="replaces a lost disk"):
        life.world.change_array("tank", array_changes.remove, refusal)
    outcome = life.world.change_array("tank", array_changes.remove, ArrayDiskChoice(disk=first))
    assert life.world.finish(outcome.job_id or "") is JobState.SUCCEEDED
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert roles_of(life) == {second: "data", spare: "data"}
    assert life.is_kept()


def test_a_spare_that_stood_in_is_found_again_after_a_power_cut(spared: Life) -> None:
    life, spare = spared, spared.ids[2]
    life.machine.pull(life.disks[0])
    life.care()
    life.machine.power_cut()
    life.world.agent.kill()
    assert life.is_kept()
    assert life.care() == []
    assert {m.disk_id: (m.slot, m.state) for m in life.look().members}[spare] == (0, "in_sync")


def test_a_lost_spare_is_reported_and_can_be_done_without(spared: Life) -> None:
    life, spare = spared, spared.ids[2]
    life.machine.pull(life.disks[2])
    assert life.look().state is ArrayState.CLEAN
    ((message, fix),) = life.alerts()
    assert "has one spare less" in message
    assert f"lunette array remove tank {spare}" in fix
    outcome = life.world.change_array("tank", array_changes.remove, ArrayDiskChoice(disk=spare))
    assert life.world.finish(outcome.job_id or "") is JobState.SUCCEEDED
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    spec = ArrayAddSpares(disks=(life.ids[3],))
    life.world.finish(life.world.change_array("tank", array_changes.add_spares, spec).job_id or "")
    assert {m.disk_id: m.state for m in life.look().members}[life.ids[3]] == "spare"
