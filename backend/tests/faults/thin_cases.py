"""Jobs on thin volumes, their snapshots and their pool."""

from backend.tests.faults.harness import Case
from backend.tests.faults.world import ACTOR, MIB, World
from lunette.domain.jobs import JobKind
from lunette.domain.plans import Plan
from lunette.domain.snapshots import SnapshotBatch, SnapshotClone, SnapshotCreate
from lunette.domain.volumes import Provisioning, VolumeGrow, VolumeRollBack
from lunette.engine.changes import snapshots, volume_batches, volumes
from lunette.engine.context.outcome import Outcome
from lunette.store.journal import Job


def _create_thin(world: World) -> Outcome:
    return world.create_volumes("tank", "t1", "t2", kind=Provisioning.THIN)


def one_thin(world: World) -> None:
    """A thin volume with data, the only one of its array."""
    world.finish(world.create_volumes("tank", "t1", kind=Provisioning.THIN).job_id or "")
    world.machine.write_data(world.device_of("t1"), 0, "old")


def delete_thin(world: World) -> Outcome:
    return world.ask(lambda tx: volumes.delete(world.control.change(tx, ACTOR), "t1"))


def _two_thin(world: World) -> None:
    world.finish(_create_thin(world).job_id or "")


def _take_snapshots(world: World) -> Outcome:
    spec = SnapshotBatch(volumes=("t1", "t2"), name="{volume}-before")
    return world.ask(lambda tx: volume_batches.take_snapshots(world.control.change(tx, ACTOR), spec))


def take_snapshot(world: World) -> Outcome:
    return world.ask(lambda tx: snapshots.take(world.control.change(tx, ACTOR), SnapshotCreate(name="s1", volume="t1")))


def one_snapshot(world: World) -> None:
    """A snapshot, and a volume that was written and grown since."""
    one_thin(world)
    world.finish(take_snapshot(world).job_id or "")
    world.machine.write_data(world.device_of("t1"), 0, "new")
    world.do(lambda tx: volumes.grow(world.control.change(tx, ACTOR), "t1", VolumeGrow(size_bytes=128 * MIB)))


def _clone(world: World) -> Outcome:
    spec = SnapshotClone(name_pattern="clone%d", count=2)
    return world.ask(lambda tx: snapshots.clone(world.control.change(tx, ACTOR), "s1", spec))


def _roll_back(world: World) -> Outcome:
    return world.ask(
        lambda tx: snapshots.roll_back(world.control.change(tx, ACTOR), "t1", VolumeRollBack(snapshot="s1"))
    )


def _roll_back_for_good(world: World) -> Outcome:
    spec = VolumeRollBack(snapshot="s1", keep=False)
    return world.ask(lambda tx: snapshots.roll_back(world.control.change(tx, ACTOR), "t1", spec))


def _nearly_full(world: World) -> None:
    """A thin pool of 64 MiB that is three quarters full."""
    one_thin(world)
    for chunk in range(48 * 16):
        world.machine.write_data(world.device_of("t1"), chunk * 65536, f"chunk {chunk}")


def _grow_pool(world: World) -> Outcome:
    world.control._pools.round()
    with world.store.read() as tx:
        job = tx.query(Job).filter_by(kind=JobKind.THIN_POOL_GROW.value).one()
        return Outcome(plan=Plan.model_validate(job.plan), job_id=job.id)


THIN_CASES = (
    Case("create thin volumes", lambda world: None, _create_thin),
    Case("delete a thin volume", one_thin, delete_thin),
    Case("take a snapshot", one_thin, take_snapshot),
    Case("take snapshots", _two_thin, _take_snapshots),
    Case("clone a snapshot", one_snapshot, _clone),
    Case("roll a volume back", one_snapshot, _roll_back),
    Case("roll a volume back for good", one_snapshot, _roll_back_for_good),
    Case("grow a thin pool", _nearly_full, _grow_pool),
)
