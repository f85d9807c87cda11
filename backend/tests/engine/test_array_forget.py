"""An array that is lost for good is forgotten with all that was on it; one that works, or could, never is."""

import pytest
from sqlalchemy import func, select, update

from backend.tests.engine.test_array_release import counts, furnished, world
from backend.tests.faults.asking import free_disks
from backend.tests.faults.harness import bystanders
from backend.tests.faults.picture import differences
from backend.tests.faults.world import ACTOR, World, give_host, give_nvme_host
from lunette.domain.array_changes import ArrayForget
from lunette.domain.arrays import ArrayEngine, Level
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.jobs import JobState
from lunette.domain.plans import Action, Plan
from lunette.domain.schedules import ScheduleCreate
from lunette.domain.snapshots import SnapshotClone, SnapshotCreate
from lunette.domain.volumes import Provisioning
from lunette.engine.changes import schedules, snapshots, volumes
from lunette.engine.changes.array_forget import forget
from lunette.planner.arrays.forget import KEY_STAYS
from lunette.providers.encryption.keys import stored_path
from lunette.store.journal import Event, Job
from lunette.store.resources import Array, DeletedVolume, HeldNumber, Mapping, Snapshot, Volume

__all__ = ["world"]


def forgotten(world: World, confirm: str = "old", *, dry_run: bool = False) -> Plan:
    with world.store.read() as tx:
        array_id = tx.scalars(select(Array.id).where(Array.name == "old")).one()
    spec = ArrayForget(confirm=confirm)
    return world.ask(lambda tx: forget(world.control.change(tx, ACTOR, dry_run=dry_run), array_id, spec)).plan


def lost(world: World) -> None:
    """Its disks are pulled, and the appliance restarts without them."""
    for disk in free_disks(world)[:2]:
        world.machine.pull(disk)
    world.machine.reboot()
    world.pass_time(120)
    world.converge()


def test_what_is_lost_is_named_forgotten_and_prevents_nothing(world: World) -> None:
    furnished(world)
    give_host(world, "bob", ["k1", "t1"])
    world.settle()
    lost(world)
    others = bystanders(world)
    plan = forgotten(world, dry_run=True)
    assert [f"{change.action} {change.noun} {change.name}" for change in plan.changes] == [
        "destroy array old",
        "destroy mapping k1 to bob",
        "destroy volume k1",
        "destroy mapping t1 to bob",
        "destroy volume t1",
    ]
    assert {change.action for change in plan.changes} == {Action.DESTROY}
    assert "attach them instead" in plan.warnings[0]
    assert counts(world)[0] == 2, "a dry run changes nothing"
    forgotten(world)
    assert counts(world) == [1, 2, 3, 0]
    world.settle()
    assert differences(others, bystanders(world)) == []
    with world.store.read() as tx:
        assert "array.forgotten" in set(tx.scalars(select(Event.kind)))
        assert tx.scalar(select(func.count()).select_from(Mapping).join(Volume).where(Volume.name == "k1")) == 0
        assert {row.volume_name for row in tx.scalars(select(HeldNumber))} == {"k1", "t1"}, "numbers are not assigned"


ENGINES = {ArrayEngine.MD: Level.RAID1, ArrayEngine.ZFS: Level.MIRROR, ArrayEngine.LVM: Level.RAID1}


@pytest.mark.parametrize("restarts", [True, False], ids=["after a start", "held by the kernel"])
@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_of_it_is_left_behind_whatever_its_engine(world: World, engine: ArrayEngine, restarts: bool) -> None:
    """With a snapshot, a clone, a deleted volume, a schedule, and hosts of both families."""
    world.finish(world.create_array("old", ENGINES[engine], free_disks(world)[:2], engine=engine).job_id or "")
    world.machine.advance(40)
    world.finish(world.create_volumes("old", "k1", kind=Provisioning.THIN).job_id or "")
    world.finish(world.create_volumes("old", "k2", "gone", kind=Provisioning.THIN).job_id or "")
    world.do(lambda tx: snapshots.take(world.control.change(tx, ACTOR), SnapshotCreate(name="s1", volume="k1")))
    with world.store.read() as tx:
        snapshot = tx.scalars(select(Snapshot.id)).one()
    world.do(lambda tx: snapshots.clone(world.control.change(tx, ACTOR), snapshot, SnapshotClone(name="c1")))
    spec = ScheduleCreate.model_validate(
        {"name": "nightly", "action": "snapshot", "when": "0 1 * * *", "volumes": ["k1", "k2"], "keep": {"last": 3}}
    )
    world.do(lambda tx: schedules.create(world.control.change(tx, ACTOR), spec))
    world.do(lambda tx: volumes.delete(world.control.change(tx, ACTOR), "gone"))
    give_host(world, "bob", ["k1"])
    give_nvme_host(world, "nina", ["k2"])
    world.settle()
    for disk in free_disks(world)[:2]:
        world.machine.pull(disk)
    if restarts:
        world.machine.reboot()
    world.pass_time(120)
    world.converge()
    others = bystanders(world)
    plan = forgotten(world)
    assert {"snapshot s1", "volume c1", "deleted-volume gone"} <= {f"{one.noun} {one.name}" for one in plan.changes}
    assert counts(world) == [1, 2, 3, 0]
    world.settle()
    assert differences(others, bystanders(world)) == []
    with world.store.read() as tx:
        assert tx.scalar(select(func.count()).select_from(DeletedVolume)) == 0
        assert set(tx.scalars(select(Mapping.volume_id))) <= set(tx.scalars(select(Volume.id)))
    world.finish(world.create_array("old", Level.RAID1, free_disks(world)[2:]).job_id or "")


@pytest.mark.parametrize("keep_key", [True, False])
def test_the_key_that_stays_on_the_system_drive_is_reported(world: World, keep_key: bool) -> None:
    furnished(world)
    with world.store.write() as tx:
        tx.execute(update(Array).where(Array.name == "old").values(encryption="luks2", keep_key=keep_key))
        path = stored_path(tx.scalars(select(Array.id).where(Array.name == "old")).one())
    if keep_key:
        world.machine.write_durably(path, b"key")
    lost(world)
    assert (KEY_STAYS in forgotten(world, dry_run=True).warnings) is keep_key
    assert (KEY_STAYS in forgotten(world).warnings) is keep_key
    assert world.machine.exists(path) is keep_key


def test_its_name_must_be_typed(world: World) -> None:
    furnished(world)
    lost(world)
    with pytest.raises(Invalid, match="confirm must be the array's name"):
        forgotten(world, "olde")
    assert counts(world)[0] == 2


def test_one_that_works_is_never_forgotten(world: World) -> None:
    furnished(world)
    with pytest.raises(Conflict, match="so it is not lost"):
        forgotten(world)
    world.machine.pull(free_disks(world)[0])
    world.pass_time(60)
    with pytest.raises(Conflict, match="it is degraded, so it is not lost"):
        forgotten(world)
    assert counts(world)[0] == 2


def test_one_that_cannot_be_read_is_not_taken_for_lost(world: World) -> None:
    furnished(world)
    lost(world)
    world.machine.tools.add("lsblk", lambda _argv: (0, "{}", ""))
    with pytest.raises(Conflict, match="cannot all be read now"):
        forgotten(world)


def test_what_is_stuck_is_abandoned_with_it_and_a_job_that_runs_is_waited_for(world: World) -> None:
    furnished(world)
    deletion = world.ask(lambda tx: volumes.delete(world.control.change(tx, ACTOR), "k1"))
    lost(world)
    with pytest.raises(Conflict, match="wait until the job has finished"):
        forgotten(world)
    with world.store.write() as tx:
        tx.execute(update(Job).where(Job.id == deletion.job_id).values(state=JobState.STUCK.value))
        tx.execute(update(Volume).where(Volume.name == "k1").values(state="stuck"))
    plan = forgotten(world)
    assert plan.changes[-1].detail == "is stuck, and is abandoned"
    assert counts(world) == [1, 2, 3, 0]
    with world.store.read() as tx:
        job = tx.get_one(Job, deletion.job_id)
        assert (job.state, "its array was forgotten" in job.message) == ("failed", True)


def test_disks_that_come_back_are_a_foreign_array_and_blank_ones_are_free(world: World) -> None:
    uuid = furnished(world)
    disks = free_disks(world)[:2]
    lost(world)
    disks[1].media.signatures.clear()
    disks[1].media.superblock = None
    forgotten(world)
    world.settle()
    for disk in disks:
        world.machine.insert(disk)
    world.pass_time(120)
    seen = world.control.observation(0)
    assert uuid not in {array.uuid for array in seen.arrays if array.ours}
    found = {disk.kernel_name: seen.disk(disk.links()[0]) for disk in disks}
    blank = found[disks[1].kernel_name]
    assert blank is not None
    assert blank.occupations() == ()
