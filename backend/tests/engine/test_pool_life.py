"""The life of a ZFS pool on a whole appliance in one process: what is told of a lost disk, and what ends it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.faults.world import World, database_template, give_host
from lunette.domain.array_changes import ArrayReplace
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray
from lunette.store.journal import Alert
from lunette.store.resources import ArrayDisk

FILLED_S = 60.0


class Life:
    """A mirror of the first two of five disks, with a volume that a host uses."""

    def __init__(self, world: World, log: int = 0, cache: int = 0) -> None:
        self.world, self.machine = world, world.machine
        self.disks = world.machine.add_disks(5)
        self.ids = [disk.links()[0] for disk in self.disks]
        world.machine.advance(40)
        world.converge()
        beside = {"log": self.disks[2 : 2 + log], "cache": self.disks[2 + log : 2 + log + cache]}
        outcome = world.create_array("tank", Level.MIRROR, self.disks[:2], engine=ArrayEngine.ZFS, beside=beside)
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


def test_a_lost_disk_is_told_by_name_until_another_has_its_place(life: Life) -> None:
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    life.machine.pull(life.disks[0])
    assert life.look().state is ArrayState.DEGRADED
    ((message, fix),) = life.alerts()
    assert message == f"Array tank is degraded: it runs without disk {life.ids[0]} (serial {life.disks[0].serial})"
    assert fix == f"Replace it: `lunette array replace tank {life.ids[0]} NEW`."
    wish = ArrayReplace(disk=life.ids[0], new=life.ids[2])
    life.world.finish(life.world.change_array("tank", lambda asked: asked.replace(wish)).job_id or "")
    assert (life.look().state, life.alerts()) == (ArrayState.CLEAN, [])
    assert sorted(map(str, life.members())) == sorted([life.ids[1], life.ids[2]])
    assert life.is_kept()


def test_a_disk_that_was_replaced_and_comes_back_takes_no_part_after_a_power_cut(life: Life) -> None:
    life.machine.pull(life.disks[0])
    wish = ArrayReplace(disk=life.ids[0], new=life.ids[2])
    life.world.finish(life.world.change_array("tank", lambda asked: asked.replace(wish)).job_id or "")
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


def test_a_disk_that_zfs_gave_up_is_to_be_replaced_and_no_command_is_told_that_pools_refuse(life: Life) -> None:
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


def test_lost_disks_of_each_role_are_told_without_fear_for_the_data(cached: Life) -> None:
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
