"""Kinds of jobs on pools of ZFS and their zvols."""

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from backend.tests.fakemachine import FakeDisk, FakeSignature, Media, Partition
from backend.tests.faults.asking import delete_array, delete_volume, disk_id, erase, free_disks, recover, unmap_volume
from backend.tests.faults.harness import Case
from backend.tests.faults.world import ACTOR, MIB, World, give_host
from lunette.domain.array_changes import ArrayAddDisks, ArrayAddSpares, ArrayDiskChoice, ArrayReplace, ArrayScrub
from lunette.domain.arrays import ArrayEngine, Level, MemberRole
from lunette.domain.snapshots import SnapshotBatch, SnapshotClone, SnapshotCreate
from lunette.domain.volumes import VolumeGrow, VolumeRollBack
from lunette.engine.changes import array_changes, snapshots, volume_batches, volumes
from lunette.engine.context.known_arrays import known
from lunette.engine.context.outcome import Outcome
from lunette.planner.engines.zfs.spares import plan_spares
from lunette.store.resources import Array


def _zfs(world: World, disks: Sequence[FakeDisk], wipe: Sequence[FakeDisk] = ()) -> Outcome:
    return world.create_array("pool", Level.RAIDZ1, disks, wipe, engine=ArrayEngine.ZFS)


def _create_pool(world: World) -> Outcome:
    return _zfs(world, free_disks(world)[:3], wipe=free_disks(world)[:2])


def _create_with_roles(world: World) -> Outcome:
    data, log, cache, special = ([disk] for disk in free_disks(world))
    auxiliary = {"log": log, "cache": cache, "special": special}
    wipe = (*data, *log)
    return world.create_array("pool", Level.STRIPE, data, wipe, engine=ArrayEngine.ZFS, auxiliary=auxiliary)


def _pool_with_roles(world: World) -> None:
    world.finish(_create_with_roles(world).job_id or "")


def _disks_of_an_old_pool(world: World) -> None:
    """Labels of a foreign pool, whose name does not carry our mark, and a file system."""
    first, second = free_disks(world)[:2]
    first.media.signatures = [FakeSignature("gpt", 512, usage="partition-table")]
    label = FakeSignature("zfs_member", 262144, "tank", "77")
    first.partitions = [Partition(1, Media(64 * MIB, [label]), label="zfs-01"), Partition(9, Media(8 * MIB))]
    second.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _pool(world: World) -> None:
    world.finish(_zfs(world, free_disks(world)[:3]).job_id or "")


def _pool_and_a_used_disk(world: World) -> None:
    _pool(world)
    free_disks(world)[3].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _pool_that_lost_a_disk(world: World) -> None:
    _pool_and_a_used_disk(world)
    world.machine.pull(free_disks(world)[1])


def _replace_in_pool(world: World) -> Outcome:
    spec = ArrayReplace(disk=disk_id(world, 1), new=disk_id(world, 3), wipe=(disk_id(world, 3),))
    return world.change_array("pool", array_changes.replace, spec)


def _striped(world: World, **auxiliary: list[FakeDisk]) -> None:
    """One data disk, and the last of the others carries something."""
    outcome = world.create_array(
        "pool", Level.STRIPE, free_disks(world)[:1], engine=ArrayEngine.ZFS, auxiliary=auxiliary
    )
    world.finish(outcome.job_id or "")
    free_disks(world)[3].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _with_log(world: World, disks: int = 1) -> None:
    _striped(world, log=free_disks(world)[1 : 1 + disks])


def _with_cache(world: World) -> None:
    _striped(world, cache=free_disks(world)[1:3])


def _add(role: MemberRole) -> Callable[[World], Outcome]:
    def ask(world: World) -> Outcome:
        fresh = disk_id(world, 3)
        spec = ArrayAddDisks.model_validate({"role": role, "disks": (fresh,), "wipe": (fresh,)})
        return world.change_array("pool", array_changes.add_disks, spec)

    return ask


def _remove_second(world: World) -> Outcome:
    return world.change_array("pool", array_changes.remove, ArrayDiskChoice(disk=disk_id(world, 1)))


def _without_second(world: World) -> None:
    _with_cache(world)
    world.machine.pull(free_disks(world)[1])


def _with_spare(world: World) -> None:
    """A mirror of the first two disks with the third as its spare."""
    disks = free_disks(world)
    outcome = world.create_array("pool", Level.MIRROR, disks[:2], spares=disks[2:3], engine=ArrayEngine.ZFS)
    world.finish(outcome.job_id or "")
    world.settle()  # the agent knows of it, and takes back what returns


def _with_spare_and_a_lost_disk(world: World) -> None:
    _with_spare(world)
    world.machine.pull(free_disks(world)[1])


def _with_spare_in(world: World) -> None:
    _with_spare_and_a_lost_disk(world)
    world.finish(_tend_spares(world).job_id or "")
    world.pass_time(60)


def _with_spare_no_longer_needed(world: World) -> None:
    _with_spare_in(world)
    world.machine.insert(free_disks(world)[1])
    world.pass_time(60)  # the agent takes it back
    world.pass_time(60)  # it is given what it missed


def _tend_spares(world: World) -> Outcome:
    """What is filed for the pool's spare without being asked."""

    def ask(tx: Session) -> Outcome:
        seen = world.control.observation()
        row = tx.query(Array).filter_by(name="pool").one()
        found = next(array for array in seen.arrays if array.uuid == row.uuid)
        plan = plan_spares(known(row), found)
        assert plan is not None, "nothing is to be done for its spare"
        return array_changes.finish(world.control.change(tx, ACTOR), "pool", plan)

    return world.ask(ask)


def _add_spare(world: World) -> Outcome:
    spec = ArrayAddSpares(disks=(disk_id(world, 3),), wipe=(disk_id(world, 3),))
    return world.change_array("pool", array_changes.add_spares, spec)


def _scrub_pool(world: World) -> Outcome:
    return world.change_array("pool", array_changes.scrub, ArrayScrub())


def _delete_pool(world: World) -> Outcome:
    return delete_array(world, "pool")


def _pool_with_deleted(world: World) -> None:
    _pool(world)
    world.finish(world.create_volumes("pool", "d1").job_id or "")
    spec = SnapshotCreate(name="ds", volume="d1")
    world.do(lambda tx: snapshots.take(world.control.change(tx, ACTOR), spec))
    world.do(lambda tx: snapshots.delete(world.control.change(tx, ACTOR), "ds"))
    world.finish(delete_volume(world, "d1").job_id or "")


def _create_zvols(world: World) -> Outcome:
    return world.create_volumes("pool", "z1", "z2")


def _mapped_zvol(world: World) -> None:
    _pool(world)
    world.finish(world.create_volumes("pool", "mapped-zvol", "other").job_id or "")
    give_host(world, "carl", ["mapped-zvol", "other"])
    world.settle()
    world.machine.write_data(world.device_of("other"), 0, "carl's")


def _unmap_zvol(world: World) -> None:
    unmap_volume(world, "mapped-zvol")


def _delete_zvol(world: World) -> Outcome:
    return delete_volume(world, "mapped-zvol")


def _deleted_zvol(world: World) -> None:
    _mapped_zvol(world)
    world.machine.write_data(world.device_of("mapped-zvol"), 4 * MIB, "kept")
    _unmap_zvol(world)
    world.settle()
    world.finish(_delete_zvol(world).job_id or "")


def _take_zvol_snapshot(world: World) -> Outcome:
    return world.ask(lambda tx: snapshots.take(world.control.change(tx, ACTOR), SnapshotCreate(name="zs", volume="z1")))


def _two_zvols(world: World) -> None:
    _written_zvol(world)
    world.finish(world.create_volumes("pool", "z2").job_id or "")


def _take_zvol_snapshots(world: World) -> Outcome:
    spec = SnapshotBatch(volumes=("z1", "z2"), name="{volume}.now", atomic=True)
    return world.ask(lambda tx: volume_batches.take_snapshots(world.control.change(tx, ACTOR), spec))


def _grow_zvol(world: World) -> Outcome:
    return world.ask(lambda tx: volumes.grow(world.control.change(tx, ACTOR), "z1", VolumeGrow(size_bytes=128 * MIB)))


def _written_zvol(world: World) -> None:
    _pool(world)
    world.finish(world.create_volumes("pool", "z1").job_id or "")
    world.machine.write_data(world.device_of("z1"), 0, "old")


def zvol_snapshot(world: World) -> None:
    """A snapshot, and a zvol that was written and grown since."""
    _written_zvol(world)
    world.finish(_take_zvol_snapshot(world).job_id or "")
    world.machine.write_data(world.device_of("z1"), 0, "new")
    world.finish(_grow_zvol(world).job_id or "")


def _clone_zvol(world: World) -> Outcome:
    spec = SnapshotClone(name_pattern="zclone%d", count=2)
    return world.ask(lambda tx: snapshots.clone(world.control.change(tx, ACTOR), "zs", spec))


def _roll_zvol_back(world: World, *, keep: bool = True) -> Outcome:
    spec = VolumeRollBack(snapshot="zs", keep=keep)
    return world.ask(lambda tx: snapshots.roll_back(world.control.change(tx, ACTOR), "z1", spec))


POOL_CASES = (
    Case("create a pool", _disks_of_an_old_pool, _create_pool),
    Case("delete a pool", _pool, _delete_pool),
    Case(
        "create a draid",
        _disks_of_an_old_pool,
        lambda world: world.create_array(
            "pool", Level.DRAID1, free_disks(world), wipe=free_disks(world)[:2], engine=ArrayEngine.ZFS
        ),
    ),
    Case("create a pool with log, cache and special disks", _disks_of_an_old_pool, _create_with_roles),
    Case("delete a pool with log, cache and special disks", _pool_with_roles, _delete_pool),
    Case("replace a disk of a pool", _pool_and_a_used_disk, _replace_in_pool),
    Case("replace a disk that a pool lost", _pool_that_lost_a_disk, _replace_in_pool),
    Case("add a log disk to a pool", _striped, _add(MemberRole.LOG)),
    Case("mirror the log of a pool", _with_log, _add(MemberRole.LOG)),
    Case("add a cache disk to a pool", _striped, _add(MemberRole.CACHE)),
    Case("add a special disk to a pool", _striped, _add(MemberRole.SPECIAL)),
    Case("remove the log of a pool", _with_log, _remove_second),
    Case("remove one disk of a mirrored log", lambda world: _with_log(world, 2), _remove_second),
    Case("remove a cache disk of a pool", _with_cache, _remove_second),
    Case("remove a cache disk that a pool lost", _without_second, _remove_second),
    Case("replace a log disk of a pool", _with_log, _replace_in_pool),
    Case(
        "create a pool with a spare",
        lambda world: None,
        lambda world: world.create_array(
            "pool", Level.MIRROR, free_disks(world)[:2], spares=free_disks(world)[2:3], engine=ArrayEngine.ZFS
        ),
    ),
    Case("add a spare to a pool", _pool_and_a_used_disk, _add_spare),
    Case("a spare steps in for a disk that a pool lost", _with_spare_and_a_lost_disk, _tend_spares),
    Case("a spare of a pool goes back", _with_spare_no_longer_needed, _tend_spares),
    Case("let a spare stay in the place of a lost disk", _with_spare_in, _remove_second),
    Case(
        "remove a spare of a pool",
        _with_spare,
        lambda world: world.change_array("pool", array_changes.remove, ArrayDiskChoice(disk=disk_id(world, 2))),
    ),
    Case("scrub a pool", _pool, _scrub_pool, passes=True),
    Case("create zvols", _pool, _create_zvols),
    Case("delete a zvol", _mapped_zvol, _delete_zvol, _unmap_zvol),
    Case("recover a zvol", _deleted_zvol, lambda world: recover(world, "mapped-zvol")),
    Case("erase a zvol", _deleted_zvol, lambda world: erase(world, "mapped-zvol")),
    Case("grow a zvol", _written_zvol, _grow_zvol),
    Case("take a snapshot of a zvol", _written_zvol, _take_zvol_snapshot),
    Case("take snapshots of zvols at one moment", _two_zvols, _take_zvol_snapshots),
    Case("clone a snapshot of a zvol", zvol_snapshot, _clone_zvol),
    Case("roll a zvol back", zvol_snapshot, _roll_zvol_back),
    Case("roll a zvol back for good", zvol_snapshot, lambda world: _roll_zvol_back(world, keep=False)),
    Case("delete a pool with a deleted zvol", _pool_with_deleted, _delete_pool),
)
