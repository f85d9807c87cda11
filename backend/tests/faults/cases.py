"""Every kind of job there is, with what it starts from. A test checks that no kind of step is missing here."""

from backend.tests.fakemachine import FakeSignature, Media, Partition
from backend.tests.faults.asking import (
    delete_array,
    delete_volume,
    disk_id,
    erase,
    free_disks,
    recover,
    release_array,
    unmap_volume,
)
from backend.tests.faults.encrypted_cases import ENCRYPTED_CASES
from backend.tests.faults.external_cases import EXTERNAL_CASES
from backend.tests.faults.harness import SECRET, SECRET_AT, Case
from backend.tests.faults.lvm_cases import LVM_CASES
from backend.tests.faults.pool_cases import POOL_CASES
from backend.tests.faults.session_cases import SESSION_CASES
from backend.tests.faults.snapshot_cases import SNAPSHOT_CASES
from backend.tests.faults.spare_cases import SPARE_CASES
from backend.tests.faults.thin_cases import THIN_CASES, delete_thin, one_thin, take_snapshot
from backend.tests.faults.world import ACTOR, MIB, World, give_host
from backend.tests.wiring_agent import Ending
from lunette.domain.array_changes import (
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayGrow,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.arrays import Level
from lunette.domain.disks import DiskWipeRequest, WipeMethod
from lunette.domain.plans import Plan
from lunette.domain.settings import SettingsPatch
from lunette.domain.snapshots import SnapshotCreate
from lunette.domain.volumes import Provisioning, VolumeGrow
from lunette.engine.background import array_growth
from lunette.engine.changes import (
    array_changes,
    deleted_volumes,
    disk_locate,
    disk_wipe,
    settings,
    snapshots,
    volume_batches,
    volumes,
)
from lunette.engine.context.outcome import Outcome
from lunette.store.journal import Job
from lunette.store.resources import Volume

SYNCED_S = 40
"""Longer than the fake's resync."""


def _same_disks_before(world: World) -> None:
    """The drives carried an array of the same shape, whose old volume group shows through a new one."""
    world.finish(world.create_array("former", Level.RAID5, free_disks(world)[:3]).job_id or "")
    device = next(d for d in world.machine.blocks.stacked.values() if d.media and len(d.below) == 3)
    label = device.media.pv if device.media else None
    world.finish(delete_array(world, "former").job_id or "")
    assert device.media
    device.media.pv = label


def _create_array(world: World) -> Outcome:
    return world.create_array("new", Level.RAID5, free_disks(world)[:3])


def _used_disks(world: World) -> None:
    """An old file system, a partition table with one inside, a member of a lost array."""
    first, second, third = free_disks(world)[:3]
    first.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    second.media.signatures = [FakeSignature("gpt", 512, uuid="u2", usage="partition-table")]
    second.partitions = [Partition(1, Media(64 * MIB, [FakeSignature("xfs", 0, "older", "u3")]))]
    third.media.signatures = [FakeSignature("zfs_member", 262144, "pool", "u4"), FakeSignature("ext4", 1080)]
    world.machine.changed()


def _create_array_wiping(world: World) -> Outcome:
    disks = free_disks(world)[:4]
    return world.create_array("new", Level.RAID6, disks, wipe=disks[:3])


def _wipe_disk(world: World, method: WipeMethod) -> Outcome:
    """The one with a partition table; what the drive can do was asked before."""
    disk = free_disks(world)[1]
    world.agent.ask_disks()
    spec = DiskWipeRequest(method=method, confirm=disk.serial)
    return world.ask(lambda tx: disk_wipe.wipe(world.control.change(tx, ACTOR), disk.links()[0], spec))


def _seated(world: World) -> None:
    """In a bay with a light."""
    free_disks(world)[0].bay = "Slot 01"
    world.machine.changed()


def _locate(world: World) -> Outcome:
    disk = free_disks(world)[0].links()[0]
    return world.ask(lambda tx: disk_locate.locate(world.control.change(tx, ACTOR), disk, is_on=True))


def _array_without_volumes(world: World) -> None:
    world.finish(world.create_array("old", Level.RAID10, free_disks(world)[:4]).job_id or "")


def _delete_old_array(world: World) -> Outcome:
    return delete_array(world, "old")


def _old_content(world: World) -> None:
    """Free extents still hold what an earlier volume's host wrote."""
    world.finish(world.create_volumes("tank", "gone").job_id or "")
    world.machine.write_data(world.device_of("gone"), SECRET_AT, SECRET)
    with world.store.read() as tx:
        volume_id = tx.query(Volume).filter_by(name="gone").one().id
    world.do(lambda tx: volumes.delete(world.control.change(tx, ACTOR), volume_id))
    world.do(lambda tx: deleted_volumes.erase(world.control.change(tx, ACTOR), volume_id))


def _create_volumes(world: World) -> Outcome:
    return world.create_volumes("tank", "v1", "v2", "v3")


def _mapped(world: World) -> None:
    give_host(world, "bob", ["mapped"])
    world.settle()
    world.machine.write_data(world.device_of("mapped"), 0, "bob's")


def _unmap(world: World) -> None:
    unmap_volume(world, "mapped")


def _delete_volume(world: World) -> Outcome:
    return delete_volume(world, "mapped")


def _deleted(world: World) -> None:
    """A deleted volume with data."""
    _mapped(world)
    world.machine.write_data(world.device_of("mapped"), 4 * MIB, "kept")
    _unmap(world)
    world.settle()
    world.finish(_delete_volume(world).job_id or "")


def _deleted_thin(world: World) -> None:
    one_thin(world)
    world.finish(delete_thin(world).job_id or "")


def _array_with_deleted(world: World) -> None:
    """Nothing is on it but volumes that were deleted, a thick and a thin one, the latter with a deleted snapshot."""
    _array_without_volumes(world)
    for name, kind in (("d1", Provisioning.THICK), ("d2", Provisioning.THIN)):
        world.finish(world.create_volumes("old", name, kind=kind).job_id or "")
    world.do(lambda tx: snapshots.take(world.control.change(tx, ACTOR), SnapshotCreate(name="ds", volume="d2")))
    world.do(lambda tx: snapshots.delete(world.control.change(tx, ACTOR), "ds"))
    for name in ("d1", "d2"):
        world.finish(delete_volume(world, name).job_id or "")


def _array_with_a_spare(world: World) -> None:
    """A complete array of the first three free disks; the fourth is its spare."""
    first, spare = free_disks(world)[:3], free_disks(world)[3:4]
    world.finish(world.create_array("old", Level.RAID5, first, spares=spare).job_id or "")
    world.machine.advance(SYNCED_S)


def _array_of_three(world: World) -> None:
    """A whole array; the disk that may join it still carries a file system."""
    world.finish(world.create_array("old", Level.RAID1, free_disks(world)[:3]).job_id or "")
    world.machine.advance(SYNCED_S)
    free_disks(world)[3].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _array_that_lost_a_disk(world: World) -> None:
    _array_of_three(world)
    world.machine.pull(free_disks(world)[1])


def _array_whose_disk_is_back(world: World) -> None:
    """It has a bitmap, and the disk was away for a moment."""
    _array_that_lost_a_disk(world)
    world.machine.insert(free_disks(world)[1])


def _dirty_array_that_lost_a_disk(world: World) -> None:
    """The power went while a raid6 without a spare was written to, and one of its disks is gone for good."""
    world.finish(world.create_array("old", Level.RAID6, free_disks(world)[:4]).job_id or "")
    world.machine.advance(SYNCED_S)
    world.machine.pull(free_disks(world)[1])
    world.machine.md.cut_while_written()
    world.agent.ending = Ending.POWER_CUT
    world.agent.kill()
    world.agent.ending = Ending.RESTART


def _force_start(world: World) -> Outcome:
    return world.change_array("old", array_changes.force_start, ArrayForceStart(confirm="old"))


def _add_a_spare(world: World) -> Outcome:
    spec = ArrayAddSpares(disks=(disk_id(world, 3),), wipe=(disk_id(world, 3),))
    return world.change_array("old", array_changes.add_spares, spec)


def _raid5_with_a_log(world: World) -> None:
    """A whole raid5 that keeps a partial parity log, and a disk that still carries a file system."""
    world.finish(world.create_array("old", Level.RAID5, free_disks(world)[:3]).job_id or "")
    world.machine.advance(SYNCED_S)
    free_disks(world)[3].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _grow_array(world: World) -> Outcome:
    spec = ArrayGrow(disks=(disk_id(world, 3),), wipe=(disk_id(world, 3),))
    return world.change_array("old", array_changes.grow, spec)


def _reshaped(world: World) -> None:
    """The kernel has completed the reshape; the log is off and the added space is not in use yet."""
    _raid5_with_a_log(world)
    world.finish(_grow_array(world).job_id or "")
    world.machine.advance(SYNCED_S)


def _finish_growth(world: World) -> Outcome:
    array_growth.finish(world.store, world.control.services)
    with world.store.read() as tx:
        job = tx.query(Job).filter(Job.title == "Finish the growth of array old").one()
        return Outcome(plan=Plan.model_validate(job.plan), job_id=job.id)


def _to_raid6(world: World) -> Outcome:
    spec = ArrayReshape(level=Level.RAID6, disks=(disk_id(world, 3),), wipe=(disk_id(world, 3),))
    return world.change_array("old", array_changes.reshape, spec)


def _replace(world: World) -> Outcome:
    spec = ArrayReplace(disk=disk_id(world, 1), new=disk_id(world, 3), wipe=(disk_id(world, 3),))
    return world.change_array("old", array_changes.replace, spec)


def _fail(world: World) -> Outcome:
    return world.change_array("old", array_changes.fail, ArrayDiskChoice(disk=disk_id(world, 1)))


def _remove_the_spare(world: World) -> Outcome:
    return world.change_array("old", array_changes.remove, ArrayDiskChoice(disk=disk_id(world, 3)))


def _readd(world: World) -> Outcome:
    return world.change_array("old", array_changes.readd, ArrayDiskChoice(disk=disk_id(world, 1)))


def _scrub(world: World) -> Outcome:
    return world.change_array("old", array_changes.scrub, ArrayScrub())


def _create_array_with_a_spare(world: World) -> Outcome:
    disks = free_disks(world)
    return world.create_array("new", Level.RAID5, disks[:3], spares=disks[3:4])


def _grow_volume(world: World) -> Outcome:
    return world.ask(
        lambda tx: volumes.grow(world.control.change(tx, ACTOR), "mapped", VolumeGrow(size_bytes=128 * MIB))
    )


def _some_volumes(world: World) -> None:
    """Two thick volumes, of which one was mapped, and the only thin one of the array."""
    _mapped(world)
    world.finish(world.create_volumes("tank", "k1").job_id or "")
    one_thin(world)
    _unmap(world)
    world.settle()


def _nothing_is_kept(world: World) -> None:
    _some_volumes(world)
    world.ask(lambda tx: settings.patch(world.control.change(tx, ACTOR), SettingsPatch(deleted_keep_hours=0)))


def _delete_some(world: World) -> Outcome:
    return world.ask(lambda tx: volume_batches.delete(world.control.change(tx, ACTOR), ("t1", "k1", "mapped")))


def _furnished(world: World) -> None:
    """A whole array of three disks with a thick and a thin volume, a snapshot, and a sealed copy."""
    world.finish(world.create_array("old", Level.RAID5, free_disks(world)[:3]).job_id or "")
    world.machine.advance(SYNCED_S)
    for name, kind in (("k1", Provisioning.THICK), ("t1", Provisioning.THIN)):
        world.finish(world.create_volumes("old", name, kind=kind).job_id or "")
        world.machine.write_data(world.device_of(name), 0, name)
    world.finish(take_snapshot(world).job_id or "")


CASES = (
    Case("create an array", _same_disks_before, _create_array),
    Case("create an array, wiping", _used_disks, _create_array_wiping),
    Case("delete an array", _array_without_volumes, _delete_old_array),
    Case("create an array with a spare", lambda world: None, _create_array_with_a_spare),
    Case("add a spare", _array_of_three, _add_a_spare),
    Case("grow an array", _raid5_with_a_log, _grow_array),
    Case("grow a mirror", _array_of_three, _grow_array),
    Case("finish the growth of an array", _reshaped, _finish_growth),
    Case("replace a disk that works", _array_of_three, _replace),
    Case("replace a disk that is gone", _array_that_lost_a_disk, _replace),
    Case("fail a disk", _array_of_three, _fail),
    Case("start a dirty array by force", _dirty_array_that_lost_a_disk, _force_start),
    Case("remove a spare", _array_with_a_spare, _remove_the_spare),
    Case("take a disk back", _array_whose_disk_is_back, _readd),
    Case("scrub", _array_with_a_spare, _scrub, passes=True),
    Case("create volumes", _old_content, _create_volumes),
    *SESSION_CASES,
    Case("delete a volume", _mapped, _delete_volume, _unmap),
    Case("recover a volume", _deleted, lambda world: recover(world, "mapped")),
    Case("erase a volume", _deleted, lambda world: erase(world, "mapped")),
    Case("recover a thin volume", _deleted_thin, lambda world: recover(world, "t1")),
    Case("erase the last thin volume", _deleted_thin, lambda world: erase(world, "t1")),
    Case("delete an array with deleted volumes", _array_with_deleted, _delete_old_array),
    Case("make a raid5 a raid6", _raid5_with_a_log, _to_raid6),
    Case("grow a volume", _mapped, _grow_volume),
    Case("delete volumes", _some_volumes, _delete_some),
    Case("delete volumes for good", _nothing_is_kept, _delete_some),
    Case("wipe a disk", _used_disks, lambda world: _wipe_disk(world, WipeMethod.SIGNATURES)),
    Case("have a disk erase itself", _used_disks, lambda world: _wipe_disk(world, WipeMethod.FORMAT)),
    Case("switch the light of a disk", _seated, _locate),
    *THIN_CASES,
    *SNAPSHOT_CASES,
    *POOL_CASES,
    *EXTERNAL_CASES,
    *LVM_CASES,
    *ENCRYPTED_CASES,
    Case("release an array", _furnished, lambda world: release_array(world, "old")),
    *SPARE_CASES,
)
