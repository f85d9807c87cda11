"""Kinds of jobs on arrays of LVM RAID."""

from backend.tests.fakemachine import FakeSignature
from backend.tests.faults.asking import delete_array, delete_volume, disk_id, free_disks
from backend.tests.faults.harness import Case
from backend.tests.faults.world import World
from lunette.domain.array_changes import ArrayReplace, ArrayScrub
from lunette.domain.arrays import ArrayEngine, Level
from lunette.engine.changes import array_changes
from lunette.engine.context.outcome import Outcome

SYNCED_S = 40
"""Longer than the fake's resync."""


def _create(world: World, level: Level = Level.RAID5, *, wipe: bool = False, integrity: bool = False) -> Outcome:
    disks = free_disks(world)[: 2 if level is Level.RAID1 else 3]
    return world.create_array(
        "raid", level, disks, disks[:1] if wipe else (), engine=ArrayEngine.LVM, options={"integrity": integrity}
    )


def _used_disk(world: World) -> None:
    free_disks(world)[0].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _raid(world: World) -> None:
    world.finish(_create(world).job_id or "")
    world.settle()  # the agent knows of it, and brings it up after a boot
    world.pass_time(SYNCED_S)


def _raid_and_a_used_disk(world: World) -> None:
    _raid(world)
    free_disks(world)[3].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _raid_that_lost_a_disk(world: World) -> None:
    _raid_and_a_used_disk(world)
    world.machine.pull(free_disks(world)[1])


def _checked_that_lost_a_disk(world: World) -> None:
    world.finish(_create(world, Level.RAID1, integrity=True).job_id or "")
    world.settle()
    world.pass_time(SYNCED_S)
    world.machine.pull(free_disks(world)[1])


def _replace(world: World) -> Outcome:
    new = disk_id(world, 3)
    carries = bool(free_disks(world)[3].media.signatures)
    spec = ArrayReplace(disk=disk_id(world, 1), new=new, wipe=(new,) if carries else ())
    return world.change_array("raid", array_changes.replace, spec)


def _with_deleted(world: World) -> None:
    _raid(world)
    world.finish(world.create_volumes("raid", "l1").job_id or "")
    world.finish(delete_volume(world, "l1").job_id or "")


LVM_CASES = (
    Case("create an LVM RAID", lambda _world: None, _create),
    Case(
        "create an LVM RAID with checksums of disks that are wiped",
        _used_disk,
        lambda world: _create(world, Level.RAID1, wipe=True, integrity=True),
    ),
    Case("create volumes on an LVM RAID", _raid, lambda world: world.create_volumes("raid", "l1", "l2")),
    Case("replace a disk of an LVM RAID", _raid_and_a_used_disk, _replace),
    Case("replace a disk that an LVM RAID lost", _raid_that_lost_a_disk, _replace),
    Case("replace a disk that an LVM RAID with checksums lost", _checked_that_lost_a_disk, _replace),
    Case(
        "scrub an LVM RAID",
        _raid,
        lambda world: world.change_array("raid", array_changes.scrub, ArrayScrub()),
        passes=True,
    ),
    Case("delete an LVM RAID", _raid, lambda world: delete_array(world, "raid")),
    Case("delete an LVM RAID with a deleted volume", _with_deleted, lambda world: delete_array(world, "raid")),
)
